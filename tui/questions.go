package tui

import "weft/views"

// slot is a kind of question of which one is open at most.
type slot uint8

const (
	slotInfo slot = iota
	slotTypes
	slotDetail
	slotTarget
	slotPreview
	slotAudit
	slotDiff
	slotGroups
	slotLists // and those behind it, one for each list
	slotCount = slotLists + slot(listCount)
)

func slotOf(id listID) slot { return slotLists + slot(id) }

// questions numbers what was asked. An answer whose number is not the last of
// its slot is dropped, an error too: something newer was asked since.
type questions struct {
	last  uint64
	open  [slotCount]uint64
	again [slotCount]bool // asked for while one was open
	rest  [slotCount]bool // failed: wait for the next tick
	looks uint64          // numbers the moves of the cursor
	acts  uint64
}

func (q *questions) free(s slot) bool { return q.open[s] == 0 && !q.rest[s] }

// next opens a question, which outranks the one that was open.
func (q *questions) next(s slot) uint64 {
	q.last++
	q.open[s], q.again[s] = q.last, false
	return q.last
}

// drop lets a late answer be ignored.
func (q *questions) drop(s slot) { q.open[s], q.again[s] = 0, false }

// answered reports whether n is the answer waited for, and closes it.
func (q *questions) answered(s slot, n uint64, err error) bool {
	if q.open[s] != n {
		return false
	}
	q.open[s] = 0
	q.rest[s] = err != nil
	return true
}

// ask puts the question of a slot, or remembers to when one is open.
func (m *model) ask(s slot) {
	if m.asked.open[s] != 0 {
		m.asked.again[s] = true
		return
	}
	switch s {
	case slotInfo:
		m.do(readInfo{n: m.asked.next(s)})
	case slotTypes:
		m.do(readTypes{n: m.asked.next(s)})
	case slotDetail:
		m.readDetail()
	case slotTarget:
		m.readTarget()
	}
}

// readDetail reads the run the inspector shows.
func (m *model) readDetail() {
	if m.inspector.Ref.ID != "" && !m.header.Frozen {
		m.do(readDetail{m.asked.next(slotDetail), m.inspector.Ref, m.inspector.Tab.Part()})
	}
}

// readList reads a part of a list; what was asked of it before is void.
func (m *model) readList(id listID, p views.Part) {
	if id == m.current() && p == views.Again {
		m.link.behind, m.link.late = false, false
	}
	m.do(readPage{m.asked.next(slotOf(id)), id, p, m.lists[id].Query(p)})
}

// repeat puts a question again that was wanted while it was open.
func (m *model) repeat(s slot) {
	if !m.asked.again[s] || m.asked.rest[s] || m.leave.closing {
		return
	}
	m.asked.again[s] = false
	if s >= slotLists {
		m.readList(listID(s-slotLists), views.Again)
		return
	}
	m.ask(s)
}
