package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/keymap"
	"weft/views"
)

// rebound is the table with one change.
func rebound(t *testing.T, c keymap.Change) keymap.Map {
	t.Helper()
	m, bad := keymap.Rebound([]keymap.Change{c})
	if len(bad) > 0 {
		t.Fatal(bad[0])
	}
	return m
}

// TestSettingsChangeWhileTheConsoleIsOpen: all of them take effect at once, and
// what was chosen on the screen stays where they did not change.
func TestSettingsChangeWhileTheConsoleIsOpen(t *testing.T) {
	r := newRig(t, populated(), 120, 40)
	r.keys("t") // by UTC, chosen on the screen
	set := Settings{Theme: "plain", Badge: views.Badge{Text: "PROD"}, ASCII: true, NoMouse: true,
		Keys: rebound(t, keymap.Change{Place: keymap.Runs, Action: keymap.Cancel, Keys: []string{"f7"}})}
	r.send(settingsMsg{set: set})
	r.shows("[PROD]", "the configuration was read again", "f7 cancel")
	if title := r.m.View().WindowTitle; title != "weft PROD /srv/orders" {
		t.Errorf("title %q", title)
	}
	if r.m.View().MouseMode != tea.MouseModeNone || r.m.times != views.UTC {
		t.Error("the mouse was not given up, or the choice of times was lost")
	}
	r.keys("c")
	if r.m.modal.top != nil {
		t.Error("the old key still opens the dialog")
	}
	r.send(tea.KeyPressMsg{Code: tea.KeyF7})
	r.shows("Cancel 1 workflow")
	r.send(settingsMsg{set: Settings{Theme: "plain"}})
	r.shows("Cancel 1 workflow")
	r.keys("esc c")
	r.shows("Cancel 1 workflow")
}

// TestFaultySettingsKeepTheOldOnesAndSaySo: the fault stands among the problems
// until it is mended, and is cleaned like any text.
func TestFaultySettingsKeepTheOldOnesAndSaySo(t *testing.T) {
	r := newRig(t, populated(), 120, 40)
	r.send(settingsMsg{set: Settings{Theme: "plain", Badge: views.Badge{Text: "PROD"}}})
	r.send(settingsMsg{err: errors.New("c.toml:3: them: there is no such key" + evil)})
	r.shows("[PROD]", "the configuration is kept as it was: c.toml:3: them")
	exact(t, "fault", r.frame(), 120, 40)
	r.pass(10 * time.Second)
	r.send(settingsMsg{set: Settings{Theme: "nonesuch"}})
	r.keys("!")
	r.shows("the configuration cannot be used", `there is no theme "nonesuch"`, "2 times", "weft-tui config check")
	exact(t, "problem", r.frame(), 120, 40)
	r.send(settingsMsg{set: Settings{Theme: "plain"}})
	r.lacks("the configuration cannot be used", "PROD")
}

func TestSettingsThatAreUnfitAtTheStartAreAProblem(t *testing.T) {
	o, err := Options{Settings: Settings{Theme: "plain"}, Unfit: errors.New("c.toml:1: broken")}.resolve()
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(context.Background(), populated(), o)
	if len(m.header.Own) != 1 || !strings.Contains(m.status.Text, "c.toml:1: broken") {
		t.Errorf("%+v, %q", m.header.Own, m.status.Text)
	}
}

// TestConsoleWaitsForSettings: each answer is followed by the next question, and
// the end of the console ends it.
func TestConsoleWaitsForSettings(t *testing.T) {
	r := newRig(t, populated(), 80, 24)
	ctx, cancel := context.WithCancel(context.Background())
	asked := 0
	r.m.opts.Changes = func(context.Context) (Settings, error) {
		if asked++; asked == 3 {
			cancel()
			return Settings{}, ctx.Err()
		}
		return Settings{Theme: "plain", ASCII: asked == 2}, nil
	}
	r.m.ctx = ctx
	r.send(settingsMsg{set: Settings{Theme: "plain"}})
	if asked != 3 || !r.m.set.ASCII {
		t.Errorf("asked %d times, want 3; %+v", asked, r.m.set)
	}
}

// TestBadgeIsSeenInEveryTheme: as a block where there is reverse, in brackets
// where there is nothing.
func TestBadgeIsSeenInEveryTheme(t *testing.T) {
	for theme, want := range map[string]string{"dark": "\x1b[7;31m PROD \x1b[m", "mono": "\x1b[7m PROD \x1b[m", "plain": "[PROD]"} {
		r := newRig(t, populated(), 80, 24)
		r.send(settingsMsg{set: Settings{Theme: theme, Badge: views.Badge{Text: "PROD", Style: "31"}}})
		if frame := r.frame(); !strings.Contains(frame, want) {
			t.Errorf("%s: the frame lacks %q:\n%q", theme, want, frame[:200])
		}
	}
}

func TestTeardownIsRetriedAtOnceWhenAskedFor(t *testing.T) {
	r := newRig(t, owing(), 120, 40)
	r.send(settingsMsg{set: Settings{Theme: "plain", RetryAtOnce: true}})
	r.keys("5")
	r.pass(time.Second)
	r.keys("R")
	if len(r.f.acts) != 1 {
		t.Errorf("%d acts, want 1: %s", len(r.f.acts), r.status().Text)
	}
}
