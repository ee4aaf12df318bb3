package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

// groupPages is how many pages of a list are read to group it.
const groupPages = 20

type readGroups struct {
	n      uint64
	list   listID
	query  flow.Query
	groups views.Groups
}

type groupsMsg struct {
	readGroups
	err error
}

// commandGroup counts the rows of the list by what they have in common.
func (m *model) commandGroup(by string) {
	if !m.onList("groups are") {
		return
	}
	g, unknown := views.NewGroups(m.open, by)
	if unknown != "" {
		m.say(views.Warn, "group by one of "+unknown)
		return
	}
	q := m.list().Query(views.Anew)
	q.Limit = flow.MaxLimit
	m.say(views.Plain, "counting ..")
	m.do(readGroups{m.asked.next(slotGroups), m.current(), q, g})
}

func (e readGroups) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	msg := groupsMsg{readGroups: e}
	for range groupPages {
		page, err := c.Page(ctx, e.query)
		if err != nil {
			msg.err = err
			return msg
		}
		msg.groups.Add(page)
		if !page.More || page.Next == "" && len(page.Cursors) == 0 {
			break
		}
		if e.query.After = page.Next; page.Next == "" {
			e.query.After = page.Cursors[len(page.Cursors)-1]
		}
	}
	msg.groups = msg.groups.Sorted()
	return msg
}

// onGroups shows the groups, unless something else was opened meanwhile.
func (m *model) onGroups(msg groupsMsg) {
	switch {
	case !m.asked.answered(slotGroups, msg.n, nil) || m.leave.closing:
	case msg.err != nil:
		m.say(views.Bad, "group: "+msg.err.Error())
	case m.modal.top == nil && m.typed.field == nil && m.line.field == nil && m.open.Lists() && m.current() == msg.list:
		m.status = views.Status{}
		m.openModal(msg.groups)
	}
}

// narrow adds words to the filter of the list; one on the same key gives way.
func (m *model) narrow(words string) {
	m.closeModal()
	m.refilter(views.Narrowed(m.list().Filter(), words))
}

// markRuns marks the runs of a group.
func (m *model) markRuns(in views.MarkRuns) {
	m.closeModal()
	*m.list() = m.list().MarkedOnly(in.Refs)
	m.say(views.Plain, fmt.Sprintf("%d marked: %s", len(in.Refs), in.What))
}
