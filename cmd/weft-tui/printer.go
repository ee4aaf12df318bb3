package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"weft/views"
)

// printer writes what a verb found: JSON for scripts, or text for people.
type printer struct {
	w    io.Writer
	json bool
}

// value writes v as one JSON value on one line. Payloads keep their exact
// numbers.
func (p printer) value(v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return p.write(views.SafeJSON(buf.String()))
}

// line writes one line of text.
func (p printer) line(text string) error { return p.write(views.Clean(text) + "\n") }

// table writes rows under their headings, in columns two cells apart. Widths
// are counted in cells, so that wide characters keep the columns straight.
func (p printer) table(headings []string, rows [][]string) error {
	lines := append([][]string{headings}, rows...)
	widths := make([]int, len(headings))
	for _, line := range lines {
		for i := range line {
			line[i] = views.Clean(line[i])
			widths[i] = max(widths[i], ansi.StringWidth(line[i]))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		var row strings.Builder
		for i, cell := range line {
			row.WriteString(cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return p.write(b.String())
}

// fields writes pairs of name and value, one a line; empty values are left out.
func (p printer) fields(pairs [][2]string) error {
	width := 0
	for _, f := range pairs {
		if f[1] != "" {
			width = max(width, len(f[0]))
		}
	}
	var b strings.Builder
	for _, f := range pairs {
		if f[1] != "" {
			fmt.Fprintf(&b, "%-*s  %s\n", width, f[0], views.Clean(f[1]))
		}
	}
	return p.write(b.String())
}

func (p printer) write(text string) error {
	if _, err := io.WriteString(p.w, text); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
