// Package state keeps what the console remembers of each store: one small file
// for each, outside the data directory, so that looking at a store does not
// change it.
//
// # Promises
//
// A file is replaced whole: a crash leaves the old one or the new one. Files are
// readable by their owner alone, and a link in their place is replaced, not
// followed. A file that cannot be understood is put aside when the next is
// written; one of a newer program is left alone.
//
// Several consoles may share a store. What one changes is brought into what the
// file holds by then, under a lock that is waited for a short time only, so each
// loses nothing but what another changed in the very same place.
package state
