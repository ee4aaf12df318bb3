package tui

import (
	"time"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// armsAfter is how long a question is on the screen before a key can accept
// it: keys pressed before it was there do not count.
const armsAfter = 300 * time.Millisecond

// modalState is what lies over the panes.
type modalState struct {
	top   views.Modal
	under views.Modal // a form that the question before leaving covers
	form  uint64      // the act its form waits for
	since time.Time
	// fills is the run whose input the form that starts gets once it is read.
	fills flow.Ref
	// unseen: no frame has shown it since then, so that its wait has not begun.
	unseen bool
}

// rearm starts the wait of a question anew.
func (s *modalState) rearm(now time.Time) { s.since, s.unseen = now, s.top != nil }

// shown begins the wait with the frame that was drawn, however long that took.
func (s *modalState) shown(now time.Time) {
	if s.unseen {
		s.since, s.unseen = now, false
	}
}

// readable reports whether a key that was pressed at the earliest at some instant
// was pressed after the question could be read.
func (s *modalState) readable(pressed time.Time) bool { return pressed.Sub(s.since) >= armsAfter }

func (m *model) openModal(v views.Modal) {
	m.modal.under, m.modal.fills = nil, flow.Ref{}
	if _, leaving := v.(views.Quit); leaving {
		m.modal.under = m.modal.top
	}
	m.modal.top = v
	m.modal.rearm(m.opts.Now())
}

// closeModal goes back to what lay under it.
func (m *model) closeModal() {
	m.modal.top, m.modal.under = m.modal.under, nil
	m.modal.rearm(m.opts.Now())
	if !m.header.Frozen {
		m.refresh()
	}
}

// accepts reports whether a key could accept something in a place.
func accepts(place keymap.Place, p views.Press) bool {
	switch p.Action {
	case keymap.Drain, keymap.Abandon, keymap.Accept, keymap.Overwrite:
		return true
	case keymap.Submit, keymap.None:
		return place == keymap.Phrase
	}
	return false
}

// tooSoon answers a key that came before the question could be read.
const tooSoon = "nothing was done: that key came before the question could be read; press it again"

// pressModal gives a key to the dialog. A question accepts nothing before it
// was readable, and never by a held key.
func (m *model) pressModal(p views.Press, repeat bool) {
	if accepts(m.modal.top.Place(), p) {
		switch {
		case repeat:
			return
		case !m.modal.readable(m.rush.earliest(m.opts.Now())):
			m.say(views.Warn, tooSoon)
			return
		}
	}
	var in views.Intent
	m.modal.top, in = m.modal.top.Press(p)
	m.obey(in)
}
