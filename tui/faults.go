package tui

import (
	"maps"
	"slices"

	"weft/flow"
)

// raise makes a standing problem of the console's own, or counts it once more.
func (m *model) raise(name string, p flow.Problem) {
	now := flow.InstantOf(m.opts.Now())
	p.Since, p.Count = now, 1
	if was, stands := m.faults[name]; stands {
		p.Since, p.Count = was.Since, was.Count+1
	}
	p.Last = now
	if m.faults == nil {
		m.faults = map[string]flow.Problem{}
	}
	m.faults[name] = p
	m.listFaults()
}

// clear ends a problem.
func (m *model) clear(name string) {
	if _, stands := m.faults[name]; stands {
		delete(m.faults, name)
		m.listFaults()
	}
}

func (m *model) listFaults() {
	m.header.Own = nil
	for _, name := range slices.Sorted(maps.Keys(m.faults)) {
		m.header.Own = append(m.header.Own, m.faults[name])
	}
}
