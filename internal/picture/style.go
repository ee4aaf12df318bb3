package main

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// style is how a cell looks. The zero style is the terminal's own.
type style struct {
	fg, bg                                         colour
	bold, faint, italic, underline, struck, turned bool
}

// colour is "" for the terminal's own, else #rrggbb.
type colour string

// The terminal's own colours: dark, as most terminals of operators are.
const (
	ink   colour = "#d0d4da"
	paper colour = "#14171c"
)

// palette are the sixteen colours. The first eight are readable on paper, which
// those of the first terminals are not.
var palette = [16]colour{
	"#2a2f38", "#ef6b73", "#8fc76a", "#e3b755", "#6aa7f0", "#c78be0", "#58bcc9", "#c5cad3",
	"#7d8694", "#ff8a91", "#a9e283", "#ffd479", "#8bc0ff", "#dea6f5", "#7fdbe6", "#ffffff",
}

// indexed is the colour n of the 256 of xterm.
func indexed(n int) colour {
	switch {
	case n < 16:
		return palette[n]
	case n < 232:
		level := func(v int) int {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		n -= 16
		return rgb(level(n/36), level(n/6%6), level(n%6))
	}
	grey := 8 + 10*(n-232)
	return rgb(grey, grey, grey)
}

func rgb(r, g, b int) colour { return colour(fmt.Sprintf("#%02x%02x%02x", r, g, b)) }

// inks are the colours of the cell as they are seen; back is "" when nothing is
// painted behind the text.
func (s style) inks() (fore, back colour) {
	fore, back = s.fg, s.bg
	if fore == "" {
		fore = ink
	}
	if s.turned {
		behind := back
		if behind == "" {
			behind = paper
		}
		fore, back = behind, fore
	}
	return fore, back
}

// after is the style after an SGR sequence with the given parameters.
func (s style) after(params ansi.Params) (style, error) {
	if len(params) == 0 {
		return style{}, nil
	}
	for i := 0; i < len(params); i++ {
		n := params[i].Param(0)
		if n == 38 || n == 48 {
			c, used, err := extended(params[i+1:])
			if err != nil {
				return s, err
			}
			if n == 38 {
				s.fg = c
			} else {
				s.bg = c
			}
			i += used
			continue
		}
		if err := s.set(n); err != nil {
			return s, err
		}
	}
	return s, nil
}

// set applies one number of an SGR sequence.
func (s *style) set(n int) error {
	switch {
	case n == 0:
		*s = style{}
	case n == 1:
		s.bold = true
	case n == 2:
		s.faint = true
	case n == 3:
		s.italic = true
	case n == 4:
		s.underline = true
	case n == 7:
		s.turned = true
	case n == 9:
		s.struck = true
	case n == 22:
		s.bold, s.faint = false, false
	case n == 23:
		s.italic = false
	case n == 24:
		s.underline = false
	case n == 27:
		s.turned = false
	case n == 29:
		s.struck = false
	case n >= 30 && n <= 37:
		s.fg = palette[n-30]
	case n == 39:
		s.fg = ""
	case n >= 40 && n <= 47:
		s.bg = palette[n-40]
	case n == 49:
		s.bg = ""
	case n >= 90 && n <= 97:
		s.fg = palette[n-90+8]
	case n >= 100 && n <= 107:
		s.bg = palette[n-100+8]
	default:
		return fmt.Errorf("the style %d is not known here", n)
	}
	return nil
}

// extended reads what follows 38 or 48: 5;N or 2;R;G;B.
func extended(params ansi.Params) (c colour, used int, err error) {
	at := func(i int) int {
		if i >= len(params) {
			return -1
		}
		return params[i].Param(0)
	}
	within := func(from, to int) bool {
		for i := from; i <= to; i++ {
			if at(i) < 0 || at(i) > 255 {
				return false
			}
		}
		return true
	}
	switch {
	case at(0) == 5 && within(1, 1):
		return indexed(at(1)), 2, nil
	case at(0) == 2 && within(1, 3):
		return rgb(at(1), at(2), at(3)), 4, nil
	}
	return "", 0, fmt.Errorf("a colour with the parameters %v is not known here", params)
}

// attributes are the style as attributes of an SVG text.
func (s style) attributes() string {
	var b strings.Builder
	if fore, _ := s.inks(); fore != ink {
		fmt.Fprintf(&b, ` fill="%s"`, fore)
	}
	if s.bold {
		b.WriteString(` font-weight="bold"`)
	}
	if s.italic {
		b.WriteString(` font-style="italic"`)
	}
	if s.faint {
		b.WriteString(` opacity="0.6"`)
	}
	switch {
	case s.underline && s.struck:
		b.WriteString(` text-decoration="underline line-through"`)
	case s.underline:
		b.WriteString(` text-decoration="underline"`)
	case s.struck:
		b.WriteString(` text-decoration="line-through"`)
	}
	return b.String()
}
