package check

import (
	"bytes"
	"fmt"
	"strconv"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// Finding is one thing that does not fit.
type Finding struct {
	// Key is the row it was found at, as printable text.
	Key string
	// Text is a sentence that says what is wrong.
	Text string
}

func (f Finding) String() string { return f.Key + ": " + f.Text }

// MaxFindings is how many findings end the walk.
const MaxFindings = 1000

// Run checks the store that r reads and returns what does not fit, in the order
// of keys, with wrong counters and what package teardown finds at the end; none
// means that all is well. The error is the reader's.
func Run(r store.Reader) ([]Finding, error) {
	w := &walk{r: r, tally: map[row.Count]int64{}, counters: map[row.Count]int64{}}
	for kv, err := range r.Scan(store.Range{}) {
		if err != nil {
			return w.findings, fmt.Errorf("check: %w", err)
		}
		if err := w.row(kv); err != nil {
			return w.findings, fmt.Errorf("check %s: %w", printable(kv.Key), err)
		}
		if len(w.findings) >= MaxFindings {
			w.findings = append(w.findings[:MaxFindings],
				Finding{printable(kv.Key), fmt.Sprintf("%d findings: the walk stops here", MaxFindings)})
			return w.findings, nil
		}
	}
	w.endJournal()
	w.compareCounts()
	found, err := teardown.Check(r)
	if err != nil {
		return w.findings, fmt.Errorf("check teardowns: %w", err)
	}
	for _, f := range found {
		w.found(f.Key, "%s", f.Text)
	}
	return w.findings, nil
}

// walk is one pass over a store.
type walk struct {
	r        store.Reader
	findings []Finding
	// tally is how many heads there are, counters what the store says.
	tally, counters map[row.Count]int64
	journal         journal
	owner           owner
	stranger        string // the unknown family named last
}

func (w *walk) found(key []byte, format string, args ...any) {
	w.findings = append(w.findings, Finding{printable(key), fmt.Sprintf(format, args...)})
}

// printable quotes a key unless it is plain text.
func printable(key []byte) string {
	q := strconv.Quote(string(key))
	if q == `"`+string(key)+`"` {
		return string(key)
	}
	return q
}

// families says who looks at the rows of a family. The order does not matter:
// no prefix begins with another.
var families = []struct {
	prefix string
	check  func(*walk, store.Row) error
}{
	{row.FamilyHead, (*walk).head},
	{row.FamilyEvent, (*walk).event},
	{row.FamilyWait, (*walk).wait},
	{row.FamilyReady, (*walk).ready},
	{row.FamilySignal, (*walk).signal},
	{row.FamilyUpdate, (*walk).update},
	{row.FamilyTimer, (*walk).timer},
	{row.FamilyIndex, (*walk).index},
	{row.FamilyTerminal, (*walk).terminal},
	{row.FamilyTag, (*walk).label},
	{row.FamilyAttribute, (*walk).label},
	{row.FamilyCount, (*walk).count},
	{row.FamilyIdem, (*walk).idem},
	{row.FamilyAudit, (*walk).audit},
	{row.FamilyChild, (*walk).child},
	{row.FamilyChildEnd, (*walk).childEnd},
	{row.FamilyCascade, (*walk).cascade},
	{row.FamilyPast, (*walk).past},
	{row.FamilyAnswer, (*walk).answer},
	{"lease:", (*walk).single},
	{"weft:", (*walk).single},
	{row.FamilyClaim, elsewhere},
	{row.FamilyState, elsewhere},
	{row.FamilyPiece, elsewhere},
	{row.FamilyTeardown, elsewhere},
	{row.FamilyDead, elsewhere},
	{string(row.CountOwed), (*walk).teardowns},
	{string(row.CountDead), (*walk).teardowns},
}

// elsewhere leaves a row to package teardown.
func elsewhere(*walk, store.Row) error { return nil }

// row checks one row. It fails only when the reader does.
func (w *walk) row(kv store.Row) error {
	if !bytes.HasPrefix(kv.Key, []byte(row.FamilyEvent)) {
		w.endJournal()
	}
	for _, f := range families {
		if bytes.HasPrefix(kv.Key, []byte(f.prefix)) {
			return f.check(w, kv)
		}
	}
	family := string(kv.Key)
	if i := bytes.IndexByte(kv.Key, ':'); i >= 0 {
		family = string(kv.Key[:i+1])
	}
	if family != w.stranger {
		w.stranger = family
		w.found(kv.Key, "family %s is unknown", printable([]byte(family)))
	}
	return nil
}

// owner is the head that was looked up last: the rows of a run lie together.
type owner struct {
	id     flow.WorkflowID
	known  bool // id was looked up
	exists bool
	// head is the zero Head when it does not decode; that is named elsewhere.
	head    row.Head
	decodes bool
}

// ownerOf looks up the head of the id.
func (w *walk) ownerOf(id flow.WorkflowID) (*owner, error) {
	if w.owner.known && w.owner.id == id {
		return &w.owner, nil
	}
	value, err := w.r.Get(row.HeadKey(id))
	if err != nil {
		return nil, err
	}
	h, bad := row.DecodeHead(value)
	w.owner = owner{id: id, known: true, exists: value != nil, head: h, decodes: bad == nil}
	return &w.owner, nil
}

// stray says why a row may not belong to ref: "" when ref is the current run of
// its id, or when nobody can tell.
func (o *owner) stray(ref flow.Ref) string {
	switch {
	case !o.exists:
		return "there is no run of this id"
	case o.decodes && o.head.Run != ref.Run:
		return "the run of this id is now " + string(o.head.Run)
	}
	return ""
}

// is reports whether the owner has one of the statuses, or nobody can tell.
func (o *owner) is(statuses ...flow.Status) bool {
	if !o.decodes {
		return true
	}
	for _, s := range statuses {
		if o.head.Status == s {
			return true
		}
	}
	return false
}
