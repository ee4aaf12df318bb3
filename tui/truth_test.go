package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"weft/flow"
	"weft/views"
)

// TestCountsComeFromOneSnapshot: whichever answer comes first, the header, the tab
// and the list tell the same number.
func TestCountsComeFromOneSnapshot(t *testing.T) {
	lists := func(e effect) bool { _, ok := e.(readPage); return ok }
	infos := func(e effect) bool { _, ok := e.(readInfo); return ok }
	for name, late := range map[string]func(effect) bool{"the list is late": lists, "the header is late": infos} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, crowd(30), 120, 40)
			r.shows("run 30 ", "  30 runs|")
			r.f.add("one-more", "order-process", flow.Running, time.Second)
			r.stall = late
			r.pass(pollEvery + time.Second)
			r.keys("r")
			same(t, r)
			r.release()
			r.pass(time.Second)
			same(t, r)
			r.shows("run 31 ", "  31 runs|")
		})
	}
	t.Run("a list that fails holds nothing back", func(t *testing.T) {
		r := newRig(t, crowd(30), 120, 40)
		r.send(pageMsg{readPage{n: r.m.asked.next(slotOf(listRunning)), list: listRunning}, flow.Page{}, errors.New("no")})
		r.f.add("one-more", "order-process", flow.Running, time.Second)
		r.stall = lists
		r.pass(2 * time.Second)
		r.shows("run 31 ")
	})
}

// same fails unless the numbers of running runs agree.
func same(t *testing.T, r *rig) {
	t.Helper()
	frame := r.frame()
	for _, n := range []string{"30", "31"} {
		header, list := strings.Contains(frame, "run "+n+" "), strings.Contains(frame, "  "+n+" runs|")
		if header != list {
			t.Errorf("%s: header %t, list %t\n%s", n, header, list, frame)
		}
	}
}

// TestLeaseIsCountedDownByOurClock: what is left is the store's instant less our
// clock, and the words say whose clock it is.
func TestLeaseIsCountedDownByOurClock(t *testing.T) {
	f := owing()
	f.info.Lease.ExpiresAt = flow.InstantOf(noon.Add(90 * time.Second))
	r := newRig(t, f, 120, 40)
	r.keys("7")
	r.now = noon.Add(30 * time.Second)
	r.send(tickMsg{})
	r.shows("left     1m00s by our clock, expires 12:06:01Z")
	r.now = noon.Add(100 * time.Second)
	r.send(tickMsg{})
	r.shows("over by 10s")
}

// TestDeposedTellsBothEpochs: the one that was lost and the one there is now, and
// what of that is not known.
func TestDeposedTellsBothEpochs(t *testing.T) {
	tests := map[string]struct {
		change           func(*flow.Lease)
		lost, pane, over string
	}{
		"all is known": {func(*flow.Lease) {}, "at epoch 41, now 42 held by con-2222", "holder   con-2222", "epoch 42, lost at 41, 26s left"},
		"the store tells nothing": {func(l *flow.Lease) { *l = flow.Lease{State: l.State, Lost: 41} },
			"at epoch 41, who holds it now is unknown", "holder   unknown", "epoch unknown, lost at 41 "},
		"the new record cannot be read": {func(l *flow.Lease) { l.Holder, l.ExpiresAt, l.RenewedAt = "", 0, 0 },
			"at epoch 41, now 42, holder unknown", "holder   unknown", "epoch 42, lost at 41 "},
		"the new owner is gone": {func(l *flow.Lease) { l.Holder, l.ExpiresAt, l.RenewedAt, l.History[0].Ended = "", 0, 0, "released" },
			"at epoch 41, now 42, holder nobody", "holder   nobody", "epoch 42, lost at 41 "},
		"the epoch is not told": {func(l *flow.Lease) { l.Epoch = 0 }, "at epoch 41, now unknown held by con-2222", "epoch    unknown, lost at 41", "epoch unknown, lost at 41, 26s left"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := owing()
			depose(f)
			tc.change(&f.info.Lease)
			r := newRig(t, f, 120, 40)
			r.keys("1")
			r.shows("DEPOSED "+tc.lost+": nothing can be changed here", tc.over)
			r.lacks("never: the lock of the directory")
			r.keys("7")
			r.shows(tc.pane)
			r.keys("2 c")
			r.shows("lease lost " + tc.lost)
		})
	}
}

