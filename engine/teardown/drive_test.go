package teardown_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

func TestTeardownRunsAtOnce(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		commits := v.commits()
		v.owe("a")
		v.done("a", 1)
		v.counts(0, 0)
		if n := commits(); n != 3 { // owe, take, success
			t.Errorf("%d commits, want 3", n)
		}
		a := v.w.calls["a"][0]
		want := teardown.Attempt{Ref: ref("a"), Type: typ, Finalizer: fin, Number: 1, OwedAt: a.OwedAt}
		input := string(a.Input)
		a.Input = nil
		if fmt.Sprint(a) != fmt.Sprint(want) || input != `"vm-a"` || a.OwedAt == 0 {
			t.Errorf("called with %+v and %s", a, input)
		}
		if got := a.Key(); got != "a/01ARZ3NDEKTSV4RRFFQ69G5FAV/teardown" {
			t.Errorf("key %q", got)
		}
		if !v.told(flow.NoticeTeardown, "teardown destroy-vm done at attempt 1") {
			t.Errorf("nobody was told: %v", v.notices)
		}
	})
}

// TestTeardownBackOff: eight attempts at their instants, whatever the retry
// policy of the activity; then a dead letter that is kept.
func TestTeardownBackOff(t *testing.T) {
	var script []func(context.Context) error
	for n := range 9 {
		script = append(script, fails(fmt.Sprintf("no route %d", n+1)))
	}
	bubble(t, newWorld(script...), func(v *env) {
		v.owe("a")
		if c := v.claim("a"); c.Status != flow.ClaimOwed || c.Attempts != 1 || c.LastError != "no route 1" {
			t.Errorf("after the first failure: %+v", c)
		}
		v.wait(59 * time.Second)
		v.attempted("a", 1)
		v.wait(8 * time.Hour)
		v.attempted("a", 8)
		waits := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour, time.Hour, time.Hour}
		for i, want := range waits {
			if got := v.w.at["a"][i+1].Sub(v.w.at["a"][i]); got != want {
				t.Errorf("attempt %d came %v after the one before, want %v", i+2, got, want)
			}
			if n := v.w.calls["a"][i+1].Number; n != i+2 {
				t.Errorf("attempt %d says it is %d", i+2, n)
			}
		}
		l, ok := v.letter("a")
		if !ok || l.Attempts != 8 || l.LastError != "no route 8" || string(l.Input) != `"vm-a"` || l.Type != typ || l.Finalizer != fin ||
			l.OwedAt != flow.InstantOf(v.start) || l.At != flow.InstantOf(v.w.at["a"][7]) {
			t.Errorf("letter %+v", l)
		}
		v.counts(0, 1)
		if v.rows(row.FamilyTeardown)+v.rows(row.FamilyState)+v.rows(row.FamilyClaim) != 0 {
			t.Error("rows are left beside the letter")
		}
		if !v.told(flow.NoticeDead, "teardown destroy-vm given up after 8 attempts: no route 8") {
			t.Errorf("nobody was told: %v", v.notices)
		}
	})
}

// TestTeardownNoCommitsAtRest: waiting costs nothing.
func TestTeardownNoCommitsAtRest(t *testing.T) {
	bubble(t, newWorld(fails("no"), fails("no"), fails("no"), fails("no")), func(v *env) {
		v.owe("a")
		v.wait(22 * time.Minute)
		v.attempted("a", 4)
		commits := v.commits()
		v.wait(50 * time.Minute)
		if n := commits(); n != 0 {
			t.Errorf("%d commits while the teardown waits", n)
		}
		v.wait(10 * time.Minute)
		v.done("a", 5)
	})
}

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

func (badText) Error() string  { panic("no") }
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
		if w.now != 8 {
			t.Errorf("%d attempts at once, want 8", w.now)
		}
		v.wait(30 * time.Second)
		v.counts(0, 0)
		if w.most != 1 {
			t.Errorf("%d attempts of one teardown at once", w.most)
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
		if c := v.w.calls["a"][1]; c.Number != 2 {
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
				if n := v.w.calls["a"][2].Number; n != 2 {
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
				if n := v.w.calls["a"][1].Number; n != 2 {
					t.Errorf("attempt %d, want 2", n)
				}
			})
		})
	}
}

