package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/keymap"
)

const (
	// rested is a pause of the loop that shows that nothing was waiting for it.
	rested = time.Millisecond
	// backlog is how long the loop may go without a rest before repeats are
	// dropped: what is read then may have waited that long.
	backlog = 100 * time.Millisecond
)

// rushState is how far the loop is behind what is pressed. A terminal does not
// tell when a key was pressed, so the loop goes by its own rests: it was without
// one for as long as the oldest message can have waited.
type rushState struct {
	since time.Time // without a rest
	drawn time.Time // the end of the last frame
	// last is the key or the notch of the wheel that came last.
	last string
	// dropped: the message changed nothing, so the last frame is still right.
	dropped bool
	view    tea.View
}

// begin notes that a message is taken in.
func (s *rushState) begin(now time.Time) {
	if gap := now.Sub(s.drawn); gap < 0 || gap >= rested {
		s.since = now
	}
	s.dropped = false
}

// end notes that its frame is drawn.
func (s *rushState) end(now time.Time, v tea.View) { s.drawn, s.view = now, v }

// drops reports whether what is pressed is a repeat that came too late to be
// meant for what is on the screen now.
func (s *rushState) drops(now time.Time, pressed string, repeat bool) bool {
	repeat = repeat || pressed == s.last
	s.last = pressed
	s.dropped = repeat && now.Sub(s.since) > backlog
	return s.dropped
}

// dropsKey drops repeats behind a backlog. Where text is written two equal
// letters are no repeat unless the terminal says so, and the way out always works.
func (m *model) dropsKey(place keymap.Place, k tea.KeyPressMsg) bool {
	name := k.String()
	if place.OwnsText() && !k.IsRepeat || m.set.Keys.Find(place, name) == keymap.Interrupt {
		m.rush.last = name
		return false
	}
	return m.rush.drops(m.opts.Now(), name, k.IsRepeat)
}
