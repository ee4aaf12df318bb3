package teardown_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

var seedFlag = flag.Uint64("seed", 0, "seed of randomised tests; 0 chooses one")

// rival is a second driver on the same open store, without any fence: only the
// conditions on claims keep the two apart.
type rival struct {
	d       *teardown.Driver
	closing chan struct{}
	ended   chan struct{}
}

func (v *env) rival(w *world, commit func(*store.Batch) (bool, error)) *rival {
	v.Helper()
	d, err := teardown.New(teardown.Config{Store: v.s, Commit: commit, Now: v.now,
		Notify: func(n flow.Notice) { v.mu.Lock(); v.notices = append(v.notices, n); v.mu.Unlock() },
		Finalizer: func(ty, name string) (teardown.Finalizer, bool) {
			return teardown.Finalizer{Do: w.do}, ty == typ && name == fin
		}})
	if err != nil {
		v.Fatal(err)
	}
	r := &rival{d, make(chan struct{}), make(chan struct{})}
	go func() { defer close(r.ended); d.Run(r.closing) }()
	return r
}

func (r *rival) close() { close(r.closing); <-r.ended }

func unfenced(s store.Store) func(*store.Batch) (bool, error) {
	return func(b *store.Batch) (bool, error) {
		res, err := s.Commit(context.Background(), b)
		return res.Applied, err
	}
}

// TestStalledDriverWakes: a driver that stalls before any of its writes, until
// another has taken its claim over and ended it, changes nothing when it wakes.
func TestStalledDriverWakes(t *testing.T) {
	for _, stall := range []struct {
		name string
		at   int // the write of the first driver that stalls: 1 takes, 2 settles
		ends []func(context.Context) error
		want string
	}{
		{"before it takes, then success", 1, []func(context.Context) error{works}, "nothing"},
		{"before it takes, then failure", 1, []func(context.Context) error{fails("b")}, "owed"},
		{"before it settles, then success", 2, []func(context.Context) error{works, works}, "nothing"},
		{"before it settles, then failure", 2, []func(context.Context) error{works, fails("b")}, "owed"},
	} {
		t.Run(stall.name, func(t *testing.T) {
			w := newWorld(stall.ends...)
			bubble(t, w, func(v *env) {
				v.close() // only the two rivals here
				v.owe("a")
				wake, commit, n := make(chan struct{}), unfenced(v.s), 0
				var late []bool
				first := v.rival(w, func(b *store.Batch) (bool, error) {
					n++
					if n != stall.at {
						return commit(b)
					}
					<-wake
					applied, err := commit(b)
					late = append(late, applied)
					return applied, err
				})
				synctest.Wait()
				second := v.rival(w, unfenced(v.s))
				if stall.at == 1 {
					v.wait(30 * time.Second)
				} else {
					v.wait(331 * time.Second)
				}
				before := v.claim("a")
				owed, letters, err := teardown.Counts(v.s)
				if err != nil {
					t.Fatal(err)
				}
				close(wake)
				v.wait(time.Second)
				if len(late) != 1 || late[0] {
					t.Errorf("the write of the stalled driver was applied: %v", late)
				}
				v.counts(owed, letters)
				is := "nothing"
				if v.claim("a").Token != "" {
					is = "owed"
				}
				if is != stall.want || v.claim("a") != before {
					t.Errorf("%s: %+v, before: %+v", is, v.claim("a"), before)
				}
				v.wait(20 * time.Minute)
				first.close()
				second.close()
				if v.w.holds("a") || w.mostAtOnce() != 1 {
					t.Errorf("held: %t, %d attempts at once", v.w.holds("a"), w.mostAtOnce())
				}
				v.counts(0, 0)
			})
		})
	}
}

// TestRivalsShareTheWork: two drivers that never stall make each attempt once.
func TestRivalsShareTheWork(t *testing.T) {
	w := newWorld(fails("1"), deaf(10*time.Second), fails("3"))
	bubble(t, w, func(v *env) {
		v.close()
		first, second := v.rival(w, unfenced(v.s)), v.rival(w, unfenced(v.s))
		for i := range 100 {
			v.owe(fmt.Sprint("w", i))
			tm := row.TeardownOf(ref(fmt.Sprint("w", i)), v.claim(fmt.Sprint("w", i)))
			first.d.Added(tm)
			second.d.Added(tm)
		}
		v.wait(2 * time.Hour)
		first.close()
		second.close()
		for i := range 100 {
			v.done(fmt.Sprint("w", i), 2)
		}
		if w.mostAtOnce() != 1 {
			t.Errorf("%d attempts of one teardown at once", w.mostAtOnce())
		}
	})
}

// TestAtRandom: crashes, shutdowns, clock steps, full disks and impatient
// operators, in any order; in the end everything is released, once at a time,
// and at no time does a claim lack its timer.
func TestAtRandom(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		seed := *seedFlag
		if seed == 0 {
			seed = rand.Uint64()
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { atRandom(t, seed) })
	}
}

func atRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	var script []func(context.Context) error
	for range 12 {
		script = append(script, []func(context.Context) error{fails("no"), hangs, deaf(40 * time.Second), works,
			func(context.Context) error { panic("oh") }}[rng.IntN(5)])
	}
	w := newWorld(script...)
	bubble(t, w, func(v *env) {
		ids := 0
		for range 80 {
			id := fmt.Sprint("w", rng.IntN(max(ids, 1)))
			switch rng.IntN(12) {
			case 0, 1:
				v.owe(fmt.Sprint("w", ids))
				ids++
			case 2:
				v.crash()
			case 3:
				v.close()
				v.open()
			case 4:
				v.s.FailCommit(1+rng.IntN(3), 1)
				v.wait(time.Minute)
				v.crash()
			case 5:
				v.s.FailCommit(1+rng.IntN(3), 2)
				v.wait(time.Minute)
				v.crash()
			case 6:
				v.step(time.Duration(rng.IntN(7200)-3600) * time.Second)
			case 7:
				v.s.Refuse(store.ErrStalled)
				v.wait(time.Duration(rng.IntN(100)) * time.Second)
				v.s.Refuse(nil)
			case 8:
				if _, err := v.d.Retry(ref(id), new(audits).put); err != nil && !errors.Is(err, flow.ErrConflict) && !errors.Is(err, flow.ErrNotFound) {
					t.Errorf("retry: %v", err)
				}
			case 9:
				if _, err := v.d.Redrive(ref(id), teardown.Given{}, new(audits).put); err != nil && !errors.Is(err, flow.ErrNotFound) {
					t.Errorf("redrive: %v", err)
				}
			default:
				v.wait(time.Duration(rng.IntN(2000)) * time.Second)
			}
			synctest.Wait()
			v.check()
		}
		for range 40 {
			v.step(2 * time.Hour)
			v.wait(6 * time.Minute)
			for i := range ids {
				_, _ = v.d.Redrive(ref(fmt.Sprint("w", i)), teardown.Given{}, new(audits).put)
			}
		}
		v.counts(0, 0)
		for i := range ids {
			if id := fmt.Sprint("w", i); v.w.holds(id) {
				t.Errorf("%s is still held after %d attempts", id, v.w.attempts(id))
			}
		}
	})
}
