package main

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// cell is one place of a screen. The right half of a wide character has no text
// and is no blank.
type cell struct {
	text string
	half bool
	style
}

// screen is a terminal that can do little: place the cursor, erase, and style.
// It is for one goroutine.
type screen struct {
	width, height int
	cells         [][]cell
	// x is width when the last cell of a line was written: the cursor stays on it,
	// and what is written there next has no room.
	x, y int
	// top and bottom are the first and the last line that scroll.
	top, bottom int
	now         style
	// inserting: what is written moves what is there to the right.
	inserting bool
	// rest is the beginning of a sequence whose end has not come yet.
	rest   string
	parser *ansi.Parser
}

func newScreen(width, height int) *screen {
	s := &screen{width: width, height: height, bottom: height - 1, parser: ansi.NewParser()}
	for range height {
		s.cells = append(s.cells, make([]cell, width))
	}
	return s
}

// write applies what a program wrote. What ends within a sequence waits for the
// rest.
func (s *screen) write(text string) error {
	text = s.rest + text
	s.rest = ""
	for text != "" {
		if unfinished(text) {
			s.rest = text
			return nil
		}
		seq, width, n, _ := ansi.DecodeSequence(text, ansi.NormalState, s.parser)
		text = text[n:]
		if err := s.apply(seq, width); err != nil {
			return err
		}
	}
	return nil
}

// unfinished reports that text is the beginning of one sequence or character.
func unfinished(text string) bool {
	switch {
	case text[0] >= 0x80:
		return len(text) < 4 && !strings.ContainsRune(text, '\n') && strings.ToValidUTF8(text, "") == ""
	case text[0] != 0x1b:
		return false
	case len(text) == 1:
		return true
	case text[1] == '[':
		return strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' && r <= '~' }) < 0
	case text[1] == ']' || text[1] == 'P':
		return !strings.Contains(text, "\a") && !strings.Contains(text, "\x1b\\")
	}
	return len(text) == 2 && text[1] == '('
}

func (s *screen) apply(seq string, width int) error {
	switch {
	case width > 0:
		s.put(seq, width)
	case seq == "\r":
		s.x = 0
	case seq == "\n" && s.y == s.bottom:
		s.scroll(s.top, 1)
	case seq == "\n":
		s.y = min(s.y+1, s.height-1)
	case seq == "\x1bM" && s.y == s.top:
		s.scroll(s.top, -1)
	case seq == "\x1bM":
		s.y = max(s.y-1, 0)
	case seq == "\b":
		s.x = max(min(s.x, s.width-1)-1, 0)
	case seq == "\t":
		s.x = min(s.x/8*8+8, s.width-1)
	case strings.HasPrefix(seq, "\x1b["):
		return s.control(seq)
	case strings.HasPrefix(seq, "\x1b"): // titles, requests, modes of the keypad
	case seq[0] >= 0x80: // a mark for the letter before it
		for x := s.x - 1; x >= 0; x-- {
			if c := &s.cells[s.y][x]; !c.half {
				c.text += seq
				break
			}
		}
	default:
		return fmt.Errorf("%q is not known here", seq)
	}
	return nil
}

// put writes a character at the cursor. A wide one that has no room on the line
// is left out, and half of one that is written over becomes a blank.
func (s *screen) put(text string, width int) {
	if s.x+width > s.width {
		return
	}
	if s.inserting {
		s.push(width)
	}
	row := s.cells[s.y]
	if row[s.x].half && s.x > 0 {
		row[s.x-1].text = ""
	}
	row[s.x] = cell{text: text, style: s.now}
	for i := 1; i < width; i++ {
		row[s.x+i] = cell{half: true, style: s.now}
	}
	s.x += width
	for i := s.x; i < s.width && row[i].half; i++ {
		row[i] = cell{style: row[i].style}
	}
}

