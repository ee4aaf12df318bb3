// Package teardown drives owed teardowns: a run that was cancelled or timed out
// after it had recorded external state gets its finalizer called until it
// succeeds, or until a dead letter says that it never did.
//
// # Rows
//
//	wf-finalizer-state:<id>:<run>       what the run recorded: type, finalizer, payload
//	wf-saga:<id>:<run>:<seq>            a compensation of an open saga, as a state
//	wf-teardown-needed:<id>:<run>       the claim: it exists while the teardown is owed
//	wf-teardown:<due>:<id>:<run>:<token>  the claim's timer
//	wf-teardown-deadletter:<id>:<run>   a teardown that was given up
//	count-owed, count-dead              how many claims and letters there are
//
// All are addressed by workflow and run. The drive never reads the head of the
// run: a run that was purged can be redriven.
//
// # States
//
// The machine is [flow.Claim]; this package moves it from batch to batch. Each
// batch is conditional on the exact bytes of the claim it replaces, and every
// claim has a token that no claim had before, so of all who want to move one
// claim exactly one does, however long the others had stalled.
//
//	          terminal batch                    redrive (operator)
//	               │                                   │
//	               ▼                                   │
//	  ┌────────▶ owed ◀──────────────── fail n < 8 ─┐  │
//	  │            │ due                 shutdown   │  │
//	  │  retry     ▼                                │  │
//	  └──────── (take) ───────────▶ running ────────┤  │
//	               ▲                   │ │          │  │
//	               └── stale, n < 8 ───┘ │ success  │ fail 8, stale 8,
//	                                     ▼          ▼ state missing, claim unreadable
//	                                    gone     dead letter ──▶ discard (operator)
//
//	batch          claim            timer of the claim   state   letter   counters
//	owe            put owed         put, now             stays            owed +1
//	take           put running      watchdog put                          —
//	fail           put owed         put, back-off                         —
//	called off     put owed         put, 30 s                             —
//	success        deleted          —                    deleted          owed -1
//	dead letter    deleted          —                    deleted  put     owed -1, dead +1
//	retry          put owed         put, now                              —
//	redrive        put owed         put, now             put      deleted owed +1, dead -1
//	discard                                                       deleted dead -1
//
// # Pieces
//
// A run that left open sagas owes several things: their compensations, the newest
// first, then the finalizer if it has state. They have one claim, which is at one
// piece at a time. The success of a piece, if it is not the last, is a batch that
// removes the piece's record and puts the claim back as owed, due now, for the
// next piece, with all attempts. A dead letter is that of the piece that was given
// up; the records behind it stay, also over a purge. A redrive goes on with that
// piece, a discard with the one behind it.
//
// Every batch that replaces or removes a claim deletes the timer of the old one.
// Invariant: a claim that can be read has the timer row of its token and
// instant. [Check] tests it.
//
// # Timers
//
// A timer row is deleted only by the batch that makes it superfluous. A look
// that cannot go on now, because the store cannot be read, the claim is under
// way in this process or the clock went back, leaves the row where it is and
// looks again 30 s later from memory; a process that dies meanwhile finds the
// row at the next open. So no exit strands a claim, and none has to write for
// that. A timer with another token than the claim's is deleted without effect;
// one that is earlier than its claim allows is replaced by the claim's own. A
// claim under way is never rewritten by that.
//
// A claim whose type or finalizer is unknown here is held: nothing is written,
// and the row is found by the next process that opens the store. A walk after
// open compares claims with their timers and puts back what is missing.
//
// # Attempts
//
// A claim gets one attempt at a time, in a slot, off the loop that looks at
// timers; the retry policy of the activity plays no part. The attempt is bounded
// by the finalizer's timeout, or 5 minutes, also when the function does not look
// at its context: then it is counted as failed and the function as a stray, as
// long as it runs. A claim whose maker is gone is stale 30 s after that bound;
// taking it over counts the lost attempt, so that a finalizer that kills its
// process ends as a dead letter, too. An attempt that a shutdown called off does
// not count, and its result, success included, is not trusted.
//
// A finalizer must be idempotent: it runs at least once.
//
// # What it does not do
//
// It does not decide which ends owe a teardown, holds no lease and writes no
// audit record of its own: the engine gives it a fenced commit and puts the
// records of operators into its batches.
package teardown
