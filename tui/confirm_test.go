package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// play presses keys; "wait" lets a dialog arm, '...' types text.
func (r *rig) play(script string) {
	r.t.Helper()
	for i, part := range strings.Split(script, "'") {
		if i%2 == 1 {
			r.types(part)
			continue
		}
		for _, k := range strings.Fields(part) {
			if k == "wait" {
				r.pass(time.Second)
				continue
			}
			r.keys(k)
		}
	}
}

// deedsOf are the acts that were done, without what starts the fake's own.
func (r *rig) deedsOf() (deeds []flow.Deed) {
	for _, a := range r.f.acts {
		deeds = append(deeds, a.Deed)
	}
	return deeds
}

func TestKeysEndAndMendRuns(t *testing.T) {
	running, ended := "ord-7f3a9c1e-44b0-4a5e-9f0e-2d0c6f5a1b2c", "ord-77ab10dd"
	ref := func(id string) flow.Ref { return flow.Ref{ID: flow.WorkflowID(id)} }
	tests := map[string]struct {
		script string
		want   flow.Deed
		why    string
	}{
		"cancel":                       {"j j j c wait y", flow.CancelRun{Target: ref(running)}, ""},
		"cancel with a reason":         {"j j j c tab 'try again, y?' enter wait y", flow.CancelRun{Target: ref(running)}, "try again, y?"},
		"cancel from the inspector":    {"j j j enter c wait y", flow.CancelRun{Target: ref(running)}, ""},
		"suspend":                      {"j j j p", flow.SuspendRun{Target: ref(running)}, ""},
		"resume":                       {"3 p", flow.ResumeRun{Target: ref("ord-5d4f2a")}, ""},
		"cancel of a suspended run":    {"3 c wait y", flow.CancelRun{Target: ref("ord-5d4f2a")}, ""},
		"cancel of a held run":         {"3 ] c wait y", flow.CancelRun{Target: ref("imp-2b7e01c4")}, ""},
		"again":                        {"4 / 'ord-77' wait enter A wait y", flow.RestartRun{Target: ref(ended)}, ""},
		"purge":                        {"4 / 'ord-77' wait enter P wait 'purge 1' enter", flow.PurgeRun{Target: ref(ended)}, ""},
		"purge with a reason":          {"4 / 'ord-77' wait enter P tab 'old' tab wait 'purge 1' enter", flow.PurgeRun{Target: ref(ended)}, "old"},
		"retry of what waits":          {"5 R wait y", flow.RetryTeardown{Target: ref("box-19f0aa02-1111-77c1")}, ""},
		"take over of what is stale":   {"5 j j j R wait y", flow.RetryTeardown{Target: ref("box-4d11")}, ""},
		"retry from the inspector":     {"5 enter R wait y", flow.RetryTeardown{Target: ref("box-19f0aa02-1111-77c1")}, ""},
		"redrive":                      {"6 R wait y", flow.Redrive{Target: ref("box-00ff12ab-e8a0")}, ""},
		"discard":                      {"6 D wait 'discard 1' enter", flow.Discard{Target: ref("box-00ff12ab-e8a0")}, ""},
		"discard of what has no input": {"6 j D wait 'discard 1' enter", flow.Discard{Target: ref("box-0a1b22c9")}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, owing(), 100, 30)
			r.play(tc.script)
			if len(r.f.acts) != 1 {
				t.Fatalf("%d acts, want 1; status %q\n%s", len(r.f.acts), r.status().Text, r.frame())
			}
			got := r.f.acts[0]
			if g, w := target(got.Deed).ID, target(tc.want).ID; g != w || got.Deed.Verb() != tc.want.Verb() || target(got.Deed).Run == "" {
				t.Errorf("%s of %v, want %s of %s", got.Deed.Verb(), target(got.Deed), tc.want.Verb(), w)
			}
			if got.Why != tc.why || got.Actor != "kim" {
				t.Errorf("why %q by %q, want %q by kim", got.Why, got.Actor, tc.why)
			}
			r.shows("OK " + tc.want.Verb())
			if r.m.modal.top != nil {
				t.Errorf("a dialog stays open\n%s", r.frame())
			}
		})
	}
}

