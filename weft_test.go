package weft

import (
	"testing"
	"time"

	"weft/tui"
)

// TestScreenIsWhatTheProgramChose: what a program says of the console is kept, and
// the options of the node go before.
func TestScreenIsWhatTheProgramChose(t *testing.T) {
	chosen := tui.Options{Settings: tui.Settings{Theme: "light"}, Pane: "owed", Actor: "ann", DrainFor: time.Minute}
	got := Options{Screen: chosen}.screen()
	if got.Settings.Theme != "light" || got.Pane != "owed" || got.Actor != "ann" || got.DrainFor != time.Minute {
		t.Errorf("%+v", got)
	}
	got = Options{Screen: chosen, Actor: "kim", Drain: time.Second}.screen()
	if got.Actor != "kim" || got.DrainFor != time.Second {
		t.Errorf("actor %q, drain %v, want kim and 1s", got.Actor, got.DrainFor)
	}
	if got = (Options{}).screen(); got.Actor != userName() || got.DrainFor != 0 {
		t.Errorf("actor %q, drain %v: want the user and the default of the console", got.Actor, got.DrainFor)
	}
}
