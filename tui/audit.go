package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
)

type readAudit struct {
	n     uint64
	below bool
	query flow.Query
}

type auditMsg struct {
	readAudit
	page flow.Page
	err  error
}

func (m *model) readAudit(below bool) {
	m.do(readAudit{m.asked.next(slotAudit), below, m.audit.Query(below)})
}

func (e readAudit) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	page, err := c.Page(ctx, e.query)
	return auditMsg{e, page, err}
}

func (m *model) onAudit(msg auditMsg) {
	switch {
	case !m.asked.answered(slotAudit, msg.n, msg.err) || m.leave.closing:
	case msg.err != nil:
		m.audit = m.audit.Failed(msg.err)
	default:
		m.audit = m.audit.Take(msg.below, msg.page)
	}
}

// count keeps how many notices came in this second.
func (m *model) count() {
	if m.link.counted > 0 && !m.header.Frozen {
		m.overview.Rate = m.overview.Rate.Add(int(m.link.seq - m.link.counted))
	}
	m.link.counted = m.link.seq
}
