package teardown_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"weft/flow"
)

// TestTeardownBadCode: whatever the code does, the attempt fails and the next
// one comes.
func TestTeardownBadCode(t *testing.T) {
	tests := map[string]struct {
		act  func(context.Context) error
		took time.Duration
		text string
	}{
		"panics":                     {func(context.Context) error { panic("oh") }, 0, "panic: oh"},
		"panics with nil":            {func(context.Context) error { panic(any(nil)) }, 0, "panic: panic called with nil argument"},
		"panics with a bad value":    {func(context.Context) error { panic(badText{}) }, 0, "panic: %!v(PANIC=Error method: no)"},
		"ends its goroutine":         {func(context.Context) error { runtime.Goexit(); return nil }, 0, "finalizer destroy-vm ended its goroutine with runtime.Goexit"},
		"returns an error that lies": {func(context.Context) error { return badText{} }, 0, "error of type teardown_test.badText whose text panics"},
		"waits for its context":      {hangs, 5 * time.Minute, "took longer than 5m0s"},
		"does not look at it":        {deaf(7 * time.Minute), 5 * time.Minute, "took longer than 5m0s"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, newWorld(tc.act), func(v *env) {
				v.owe("a")
				v.wait(tc.took)
				c := v.claim("a")
				if c.Status != flow.ClaimOwed || c.Attempts != 1 || c.LastError != tc.text ||
					c.Due != flow.InstantOf(v.start.Add(tc.took+time.Minute)) {
					t.Errorf("claim %+v, want error %q", c, tc.text)
				}
				v.wait(5 * time.Minute)
				v.done("a", 2)
			})
		})
	}
}

type badText struct{}

func (badText) Error() string { panic("no") }

func (badText) String() string { panic("no") }

// TestTeardownStray: a function that ignores its context gives its slot back
// and is counted until it returns; its late result changes nothing.
func TestTeardownStray(t *testing.T) {
	w := newWorld(deaf(30*time.Minute), fails("still there"))
	bubble(t, w, func(v *env) {
		v.c.Slots = 1
		v.close()
		v.open()
		v.owe("a")
		v.wait(time.Minute)
		if v.d.Running() != 1 || v.d.Strays() != 0 {
			t.Errorf("%d running, %d strays", v.d.Running(), v.d.Strays())
		}
		v.owe("b")
		v.attempted("b", 0)
		v.wait(4 * time.Minute)
		if v.d.Strays() != 1 {
			t.Errorf("%d strays, want 1", v.d.Strays())
		}
		v.attempted("b", 1) // the slot is free; b has the same script
		if n := v.claim("a").Attempts; n != 1 {
			t.Errorf("%d attempts counted", n)
		}
		v.wait(time.Hour)
		if v.d.Running() != 0 || v.d.Strays() != 0 {
			t.Errorf("%d running, %d strays in the end", v.d.Running(), v.d.Strays())
		}
		v.done("a", 3)
	})
}

// TestTeardownSlots: no more than Slots at once, and nobody waits for another
// without need.
func TestTeardownSlots(t *testing.T) {
	w := newWorld(deaf(10 * time.Second))
	bubble(t, w, func(v *env) {
		for i := range 20 {
			v.owe(fmt.Sprint("w", i))
		}
		if now, _ := w.atOnce(); now != 8 {
			t.Errorf("%d attempts at once, want 8", now)
		}
		v.wait(30 * time.Second)
		v.counts(0, 0)
		if w.mostAtOnce() != 1 {
			t.Errorf("%d attempts of one teardown at once", w.mostAtOnce())
		}
	})
}

// TestContextIsOpenF008: the finalizer of a cancelled run does not inherit the
// cancellation; a second end of the run cannot reach it. After a kill in the
// middle it runs again, to its end.
func TestContextIsOpenF008(t *testing.T) {
	bubble(t, newWorld(deaf(300*time.Millisecond), works), func(v *env) {
		v.owe("a")
		v.wait(200 * time.Millisecond)
		v.crash()
		v.wait(6 * time.Minute)
		v.done("a", 2)
		if c := v.w.call("a", 1); c.Number != 2 {
			t.Errorf("the second start is attempt %d: the lost one was not counted", c.Number)
		}
	})
}

