package views

import (
	"weft/flow"
	"weft/keymap"
)

// refusesMessage says why the run's code cannot be asked to do or to tell
// something. What has ended still answers queries.
func (s Subject) refusesMessage(a keymap.Action) string {
	r := s.Run
	if a == keymap.Update && s.ended() != "" {
		return s.ended()
	}
	switch {
	case s.unread() != "":
		return s.unread()
	case r.Held:
		return "held: " + orElse(r.HeldBecause, "unknown") + "; its code is not here"
	case r.Status == flow.Pending:
		return "not started yet: its code has not begun"
	case r.Status == flow.Suspended && a == keymap.Update:
		return "suspended: resume it first"
	}
	return ""
}