// TestStoreFails: a write that fails for good ends the driver.
func TestStoreFails(t *testing.T) {
	bubble(t, newWorld(deaf(time.Second)), func(v *env) {
		v.owe("a")
		v.s.Fail(errors.New("disk"))
		v.wait(2 * time.Second)
		select {
		case <-v.ended:
		default:
			t.Error("the driver goes on")
		}
		if c := v.claim("a"); c.Status != flow.ClaimRunning {
			t.Errorf("claim %+v", c)
		}
	})
}

// TestStoreRefuses: a store that is full for a while delays the record of an
// attempt's end, and loses nothing.
func TestStoreRefuses(t *testing.T) {
	bubble(t, newWorld(deaf(time.Second)), func(v *env) {
		v.owe("a")
		v.s.Refuse(store.ErrFull)
		v.wait(time.Minute)
		if !v.problem("the end of a teardown's attempt could not be recorded") {
			t.Errorf("problems %q", v.problems)
		}
		v.s.Refuse(nil)
		v.wait(2 * time.Second)
		v.done("a", 1)

		v.s.Refuse(store.ErrFull)
		v.w.held["b"] = true
		v.s.Refuse(nil)
		tm := v.put("b", typ, fin)
		v.s.Refuse(store.ErrFull)
		v.d.Added(tm)
		v.wait(10 * time.Second)
		v.attempted("b", 0)
		v.s.Refuse(nil)
		v.wait(31 * time.Second)
		v.done("b", 1)
	})
}

// TestNothingStartsInDoubt: while the lease is in doubt no attempt begins.
func TestNothingStartsInDoubt(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		v.close()
		var allowed atomic.Bool
		v.c.Allowed = allowed.Load
		v.open()
		v.owe("a")
		v.wait(time.Minute)
		v.attempted("a", 0)
		if c := v.claim("a"); c.Status != flow.ClaimOwed {
			t.Errorf("claim %+v", c)
		}
		allowed.Store(true)
		v.wait(time.Second)
		v.done("a", 1)
	})
}

// TestHeldF077: a finalizer that is not registered here is kept, shown and not
// touched; a process that knows it goes on.
func TestHeldF077(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		v.close()
		known := v.c.Finalizer
		v.c.Finalizer = func(string, string) (teardown.Finalizer, bool) { return teardown.Finalizer{}, false }
		v.open()
		v.owe("a")
		raw := v.get(row.ClaimKey(ref("a")))
		commits := v.commits()
		v.wait(time.Hour)
		if string(v.get(row.ClaimKey(ref("a")))) != string(raw) || commits() != 0 {
			t.Errorf("%d commits for a held teardown", commits())
		}
		if !v.problem("teardowns are held: finalizer destroy-vm of type provision is not registered here") {
			t.Errorf("problems %q", v.problems)
		}
		v.close()
		v.check()
		v.c.Finalizer = known
		v.open()
		v.wait(time.Second)
		v.done("a", 1)
	})
}

// TestHeldPassesByOthers: what is held at the head of the queue stops nobody.
func TestHeldPassesByOthers(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		for i := range 5000 { // more than the queue takes in at once
			v.put(fmt.Sprint("held", i), "other", fin)
		}
		v.close()
		v.wait(time.Second)
		v.put("z", typ, fin)
		v.open()
		v.wait(3 * time.Second)
		v.done("z", 1)
		v.counts(5000, 0)
	})
}

// TestCorruptClaim becomes a dead letter that keeps the bytes and the state.
func TestCorruptClaim(t *testing.T) {
	tests := map[string]struct {
		raw   []byte
		state []byte // nil: as recorded
		want  row.Letter
	}{
		"damaged": {[]byte{1, 0xff}, nil, row.Letter{Type: typ, Finalizer: fin, Input: []byte(`"vm-a"`)}},
		"empty":   {[]byte{}, nil, row.Letter{Type: typ, Finalizer: fin, Input: []byte(`"vm-a"`)}},
		"negative attempts": {row.EncodeClaim(flow.Claim{Status: flow.ClaimOwed, Attempts: -1, Token: "x"}), nil,
			row.Letter{Type: typ, Finalizer: fin, Input: []byte(`"vm-a"`)}},
		"damaged like its state": {[]byte{1, 0xff}, []byte{1}, row.Letter{State: []byte{1}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, newWorld(fails("no")), func(v *env) {
				v.owe("a")
				b := new(store.Batch)
				b.Put(row.ClaimKey(ref("a")), tc.raw)
				if tc.state != nil {
					b.Put(row.StateKey(ref("a")), tc.state)
				}
				v.commit(b)
				v.wait(61 * time.Second)
				l, ok := v.letter("a")
				if !ok || !strings.HasPrefix(l.LastError, "claim unreadable: ") || string(l.Claim) != string(tc.raw) ||
					l.At != flow.InstantOf(v.start.Add(time.Minute)) {
					t.Errorf("letter %+v, %t", l, ok)
				}
				if l.Type != tc.want.Type || l.Finalizer != tc.want.Finalizer || string(l.Input) != string(tc.want.Input) ||
					string(l.State) != string(tc.want.State) {
					t.Errorf("letter %+v, want %+v", l, tc.want)
				}
				v.attempted("a", 1)
				v.counts(0, 1)
			})
		})
	}
}

