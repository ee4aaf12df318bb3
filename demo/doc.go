// Package demo has the workflows of weft-tui demo: small jobs that do real
// things to real files, one for each way a run can go.
//
//	hash-files    many quick steps, with progress in the summary
//	fetch         an activity that fails at first and goes on where it stopped
//	import        fails for good, with a code: one row of a ledger is broken
//	release       waits for the signal approved, for ever or up to a limit, and
//	              takes the update note and answers the query notes
//	keep          sleeps for days
//	pack          one long activity that gives heartbeats and resumes from them
//	inbox         retries until somebody puts a file where it looks
//	usage         a loop of short timers, bounded
//	contract      leaves its outcome to somebody outside, who has a token
//	trip          a saga: if a part cannot be had, the others are given back, and
//	              a cancel in the middle owes that
//	sandbox       holds a folder and a process outside, with a finalizer that
//	              releases them, and that can be asked to fail or to be slow
//
// # Files
//
// Everything is below the work directory that [Workflows] is given. A run has a
// directory of its own there, named by type and run id, so that runs never meet;
// only inbox looks at a directory that all its runs share. No input or result of
// a step holds the work directory: it may move together with the store.
//
// # What the code shows
//
// Workflow code is deterministic: all it knows comes from its input and from
// steps. Activities may run more than once, so each leaves the same files
// however often it runs: whole files are written beside their place, synced and
// renamed; an unfinished file is continued from what is there; a record in a
// log has a fixed place.
//
// The sandbox records what its finalizer will need before it makes anything, and
// again once it knows what it made. Its process is known by its number and by
// when it started, so that nobody else's is ever killed.
package demo
