package views

import (
	"fmt"
	"time"

	"weft/flow"
	"weft/keymap"
)

// Quit is the question before leaving with work in flight, and the wait for it.
type Quit struct {
	Info flow.Info
	// Limit is how long a drain may take; Until is set while one goes on.
	Limit time.Duration
	Until time.Time
	// Unsent: a form with text in it is open underneath.
	Unsent bool
}

// Place implements [Modal].
func (v Quit) Place() keymap.Place {
	if v.Until.IsZero() {
		return keymap.Quitting
	}
	return keymap.Draining
}

// Press applies one key.
func (v Quit) Press(p Press) (Modal, Intent) {
	switch p.Action {
	case keymap.Drain:
		return v, Leave{Drain: true}
	case keymap.Abandon:
		return v, Leave{}
	case keymap.Stay:
		return v, CloseModal{}
	}
	return v, nil
}

// InFlight reports whether leaving now would interrupt something. A run that
// only waits in memory is not interrupted: it goes on with the next start.
func InFlight(i flow.Info) bool { return i.Attempts+i.Finalizers > 0 }

// flying is what is in flight, in words.
func flying(i flow.Info) string {
	s := plural(i.Attempts, "attempt")
	switch {
	case !InFlight(i):
		return "nothing any more"
	case i.Attempts == 0:
		s = plural(i.Finalizers, "teardown")
	case i.Finalizers > 0:
		s += " and " + plural(i.Finalizers, "teardown")
	}
	return s + " in flight"
}

// Draw implements [Modal].
func (v Quit) Draw(look Look, w, h int) []string {
	bw := boxWidth(w)
	var text []string
	abandon := look.key(v.Place(), keymap.Abandon, "a") + " abandon"
	keys := look.key(v.Place(), keymap.Drain, "d") + " drain (up to " + Age(v.Limit) + ")   " + abandon + "   " + look.key(v.Place(), keymap.Stay, "esc") + " stay"
	switch {
	case !v.Until.IsZero():
		text = []string{"Waiting for what is in flight: " + flying(v.Info) + ".", "",
			fmt.Sprintf("At most %s more; what is not done by then resumes on the next start.", Age(v.Until.Sub(look.Now)))}
		keys = abandon + " now"
	case InFlight(v.Info):
		text = []string{"Stopping the console stops the engine: " + flying(v.Info) + ".", "",
			"Drained or abandoned, no work is lost: it resumes on the next start."}
	default:
		text = []string{"Leave? Nothing is in flight."}
	}
	if v.Unsent && v.Until.IsZero() {
		text = append(text, "", "The open form was not sent and would be lost.")
	}
	var lines []string
	for _, t := range text {
		for _, l := range wrap(t, bw-4) {
			lines = append(lines, " "+l)
		}
	}
	lines = append(lines[:min(len(lines), max(0, h-4))], "", " "+look.paint(Strong, keys))
	return look.box("Leave", lines, bw, len(lines)+2, true)
}
