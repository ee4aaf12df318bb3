package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"weft/flow"
	"weft/keymap"
)

// deedKeys are the keys of everything that is done to a run.
var deedKeys = map[string]keymap.Action{"c": keymap.Cancel, "p": keymap.Pause, "s": keymap.Signal, "u": keymap.Update, "Q": keymap.AskQuery,
	"R": keymap.Retry, "D": keymap.Discard, "A": keymap.Again, "P": keymap.Purge, "N": keymap.Start, "y": keymap.Copy, "e": keymap.Export,
	"X": keymap.ForceTimeout}

// TestEachStateOffersWhatFits: for a run in every state, what can be done to it and
// nothing else; all else is refused with a reason, by key, palette, menu and help.
func TestEachStateOffersWhatFits(t *testing.T) {
	tests := map[string]struct {
		open   string
		offers string
		says   map[string]string
	}{
		"pending":                 {"/ 'later' wait enter", "c s y N e", map[string]string{"p": "not started yet: nothing to suspend"}},
		"running":                 {"/ 'id=ord-7f3a' wait enter", "c p s u Q y N e", map[string]string{"R": "retry is for teardowns; this run is live"}},
		"suspended":               {"3", "c p s Q y N e", map[string]string{"u": "suspended: resume it first"}},
		"held":                    {"3 ]", "c s y N e", map[string]string{"p": "held, not suspended"}},
		"completed":               {"4 / 'ord-77' wait enter", "A P N y e Q", map[string]string{"c": "already completed at", "R": "nothing owed"}},
		"failed":                  {"4 / 'id=ord-00ff' wait enter", "A P N y e Q", map[string]string{"c": "already failed at", "R": "nothing owed"}},
		"cancelled, nothing owed": {"4 / 'id=free' wait enter", "A P N y e Q", map[string]string{"c": "already cancelled at", "R": "nothing owed"}},
		"owed, waiting":           {"5", "R N y e", map[string]string{"P": "blocked by owed teardown", "A": "blocked by owed teardown"}},
		"owed, claim fresh":       {"5 j j", "N y e", map[string]string{"R": "running since 12:03:31Z, claim goes stale at 12:09:01Z"}},
		"owed, claim stale":       {"5 j j j", "R N y e", nil},
		"owed, not in this build": {"5 j j j j", "N y e", map[string]string{"R": "not registered here; another build may own it"}},
		"dead letter":             {"6", "R D A P N y e", nil},
		"dead letter, no input":   {"6 j", "D A P N y e", map[string]string{"R": "no recorded input: the clean-up cannot be rebuilt"}},
		"no row":                  {"6 / 'nosuch' wait enter", "N", map[string]string{"R": "no run selected", "y": "no run selected"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := owing()
			f.add("later-1", "order-process", flow.Pending, time.Second)
			f.add("free-1", "order-process", flow.Cancelled, time.Hour)
			for i := range f.types {
				f.types[i].Updates, f.types[i].Queries = []string{"address"}, []string{"state"}
			}
			r := newRig(t, f, 120, 30)
			r.play(tc.open + " wait")
			offers := strings.Fields(tc.offers)
			for key, a := range deedKeys {
				why := r.m.refusal(a)
				switch offered := slices.Contains(offers, key); {
				case offered && why != "":
					t.Errorf("%s is refused: %s", key, why)
				case !offered && why == "":
					t.Errorf("%s is offered", key)
				case !strings.Contains(why, tc.says[key]):
					t.Errorf("%s is refused by %q, want %q", key, why, tc.says[key])
				}
			}
		})
	}
}

// TestSignalToASuspendedRunSaysWhenItArrives: it is taken, but not now.
func TestSignalToASuspendedRunSaysWhenItArrives(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	r.keys("3 s")
	r.shows("suspended: buffered until it resumes")
}

// TestRowThatEndsAtTheTopStaysToo: where the list follows what happens, the run under
// the cursor stays as well, and tells why.
func TestRowThatEndsAtTheTopStaysToo(t *testing.T) {
	r := newRig(t, crowd(8), 80, 24)
	ref := r.cursor()
	r.f.set(ref, flow.Completed)
	r.pass(time.Second)
	r.shows("> ~ "+string(ref.ID), "(just completed)")
	if r.cursor() != ref {
		t.Fatalf("the cursor went to %s", r.cursor())
	}
	r.keys("j")
	r.pass(time.Second)
	r.lacks("(just completed)")
}
