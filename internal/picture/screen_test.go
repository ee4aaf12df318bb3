package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// shown is a screen of 10 by 4 cells after text was written.
func shown(t *testing.T, text string) *screen {
	t.Helper()
	s := newScreen(10, 4)
	if err := s.write(text); err != nil {
		t.Fatalf("write %q: %v", text, err)
	}
	return s
}

func TestScreen(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"lines":                          {"ab\r\ncd", "ab\ncd\n\n\n"},
		"the cursor is placed":           {"\x1b[2;3Hx\x1b[Hy", "y\n  x\n\n\n"},
		"moves":                          {"abc\x1b[2Dx\x1b[By\x1b[Az\b\bw", "axwz\n  y\n\n\n"},
		"back from the end of a line":    {"0123456789\bx", "01234567x9\n\n\n\n"},
		"to the end of a line is erased": {"abcdef\x1b[3G\x1b[K", "ab\n\n\n\n"},
		"the screen is erased":           {"ab\r\ncd\x1b[2J", "\n\n\n\n"},
		"a tab":                          {"a\tb", "a       b\n\n\n\n"},
		"a wide character":               {"東b", "東b\n\n\n\n"},
		"half of it written over":        {"東\x1b[2Gx", " x\n\n\n\n"},
		"and the other half":             {"東\x1b[1Gx", "x\n\n\n\n"},
		"one without room":               {"012345678東", "012345678\n\n\n\n"},
		"marks stay with their letter":   {"e\u0301x", "e\u0301x\n\n\n\n"},
		"lines scroll at the end":        {"a\r\nb\r\nc\r\nd\r\ne", "b\nc\nd\ne\n"},
		"and back":                       {"a\r\nb\x1b[H\x1bMc", "c\na\nb\n\n"},
		"a part scrolls":                 {"a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[S", "a\nc\n\nd\n"},
		"cells are deleted":              {"abcdef\x1b[2G\x1b[3P", "aef\n\n\n\n"},
		"cells are inserted":             {"abcdefghij\x1b[2G\x1b[2@x", "ax bcdefgh\n\n\n\n"},
		"text is inserted":               {"abc\x1b[2G\x1b[4hxy\x1b[4l\x1b[5Gz", "axybz\n\n\n\n"},
		"lines are inserted":             {"a\r\nb\r\nc\x1b[2;1H\x1b[L", "a\n\nb\nc\n"},
		"modes and titles show nothing":  {"\x1b[?1049h\x1b]2;weft\aab\x1b[>4;1m", "ab\n\n\n\n"},
	} {
		if got := shown(t, tc.text).text(); got != tc.want {
			t.Errorf("%s: %q shows\n%q, want\n%q", name, tc.text, got, tc.want)
		}
	}
}

// TestScreenInPieces: a terminal delivers what it likes at once.
func TestScreenInPieces(t *testing.T) {
	const text = "a\x1b[2;3H\x1b[1;31m東\x1b[m\x1b]2;title\x1b\\é\x1b[K\x1b[4;1Hz"
	want := shown(t, text).svg("")
	s := newScreen(10, 4)
	for i := range len(text) {
		if err := s.write(text[i : i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.svg(""); got != want {
		t.Errorf("byte by byte it shows\n%s\nwant\n%s", got, want)
	}
}

func TestScreenRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, text := range []string{"\x1b[3Z", "\x1b[38;7m", "\x1b[38;5;256m", "\x1b[53m", "\a"} {
		if err := newScreen(10, 4).write(text); err == nil {
			t.Errorf("%q was taken for nothing", text)
		}
	}
}

func TestColours(t *testing.T) {
	red, grey := palette[1], palette[8]
	for text, want := range map[string]style{
		"\x1b[31mx":                {fg: red},
		"\x1b[1;31mx":              {fg: red, bold: true},
		"\x1b[90mx":                {fg: grey},
		"\x1b[41mx":                {bg: red},
		"\x1b[101mx":               {bg: palette[9]},
		"\x1b[38;5;1mx":            {fg: red},
		"\x1b[38;5;196mx":          {fg: "#ff0000"},
		"\x1b[48;5;244mx":          {bg: "#808080"},
		"\x1b[38;2;1;2;255;4mx":    {fg: "#0102ff", underline: true},
		"\x1b[1;7;31m\x1b[22;39mx": {turned: true},
		"\x1b[2;3;4;9mx":           {faint: true, italic: true, underline: true, struck: true},
		"\x1b[1;31m\x1b[mx":        {},
	} {
		if got := shown(t, text).cells[0][0].style; got != want {
			t.Errorf("%q has the style %+v, want %+v", text, got, want)
		}
	}
}

func TestPicture(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		has  []string
		no   []string
	}{
		"text is escaped":             {`<&"`, []string{`textLength="25.2"`, `>&lt;&amp;&#34;</text>`}, nil},
		"a colour":                    {"\x1b[31mred", []string{`fill="` + string(palette[1]) + `"`, ">red<"}, nil},
		"bold":                        {"\x1b[1mbold", []string{`font-weight="bold"`}, nil},
		"turned round":                {"\x1b[7mx ", []string{`<rect x="12" y="12" width="16.8"`, `fill="` + string(ink) + `"/>`, `fill="` + string(paper) + `">x `}, nil},
		"a coloured blank is painted": {"\x1b[44m  ", []string{`fill="` + string(palette[4]) + `"/>`}, nil},
		"a wide character has two":    {"東x", []string{`textLength="25.2"`, ">東x<"}, nil},
		"equal cells are one text":    {"\x1b[32ma\x1b[m \x1b[32mb", []string{">a b<"}, nil},
		"blanks around have no ink":   {"  ab  ", []string{`x="28.8"`, ">ab<"}, nil},
		"an empty screen has no text": {"", nil, []string{"<text"}},
	} {
		got := shown(t, tc.text).svg("a <title>")
		for _, want := range append(tc.has, "<title>a &lt;title&gt;</title>") {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in\n%s", name, want, got)
			}
		}
		for _, bad := range tc.no {
			if strings.Contains(got, bad) {
				t.Errorf("%s: there is %s in\n%s", name, bad, got)
			}
		}
		d := xml.NewDecoder(strings.NewReader(got))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v in\n%s", name, err, got)
			}
		}
	}
}
