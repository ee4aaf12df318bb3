// Package list reads what consoles show: windows of runs, one run in detail,
// counts, types and the audit. It answers from a [store.Reader], usually a
// snapshot, and knows nothing of a live engine: it starts no goroutine and
// changes nothing.
//
// # Windows
//
// A page is a range of an index, never a pass over the store:
//
//	order       range                                position in it
//	ByCreated   wf-idx-type:, one range per          <created>:<id>
//	            (type, version, status), merged
//	ByClosed    wf-terminal:                         <closed>:<id>
//	ByID        wf:                                  <id>
//	@attribute  wf-idx-attr:<attribute>:             <attribute>:<value>:<created>:<id>
//
// Which triples exist is read from the counters, so that a filter on type,
// version, status or held only leaves ranges out, and its total is the sum of
// the counters it leaves in. Positions are compared as they are stored: ids of
// one millisecond, and ids in ByID, are in the order of their encoded bytes.
//
// A [flow.Query] goes on behind a cursor, which is such a position and the
// order it belongs to. It stays good when its row goes away and under another
// filter or direction; in another list it is a [*flow.NameError].
//
// # Budget
//
// A tag or the value of an attribute narrows ByCreated to its range of
// wf-idx-tag: or wf-idx-attr:, and the other orders, as a comparison of an
// attribute does all, when it leaves no more than two thousand runs.
//
// What no index answers (Contains, Created and status in the other orders) is
// looked up row by row within a [Budget]. When that is spent the
// page ends early, says what was scanned, and Page.Next goes on from there.
// Behind a full first page the walk counts on for a tenth of the budget, so
// that short lists have a total. A filter that leaves no more than two
// thousand runs by another index than the order's is answered by collecting
// and sorting these.
//
// # Rows
//
// What a run waits for, its step, its summary and when it last changed come
// from its last event and its wait rows, read only for the rows of the page.
// A row that cannot be read is shown with the reason in place of the rest: one
// damaged row never hides the others.
//
// Page.At and Detail.At, and whether the run of a Detail is held, are the
// caller's to fill in: they are not in the store.
package list