// TestWaitingForATeardownIsADecision: attempts, the next one, and when a claim
// goes stale are all told.
func TestWaitingForATeardownIsADecision(t *testing.T) {
	at := flow.InstantOf(noon)
	tests := map[string]struct {
		owed flow.Teardown
		want []string
	}{
		"waits": {flow.Teardown{State: "owed", Attempts: 2, NextAt: at.Add(5 * time.Minute)}, []string{"attempts 2/8", "attempt in 4m", "R makes it now"}},
		"runs": {flow.Teardown{State: "running", Attempts: 2, ClaimedAt: at, StaleAt: at.Add(330 * time.Second)},
			[]string{"attempt 3/8", "claim", "stale at 12:10:01Z", "goes stale in 5m"}},
		"lost": {flow.Teardown{State: "running", Attempts: 2, ClaimedAt: at.Add(-time.Hour), StaleAt: at.Add(-time.Minute)},
			[]string{"its maker is gone since 1m", "R takes it over"}},
		"held": {flow.Teardown{State: "held", Attempts: 2}, []string{"held: finalizer of type box is not registered here"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			run := f.add("env-42", "box", flow.Cancelled, time.Hour)
			run.ClosedAt = run.CreatedAt
			tc.owed.Ref, tc.owed.Type, tc.owed.Finalizer, tc.owed.OwedAt = run.Ref, "box", "destroySandbox", run.CreatedAt
			f.owed = append(f.owed, tc.owed)
			r := newRig(t, f, 160, 50)
			r.play("5 enter + wait")
			r.shows(tc.want...)
		})
	}
}

// TestHeldTeardownsAreAProblemWithTheirNumber: a type that no build has is a fault of
// the deployment, and ends with it.
func TestHeldTeardownsAreAProblemWithTheirNumber(t *testing.T) {
	f, _ := blocked(5)
	f.owed[1].State, f.owed[3].State = "held", "held"
	r := newRig(t, f, 120, 40)
	r.play("5 wait !")
	r.shows("owed teardowns whose type is not registered here: 2", "a fault of the deployment")
	f.owed[1].State, f.owed[3].State = "owed", "owed"
	r.play("5 r wait !")
	r.lacks("not registered here")
}

// TestOwedIsAmberAndLongOwedIsRed: red is for what needs a person, and the border
// is where the settings put it.
func TestOwedIsAmberAndLongOwedIsRed(t *testing.T) {
	const amber, red = "\x1b[33m", "\x1b[1;31m"
	tests := map[string]struct {
		owed flow.Teardown
		want string
	}{
		"owed for a while":         {flow.Teardown{State: "owed", OwedAt: flow.InstantOf(noon.Add(-59 * time.Minute))}, amber},
		"owed for over an hour":    {flow.Teardown{State: "owed", OwedAt: flow.InstantOf(noon.Add(-61 * time.Minute))}, red},
		"a claim past its horizon": {flow.Teardown{State: "running", OwedAt: flow.InstantOf(noon.Add(-time.Minute)), StaleAt: flow.InstantOf(noon)}, red},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			run := f.add("env-42", "box", flow.Cancelled, 2*time.Hour)
			tc.owed.Ref, tc.owed.Type = run.Ref, "box"
			f.owed = append(f.owed, tc.owed)
			r := newRig(t, f, 120, 40)
			r.m.theme, _ = views.ThemeNamed("dark")
			r.shows(tc.want + "owed 1!")
		})
	}
}

// TestListsWithoutRowsSayWhy: nothing found is not nothing there, and nothing owed
// is no alarm.
func TestListsWithoutRowsSayWhy(t *testing.T) {
	r := newRig(t, newFake(), 100, 30)
	r.shows("nothing runs   N starts a workflow")
	r.keys("5")
	r.shows("nothing is owed: all clean-ups are done", "owed 0")
	if r.m.header.Alarmed() {
		t.Error("nothing owed is an alarm")
	}
	r = newRig(t, crowd(3), 100, 30)
	r.play("/ 'nosuch' wait enter")
	r.shows("no matches for /nosuch   esc clears the filter")
	r.lacks("nothing runs")
}

// TestUnknownIsNeverGreen: what was not read is not shown as a number or as well.
func TestUnknownIsNeverGreen(t *testing.T) {
	r := stalledRig(t, owing(), 120, 40)
	frame := r.frame()
	if r.m.header.Known || strings.Contains(frame, "HELD") || strings.Contains(frame, "run 0") || strings.Contains(frame, "owed 0") {
		t.Errorf("what was not read is shown\n%s", frame)
	}
	f := owing()
	f.info.Lease.State, f.info.Lease.Holder, f.info.Lease.Mine = flow.LeaseNone, "", false
	r = newRig(t, f, 120, 40)
	r.keys("7")
	r.shows("nobody owns the store", "nobody")
	r.lacks("lease HELD", "acts are possible")
}
