// Package row owns every byte the engine keeps in a store: the keys, the
// records under them, and how both are encoded.
//
// # Families
//
// A key is a family prefix and components, joined by colons. An operator who
// looks at raw storage can read it.
//
//	key                                            value     written by                removed by
//	wf:<id>                                        Head      life-cycle acts           purge
//	ev:<id>:<run>:<seq>                            Event     every step, starts, ends  purge
//	wait:<id>:<run>:<step>                         Wait      registration, retries     the step's outcome, the end
//	ready:<id>:<run>                               Ready     whoever makes it runnable parking, suspension, the end
//	sig:<id>:<run>:q:<arrival>                     Signal    senders                   the step that takes it, the end
//	sig:<id>:<run>:i:<name>:<signal id>            decimal   senders with a signal id  the end, two generations later
//	wf-past:<id>:<generation>                      Past      continuing as new         32 generations later, purge
//	sig:<id>:<run>:c:<name>                        empty     the code that drains it   the end
//	upd:<id>:<run>:<update id>                     Update    acceptance, the reply     purge, continuing as new
//	wf-deadline:<due>:<id>:<run>:<step>            empty     registration              the step's outcome, the end
//	wf-idx-type:<type>:<version>:<status>:<created>:<id>  run id  with the head        with the head
//	wf-terminal:<closed>:<id>                      run id    the terminal batch        purge
//	wf-idx-tag:<tag>:<created>:<id>                run id    with the head             with the tag, purge
//	wf-idx-attr:<name>:<value>:<created>:<id>      run id    with the head             with the attribute, purge
//	count:<type>:<version>:<status>                counter   with the head             at zero
//	wf-finalizer-state:<id>:<run>                  State     the step that records it  the end; success, dead letter
//	wf-saga:<id>:<run>:<seq>                       State     a saga's step             its compensation, the saga's end
//	wf-teardown-needed:<id>:<run>                  Claim     the end, attempts         success, dead letter
//	wf-teardown:<due>:<id>:<run>:<token>           empty     with the claim            with the claim's next change
//	wf-teardown-deadletter:<id>:<run>              Letter    the last attempt          redrive, discard
//	count-owed, count-dead                         counter   with claims and letters   at zero
//	child-by-parent:<id>:<run>:<step>              Child     the step that starts it   purge of the parent
//	child-end:<id>:<run>:<step>                    Event     the child's end           the step that takes it, the end
//	async-act:<id>:<run>:<step>                    Answer    completion from outside   the step's outcome, the end
//	cascade:<id>:<run>                             status    the parent's end          when all children know
//	start-idem:<key>                               Ref       start                     never
//	audit:<number>                                 Audit     operator acts             trimming
//	lease:epoch                                    8 bytes   ownership transfer        never
//	lease:holder                                   JSON      acquire, renew            release
//	lease:history                                  JSON      acquire, release          never
//	weft:schema-version                            decimal   first open                never
//
// The run in a key of sig is that of the first of a chain of runs that continued
// as new: they share one buffer, in which nothing has to be moved.
//
// Readers are the engine (all), package list (wf, wf-idx-type, wf-terminal,
// count, and ev, wait, sig, upd, child-by-parent of the rows shown), package teardown (the families
// of teardowns) and package check (all).
//
// # Keys
//
// Text components pass one encoder: every byte but A-Z a-z 0-9 - _ . ! ~ * ' ( )
// becomes %XX. A colon inside a component is therefore escaped, and since each
// component that has something behind it ends in a colon, distinct tuples make
// distinct keys and the range of one tuple never contains a row of another.
// The encoding works byte by byte, so a prefix of an id encodes to a prefix.
// Instants are 16 decimal digits of milliseconds, event numbers 10 digits,
// arrivals 20: byte order is number order.
//
// # Values
//
// A record is one version byte, then CBOR in core deterministic form with small
// integer keys: the same value always has the same bytes, which is what
// conditions compare, and a later version may add fields. A version byte from
// the future is [store.ErrNewer], everything else that cannot be read is
// [store.ErrCorrupt]: one is cured by an upgrade, the other is not.
package row