func TestActsThatDoNotFitAreRefusedWithTheReason(t *testing.T) {
	tests := map[string]struct{ script, want string }{
		"pending: nothing to suspend":        {"/ 'later' wait enter p", "not started yet: nothing to suspend"},
		"running: retry":                     {"R", "retry is for teardowns; this run is live"},
		"running: discard":                   {"D", "discard is for dead letters: this run is live"},
		"running: purge":                     {"P", "purge is for runs that have ended; this run is pending"},
		"running: again":                     {"A", "start again is for runs that have ended"},
		"held: suspend":                      {"3 ] p", "held, not suspended: type old-import"},
		"completed: cancel":                  {"4 / 'ord-77' wait enter c", "already completed at 2026-03-01T11:59:13.000Z"},
		"completed: suspend":                 {"4 / 'ord-77' wait enter p", "already completed at"},
		"completed: signal":                  {"4 / 'ord-77' wait enter s", "already completed at"},
		"completed: retry":                   {"4 / 'ord-77' wait enter R", "nothing owed"},
		"owed, running and fresh":            {"5 j j R", "attempt 3 running since 12:03:31Z, claim goes stale at 12:09:01Z"},
		"owed, held":                         {"5 j j j j R", "finalizer for type old-import is not registered here"},
		"owed: purge":                        {"5 wait P", "purge is blocked by owed teardown destroySandbox, 2/8 attempts"},
		"owed: again":                        {"5 wait A", "start again is blocked by owed teardown"},
		"owed: discard":                      {"5 wait D", "discard is for dead letters"},
		"dead without input: redrive":        {"6 j wait R", "no recorded input: the clean-up cannot be rebuilt"},
		"dead from the inspector: discard":   {"6 wait enter D", "discard is for pane 6 only"},
		"marks: signal":                      {"space s", "a signal goes to one run"},
		"marks: purge of running ones":       {"space P", "not for marks in pane 2 Running"},
		"force-timeout":                      {"X", "force-timeout is not offered by this engine"},
		"nothing there":                      {"6 / 'nosuch' wait enter R", "no run selected"},
		"filter of teardowns by status":      {"5 / 'status=running' wait", "status=, version= and tag= are"},
		"text that does not match the words": {"6 D wait 'discard 2' enter", "nothing was done: type discard 1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := owing()
			f.add("later-1", "order-process", flow.Pending, time.Second)
			r := newRig(t, f, 120, 30)
			r.play(tc.script)
			r.shows(tc.want)
			if len(r.f.acts) > 0 {
				t.Errorf("done all the same: %v", r.deedsOf())
			}
		})
	}
}

func TestNothingCanBeChangedWithoutTheLease(t *testing.T) {
	shut := map[string]struct {
		change func(*fake)
		want   string
	}{
		"deposed":   {depose, "lease lost at epoch 41, now 42 held by con-2222"},
		"read-only": {func(f *fake) { f.info.Mode = flow.ModeLook }, "opened read-only"},
		"doubt":     {func(f *fake) { f.info.Lease.State = flow.LeaseDoubt }, "renewal of the lease is overdue"},
		"none":      {func(f *fake) { f.info.Lease.State = flow.LeaseNone }, "does not hold the lease"},
	}
	for name, tc := range shut {
		for _, keys := range []string{"c", "p", "3 p", "5 R", "6 R", "6 D", "4 A", "4 P", "space c", "6 space R"} {
			f := owing()
			tc.change(f)
			r := newRig(t, f, 120, 30)
			r.keys(keys)
			r.shows(tc.want)
			if r.m.modal.top != nil {
				t.Errorf("%s: %q opened a dialog", name, keys)
			}
		}
		f := owing()
		r := newRig(t, f, 120, 30)
		r.play("c wait")
		tc.change(f)
		r.play("wait y")
		r.shows(tc.want)
		if len(f.acts) > 0 {
			t.Errorf("%s while the dialog was open: done all the same", name)
		}
	}
}

