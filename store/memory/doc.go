// Package memory is a [store.Store] in memory, for tests.
//
// Its semantics are those of a durable store: readers see only what a Commit
// has acknowledged or is about to, whole groups, numbered without gaps. Every
// batch is a group of its own. Nothing in it depends on real time and every
// wait is on a channel, so it runs in testing/synctest bubbles.
//
// # Faults
//
// A test can make the store misbehave as a disk would: [Store.FailCommit]
// (before or after the write took effect), [Store.Hold] (commits wait),
// [Store.SetDelay], [Store.SetHook] (something happens just before a commit),
// [Store.Refuse] (full, stalled) and [Store.Crash] (the process dies and another
// opens the same data).
//
// To expose callers that keep what is only lent to them, a Scan overwrites the
// slices of a row before it yields the next one.
package memory
