package teardown_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

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
			if v.w.mostAtOnce() != 1 {
				t.Errorf("%d attempts at once", v.w.mostAtOnce())
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