// TestGuards holds for every question: what was not meant is not accepted.
func TestGuards(t *testing.T) {
	questions := map[string]struct{ open, yes string }{
		"cancel":      {"c", "y"},
		"again":       {"4 / 'ord-77' wait enter A", "y"},
		"retry":       {"5 R", "y"},
		"redrive":     {"6 R", "y"},
		"discard":     {"6 D", "'discard 1' enter"},
		"bulk cancel": {"space space c", "'cancel 2' enter"},
	}
	armed := func(r *rig) { r.pass(301 * time.Millisecond) }
	tests := map[string]struct {
		do   func(*rig, string) // with what would accept
		done bool
	}{
		"a key at once":        {func(r *rig, yes string) { r.play(yes) }, false},
		"a key after 299 ms":   {func(r *rig, yes string) { r.pass(299 * time.Millisecond); r.play(yes) }, false},
		"a key after 300 ms":   {func(r *rig, yes string) { armed(r); r.play(yes) }, true},
		"after a resize":       {func(r *rig, yes string) { armed(r); r.send(tea.WindowSizeMsg{Width: 101, Height: 31}); r.play(yes) }, false},
		"as the focus goes":    {func(r *rig, yes string) { armed(r); r.send(tea.BlurMsg{}); r.play(yes) }, false},
		"as the focus comes":   {func(r *rig, yes string) { armed(r); r.send(tea.FocusMsg{}); r.play(yes) }, false},
		"its frame was slow":   {func(r *rig, yes string) { armed(r); r.m.View(); r.pass(100 * time.Millisecond); r.play(yes) }, false},
		"after its slow frame": {func(r *rig, yes string) { armed(r); r.m.View(); armed(r); r.play(yes) }, true},
		"a key that waited": {func(r *rig, yes string) {
			r.m.View()
			r.pass(100 * time.Millisecond)
			r.m.step(nil) // something is taken in, and its frame takes long
			r.now = r.now.Add(time.Second)
			r.m.View()
			words, enter, _ := strings.Cut(strings.Trim(yes, "'"), "' ")
			for _, k := range strings.Split(words, "") {
				r.send(pressOf(k))
				r.m.View()
			}
			r.keys(enter)
		}, false},
		"back from the shell":  {func(r *rig, yes string) { armed(r); r.send(resumedMsg{}); r.play(yes) }, false},
		"after a lost focus":   {func(r *rig, yes string) { armed(r); r.send(tea.BlurMsg{}); r.send(tea.FocusMsg{}); r.play(yes) }, false},
		"a while after resize": {func(r *rig, yes string) { r.send(tea.WindowSizeMsg{Width: 101, Height: 31}); armed(r); r.play(yes) }, true},
		"pasted": {func(r *rig, yes string) {
			armed(r)
			words, _, _ := strings.Cut(strings.Trim(yes, "'"), "'")
			r.send(tea.PasteMsg{Content: words})
			r.send(tea.KeyPressMsg{Code: tea.KeyEnter})
			r.send(tea.PasteMsg{Content: "y\r"})
		}, false},
		"a key that is held": {func(r *rig, yes string) {
			armed(r)
			for _, k := range "ycRDdiscard 1" {
				r.send(tea.KeyPressMsg{Code: k, Text: string(k), IsRepeat: true})
			}
		}, false},
		"enter":           {func(r *rig, yes string) { armed(r); r.keys("enter") }, false},
		"n":               {func(r *rig, yes string) { armed(r); r.keys("n y") }, false},
		"esc":             {func(r *rig, yes string) { armed(r); r.keys("esc y") }, false},
		"y in the reason": {func(r *rig, yes string) { armed(r); r.keys("tab y") }, false},
		"too small to be read": {func(r *rig, yes string) {
			armed(r)
			r.send(tea.WindowSizeMsg{Width: 40, Height: 10})
			armed(r)
			r.play(yes)
		}, false},
		"after it was under leaving": {func(r *rig, yes string) {
			r.f.info.Attempts = 1
			r.pass(time.Second)
			r.keys("ctrl+c")
			armed(r)
			r.keys("esc")
			r.play(yes)
		}, false},
		"the lease was lost in between": {func(r *rig, yes string) { depose(r.f); r.pass(2 * time.Second); r.play(yes) }, false},
	}
	for what, q := range questions {
		for name, tc := range tests {
			t.Run(what+" "+name, func(t *testing.T) {
				if what == "retry" && name == "y in the reason" {
					t.Skip("a question in the footer has no reason")
				}
				r := newRig(t, owing(), 100, 30)
				r.play(q.open)
				if r.m.modal.top == nil {
					t.Fatalf("no question\n%s", r.frame())
				}
				tc.do(r, q.yes)
				if done := len(r.f.acts) > 0; done != tc.done {
					t.Errorf("done %t, want %t: %v\n%s", done, tc.done, r.deedsOf(), r.frame())
				}
			})
		}
	}
}

