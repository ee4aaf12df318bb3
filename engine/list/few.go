package list

import (
	"slices"
	"strings"

	"weft/engine/row"
	"weft/store"
)

// fewRuns is how many runs are collected and sorted rather than walked past.
const fewRuns = 2_000

// few is another way to the runs of the filter than the order's range, when
// it may be shorter: the range of an id prefix, or the index ranges of rare
// types and statuses.
func (s *search) few() (entries, bool) {
	f := &s.filter
	switch {
	case f.labels() && len(s.filter.equalities()) > 0 && s.order != byCreated:
		return merged(s.labelRanges(""), false), true
	case f.labels():
		return s.between()
	case f.IDPrefix != "" && s.order != byID:
		return heads(s.r, store.Prefix(row.HeadPrefix(f.IDPrefix))), true
	case f.narrow && s.order != byCreated && f.trusted && total(f.counts) <= fewRuns:
		return merged(s.ranges(""), s.reverse), true
	}
	return nil, false
}

// collect returns the matching entries of source. All is false when there are
// too many to collect.
func (s *search) collect(source entries) (found []entry, all bool, err error) {
	seen := 0
	for e, err := range source {
		if err != nil {
			return nil, false, err
		}
		if seen++; seen > fewRuns {
			return nil, false, nil
		}
		s.meter.look()
		if ok, err := s.choose(&e); err != nil {
			return nil, false, err
		} else if ok {
			found = append(found, e)
		}
	}
	return found, true, nil
}

// choose asks the filter and gives the entry its place in the order. Without a
// readable head the place is the end of the list.
func (s *search) choose(e *entry) (bool, error) {
	ok, err := s.match(e)
	if err != nil || !ok {
		return false, err
	}
	if s.order == byClosed {
		if err := s.load(e); err != nil {
			return false, err
		}
		ok = e.index != nil || e.state == headRead && e.head.Status.Terminal()
	}
	e.at, e.chosen = s.place(e), true
	return ok, nil
}

// sorted yields the found entries behind the cursor in the order asked for.
func (s *search) sorted(found []entry) entries {
	slices.SortFunc(found, func(a, b entry) int {
		if s.reverse {
			a, b = b, a
		}
		return strings.Compare(string(a.at), string(b.at))
	})
	return func(yield func(entry, error) bool) {
		for _, e := range found {
			passed := s.after != "" && (e.at == s.after || s.reverse == (e.at > s.after))
			if !passed && !yield(e, nil) {
				return
			}
		}
	}
}
