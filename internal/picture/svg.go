package main

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// The measures of a picture in its own units. A cell of the fonts named is 0.6
// of their size wide.
const (
	fontSize   = 14
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 12
	baseline   = 13.5 // below the upper edge of a cell
	fonts      = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
)

// svg is the screen as a picture, for readers who cannot see it called title.
func (s *screen) svg(title string) string {
	w, h := 2*margin+float64(s.width)*cellWidth, 2*margin+float64(s.height)*cellHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]s %[2]s" width="%[1]s" height="%[2]s" role="img">`+"\n",
		number(w), number(h))
	fmt.Fprintf(&b, "<title>%s</title>\n", escaped(title))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", paper)
	fmt.Fprintf(&b, `<g font-family="%s" font-size="%d" fill="%s" style="white-space:pre">`+"\n", fonts, fontSize, ink)
	for y, row := range s.cells {
		for _, st := range stretches(row) {
			st.draw(&b, y)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// stretch is a part of a row whose cells look alike.
type stretch struct {
	x, cells int
	text     string
	style
}

// stretches divides a row. Blanks that show nothing join what is before them, so
// that a row of one style is one stretch.
func stretches(row []cell) []stretch {
	var all []stretch
	for x, c := range row {
		last := len(all) - 1
		text := c.text
		if text == "" && !c.half {
			text = " "
		}
		if last >= 0 && (c.half || all[last].style == c.style || text == " " && !shows(all[last].style) && !shows(c.style)) {
			all[last].cells++
			all[last].text += text
			continue
		}
		all = append(all, stretch{x, 1, text, c.style})
	}
	return all
}

// shows reports whether a blank of the style is seen.
func shows(s style) bool {
	_, back := s.inks()
	return back != "" || s.underline || s.struck
}

func (s stretch) draw(b *strings.Builder, y int) {
	top := margin + float64(y)*cellHeight
	if _, back := s.inks(); back != "" {
		fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%d" fill="%s"/>`+"\n",
			number(margin+float64(s.x)*cellWidth), number(top), number(float64(s.cells)*cellWidth), cellHeight, back)
	}
	if !shows(s.style) { // blanks at the ends need no ink
		bare := strings.TrimLeft(s.text, " ")
		s.x += len(s.text) - len(bare)
		s.cells -= len(s.text) - len(bare)
		s.text = strings.TrimRight(bare, " ")
		s.cells -= len(bare) - len(s.text)
	}
	if s.text == "" {
		return
	}
	fmt.Fprintf(b, `<text x="%s" y="%s" textLength="%s" xml:space="preserve"%s>%s</text>`+"\n",
		number(margin+float64(s.x)*cellWidth), number(top+baseline), number(float64(s.cells)*cellWidth), s.attributes(), escaped(s.text))
}

// number writes a measure with at most two digits behind the point.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
	return b.String()
}
