package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/flow"
	"weft/views"
)

// TestBulkActsTouchExactlyWhatWasFrozen: what a mark names is what is done.
func TestBulkActsTouchExactlyWhatWasFrozen(t *testing.T) {
	tests := map[string]struct {
		script string
		verb   string
		only   int // how many the preview was asked for
		done   int
	}{
		"cancel":                  {"space space space c wait 'cancel 3' enter", "cancel", 3, 3},
		"suspend":                 {"space space p wait 'suspend 2' enter", "suspend", 2, 2},
		"resume":                  {"3 space space p wait 'resume 2' enter", "resume", 2, 2},
		"purge":                   {"4 G space k k space P wait 'purge 2' enter", "purge", 2, 2},
		"again":                   {"4 G space k k space A wait 'restart 2' enter", "restart", 2, 2},
		"redrive":                 {"6 space R wait 'redrive 1' enter", "redrive", 1, 1},
		"all that the filter has": {"/ 'order-p' wait enter ctrl+a c wait 'cancel 4' enter", "cancel", 0, 4},
		"with a reason":           {"space space c tab 'clean up' tab wait 'cancel 2' enter", "cancel", 2, 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, owing(), 100, 30)
			r.play(tc.script)
			if len(r.f.acts) == 0 {
				t.Fatalf("nothing was done: %q\n%s", r.status().Text, r.frame())
			}
			act := r.f.acts[len(r.f.acts)-1]
			if d, ok := act.Deed.(flow.BulkAct); !ok || d.Token != tc.verb+"-1" || len(r.f.asked.Only) != tc.only {
				t.Errorf("%+v of %d chosen, want %s by token of %d", act.Deed, len(r.f.asked.Only), tc.verb, tc.only)
			}
			if len(r.f.acts)-1 != tc.done {
				t.Errorf("%d were done, want %d", len(r.f.acts)-1, tc.done)
			}
			r.shows(fmt.Sprintf("%s: %d done, 0 skipped, 0 failed", tc.verb, tc.done), "audit")
			if name == "with a reason" && act.Why != "clean up" {
				t.Errorf("why %q", act.Why)
			}
			r.keys("esc")
			if shown, hidden := r.m.list().Marked(); shown+hidden != 0 {
				t.Errorf("%d marks are left", shown+hidden)
			}
		})
	}
}

func TestTeardownsInBulkAreDoneOneByOne(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	r.play("5 ctrl+a R wait")
	r.shows("Retry 5 teardowns", "type   retry 5")
	r.play("'retry 5' enter")
	if len(r.f.acts) != 5 {
		t.Fatalf("%d acts, want 5\n%s", len(r.f.acts), r.frame())
	}
	r.shows("retry-teardown: 5 done, 0 skipped, 0 failed", "audit 118")
	r.play("esc 6 space space D wait 'discard 2' enter")
	if len(r.f.dead) != 0 {
		t.Errorf("%d dead letters are left", len(r.f.dead))
	}
	r.shows("discard: 2 done")
}

// TestBulkCancelWhileOneFinishes: twelve are frozen, one ends in between; it
// alone is skipped, and said so.
func TestBulkCancelWhileOneFinishes(t *testing.T) {
	r := newRig(t, crowd(40), 100, 30)
	r.keys(strings.Repeat("space ", 12))
	marked := map[flow.Ref]bool{}
	for i := range 12 {
		marked[r.f.runs[39-i].Ref] = true
	}
	r.play("c wait")
	r.shows("Cancel 12 runs", "counted 12:04:3", "12 marked, 0 hidden", "type   cancel 12", "and 6 more")
	r.f.set(r.f.runs[35].Ref, flow.Completed)
	r.play("wait 'cancel 12' enter")
	for _, a := range r.f.acts {
		if ref := target(a.Deed); ref.ID != "" && !marked[ref] {
			t.Errorf("%s was touched", ref)
		}
	}
	r.shows("cancel: 11 done, 1 skipped, 0 failed", "audits 118 to 128", "skipped ord-00035")
	if strings.Index(r.frame(), "skipped ord") > strings.Index(r.frame(), "done    ord") {
		t.Error("what was skipped is not shown first")
	}
}

