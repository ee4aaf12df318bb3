// Package store is the contract between the engine and durable storage: an
// ordered key-value map with conditional batches.
//
// # Model
//
// Keys and values are bytes; keys are ordered bytewise. A key has at least one
// byte and does not begin with a zero byte: those keys hold the store's own
// rows, which no Get or Scan shows.
//
// All change goes through [Store.Commit]: a [Batch] is conditions plus writes,
// applied whole or not at all, and on disk when Commit returns. Batches of many
// callers may share one sync; such a set is a *group*, numbered without gaps
// from 1. The number survives restarts and only grows. (After an accepted loss of data it
// goes on above every number ever acknowledged, which leaves a gap.)
//
// # Promises
//
//   - Durable means it survives a power cut.
//   - Readers see whole groups, and only groups that are durable. A caller
//     never acts on a value that a power cut could take back.
//   - Commit answers "not applied" only when a condition does not hold.
//     Contention, full disk and closing are errors.
//   - After the first failed write the store has failed for good: every later
//     Commit answers [ErrFailed], reads go on. Nothing is written again until
//     the store is opened anew.
//
// # Conditions
//
// A caller that read a row at group g, from a snapshot or as the Group of an
// earlier Result, names g in [Condition.At]. While the row stayed untouched the
// store then decides without reading it, which doubles throughput. Zero is
// always right, only slower.
//
// # Counters
//
// A batch may add to counters. The store keeps each as one ordinary row whose
// value is [EncodeCounter], written in the batch that adds, so that a reader
// gets exact counts from the same snapshot as everything else.
//
// The suite in store/storetest says what an implementation must do.
package store
