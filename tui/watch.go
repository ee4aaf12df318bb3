package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

const (
	// changesEvery is the least time between two refetches.
	changesEvery = 200 * time.Millisecond
	// pollEvery is how often is asked while nothing is pushed.
	pollEvery = 2 * time.Second
	// batchKeeps is how many notices of one batch are kept; older ones only
	// count as missed.
	batchKeeps = 200
)

// linkState is the subscription.
type linkState struct {
	notices <-chan flow.Notice
	seq     uint64 // the last notice seen
	unsure  bool   // notices were missed that may have been about anything
	counted uint64 // the last one that is in the rate
	polled  time.Time
	trouble error // of the last Info
	read    time.Time
}

type subscribe struct {
	ctx  context.Context
	from uint64
}

type watchingMsg struct {
	notices <-chan flow.Notice
	err     error
}

func (e subscribe) run(_ context.Context, c Console) tea.Msg {
	ch, err := c.Watch(e.ctx, e.from)
	return watchingMsg{ch, err}
}

// gather waits for notices and brings what comes within changesEvery as one
// message, so that however many there are the loop hears of five a second.
type gather struct {
	notices <-chan flow.Notice
	last    time.Time // when the loop last heard of any
}

type changedMsg struct {
	notices []flow.Notice
	missed  uint64
	ended   bool
	at      time.Time
}

func (e gather) run(ctx context.Context, _ Console) tea.Msg {
	var msg changedMsg
	select {
	case n, ok := <-e.notices:
		if !ok {
			return changedMsg{ended: true}
		}
		msg.add(n)
	case <-ctx.Done():
		return nil
	}
	timer := time.NewTimer(max(0, changesEvery-time.Since(e.last)))
	defer timer.Stop()
	for {
		select {
		case n, ok := <-e.notices:
			if !ok {
				msg.ended = true
				return msg
			}
			msg.add(n)
		case <-timer.C:
			msg.at = time.Now()
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}

func (m *changedMsg) add(n flow.Notice) {
	m.missed += n.Missed
	if len(m.notices) == batchKeeps {
		m.notices = m.notices[1:]
		m.missed++
	}
	m.notices = append(m.notices, n)
}

// onWatching starts to listen, or tries again later.
func (m *model) onWatching(msg watchingMsg) {
	m.link.notices = msg.notices
	if msg.err != nil {
		m.link.notices = nil
		m.do(after{pollEvery, rewatchMsg{}})
	} else {
		m.do(gather{notices: msg.notices})
	}
	m.relink()
}

type rewatchMsg struct{}

// onChanged takes in a batch of notices and reads again what is shown.
func (m *model) onChanged(msg changedMsg) {
	if msg.ended && m.leave.closing {
		return
	}
	if msg.ended {
		m.link.notices = nil
		m.do(after{pollEvery, rewatchMsg{}})
		m.relink()
	} else {
		m.do(gather{m.link.notices, msg.at})
	}
	for _, n := range msg.notices {
		m.link.seq = n.Seq
	}
	if m.header.Frozen {
		m.header.Changes += len(msg.notices) + int(msg.missed)
		m.ask(slotInfo)
		return
	}
	m.feed = m.feed.Take(msg.notices)
	m.link.unsure = m.link.unsure || msg.missed > 0
	touched, owing := false, false
	for _, n := range msg.notices {
		touched = touched || n.Ref == m.inspector.Ref
		owing = owing || n.Kind == flow.NoticeTeardown || n.Kind == flow.NoticeDead || n.Kind == flow.NoticePurged
		m.noteTarget(n)
		m.pursue(n)
		for i := range m.lists {
			m.lists[i] = m.lists[i].Note(n.Ref, n.Status)
		}
	}
	m.refreshLists()
	if owing {
		m.readTeardowns(true)
	}
	if touched { // reading a long run five times a second is for its own changes
		m.ask(slotDetail)
	}
}

// relink says how fresh what is shown is.
func (m *model) relink() {
	if m.leave.closing { // what a closing engine answers is not lost
		return
	}
	k := views.Link{Every: pollEvery, Read: m.link.read}
	switch {
	case m.link.trouble != nil:
		k.State, k.Why = views.Lost, m.link.trouble.Error()
	case !m.header.Known:
		k.State = views.Loading
	case m.now.Sub(m.link.read) > 3*pollEvery && !m.header.Frozen:
		k.State = views.Stale
	case m.link.notices != nil:
		k.State = views.Live
	default:
		k.State = views.Poll
	}
	m.header.Link = k
}
