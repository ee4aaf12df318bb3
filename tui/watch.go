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
	changesEvery = 250 * time.Millisecond
	// floodEvery is the same while more happens than a batch can tell of: nobody
	// reads lines that change a thousand times a second, and the engine has the
	// processor for itself.
	floodEvery = time.Second
	// pollEvery is how often is asked while nothing is pushed.
	pollEvery = 2 * time.Second
	// batchKeeps is how many notices of one batch are kept; older ones only
	// count as missed.
	batchKeeps = 200
)

// linkState is what is known of how fresh things are.
type linkState struct {
	live    bool   // notices are waited for, and the last wait went well
	seq     uint64 // the last notice seen
	unsure  bool   // notices were missed that may have been about anything
	behind  bool   // the list that is shown has other counts than the last Info
	late    bool   // it had at the last tick
	counted uint64 // the last notice that is in the rate
	polled  time.Time
	trouble error // of the last Info
	read    time.Time
}

// gather waits for notices, at the earliest changesEvery after last, floodEvery
// when there is a flood of them, and brings what has come as one message: however
// many there are, the loop hears of four a second at most and the engine hands
// over no more than those few.
type gather struct {
	from  uint64    // 0 begins to watch
	last  time.Time // when the loop last heard of any
	flood bool      // more had come than a batch keeps
}

func (e gather) pause() time.Duration {
	if e.flood {
		return floodEvery
	}
	return changesEvery
}

type changedMsg struct {
	flow.News
	err error
	at  time.Time
}

func (e gather) run(ctx context.Context, c Console) tea.Msg {
	pause := time.NewTimer(max(0, e.pause()-time.Since(e.last)))
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return nil
	}
	news, err := c.News(ctx, e.from, batchKeeps)
	if ctx.Err() != nil {
		return nil
	}
	return changedMsg{news, err, time.Now()}
}

// next is the wait that follows.
func (m changedMsg) next() gather {
	return gather{m.Next, m.at, len(m.Notices) > 0 && m.Notices[0].Missed > 0}
}

// rewatchMsg begins to watch again.
type rewatchMsg struct{}

// onChanged takes in a batch of notices and reads again what is shown.
func (m *model) onChanged(msg changedMsg) {
	switch {
	case msg.err != nil && m.leave.closing:
		return
	case msg.err != nil:
		m.link.live = false
		m.feed = m.feed.Deaf("what happens is not told: " + msg.err.Error())
		m.do(after{pollEvery, rewatchMsg{}})
		m.relink()
		return
	}
	m.do(msg.next())
	if !m.link.live { // what happened before is not known
		m.link.live = true
		m.feed = m.feed.Heard(m.instant())
		m.relink()
		if m.link.seq > 0 {
			m.refresh()
		}
	}
	m.link.seq = msg.Next - 1
	if len(msg.Notices) == 0 {
		return
	}
	missed := msg.Notices[0].Missed
	if m.header.Frozen {
		m.header.Changes += len(msg.Notices) + int(missed)
		m.ask(slotInfo)
		return
	}
	m.feed = m.feed.Take(msg.Notices)
	m.link.unsure = m.link.unsure || missed > 0
	m.heed(msg.Notices)
}

// heed takes from notices what they say of what is shown, and reads it again.
func (m *model) heed(notices []flow.Notice) {
	touched, owing := false, false
	for _, n := range notices {
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
	if touched { // reading a long run that often is for its own changes
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
	case m.link.live:
		k.State = views.Live
	default:
		k.State = views.Poll
	}
	m.header.Link = k
}
