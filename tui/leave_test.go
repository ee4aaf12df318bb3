package tui

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"weft/flow"
)

func busy() *fake {
	f := populated()
	f.info.Attempts, f.info.Finalizers, f.info.Live = 3, 1, 7
	return f
}

func TestLeaving(t *testing.T) {
	tests := map[string]struct {
		fake func() *fake
		keys string
		done bool
		how  string
		want string // on the screen
	}{
		"q at the root of an idle engine leaves":     {populated, "q", true, "left", ""},
		"ctrl+c on an idle engine leaves":            {populated, "ctrl+c", true, "left", ""},
		"q from the inspector goes back":             {populated, "enter q", false, "", "all running"},
		"q with work in flight asks":                 {busy, "q", false, "", "stops the engine: 3 attempts and 1 teardown"},
		"ctrl+c with work in flight asks":            {busy, "ctrl+c", false, "", "d drain (up to 30s)   a abandon   esc stay"},
		"enter stays":                                {busy, "q enter", false, "", "all running"},
		"esc stays":                                  {busy, "q esc", false, "", "all running"},
		"y accepts nothing":                          {busy, "q y", false, "", "a abandon"},
		"keys that came with the question are early": {busy, "q d", false, "", "a abandon"},
		"d drains":                 {busy, "q wait d", true, "drained", ""},
		"a abandons":               {busy, "q wait a", true, "abandoned", ""},
		"a second ctrl+c abandons": {busy, "ctrl+c ctrl+c", true, "abandoned", ""},
		"runs that wait in memory are no reason to ask": {func() *fake { f := populated(); f.info.Live = 4; return f }, "q", true, "left", ""},
		"esc at the root does nothing":                  {populated, "esc esc esc", false, "", "all running"},
		"a form with text is not left unasked":          {populated, "N x ctrl+c", false, "", "The open form was not sent"},
		"staying brings the form back":                  {populated, "N x ctrl+c esc", false, "", "Start a workflow"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, tc.fake(), 80, 24)
			r.script(tc.keys)
			if r.done != tc.done || r.m.leave.ending.How != tc.how {
				t.Errorf("done %t by %q, want %t by %q\n%s", r.done, r.m.leave.ending.How, tc.done, tc.how, r.frame())
			}
			if tc.want != "" {
				r.shows(tc.want)
			}
		})
	}
}

// script is keys, with "wait" for a second to pass.
func (r *rig) script(keys string) {
	for _, k := range splitWords(keys) {
		if k == "wait" {
			r.pass(time.Second)
			continue
		}
		r.keys(k)
	}
}

func TestThirdInterruptWithinTwoSecondsEndsAtOnce(t *testing.T) {
	r := newRig(t, busy(), 80, 24)
	r.stall = func(e effect) bool { _, ok := e.(closeConsole); return ok }
	r.keys("ctrl+c ctrl+c")
	if len(r.exited) > 0 {
		t.Fatal("ended by the second")
	}
	r.keys("ctrl+c")
	if len(r.exited) != 1 || r.exited[0] != 130 {
		t.Errorf("exited %v, want once with 130", r.exited)
	}
}

func TestSlowInterruptsNeverEndAtOnce(t *testing.T) {
	r := newRig(t, busy(), 80, 24)
	for range 5 {
		r.keys("ctrl+c")
		r.pass(3 * time.Second)
		r.keys("esc")
	}
	if len(r.exited) > 0 {
		t.Errorf("exited %v", r.exited)
	}
}

func TestDrainShowsWhatItWaitsForAndCanBeAbandoned(t *testing.T) {
	f := busy()
	f.drain = make(chan struct{})
	r := newRig(t, f, 80, 24)
	r.stall = func(e effect) bool { _, ok := e.(closeConsole); return ok }
	r.script("q wait d")
	r.shows("Waiting for what is in flight: 3 attempts and 1 teardown", "a abandon now")
	r.keys("esc N q") // none of these means anything here
	r.shows("Waiting for what is in flight")
	r.pass(time.Second)
	r.keys("a")
	r.release()
	if !r.done || r.m.leave.ending.How != "abandoned" || r.m.leave.ending.Err != nil {
		t.Errorf("done %t, ending %+v", r.done, r.m.leave.ending)
	}
}

// TestTheLastFramesOfLeavingAreCalm: a console that is closed cannot be read and
// has given its lease back; neither is an alarm.
func TestTheLastFramesOfLeavingAreCalm(t *testing.T) {
	for name, keys := range map[string]string{"from the list": "q", "from the inspector": "enter ctrl+c", "draining": "q wait d"} {
		t.Run(name, func(t *testing.T) {
			f := owing()
			if name == "draining" {
				f.info.Attempts = 2
			}
			r := newRig(t, f, 120, 40)
			r.stall = func(e effect) bool { _, ok := e.(closeConsole); return ok }
			r.script(keys)
			before := r.frame()
			r.f.fail, r.f.info.Lease.State = errors.New("store closed"), flow.LeaseReleased
			r.f.hungUp = true
			r.pass(3 * time.Second)
			r.f.fail = nil
			r.keys("j k r")
			r.pass(8 * time.Second)
			r.lacks("store closed", "LOST", "RELEASED", "STALE", "POLL")
			r.shows("lease HELD", "leaving ..")
			r.release()
			if !r.done || r.m.leave.ending.result(context.Background()) != nil {
				t.Errorf("ending %+v\n%s", r.m.leave.ending, before)
			}
		})
	}
}

func TestSignalsDrainAndASecondOneCutsShort(t *testing.T) {
	f := busy()
	r := newRig(t, f, 80, 24)
	r.stall = func(e effect) bool { _, ok := e.(closeConsole); return ok }
	r.send(signalMsg{syscall.SIGTERM})
	r.release()
	if !r.done {
		t.Fatal("did not leave")
	}
	err := r.m.leave.ending.result(context.Background())
	var by *SignalError
	if !errors.As(err, &by) || by.Signal != syscall.SIGTERM {
		t.Errorf("result %v, want SIGTERM", err)
	}
}

func TestEndings(t *testing.T) {
	info := flow.Info{Store: "/srv/orders", Counts: flow.Counts{Running: 3, Suspended: 1, Owed: 2, Dead: 1}}
	deposed := info
	deposed.Lease.State = flow.LeaseDeposed
	tests := map[string]struct {
		ending Ending
		line   string
		is     error
	}{
		"left": {Ending{How: "left", Info: info},
			"weft /srv/orders: left; 3 running, 1 suspended, 2 teardowns owed, 1 dead letter", nil},
		"drain timed out": {Ending{How: "drained", Err: context.DeadlineExceeded, Info: flow.Info{}},
			"weft the console: drained: context deadline exceeded; 0 running, 0 suspended, 0 teardowns owed", ErrDrain},
		"deposed": {Ending{How: "left", Info: deposed},
			"weft /srv/orders: left; 3 running, 1 suspended, 2 teardowns owed, 1 dead letter", flow.ErrDeposed},
		"signal": {Ending{How: "drained", Signal: syscall.SIGHUP, Info: flow.Info{Store: "x"}},
			"weft x: hangup, drained; 0 running, 0 suspended, 0 teardowns owed", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.ending.Line(); got != tc.line {
				t.Errorf("line %q\nwant %q", got, tc.line)
			}
			if err := tc.ending.result(context.Background()); tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("result %v, want %v", err, tc.is)
			}
		})
	}
}
