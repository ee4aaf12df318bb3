package list

import (
	"slices"
	"strings"

	"weft/engine/row"
	"weft/flow"
)

// filter is a query's filter together with what the counters know about it.
type filter struct {
	flow.Filter
	contains string // in lower case
	patterns flow.Patterns
	held     func(typ, version string) string
	// counts are the counters of the triples it lets through, all of them when
	// it is not narrow.
	counts []count
	narrow bool
	// trusted: the counts can be relied on.
	trusted bool
}

func newFilter(f flow.Filter, o order, c census, held func(typ, version string) string) (filter, error) {
	patterns, err := f.Patterns()
	out := filter{patterns: patterns, Filter: f, contains: strings.ToLower(f.Contains), held: held, trusted: c.damaged == nil}
	listed := c.choose(func(n row.Count) bool { return o != byClosed || n.Status.Terminal() })
	for _, n := range listed {
		if out.lets(n.Type, n.Version, n.Status) {
			out.counts = append(out.counts, n)
		}
	}
	out.narrow = len(out.counts) < len(listed)
	return out, err
}

// lets reports whether the filter lets a type, version and status through.
func (f *filter) lets(typ, version string, s flow.Status) bool {
	return (f.Type == "" || f.Type == typ) &&
		(f.Version == "" || f.Version == version) &&
		(len(f.Statuses) == 0 || slices.Contains(f.Statuses, s)) &&
		(f.Held == nil || *f.Held == (f.heldBecause(typ, version, s) != ""))
}

// heldBecause says why a run is held; an ended run never is.
func (f *filter) heldBecause(typ, version string, s flow.Status) string {
	if f.held == nil || s.Terminal() {
		return ""
	}
	return f.held(typ, version)
}

// counted reports whether the counters alone tell how many runs match.
func (f *filter) counted() bool {
	return f.trusted && f.IDPrefix == "" && f.contains == "" && !f.patterns.Any() && !f.labels() && f.CreatedFrom == 0 && f.CreatedTo == 0
}

// labels reports whether tags or attributes are asked for, which the head tells.
func (f *filter) labels() bool { return f.Tag != "" || len(f.Tags)+len(f.Attributes) > 0 }

// certain reports whether every entry of the order's range matches, so that
// none need be looked at. The index range of ByCreated is bounded by type,
// version, status and creation.
func (f *filter) certain(o order) bool {
	if f.contains != "" || f.labels() || f.patterns.Any() {
		return false
	}
	switch o {
	case byCreated:
		return f.IDPrefix == ""
	case byID:
		return !f.narrow && f.CreatedFrom == 0 && f.CreatedTo == 0
	}
	return !f.narrow && f.IDPrefix == "" && f.CreatedFrom == 0 && f.CreatedTo == 0
}

// byKey asks the filter about what the entry's key tells. Sure is false when
// the head must be read to decide.
func (f *filter) byKey(e *entry) (match, sure bool) {
	if !strings.HasPrefix(string(e.id), f.IDPrefix) {
		return false, true
	}
	named := f.contains == "" || has(string(e.id), f.contains) || e.index != nil && has(e.index.Type, f.contains)
	bounded := e.index != nil || !f.narrow && f.CreatedFrom == 0 && f.CreatedTo == 0
	return true, named && bounded && !f.labels() && !f.patterns.Any()
}

// byHead asks the filter about a head that was read.
func (f *filter) byHead(e *entry) bool {
	h := &e.head
	if e.index == nil && !f.lets(h.Type, h.Version, h.Status) {
		return false
	}
	if h.CreatedAt < f.CreatedFrom || f.CreatedTo != 0 && h.CreatedAt >= f.CreatedTo {
		return false
	}
	if !f.byLabels(h) {
		return false
	}
	if f.patterns.Any() && !f.patterns.Let(append([]string{string(e.id), h.Type}, h.Tags...)...) {
		return false
	}
	return f.contains == "" || has(string(e.id), f.contains) || has(h.Type, f.contains) ||
		slices.ContainsFunc(h.Tags, func(t string) bool { return has(t, f.contains) })
}

// byLabels asks the filter about the tags and attributes of a head.
func (f *filter) byLabels(h *row.Head) bool {
	if f.Tag != "" && !slices.Contains(h.Tags, f.Tag) {
		return false
	}
	for _, tag := range f.Tags {
		if !slices.Contains(h.Tags, tag) {
			return false
		}
	}
	for _, t := range f.Attributes {
		if a, ok := h.Attributes[t.Name]; !ok || !t.Passes(a) {
			return false
		}
	}
	return true
}

// has reports whether s contains part, which is in lower case, in any case.
func has(s, part string) bool { return strings.Contains(strings.ToLower(s), part) }
