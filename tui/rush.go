package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
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
	// from is where the key was pressed that is held, if one is.
	from keymap.Place
	// paused is the run that was suspended or resumed last, and when.
	paused   flow.Ref
	pausedAt time.Time
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

// earliest is when what is taken in now can have been pressed at the earliest.
func (s *rushState) earliest(now time.Time) time.Time {
	if s.since.IsZero() || s.since.After(now) {
		return now
	}
	return s.since
}

// twiceWithin is how soon the same key on the same run is no second thought. It is
// longer than terminals wait before they repeat a key that is held, as most do not
// tell that it is.
const twiceWithin = 700 * time.Millisecond

// again reports whether a run was suspended or resumed a moment ago: a key that
// turns round what it did must not be taken for pressed twice while it is held.
func (s *rushState) again(ref flow.Ref, now time.Time) bool {
	soon := s.paused == ref && now.Sub(s.pausedAt) < twiceWithin
	s.paused, s.pausedAt = ref, now
	return soon
}

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

// ignoresHeld reports whether a repeat of a held key counts for nothing: it goes on
// only where it was pressed, and only with what moves or writes. Nobody presses a
// key twice by holding it.
func (m *model) ignoresHeld(place keymap.Place, a keymap.Action, repeat bool) bool {
	if !repeat {
		m.rush.from = place
		return false
	}
	return place != m.rush.from || !goesOn(place, a)
}

// goesOn reports whether an action goes on while its key is held.
func goesOn(place keymap.Place, a keymap.Action) bool {
	switch a {
	case keymap.None:
		return place.OwnsText() && place != keymap.Phrase
	case keymap.NextPane, keymap.PrevPane, keymap.NextTab, keymap.PrevTab, keymap.FindNext, keymap.MoveUp, keymap.MoveDown:
		return true
	case keymap.CharLeft, keymap.CharRight, keymap.LineUp, keymap.LineDown, keymap.LineStart, keymap.LineEnd, keymap.Rubout, keymap.Delete,
		keymap.RubWord, keymap.RubLine:
		return true
	}
	return a <= keymap.Right
}