// control applies a CSI sequence.
func (s *screen) control(seq string) error {
	cmd := ansi.Cmd(s.parser.Command())
	if cmd.Prefix() != 0 || cmd.Intermediate() != 0 { // modes and requests
		return nil
	}
	params := s.parser.Params()
	s.x = min(s.x, s.width-1)
	n := func(i int) int {
		v, _, _ := params.Param(i, 1)
		return max(v, 1)
	}
	var err error
	switch cmd.Final() {
	case 'm':
		s.now, err = s.now.after(params)
	case 'H', 'f':
		s.y, s.x = min(n(0), s.height)-1, min(n(1), s.width)-1
	case 'A':
		s.y = max(s.y-n(0), 0)
	case 'B':
		s.y = min(s.y+n(0), s.height-1)
	case 'C':
		s.x = min(s.x+n(0), s.width-1)
	case 'D':
		s.x = max(s.x-n(0), 0)
	case 'G':
		s.x = min(n(0), s.width) - 1
	case 'J', 'K':
		how, _, _ := params.Param(0, 0)
		s.erase(cmd.Final() == 'J', how)
	case 'P':
		s.pull(n(0))
	case '@':
		s.push(n(0))
	case 'h', 'l':
		if n(0) != 4 {
			return fmt.Errorf("%q is not known here", seq)
		}
		s.inserting = cmd.Final() == 'h'
	case 'r':
		bottom, _, _ := params.Param(1, s.height)
		s.top, s.bottom = min(n(0), s.height)-1, min(max(bottom, n(0)), s.height)-1
		s.x, s.y = 0, 0
	case 'S':
		s.scroll(s.top, n(0))
	case 'T':
		s.scroll(s.top, -n(0))
	case 'L':
		s.scroll(s.y, -n(0))
	case 'M':
		s.scroll(s.y, n(0))
	case 't', 'c', 'n', 'u', 'q': // requests
	default:
		err = fmt.Errorf("%q is not known here", seq)
	}
	return err
}

// pull deletes n cells at the cursor, push inserts n.
func (s *screen) pull(n int) {
	row := s.cells[s.y]
	n = min(n, s.width-s.x)
	copy(row[s.x:], row[s.x+n:])
	s.blank(row[s.width-n:])
}

func (s *screen) push(n int) {
	row := s.cells[s.y]
	n = min(n, s.width-s.x)
	copy(row[s.x+n:], row[s.x:])
	s.blank(row[s.x : s.x+n])
}

func (s *screen) blank(cells []cell) {
	for i := range cells {
		cells[i] = cell{style: style{bg: s.now.bg}}
	}
}

// scroll moves the lines from top to the end of what scrolls up by n, or down when
// n is negative.
func (s *screen) scroll(top, n int) {
	if top > s.bottom {
		return
	}
	part := s.cells[top : s.bottom+1]
	moved := make([][]cell, len(part))
	for y := range part {
		if from := y + n; from >= 0 && from < len(part) {
			moved[y] = part[from]
			continue
		}
		moved[y] = make([]cell, s.width)
		s.blank(moved[y])
	}
	copy(part, moved)
}

// erase clears from the cursor on (0), up to it (1), or all (2) of the line or
// the screen.
func (s *screen) erase(screen bool, how int) {
	for y := range s.cells {
		if !screen && y != s.y {
			continue
		}
		for x := range s.cells[y] {
			behind := y > s.y || y == s.y && x >= s.x
			before := y < s.y || y == s.y && x <= s.x
			if how >= 2 || how == 0 && behind || how == 1 && before {
				s.cells[y][x] = cell{style: style{bg: s.now.bg}}
			}
		}
	}
}

// text is what is on the screen, without trailing blanks.
func (s *screen) text() string {
	var b strings.Builder
	for _, row := range s.cells {
		b.WriteString(strings.TrimRight(textOf(row), " ") + "\n")
	}
	return b.String()
}

func textOf(row []cell) string {
	var b strings.Builder
	for _, c := range row {
		switch {
		case c.text != "":
			b.WriteString(c.text)
		case !c.half:
			b.WriteByte(' ')
		}
	}
	return b.String()
}
