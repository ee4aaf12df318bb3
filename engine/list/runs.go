package list

import (
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Runs reads one page of runs. Held says why runs of a type and version may not
// run here, "" when they may; nil means that all may. A cursor or sort that is
// none is a [*flow.NameError]; other errors are the reader's.
func Runs(r store.Reader, q flow.Query, held func(typ, version string) string) (flow.Page, error) {
	return Budget{}.Runs(r, q, held)
}

// Runs is the function [Runs] within another budget.
func (b Budget) Runs(r store.Reader, q flow.Query, held func(typ, version string) string) (flow.Page, error) {
	o, err := orderOf(q.Sort)
	if err != nil {
		return flow.Page{}, err
	}
	after, err := o.position(q.After)
	if err != nil {
		return flow.Page{}, err
	}
	attribute, err := attributeOf(q, after)
	if err != nil {
		return flow.Page{}, err
	}
	c, err := readCensus(r)
	if err != nil {
		return flow.Page{}, err
	}
	f, err := newFilter(q.Filter, o, c, held)
	if err != nil {
		return flow.Page{}, err
	}
	s := search{
		r: r, order: o, attribute: attribute, after: after, meter: newMeter(b),
		// Newest, last ended and greatest come first, ids in their own order.
		reverse: q.Backward == (o == byID),
		filter:  f,
	}
	w := newWindow(q, o, s.meter)
	if s.filter.counted() && o != byLabel {
		w.total = total(s.filter.counts)
	}
	if err := s.fill(w); err != nil {
		return flow.Page{}, fmt.Errorf("list runs: %w", err)
	}
	page := w.page()
	page.Counts = c.sum()
	page.Runs = make([]flow.Run, 0, len(w.rows))
	for i := range w.rows {
		run, err := s.show(&w.rows[i])
		if err != nil {
			return flow.Page{}, fmt.Errorf("list runs: %w", err)
		}
		page.Runs = append(page.Runs, run)
	}
	return page, nil
}

// search finds the entries of one page.
type search struct {
	r     store.Reader
	order order
	// attribute is what the order byLabel is about.
	attribute string
	after     position
	reverse   bool
	filter    filter
	meter     *meter
}

// fill chooses the way with the least to look at.
func (s *search) fill(w *window) error {
	if few, ok := s.few(); ok {
		found, all, err := s.collect(few)
		if err != nil {
			return err
		}
		if all {
			w.total = int64(len(found))
			s.meter.free = true // they have been looked at
			return w.fill(s.sorted(found), s.match)
		}
	}
	s.meter.free = s.filter.certain(s.order)
	return w.fill(s.walk(s.after), s.match)
}

// walk yields the entries of the order's range behind after.
func (s *search) walk(after position) entries {
	f := &s.filter
	switch s.order {
	case byID:
		g := behind([]byte(row.FamilyHead), after, s.reverse)
		prefix := row.HeadPrefix(f.IDPrefix)
		return heads(s.r, clip(g, prefix, store.PrefixEnd(prefix)))
	case byLabel:
		return labelled(s.r, labelledBehind(row.AttributePrefix(s.attribute), row.FamilyAttribute, after, s.reverse), fromAttribute)
	case byClosed:
		return ended(s.r, behind([]byte(row.FamilyTerminal), after, s.reverse))
	}
	if byLabels := s.labelRanges(after); byLabels != nil {
		return merged(byLabels, s.reverse)
	}
	return merged(s.ranges(after), s.reverse)
}

// ranges are the index ranges of the triples the filter lets through.
func (s *search) ranges(after position) []entries {
	var all []entries
	for _, n := range s.filter.counts {
		prefix := row.IndexPrefix(n.Type, n.Version, n.Status)
		bound := func(at flow.Instant) []byte {
			if at == 0 {
				return nil
			}
			return row.IndexKey(n.Type, n.Version, n.Status, at, "")
		}
		g := clip(behind(prefix, after, s.reverse), bound(s.filter.CreatedFrom), bound(s.filter.CreatedTo))
		all = append(all, indexed(s.r, g, len(prefix)))
	}
	return all
}

// match asks the filter about an entry and reads its head if need be.
func (s *search) match(e *entry) (bool, error) {
	if e.chosen {
		return true, nil
	}
	match, sure := s.filter.byKey(e)
	if !match || sure && s.order != byLabel {
		return match, nil
	}
	if err := s.load(e); err != nil {
		return false, err
	}
	return e.state == headRead && s.filter.byHead(e) && s.has(e), nil
}

// load reads the entry's head unless that was done.
func (s *search) load(e *entry) error {
	if e.state != headUnread {
		return nil
	}
	value, err := s.r.Get(row.HeadKey(e.id))
	if err != nil {
		return err
	}
	if value == nil {
		e.fail("head missing")
		return nil
	}
	e.take(value)
	if e.state == headRead && e.head.Run != e.run {
		e.fail(fmt.Sprintf("list row of run %s, but the head is of run %s", e.run, e.head.Run))
	}
	return nil
}

// show describes an entry of the page.
func (s *search) show(e *entry) (flow.Run, error) {
	if err := s.load(e); err != nil {
		return flow.Run{}, err
	}
	if e.state == headBroken {
		return damaged(e), nil
	}
	run, err := describe(s.r, e.head, flow.Ref{ID: e.id, Run: e.head.Run})
	if err != nil {
		return flow.Run{}, err
	}
	run.HeldBecause = s.filter.heldBecause(run.Type, run.Version, run.Status)
	run.Held = run.HeldBecause != ""
	return run, nil
}

// damaged shows what is known of a run without its head.
func damaged(e *entry) flow.Run {
	run := flow.Run{Ref: flow.Ref{ID: e.id, Run: e.run}, Reason: e.broken, Signals: -1,
		Tags: []string{}, Attributes: map[string]string{}}
	if x := e.index; x != nil {
		run.Type, run.Version, run.Status, run.CreatedAt = x.Type, x.Version, x.Status, x.Created
	}
	return run
}
