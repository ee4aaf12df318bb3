// Package timers is the queue of timer rows: it finds the rows of a key family
// that are due and hands each to an action. Two families use it: the waits,
// delayed starts and deadlines of runs, and the owed teardowns.
//
// # The data
//
// A timer is a row without a value whose key begins with the instant it is due,
// so that key order is due order. The queue only reads rows. Whoever needs a
// timer puts its row in the batch that begins the wait, and the batch that ends
// the wait deletes it. In between it says: look at this at that instant, and
// whoever looks decides by what else is stored whether anything is to be done.
//
//	insert   a batch with the row is durable ──▶ Added
//	take in  Run reads the rows due soon, and what was added below its edge
//	due      Run calls fire(timer, slot), once for each time it was taken in
//	act      the action reads, commits (the row goes in that batch), wakes
//	again    an action that can do nothing now calls Again; the row is untouched
//
// What a crash leaves after each of these:
//
//	insert, before Added    the row; the next open reads it
//	Added, taken in         the row; memory is only a copy
//	fired, before the act   the row; it is due at the next open
//	acted                   no row; what the act's batch says instead
//	Again                   the row
//
// So no instant between two lines loses a timer, and none needs a write of its
// own. A row that is gone although something waits for it can only come from
// outside; [Walk] compares the two, once after open, and puts it back.
//
// # Who wakes whom
//
// [Queue.Added] wakes [Queue.Run] when the new timer is due before everything
// it knows. [Slot.Free], and a value on Config.Freed, wake it when something
// due had to wait. Otherwise it sleeps until the next instant, a second at
// most: a wall clock that was stepped, or a machine that slept, delays a timer
// by no more than that.
//
// # Two cursors
//
// The keys below the edge have been read, but for the gaps:
//
//	family ──read──┬── gap ──┬──read──┬─── gap ───┬──read──┬── not yet read ──▶
//	               a         b        c           now     edge
//	               ▲ backlog cursor                        ▲ near cursor
//
// The near cursor keeps the edge a few seconds ahead of the clock. When the
// clock has overtaken it, because the store was closed, the clock was stepped
// or more was due at once than a page holds, what lies between becomes a gap
// and the near cursor goes on at now. The backlog cursor works the gaps off, the
// oldest first, a page at a time. So a timer that becomes due while a million
// are late is in memory in time, without a look at any of those.
//
// What is due is served from both ends in turn: the newest, then the oldest. The
// newest is the one that can still be in time, so one that is due alone does not
// wait behind the others; the oldest makes sure that all get their turn however
// many keep coming. Config.Slots bounds how many actions are under way at once:
// an action that begins soon is through soon only if few compete with it.
//
// A timer is in memory once at any time, and one that was handed out is not read
// again: the cursors never go back. Two exceptions are harmless, because every
// action finds the wait over by what is stored: a row that becomes durable while
// the page with it is being read may be fired by Added and by the page, and
// Again hands out again.
//
// # Clocks
//
// Due times are compared with the wall clock at each look. A clock that was set
// forward makes timers due; what it skips is a gap. One that was set back makes
// those that are due wait again; the edge stays where it is, and what is added
// below it meanwhile is kept in memory.
//
// # What it does not do
//
// It writes nothing, except that Walk calls who does. It starts no goroutine:
// Run is one that its caller starts, and fire must not block it.
package timers