// TestCorruptClaimWithoutTimer is found by the walk after open.
func TestCorruptClaimWithoutTimer(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		v.close()
		b := new(store.Batch)
		b.Put(row.ClaimKey(ref("a")), []byte{1, 0xff})
		b.Add(row.CountOwed, 1)
		v.commit(b)
		v.open()
		v.wait(time.Second)
		if l, ok := v.letter("a"); !ok || !strings.HasPrefix(l.LastError, "claim unreadable") {
			t.Errorf("letter %+v, %t", l, ok)
		}
	})
}

// TestNewerRecords: what a newer program wrote is no corruption.
func TestNewerRecords(t *testing.T) {
	for name, key := range map[string][]byte{"claim": row.ClaimKey(ref("a")), "state": row.StateKey(ref("a"))} {
		t.Run(name, func(t *testing.T) {
			bubble(t, newWorld(fails("no")), func(v *env) {
				v.wrong = true
				v.owe("a")
				b := new(store.Batch)
				b.Put(key, []byte{2, 1, 2})
				v.commit(b)
				commits := v.commits()
				v.wait(time.Hour)
				if commits() != 0 || !v.problem("teardowns are held: they were written by a newer version") {
					t.Errorf("%d commits, problems %q", commits(), v.problems)
				}
				v.attempted("a", 1)
			})
		})
	}
}

// TestStateGone: without input the finalizer cannot be called.
func TestStateGone(t *testing.T) {
	tests := map[string]struct {
		raw  []byte
		text string
	}{
		"missing": {nil, "recorded state missing: there is nothing to call the finalizer with"},
		"damaged": {[]byte{1, 7}, "recorded state unreadable: finalizer state: "},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, newWorld(fails("no")), func(v *env) {
				v.owe("a")
				b := new(store.Batch)
				b.Delete(row.StateKey(ref("a")))
				if tc.raw != nil {
					b.Put(row.StateKey(ref("a")), tc.raw)
				}
				v.commit(b)
				v.wait(61 * time.Second)
				v.attempted("a", 1)
				l, ok := v.letter("a")
				if !ok || !strings.HasPrefix(l.LastError, tc.text) || l.Input != nil || string(l.State) != string(tc.raw) || l.Attempts != 1 {
					t.Errorf("letter %+v, %t", l, ok)
				}
				v.counts(0, 1)
			})
		})
	}
}

