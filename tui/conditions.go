package tui

import (
	"fmt"
	"time"

	"weft/flow"
	"weft/views"
)

// clockSlack is how far clocks may differ before it is a problem.
const clockSlack = time.Second

// judge raises and ends the problems that follow from what was read. They stand
// as long as they are true, however often they are seen.
func (m *model) judge() {
	if m.header.Frozen || m.leave.closing {
		return
	}
	m.judgeClock()
	m.judgeOwner()
	m.judgeTeardowns()
}

// judgeClock: a thing that happened after now was written by a clock that is
// ahead of ours. Ages are then shown as 0s.
func (m *model) judgeClock() {
	now := m.instant()
	ahead := m.header.Info.At.Time().Sub(now.Time())
	for _, l := range m.lists {
		ahead = max(ahead, l.Ahead(now))
	}
	m.stands("clock", ahead > clockSlack, flow.Problem{
		Text:   fmt.Sprintf("the clock here differs from the writer's by %s", ahead.Round(time.Second)),
		Advice: "set both clocks: ages and what is left of a lease are wrong by that",
	})
}

func (m *model) judgeOwner() {
	i := m.header.Info
	known := m.header.Known
	m.stands("link", m.link.trouble != nil, flow.Problem{Text: "nothing can be read: " + textOf(m.link.trouble),
		Advice: "what is shown is as old as the first line says"})
	m.stands("lease", known && i.Mode != flow.ModeLook && i.Lease.State != flow.LeaseHeld && !m.opts.Attached, flow.Problem{
		Text:   fmt.Sprintf("this console does not hold the lease: %s", i.Lease.State),
		Advice: "nothing can be changed here; leave, and start again when the other owner has ended"})
	m.stands("health", known && i.Health != "" && i.Health != "healthy", flow.Problem{
		Text: "the store is " + i.Health + ": " + i.Trouble, Advice: "weft-tui --read-only still shows it"})
}

func (m *model) judgeTeardowns() {
	owed := m.lists[listOwed]
	since, lost := owed.Oldest(m.instant())
	m.stands("lost", lost, flow.Problem{Text: "an attempt of a teardown is past its horizon: whoever made it is gone",
		Advice: "it is taken over by itself; in pane 5 it can be taken over now"})
	held := owed.HeldTeardowns()
	m.stands("held", held > 0, flow.Problem{Text: fmt.Sprintf("owed teardowns whose type is not registered here: %d", held),
		Advice: "a fault of the deployment, not of the clean-up: start a build that has their types"})
	long := m.look().OwedTooLong(since)
	m.stands("overdue", long > 0, flow.Problem{Text: fmt.Sprintf("the oldest teardown is owed for %s", views.Age(long)),
		Advice: "pane 5 shows why its attempts fail"})
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// stands raises a problem while it is true and ends it when it is not. Its time
// and its number are those of when it began.
func (m *model) stands(name string, is bool, p flow.Problem) {
	was, stood := m.faults[name]
	switch {
	case !is:
		m.clear(name)
	case !stood:
		m.raise(name, p)
	default:
		was.Text, was.Advice, was.Last = p.Text, p.Advice, m.instant()
		m.faults[name] = was
		m.listFaults()
	}
}
