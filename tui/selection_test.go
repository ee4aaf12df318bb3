package tui

import (
	"math/rand/v2"
	"testing"
	"time"

	"weft/flow"
)

// churn is case F016: 200 runs that change twenty times a second.
type churn struct {
	*rig
	rng *rand.Rand
}

func newChurn(t *testing.T, seed uint64) churn {
	f := newFake()
	for i := range 200 {
		s := flow.Running
		if i%3 == 0 {
			s = flow.Suspended
		}
		f.add("w-"+string(rune('a'+i/26))+string(rune('a'+i%26)), "order-process", s, time.Duration(200-i)*time.Second)
	}
	return churn{newRig(t, f, 80, 24), rand.New(rand.NewPCG(seed, 0))}
}

// blow lets d pass with a change every 50 ms: a run suspends, resumes or ends,
// or a new one begins. keep is left alone.
func (c churn) blow(d time.Duration, keep flow.Ref) {
	for range d / (50 * time.Millisecond) {
		c.f.mu.Lock()
		var ref flow.Ref
		if i := c.rng.IntN(len(c.f.runs) + 20); i < len(c.f.runs) {
			ref = c.f.runs[i].Ref
		} else {
			r := c.f.add("new-"+string(rune('a'+c.rng.IntN(26)))+string(rune('a'+c.rng.IntN(26))), "order-process", flow.Running, 0)
			c.f.tell(flow.Notice{Kind: flow.NoticeStarted, Ref: r.Ref, Status: r.Status})
		}
		c.f.mu.Unlock()
		if ref.ID != "" && ref != keep {
			all := flow.Statuses()
			c.f.set(ref, all[1+c.rng.IntN(4)])
		}
		c.pass(50 * time.Millisecond)
	}
}

func TestCursorStaysOnItsRunWhileEverythingChanges(t *testing.T) {
	for name, keys := range map[string]string{
		"in the middle":     "j j j j j j j",
		"at the first row":  "",
		"at a page edge":    "ctrl+f k",
		"at the last row":   "G",
		"deep in the list":  "ctrl+f ctrl+f ctrl+f ctrl+f j",
		"with a mark":       "j j space",
		"under a help page": "j j j ?",
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				c := newChurn(t, seed)
				c.keys(keys)
				want := c.cursor()
				c.blow(5*time.Second, want)
				if got := c.cursor(); got != want {
					t.Fatalf("seed %d: the cursor went from %s to %s", seed, want, got)
				}
			}
		})
	}
}

func TestSignalGoesToTheRunTheFormNames(t *testing.T) {
	c := newChurn(t, 1)
	c.keys("j j j j")
	want := c.cursor()
	c.keys("s")
	c.shows("to " + string(want.ID))
	c.blow(3*time.Second, want)
	c.shows("to " + string(want.ID))
	c.keys("ctrl+s")
	if len(c.f.acts) != 1 {
		t.Fatalf("%d acts, want 1: %v", len(c.f.acts), c.m.status)
	}
	if got := c.f.acts[0].Deed.(flow.SendSignal).Target; got != want {
		t.Errorf("the signal went to %s, the form named %s", got, want)
	}
}

func TestResumeHitsTheRunUnderTheCursorOrIsRefused(t *testing.T) {
	for seed := range uint64(20) {
		c := newChurn(t, seed)
		c.keys("3 j j j j j")
		want := c.cursor()
		c.blow(2*time.Second, flow.Ref{}) // it may resume or end meanwhile
		shown := c.cursor()
		if shown != want {
			t.Fatalf("seed %d: the cursor went from %s to %s", seed, want, shown)
		}
		c.keys("p")
		for _, a := range c.f.acts {
			if got := a.Deed.(flow.ResumeRun).Target; got != want {
				t.Errorf("seed %d: resumed %s, the cursor was on %s", seed, got, want)
			}
		}
		if len(c.f.acts) == 0 && c.m.status.Text == "" {
			t.Errorf("seed %d: neither done nor refused", seed)
		}
	}
}

// TestCancelHitsTheRunTheDialogNames is case F016: whatever goes on under an
// open dialog, the act goes to the run it names or is refused.
func TestCancelHitsTheRunTheDialogNames(t *testing.T) {
	for name, keys := range map[string]string{
		"in the middle": "j j j j j", "at the last row": "G", "at a page edge": "ctrl+f k", "under a filter": "/ w enter j j",
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(10) {
				c := newChurn(t, seed)
				c.keys(keys)
				want := c.cursor()
				c.keys("c")
				c.blow(3*time.Second, flow.Ref{}) // it may suspend or end meanwhile
				c.shows("Cancel 1 workflow", string(want.ID), string(want.Run))
				c.play("wait y")
				for _, a := range c.f.acts {
					if got := target(a.Deed); got != want {
						t.Errorf("seed %d: cancelled %s, the dialog named %s", seed, got, want)
					}
				}
				ended := c.f.find(want).Status.Terminal()
				if len(c.f.acts) == 0 && !ended {
					t.Errorf("seed %d: neither done nor refused: %s\n%s", seed, c.status().Text, c.frame())
				}
			}
		})
	}
}