// TestClockSteps: a wall clock that is stepped delays a teardown by no more than
// a second, and never begins a second attempt beside the first.
func TestClockSteps(t *testing.T) {
	t.Run("forward while waiting", func(t *testing.T) {
		bubble(t, newWorld(fails("no")), func(v *env) {
			v.owe("a")
			v.wait(10 * time.Second)
			v.step(time.Hour)
			v.wait(time.Second)
			v.done("a", 2)
		})
	})
	t.Run("back while waiting", func(t *testing.T) {
		bubble(t, newWorld(fails("no")), func(v *env) {
			v.owe("a")
			v.step(-time.Hour)
			v.wait(time.Hour)
			v.attempted("a", 1)
			v.check()
			v.wait(61 * time.Second)
			v.done("a", 2)
		})
	})
	t.Run("forward just before it is due", func(t *testing.T) {
		bubble(t, newWorld(fails("no")), func(v *env) {
			v.owe("a")
			v.wait(57 * time.Second) // the timer is in memory
			v.step(time.Hour)
			v.wait(time.Second)
			v.done("a", 2)
		})
	})
	t.Run("back before it fails", func(t *testing.T) {
		bubble(t, newWorld(fails("no")), func(v *env) {
			v.wait(time.Second)
			v.step(-time.Hour) // the timers up to now count as taken in
			v.owe("a")
			v.wait(61 * time.Second)
			v.done("a", 2)
		})
	})
	t.Run("back between timer and slot", func(t *testing.T) {
		bubble(t, newWorld(deaf(10*time.Second)), func(v *env) {
			v.close()
			v.c.Slots = 1
			v.open()
			v.owe("a")
			v.owe("b") // its timer is out of the queue
			v.step(-time.Hour)
			v.wait(time.Minute)
			v.done("a", 1)
			v.attempted("b", 0)
			v.check()
			v.wait(time.Hour)
			v.done("b", 1)
		})
	})
	t.Run("forward in mid-attempt", func(t *testing.T) {
		w := newWorld(deaf(4 * time.Minute))
		bubble(t, w, func(v *env) {
			v.owe("a")
			v.step(24 * time.Hour)
			v.wait(2 * time.Minute)
			v.attempted("a", 1)
			var refused *flow.ClaimError
			if _, err := v.d.Retry(ref("a"), new(audits).put); !errors.As(err, &refused) {
				t.Errorf("retry of an attempt that runs here: %v", err)
			}
			v.wait(2 * time.Minute)
			v.done("a", 1)
		})
	})
	t.Run("to and fro at random", func(t *testing.T) {
		bubble(t, newWorld(fails("1"), fails("2"), hangs), func(v *env) {
			v.owe("a")
			for i := range 200 {
				v.step(time.Duration(i%7-3) * 11 * time.Minute)
				v.wait(time.Duration(i%5) * 900 * time.Millisecond)
				v.check()
			}
			v.step(24 * time.Hour)
			v.wait(40 * time.Minute)
			v.done("a", 4)
			if v.w.most != 1 {
				t.Errorf("%d attempts at once", v.w.most)
			}
		})
	})
}

// TestForeignTimers: a timer that is early, or of another token, has no effect
// and goes.
func TestForeignTimers(t *testing.T) {
	tests := map[string]func(flow.Claim, flow.Instant) row.Teardown{
		"another token, due": func(c flow.Claim, now flow.Instant) row.Teardown {
			return row.Teardown{Due: now, Ref: ref("a"), Token: "x"}
		},
		"its token, too soon": func(c flow.Claim, now flow.Instant) row.Teardown {
			return row.Teardown{Due: now, Ref: ref("a"), Token: c.Token}
		},
		"of no claim": func(c flow.Claim, now flow.Instant) row.Teardown {
			return row.Teardown{Due: now, Ref: ref("b"), Token: "x"}
		},
	}
	for name, timer := range tests {
		for _, act := range []string{"owed", "running"} {
			t.Run(name+", "+act, func(t *testing.T) {
				script := fails("no")
				if act == "running" {
					script = hangs
				}
				bubble(t, newWorld(script), func(v *env) {
					v.owe("a")
					v.wait(10 * time.Second)
					if act == "running" && name == "its token, too soon" {
						// Another process's: this one knows its own.
						v.crash()
					}
					before := v.get(row.ClaimKey(ref("a")))
					x := timer(v.claim("a"), flow.InstantOf(v.now()))
					b := new(store.Batch)
					b.Put(x.Key(), nil)
					v.commit(b)
					v.d.Added(x)
					v.wait(time.Second)
					if v.get(x.Key()) != nil {
						t.Error("the timer is still there")
					}
					if string(v.get(row.ClaimKey(ref("a")))) != string(before) {
						t.Errorf("the claim was rewritten: %+v", v.claim("a"))
					}
					v.attempted("a", 1)
					v.check()
					v.wait(7 * time.Minute)
					v.done("a", 2)
				})
			})
		}
	}
}

// TestForeignTimerClaimsNothing, even when the claim is due.
func TestForeignTimerClaimsNothing(t *testing.T) {
	bubble(t, newWorld(fails("no")), func(v *env) {
		v.owe("a")
		own := row.TeardownOf(ref("a"), v.claim("a")).Key()
		x := row.Teardown{Due: v.claim("a").Due + 5000, Ref: ref("a"), Token: "x"}
		b := new(store.Batch)
		b.Delete(own)
		b.Put(x.Key(), nil)
		v.commit(b)
		v.wait(2 * time.Minute)
		v.attempted("a", 1)
		if v.get(x.Key()) != nil {
			t.Error("the timer is still there")
		}
		b = new(store.Batch)
		b.Put(own, nil)
		v.commit(b)
		v.close()
		v.open()
		v.wait(time.Second)
		v.done("a", 2)
	})
}

