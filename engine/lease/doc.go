// Package lease makes one engine the owner of a store and notices when it is
// no longer.
//
// # Rows
//
//	lease:epoch    8 bytes, big endian. Grows by one with every change of owner,
//	               survives release, never goes down: the fencing token.
//	lease:holder   JSON {holderId, expiresAt, epoch} and our own fields. It is
//	               rewritten by every renewal and removed by release.
//	lease:history  JSON, the last 32 tenures, for people.
//
// Two rows, because a condition compares whole values: a fence on the holder,
// which every renewal changes, would fail for a healthy owner.
//
// # Life
//
//	         acquire: epoch+1 and holder, on both rows' exact bytes
//	free ───────────────────────────────────────────────▶ held ──┐ renew: holder,
//	 ▲                                                     │ ▲ ◀─┘ on its bytes
//	 │ release: holder removed, on its bytes               │ │
//	 └─────────────────────────────────────────────────────┤ │ renewed
//	                                                       ▼ │
//	                         no renewal for a ttl ──▶ in doubt ──▶ deposed
//	                                               another epoch is stored
//
// In doubt the owner starts nothing, and goes on trying to renew: a disk that
// hangs for a minute does not cost the lease unless somebody takes it. Deposed
// is final for a [Lease]; its owner halts, and a new one may compete again. An
// owner is also deposed when its store can no longer say that it alone has the
// data ([store.Owner]), because a lock file was removed for instance.
//
// # Who may take it
//
//   - Nobody holds it, or the holder's record cannot be read: at once.
//   - The store is exclusive to one process and the holder wrote under another
//     instance of it: the process is gone, at once.
//   - Otherwise when the holder's bytes have not changed for the holder's own
//     ttl on the waiter's monotonic clock. A holder renews several times in
//     that time, so one that lives is never robbed. Every renewal is counted in
//     the record, so that its bytes change even when a wall clock stands still,
//     and no wall clock is compared: expiresAt is for people.
//
// An epoch that cannot be read, or a holder without an epoch, is corruption:
// nobody can tell which epochs were given out, so an operator decides.
//
// # Backups
//
// A restored copy brings its old epoch back: epochs that were given out after
// the copy are given out again. Inside one store that does no harm, because an
// owner's writes go to the store it has open, never into a copy, and an owner
// whose directory was exchanged finds a lock file that is not its own and halts
// at its next renewal. But it may act until then, and services outside that
// compare epochs would take the new owner's for old ones. So: stop the owner,
// then restore; and do not use the epoch as a token outside of the store.
package lease