func TestDialogTellsTheNewTruthAndWantsANewKey(t *testing.T) {
	id := "ord-7f3a9c1e-44b0-4a5e-9f0e-2d0c6f5a1b2c"
	open := func(t *testing.T) *rig {
		r := newRig(t, owing(), 100, 30)
		r.play("j j j c wait")
		r.shows(id, "order-process v3   running", "Teardown destroySandbox becomes owed (state 84 B recorded)")
		return r
	}
	t.Run("it suspended", func(t *testing.T) {
		r := open(t)
		r.f.set(r.f.ref(id), flow.Suspended)
		r.pass(250 * time.Millisecond) // notices come five times a second
		r.shows("order-process v3   suspended", "has changed while the question was open", "it ends where it is suspended")
		r.keys("y")
		if len(r.f.acts) > 0 {
			t.Error("accepted before the new text could be read")
		}
		r.play("wait y")
		if len(r.f.acts) != 1 {
			t.Error("not accepted afterwards")
		}
	})
	t.Run("it was only read", func(t *testing.T) {
		for _, keys := range []string{"j j j c", "5 R", "6 R", "6 D", "4 A"} {
			r := newRig(t, owing(), 100, 30)
			r.keys(keys)
			r.lacks("has changed")
			r.pass(2 * time.Second)
			r.lacks("has changed")
		}
	})
	t.Run("it completed", func(t *testing.T) {
		r := open(t)
		r.f.set(r.f.ref(id), flow.Completed)
		r.pass(time.Second)
		r.shows("already completed at", "(off)")
		r.play("wait y")
		r.shows("already completed at")
		if len(r.f.acts) > 0 {
			t.Error("cancelled all the same")
		}
	})
	t.Run("a new run took its id", func(t *testing.T) {
		r := open(t)
		old := r.f.ref(id)
		r.f.mu.Lock()
		r.f.find(old).Run = "01JNRUN9999999999999999999"
		r.f.mu.Unlock()
		r.play("wait wait y")
		r.shows("a new run of this id exists")
		if len(r.f.acts) > 0 {
			t.Error("the new run was cancelled")
		}
	})
	t.Run("the letter was redriven elsewhere", func(t *testing.T) {
		r := newRig(t, owing(), 100, 30)
		r.play("6 D wait")
		r.f.mu.Lock()
		r.f.dead = r.f.dead[1:]
		r.f.mu.Unlock()
		r.play("wait wait 'discard 1' enter")
		r.shows("it is gone: done, redriven or discarded elsewhere")
		if len(r.f.acts) > 0 {
			t.Error("discarded all the same")
		}
	})
}

func TestReasonsAreRemembered(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	for _, why := range []string{"one", "two", "three", "four"} {
		r.play("c tab '" + why + "' tab wait y wait j")
	}
	r.play("c tab")
	for _, want := range []string{"four", "three", "two", "two"} {
		r.keys("up")
		r.shows("[" + want + "_")
	}
	r.keys("down down")
	r.shows("[four_")
	r.keys("down")
	r.shows("reason [_")
}

func TestCancelWithoutItsCodeIsOfferedWithWhatIsDurable(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	r.f.refuse = flow.ErrNotOffered
	r.play("3 ] c wait y")
	r.shows("cancelled with what is durable")
	r.f.refuse = nil
	r.play("wait y")
	if len(r.f.acts) != 1 || !r.f.acts[0].Deed.(flow.CancelRun).Now {
		t.Errorf("acts %v, want a cancel with what is durable", r.f.acts)
	}
}

func TestQuestionIsInTheFooter(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	r.keys("5 R")
	lines := strings.Split(r.frame(), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "retry destroySandbox for box-19f0aa02-1111-77c1 now?  y / n") {
		t.Errorf("footer %q", last)
	}
	r.keys("n")
	r.lacks("now?")
	if r.m.place() != keymap.Owed || r.m.open != views.PaneOwed {
		t.Error("n did not lead back")
	}
}