// TestMissingTimerPutBack: the walk after open finds a claim that nothing would
// drive.
func TestMissingTimerPutBack(t *testing.T) {
	bubble(t, newWorld(fails("no")), func(v *env) {
		v.owe("a")
		v.close()
		b := new(store.Batch)
		b.Delete(row.TeardownOf(ref("a"), v.claim("a")).Key())
		v.commit(b)
		found, err := teardown.Check(v.s)
		if err != nil || len(found) != 1 || !strings.Contains(found[0].Text, "nothing will drive it") {
			t.Errorf("check finds %v, %v", found, err)
		}
		v.open()
		v.wait(61 * time.Second)
		v.done("a", 2)
		if !v.problem("was missing and was put back") {
			t.Errorf("problems %q", v.problems)
		}
	})
}

// TestWalkSeesAll: the walk goes on behind its first page.
func TestWalkSeesAll(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		v.close()
		for i := range 600 {
			v.put(fmt.Sprint("held", i), "other", fin)
		}
		tm := v.put("z", typ, fin)
		b := new(store.Batch)
		b.Delete(tm.Key())
		v.commit(b)
		v.open()
		v.wait(time.Second)
		v.done("z", 1)
	})
}

// TestPurgedRunIsDriven: the drive never looks at the run's head.
func TestPurgedRunIsDriven(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		b := new(store.Batch)
		b.Put(row.HeadKey("a"), row.EncodeHead(row.Head{Run: "01ARZ3NDEKTSV4RRFFQ69G5FAW", Type: typ, Status: flow.Running}))
		v.commit(b)
		v.owe("a") // of an earlier run under the id
		v.done("a", 1)
	})
}

// TestStateLastWriteWinsF082: what was recorded last is what the finalizer gets,
// and nothing of another run.
func TestStateLastWriteWinsF082(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		for i := range 20 {
			b := new(store.Batch)
			teardown.PutState(b, ref("a"), row.State{Type: typ, Finalizer: fin, Payload: fmt.Appendf(nil, "[%d]", i)})
			v.commit(b)
		}
		b := new(store.Batch)
		other := flow.Ref{ID: "a", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAW"}
		teardown.PutState(b, other, row.State{Type: typ, Finalizer: fin, Payload: []byte(`"other"`)})
		v.commit(b)
		s, ok, err := teardown.StateOf(v.s, ref("a"))
		if err != nil || !ok || string(s.Payload) != "[19]" {
			t.Errorf("%+v, %t, %v", s, ok, err)
		}
		b = new(store.Batch)
		tm := teardown.Owe(b, teardown.Debt{Ref: ref("a"), Type: typ, Finalizer: fin}, flow.InstantOf(v.now()))
		v.commit(b)
		v.d.Added(tm)
		v.wait(time.Second)
		if got := string(v.w.calls["a"][0].Input); got != "[19]" {
			t.Errorf("called with %s", got)
		}
		b = new(store.Batch)
		teardown.DropState(b, other)
		v.commit(b)
		if _, ok, _ := teardown.StateOf(v.s, other); ok {
			t.Error("the state is still there")
		}
	})
}

// TestManyAtOnce: ten thousand teardowns that are due at open.
func TestManyAtOnce(t *testing.T) {
	const n = 10_000
	bubble(t, newWorld(), func(v *env) {
		v.close()
		for i := range n {
			v.owe(fmt.Sprint("w", i))
		}
		v.counts(n, 0)
		commits := v.commits()
		v.open()
		v.wait(3 * time.Second)
		v.counts(0, 0)
		if len(v.w.held) != 0 || v.w.most != 1 {
			t.Errorf("%d are held, %d attempts of one at once", len(v.w.held), v.w.most)
		}
		if got := commits(); got > 2*n+10 {
			t.Errorf("%d commits for %d teardowns", got, n)
		}
	})
}

// TestNewComplains names everything that is missing at once.
func TestNewComplains(t *testing.T) {
	_, err := teardown.New(teardown.Config{Slots: -1})
	for _, want := range []string{"Store is nil", "Commit is nil", "Finalizer is nil", "Slots is negative"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