func TestRowThatLeftStaysDimmedUntilTheCursorLeaves(t *testing.T) {
	r := newRig(t, crowd(8), 80, 24)
	r.keys("j j")
	ref := r.cursor()
	r.f.set(ref, flow.Completed)
	r.pass(time.Second)
	if r.cursor() != ref {
		t.Fatalf("the cursor left %s by itself", ref)
	}
	r.shows("(just completed)", "> ~ "+string(ref.ID))
	r.keys("s")
	if r.m.modal.top != nil || r.status().Text == "" {
		t.Error("a signal to a run that ended was not refused")
	}
	r.keys("j")
	r.lacks("(just completed)", "~ "+string(ref.ID), "R "+string(ref.ID))
	r.keys("j k k k")
	if r.m.list().Total() != 7 {
		t.Errorf("%d runs are listed, want 7", r.m.list().Total())
	}
}

func TestNewRowsAreCountedUntilTakenIn(t *testing.T) {
	r := newRig(t, crowd(50), 80, 24)
	r.keys("j j j")
	before := r.cursor()
	for range 3 {
		r.types("")
		_, _ = r.f.Do(t.Context(), flow.Act{Deed: flow.Start{Type: "order-process"}})
	}
	r.pass(time.Second)
	r.shows("+3 new")
	r.lacks("run-50")
	if r.cursor() != before {
		t.Error("the cursor moved")
	}
	r.keys("g")
	r.lacks("new")
	r.shows("run-52")
}

func TestListFollowsAtTheTop(t *testing.T) {
	r := newRig(t, crowd(50), 80, 24)
	first := r.cursor()
	_, _ = r.f.Do(t.Context(), flow.Act{Deed: flow.Start{Type: "order-process", ID: "fresh"}})
	r.pass(time.Second)
	r.shows("  R fresh", "> R "+string(first.ID))
	for i := range 30 {
		_, _ = r.f.Do(t.Context(), flow.Act{Deed: flow.Start{Type: "order-process", ID: flow.WorkflowID("more-" + string(rune('a'+i)))}})
		r.pass(300 * time.Millisecond)
		if r.cursor() != first {
			t.Fatalf("the cursor went from %s to %s", first, r.cursor())
		}
		r.shows("> R " + string(first.ID))
	}
}

func TestWindowWalksThroughAllRowsOnceInOrder(t *testing.T) {
	const n = 600
	r := newRig(t, crowd(n), 80, 24)
	seen := []flow.Ref{r.cursor()}
	for range n {
		r.keys("j")
		if c := r.cursor(); c != seen[len(seen)-1] {
			seen = append(seen, c)
		}
	}
	if len(seen) != n {
		t.Fatalf("walked over %d rows, want %d", len(seen), n)
	}
	for i := range seen {
		if want := r.f.runs[n-1-i].Ref; seen[i] != want {
			t.Fatalf("row %d is %s, want %s", i, seen[i], want)
		}
	}
	for i := n - 1; i >= 0; i-- {
		if r.cursor() != seen[i] {
			t.Fatalf("back at row %d: %s, want %s", i, r.cursor(), seen[i])
		}
		r.keys("k")
	}
	r.keys("G")
	if r.cursor() != seen[n-1] {
		t.Errorf("G went to %s", r.cursor())
	}
	if held := r.m.list().Held(); held > 400 {
		t.Errorf("%d rows are held", held)
	}
}

func TestOpenDialogHoldsTheList(t *testing.T) {
	for name, keys := range map[string]string{"the filter": "/", "a question": "c", "the command line": ":", "a form": "s", "a page": "?", "the palette": "ctrl+p"} {
		r := newRig(t, crowd(5), 80, 24)
		r.keys(keys)
		_, _ = r.f.Do(t.Context(), flow.Act{Deed: flow.Start{Type: "order-process", ID: "fresh"}})
		r.pass(time.Second)
		if rows := r.m.list().Refs(); rows[0].ID == "fresh" {
			t.Errorf("%s does not hold the list", name)
		}
		r.keys("esc")
		r.pass(time.Second)
		if rows := r.m.list().Refs(); rows[0].ID != "fresh" {
			t.Errorf("%s still holds the list", name)
		}
	}
}
