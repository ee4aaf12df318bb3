//go:build unix

package tui

import "strings"

// modes are what a console sets on a terminal, with what resets it.
var modes = map[string][]string{
	"\x1b[?1049h": {"\x1b[?1049l"}, "\x1b[?25l": {"\x1b[?25h"}, "\x1b[?2004h": {"\x1b[?2004l"},
	"\x1b[?1002h": {"\x1b[?1002l", "\x1b[?1000;1001;1002;1003;1004;1005;1006l"},
	"\x1b[?1006h": {"\x1b[?1006l", "\x1b[?1000;1001;1002;1003;1004;1005;1006l"},
	"\x1b[?1004h": {"\x1b[?1004l", "\x1b[?1000;1001;1002;1003;1004;1005;1006l"},
	"\x1b[>4;2m":  {"\x1b[>4;0m", "\x1b[>4m"},
	"\x1b[>7u":    {"\x1b[<u", "\x1b[<1u"},
}

// set fails unless everything that is looked for at the end was there to be reset.
func (s *session) set() {
	s.t.Helper()
	for on := range modes {
		if !strings.Contains(s.raw(), on) {
			s.t.Errorf("%q was never set: nothing shows that it is reset", on)
		}
	}
}

// leftOn is a mode that was set and not reset.
func (s *session) leftOn() string {
	raw := s.raw()
	for on, offs := range modes {
		off := -1
		for _, o := range offs {
			off = max(off, strings.LastIndex(raw, o))
		}
		if strings.LastIndex(raw, on) > off {
			return on
		}
	}
	return ""
}