func TestHiddenMarksAreSaidFirst(t *testing.T) {
	r := newRig(t, crowd(40), 100, 30)
	r.play("j j space / 'ord-0000' wait enter space")
	r.shows("2 marked, 1 hidden")
	r.play("c wait")
	r.shows("2 marked, 1 hidden, frozen now")
	frame := r.frame()
	if i, j := strings.Index(frame, "|   ord-00037"), strings.Index(frame, "|   ord-00006"); i < 0 || i > j {
		t.Errorf("the hidden one is not first:\n%s", frame)
	}
}

func TestMarkingMoreThanAScreenAsks(t *testing.T) {
	r := newRig(t, crowd(300), 100, 30)
	r.keys("ctrl+a")
	r.shows("mark all 300?  y / n")
	r.play("n c n")
	r.lacks("all 300 marked")
	r.play("ctrl+a wait y")
	r.shows("all 300 marked")
	r.play("c wait")
	r.shows("Cancel 300 runs", "all of the list, frozen now")
	r.play("esc / 'ord-0029' wait enter ctrl+a c wait")
	r.shows("Cancel 10 runs", "all in the filter /ord-0029, frozen now")
	r.play("esc space")
	r.lacks("marked")
	r.play("space c wait")
	r.shows("Cancel 1 run  ", "type   cancel 1")
	few := newRig(t, crowd(5), 100, 30)
	few.keys("ctrl+a")
	few.shows("all 5 marked", ">*R")
	few.keys(`ctrl+\`)
	few.lacks("marked")
}

func TestMarksThatNoLongerFitAreLeftOut(t *testing.T) {
	r := newRig(t, crowd(5), 100, 30)
	r.keys("space space")
	r.f.set(r.f.runs[4].Ref, flow.Completed)
	r.f.set(r.f.runs[3].Ref, flow.Completed)
	r.play("wait c wait")
	r.shows("2 of them are left out", "none of them can be cancelled now")
	r.play("'cancel 0' enter")
	if len(r.f.acts) > 0 {
		t.Error("done all the same")
	}
}

func TestPreviewThatFailsOpensNothing(t *testing.T) {
	r := newRig(t, crowd(5), 100, 30)
	r.keys("space")
	r.stall = func(e effect) bool { _, ok := e.(readPreview); return ok }
	r.keys("c")
	r.shows("counting ..")
	r.f.fail = errors.New("disk full")
	r.release()
	r.shows("cancel of marks: disk full")
	r.f.fail = nil
	r.pass(2 * time.Second)
	r.stall = func(e effect) bool { _, ok := e.(readPreview); return ok }
	r.keys("c ?")
	r.release()
	if _, help := r.m.modal.top.(views.Help); !help {
		t.Error("a late preview took the place of what was opened since")
	}
}

// TestDeadLettersHaveNoCap is case F085: every one can be reached and acted on.
func TestDeadLettersHaveNoCap(t *testing.T) {
	f := newFake()
	for i := range 5000 {
		f.dead = append(f.dead, flow.Dead{Ref: flow.Ref{ID: flow.WorkflowID(fmt.Sprintf("box-%06d", i)), Run: "01JNRUN0000000000000000001"},
			Type: "sandbox", Finalizer: "destroySandbox", Attempts: 8, DeadLetteredAt: flow.InstantOf(noon), Input: flow.Payload("1")})
	}
	r := newRig(t, f, 80, 24)
	r.keys("6")
	r.shows("5000")
	seen := map[flow.Ref]bool{}
	for range 800 {
		r.keys("ctrl+f")
		seen[r.cursor()] = true
	}
	if last := r.cursor(); last != f.dead[4999].Ref {
		t.Errorf("paging ends at %s", last)
	}
	if held := r.m.list().Held(); held > 300 {
		t.Errorf("%d rows are held", held)
	}
	r.keys("g G")
	if last := r.cursor(); last != f.dead[4999].Ref {
		t.Errorf("G goes to %s", last)
	}
	last := f.dead[4999].Ref
	r.play("D wait 'discard 1' enter")
	if len(f.acts) != 1 || target(f.acts[0].Deed) != last {
		t.Errorf("acts %v, want one on %s", f.acts, last)
	}
	r.play("ctrl+a wait y R wait")
	r.shows("all 4999 marked")
}
