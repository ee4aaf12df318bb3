// Package flow is the vocabulary of weft: plain values with their rules. It
// does no I/O, starts no goroutine and reads no clock; where an instant
// matters it is an argument.
//
// # Words
//
//   - A *workflow* is what a caller named: a [WorkflowID]. A *run* is one
//     execution under that name: a [RunID]. A [Ref] is both and addresses one
//     run for ever; a later run of the same workflow has another address.
//   - The *type* of a run is the registered name of its code, its *version* the
//     registered version.
//   - A *step* is one durable operation of a run, at a [StepPath]. What became
//     of it is an [Event]; the events of a run, numbered without gaps, are its
//     *journal*. *Replay* runs the code against the journal.
//   - A run that waits is *parked*: only its rows remain. A run whose type or
//     version is not registered here is *held*: nothing touches it.
//   - The *lease* makes one process the *owner* of a store. Its [Epoch] is the
//     *fencing token*: a former owner's writes name an older one and are
//     refused. One ownership is a *tenure*.
//
// # Two audiences
//
// The engine stores these values and decides by them. Every console, be it a
// terminal, a verb or a socket, speaks in them: [Query], [Page], [Act],
// [Receipt], [Info], [Notice]. Their JSON field names are an interface: they
// are tested and only ever added to.
package flow
