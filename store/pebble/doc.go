// Package pebble is a [store.Store] in one directory, on a Pebble database.
//
// # Directory
//
//	DIR/FORMAT      format number, Pebble's format, store id; written last, once
//	DIR/owner.lock  flock'd by whoever has the store open; says who that is
//	DIR/high-water  a group known durable; how a silent loss is noticed
//	DIR/db/         Pebble's own directory; stock tools can open it
//
// A store is opened in that order: path made canonical, FORMAT looked at,
// owner.lock taken, FORMAT read again, Pebble's directory peeked at, Pebble
// opened. What is foreign, newer, half made or missing is refused before
// anything is written; only Options.Create (or [Init]) makes a store. It is made
// in db.new, renamed, and FORMAT is written last, so that a store with a FORMAT
// is whole and one without holds no data. Create also does an interrupted
// creation again, unless there is a row in what it left: that is a store which
// lost its FORMAT, or somebody else's database.
//
// What the store makes is for its user alone: directories 0700, files 0600,
// Pebble's too. A directory that is there already keeps its mode.
//
// For writing Pebble is opened twice: first for reading, to see whether anything
// acknowledged is missing. Opening for writing flushes and deletes the logs, and
// a refusal must leave what a damaged log still holds. It costs replaying the
// log twice after a crash, next to nothing after a close.
//
// The lock is ours because Pebble's own is lost as soon as its process opens
// and closes the file LOCK, cannot be shared by readers and cannot say who has
// it. A directory that this process owns is known to it apart from the file.
// [Look] takes owner.lock shared and changes no byte: Pebble gets a file
// system that refuses every change.
//
// # Committing
//
//	Commit ─▶ queue ─▶ committer: judge, build one batch, apply, sync ─▶ answer all
//	                      │                                  │
//	                      └─ recent rows, else Get           └─ new view for readers
//
// One goroutine, the committer, judges all conditions and writes everything
// that waits in one Pebble batch: a group. It does not start the next group
// before this one is synced, so what it judges against is durable or in its own
// hands. It remembers what the last groups wrote, so a condition is a map
// look-up: a row it remembers is compared with the bytes it remembers, a row it
// does not remember is unchanged since any group that it does. Only what is
// older is read from Pebble. A refusal caused by a row of the same group is
// answered after its sync, because before it a power cut could undo the cause.
//
// Readers use a Pebble snapshot taken after each sync and shared, counted, by
// all of them. They never see unsynced rows.
//
// # Store rows
//
// Keys that begin with a zero byte are the store's own:
//
//	00 'g' <group mod 4096>        the group's number: the trail
//	00 'm' <group/1024 mod 4096>   the number of every 1024th group
//	00 'b'                         the group the trail begins after
//
// A table or a log that vanished leaves a hole in the trail, a log that lost its
// tail ends below high-water. Both are [store.ErrDataLoss] at open, unless
// accepted with Options.AcceptDataLoss.
//
// # Failure
//
// The first write that fails latches the store: [store.ErrFailed], for good.
// Nothing is written after it, because Pebble may answer success for writes
// after a failed one. Logger.Fatalf latches too and never returns, since
// returning would do just that, nor exits, since the process is not ours.
//
// A full disk makes Pebble hang rather than fail. So free space is watched and
// new work is refused below a reserve; a write under way for longer than
// Patience.Stall makes the store stalled and refuses what waits; longer than
// Patience.GiveUp is a failed write. Opening and closing have deadlines. A sick
// store is closed in the background and keeps its locks until that ended.
//
// # What it does not do
//
// It does not repair. It does not run on network file systems that lack flock.
// When the creation of the next log file fails, Pebble ends the process with an
// error that Go cannot catch; the reserve keeps free space for it. Tests in
// synctest bubbles work, but for background errors, during which Pebble sleeps
// under a mutex and so stops a bubble's clock.
package pebble
