package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"weft/flow"
	"weft/views"
)

// exact fails unless the frame is h lines of w cells by both ways to count
// them, with no control byte but those of colours.
func exact(t *testing.T, what, frame string, w, h int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	if len(lines) != h {
		t.Fatalf("%s: %d lines, want %d", what, len(lines), h)
	}
	for i, line := range lines {
		if g, c := ansi.StringWidth(line), ansi.StringWidthWc(line); g != w || c != w {
			t.Fatalf("%s: line %d has %d cells by graphemes, %d by characters, want %d: %q", what, i+1, g, c, w, line)
		}
		if bad := controls(line); bad != "" {
			t.Fatalf("%s: line %d has %s: %q", what, i+1, bad, line)
		}
	}
}

// controls names what is not text or SGR in line.
func controls(line string) string {
	for i := 0; i < len(line); i++ {
		if line[i] == 0x1b {
			end := strings.IndexByte(line[i:], 'm')
			if end < 2 || line[i+1] != '[' || strings.Trim(line[i+2:i+end], "0123456789;") != "" {
				return fmt.Sprintf("an escape sequence at byte %d", i)
			}
			i += end
			continue
		}
		if line[i] < ' ' || line[i] == 0x7f {
			return fmt.Sprintf("control byte %#x at %d", line[i], i)
		}
	}
	for _, r := range line {
		if r >= 0x80 && r < 0xa0 || r == 0x202e || r == 0x2028 {
			return fmt.Sprintf("character %U", r)
		}
	}
	return ""
}

// overlays are what may lie over a pane, by the keys that bring it.
var overlays = []string{"", "?", "N", "s", "/ x", "ctrl+c", "z", "space", "2 G", "] ]", "c", "R", "D", "P", "space j space c", "ctrl+a", "6 D", "5 R", ":", ": r e", "ctrl+p", "ctrl+p o p e n", "0 / o r d", "0 ] ] ] w V", "t", "+", "> =", ",", "e", "ctrl+s", "space d", "F", ": c o l s space i d , t a g s , r u n enter"}

func TestEveryFrameHasItsSize(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	rounds := 200
	if testing.Short() {
		rounds = 60
	}
	fakes := []func() *fake{populated, owing, newFake, wideNames, hostile, func() *fake { return crowd(300) }}
	themes := views.ThemeNames()
	for round := range rounds {
		f := fakes[rng.IntN(len(fakes))]()
		if rng.IntN(4) == 0 {
			f.info.Attempts = 3
		}
		if rng.IntN(4) == 0 {
			f.info.Lease.State = flow.LeaseDeposed
		}
		r := newRig(t, f, 100, 30)
		r.m.theme, _ = views.ThemeNamed(themes[rng.IntN(len(themes))])
		r.m.set.ASCII = rng.IntN(5) == 0
		p := panes[rng.IntN(len(panes))]
		over := overlays[rng.IntN(len(overlays))]
		r.keys(p.keys)
		r.keys(over)
		for range 4 {
			w, h := 1+rng.IntN(300), 1+rng.IntN(100)
			if round < 67 {
				w, h = 1+round*4, 1+round*3/2
			}
			r.send(tea.WindowSizeMsg{Width: w, Height: h})
			exact(t, fmt.Sprintf("seed %d, round %d, %s, keys %q, %dx%d", seed, round, p.name, over, w, h), r.frame(), w, h)
		}
	}
}

func TestFrameNeedsNoTerminal(t *testing.T) {
	got, err := Frame(context.Background(), populated(), views.PaneInspector, 120, 40, noon)
	if err != nil {
		t.Fatal(err)
	}
	exact(t, "inspector", got, 120, 40)
	for _, s := range []string{"ord-a10b33de-aaaa-4a5e-9f0e-2d0c6f5a0c0f", "STILL", "12:04:31Z", "lease HELD"} {
		if !strings.Contains(got, s) {
			t.Errorf("the frame lacks %q:\n%s", s, got)
		}
	}
	again, _ := Frame(context.Background(), populated(), views.PaneInspector, 120, 40, noon)
	if got != again {
		t.Error("the same data at the same instant gave another frame")
	}
}

func TestFrameOfWhatCannotBeDrawn(t *testing.T) {
	if _, err := Frame(context.Background(), populated(), views.PaneRunning, 0, 24, noon); err == nil {
		t.Error("a frame without cells was drawn")
	}
	f := populated()
	f.fail = flow.ErrClosed
	if _, err := Frame(context.Background(), f, views.PaneRunning, 80, 24, noon); err == nil {
		t.Error("a closed engine was drawn")
	}
}

func TestColouredFrameOfEachTheme(t *testing.T) {
	for _, theme := range views.ThemeNames() {
		got, err := Picture{Pane: views.PaneRunning, Width: 80, Height: 24, Now: noon, Theme: theme}.Draw(context.Background(), populated())
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "theme-"+theme, got)
	}
}