// TestCrashInMidAttempt: a claim whose maker is gone waits for its horizon, and
// is then taken over, once.
func TestCrashInMidAttempt(t *testing.T) {
	bubble(t, newWorld(hangs), func(v *env) {
		v.owe("a")
		v.wait(time.Second)
		v.crash()
		v.wait(5*time.Minute + 28*time.Second)
		v.attempted("a", 1)
		v.wait(time.Second)
		v.done("a", 2)
		if !v.told(flow.NoticeTeardown, "attempt 1 ended without result") {
			t.Errorf("nobody was told: %v", v.notices)
		}
	})
}

// TestFinalizerThatKillsItsProcess ends as a dead letter after eight starts.
func TestFinalizerThatKillsItsProcess(t *testing.T) {
	bubble(t, newWorld(hangs, hangs, hangs, hangs, hangs, hangs, hangs, hangs, hangs), func(v *env) {
		v.owe("a")
		for n := 1; n <= 8; n++ {
			v.attempted("a", n)
			v.crash()
			v.check()
			v.wait(330 * time.Second)
		}
		v.attempted("a", 8)
		l, ok := v.letter("a")
		if !ok || l.Attempts != 8 || l.LastError != "attempt 8 ended without result" || string(l.Input) != `"vm-a"` {
			t.Errorf("letter %+v, %t", l, ok)
		}
		v.counts(0, 1)
	})
}

// TestShutdownInMidAttempt: not counted, due again after 30 s, and a success
// that came while closing is not trusted.
func TestShutdownInMidAttempt(t *testing.T) {
	tests := map[string]func(context.Context) error{
		"it obeys":                 hangs,
		"it succeeds all the same": func(ctx context.Context) error { <-ctx.Done(); return nil },
		"it panics":                func(ctx context.Context) error { <-ctx.Done(); panic("closing") },
		"it takes its time":        func(ctx context.Context) error { <-ctx.Done(); time.Sleep(2 * time.Second); return nil },
	}
	for name, act := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, newWorld(fails("no"), act), func(v *env) {
				v.owe("a")
				v.wait(61 * time.Second)
				was := v.claim("a")
				if was.Status != flow.ClaimRunning {
					t.Fatalf("no attempt under way: %+v", was)
				}
				v.close()
				c := v.claim("a")
				if c.Status != flow.ClaimOwed || c.Attempts != 1 || c.Token == was.Token || c.LastError != "no" ||
					c.Due != flow.InstantOf(v.now().Add(30*time.Second)) {
					t.Errorf("claim %+v", c)
				}
				v.check()
				v.open()
				v.wait(29 * time.Second)
				v.attempted("a", 2)
				v.wait(2 * time.Second)
				v.done("a", 3)
				if n := v.w.call("a", 2).Number; n != 2 {
					t.Errorf("the attempt that was called off counts: the next is %d", n)
				}
			})
		})
	}
}

// TestDeposed: an engine that lost the lease writes nothing, calls its attempts
// off, and the new owner takes the claim over at its horizon.
func TestDeposed(t *testing.T) {
	for _, halts := range []bool{false, true} {
		t.Run(fmt.Sprintf("told: %t", halts), func(t *testing.T) {
			bubble(t, newWorld(hangs, works), func(v *env) {
				v.close()
				halted := make(chan struct{})
				v.c.Halted = halted
				v.open()
				v.owe("a")
				old, ended := v.claim("a"), v.ended
				v.c.Halted = nil
				v.d = nil // a new owner, on the same open store
				v.open()
				commits := v.commits()
				if halts {
					close(halted)
					<-ended
				}
				v.wait(5*time.Minute + 20*time.Second)
				<-ended // at the latest its settle found out
				if c := v.claim("a"); c != old || commits() != 0 {
					t.Errorf("%d commits; the claim was %+v, is %+v", commits(), old, c)
				}
				v.wait(11 * time.Second)
				v.done("a", 2)
				if n := v.w.call("a", 1).Number; n != 2 {
					t.Errorf("attempt %d, want 2", n)
				}
			})
		})
	}
}
