// Package check walks a whole store and names what does not fit together. It
// changes nothing and knows nothing of a live engine; tests end with it and an
// operator runs it over a store that behaves oddly.
//
// # What must hold
//
//	family        every row
//	wf:           decodes; its status fits its times; has its index row, its row
//	              in the order of ending exactly when it has ended, and a journal
//	ev:           of the current run of its id; numbers from 1 without gaps; the
//	              first is started; the last, and only it, is ended exactly when
//	              the run has ended, with the same status
//	ready:        of a running run
//	wait:         of a running or suspended run; has its timer when it says so
//	sig:          of a run that has not ended, or of the first of its chain
//	wf-past:      of a generation before the current run of its id
//	upd:          of the current run of its id; names its events in the journal
//	wf-deadline:  has a wait that is due then
//	wf-idx-type:  has the head it says
//	wf-terminal:  has the head it says
//	wf-idx-tag:, wf-idx-attr: has a head with that tag or attribute; each of
//	              these has its row
//	count:        is the number of heads, and is not there when that is 0
//	child-by-parent: of the current run of its id; decodes
//	child-end:    of a run that has not ended; decodes
//	cascade:      has a key of its kind
//	start-idem:   decodes
//	audit:        decodes
//	lease:, weft: decode; each key is a known one
//
// The families of teardowns and their counters are judged by package teardown.
// Any other family is named once. A record that does not decode is named, and
// so is a key that is not one package row makes.
//
// # How
//
// One pass in key order, with one look-up or two per row; what is kept in
// memory is one tally per (type, version, status). The reader should be a
// snapshot: rows that change during the walk look inconsistent. After
// [MaxFindings] the walk stops, since a store that is wrong everywhere is wrong
// for one reason.
package check
