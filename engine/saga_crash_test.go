package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// tripDay is a run with a saga that is undone: because a step of it fails, or
// because the run is cancelled while the saga is open. One compensation fails
// once.
type tripDay struct {
	*rig
	*trip
	cancels bool
	opened  func(*engine.Engine)
}

func newTripDay(cancels bool) *tripDay {
	d := &tripDay{trip: newTrip(), cancels: cancels}
	d.fails["boat"] = 1
	d.takes = time.Second
	return d
}

func (d *tripDay) places() []string {
	if d.cancels {
		return []string{"house", "train", "boat", "inn"}
	}
	return []string{"train", "boat", "inn", "full"}
}

// play plays one tenure; false when the process has died.
func (d *tripDay) play() bool {
	w := d.workflow(100 * time.Hour)
	if _, err := d.tryOpen(w); err != nil {
		return false
	}
	if d.opened != nil {
		d.opened(d.eng)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Hour)
	defer cancel()
	if _, err := w.Start(ctx, d.eng, d.places(), engine.StartOptions{ID: "a", IdempotencyKey: "a"}); err != nil {
		return false
	}
	for d.eng.Err() == nil {
		time.Sleep(time.Second)
		detail, err := d.eng.Operator().Detail(ctx, flow.Ref{ID: "a"}, flow.PartSummary)
		if err != nil {
			continue
		}
		info, err := d.eng.Operator().Info(ctx)
		switch {
		case err != nil:
		case ctx.Err() != nil:
			d.Errorf("three hours later: %+v, open %q", detail.Run, detail.Compensations)
			return true
		case !detail.Run.Status.Terminal() && d.cancels && len(detail.Compensations) == 3:
			_, err := d.eng.Operator().Do(ctx, flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "a"}}})
			if err != nil && !errors.Is(err, flow.ErrFinished) && !errors.Is(err, flow.ErrClosed) && d.eng.Err() == nil {
				d.Errorf("cancel: %v", err)
			}
		case detail.Run.Status.Terminal() && info.Counts.Owed == 0:
			return info.Counts.Dead == 0
		}
	}
	return false
}

// judge holds what was done against what had to be: all that was booked is undone,
// newest first, and the finalizer comes last. A deed may be done twice when the
// process died right after it.
func (d *tripDay) judge() {
	d.Helper()
	want := []string{"unbook inn", "unbook boat", "unbook train"}
	if d.cancels {
		want = append(want, "house key")
	}
	undone := slices.DeleteFunc(d.deeds.all(), func(s string) bool {
		return strings.HasPrefix(s, "book ") || strings.HasPrefix(s, "fail ")
	})
	if got := slices.Compact(undone); !slices.Equal(got, want) {
		d.Errorf("undone %q, want %q", got, want)
	}
	for _, family := range []string{"wf-saga:", "wf-teardown", "wf-finalizer-state:"} {
		for kv := range d.store.Scan(store.Prefix([]byte(family))) {
			d.Errorf("left: %s", kv.Key)
		}
	}
}

func (d *tripDay) in(r *rig) {
	d.rig = r
	r.opts.LeaseTTL = 100 * 365 * 24 * time.Hour
	r.opts.LeaseRenew = r.opts.LeaseTTL / 3
}

func enactTrip(t *testing.T, cancels bool, plan func(tenure int, s *memory.Store) bool) {
	t.Helper()
	inRig(t, func(r *rig) {
		d := newTripDay(cancels)
		d.in(r)
		for tenure := 0; ; tenure++ {
			more := plan(tenure, r.mem)
			if d.play() {
				r.mem.FailCommit(0, memory.Before)
				break
			}
			if !more || t.Failed() {
				t.Error("the process died by itself")
				return
			}
			r.die()
		}
		d.judge()
	})
}

var tripEnds = map[string]bool{"a step fails": false, "the run is cancelled": true}

// TestACrashAtEveryCommitOfASagaUndoesAllOfIt (F005, F007, F009, F082).
func TestACrashAtEveryCommitOfASagaUndoesAllOfIt(t *testing.T) {
	again := []int{0, 2}
	if torture() {
		again = []int{0, 1, 2, 3, 4, 5, 8, 13, 21}
	}
	for name, cancels := range tripEnds {
		t.Run(name, func(t *testing.T) {
			cutAtCommits(t, everyCommit, func(int) []int { return again }, func(plan func(int, *memory.Store) bool) {
				enactTrip(t, cancels, plan)
			})
		})
	}
}

// cutTrip plays it on a disk whose power goes at a change of it.
func cutTrip(t *testing.T, cancels bool, cut *powerCut) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cut.hit = make(chan struct{})
		d := newTripDay(cancels)
		done := 0 // deeds when the power went: what comes after it never was
		cut.do = func() { done = d.deeds.len() }
		first, err := openDisk(cut.fs())
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{TB: t, store: first}
		defer r.over()
		d.in(r)
		if untilPowerCut(cut.hit, &d.opened, d.play) {
			r.leave()
			d.judge()
			return
		}
		r.next = func() store.Store {
			s, err := openDisk(cut.after)
			if errors.Is(err, store.ErrHalfMade) {
				s, err = openDisk(vfs.NewMem())
			}
			if err != nil {
				t.Fatalf("open after the power cut: %v", err)
			}
			return s
		}
		r.die()
		cut.mu.Lock()
		d.deeds.forget(done)
		cut.mu.Unlock()
		if !d.play() {
			t.Fatalf("the process died by itself: %v", r.eng.Err())
		}
		r.leave()
		d.judge()
	})
}

// TestAPowerCutDuringASagaUndoesAllOfIt does so on Pebble, at changes of the disk.
func TestAPowerCutDuringASagaUndoesAllOfIt(t *testing.T) {
	for name, cancels := range tripEnds {
		t.Run(name, func(t *testing.T) {
			count := newPowerCut(-1, vfs.CrashCloneCfg{})
			cutTrip(t, cancels, count)
			stride := max(1, count.seen/6)
			if torture() {
				stride = 1
			}
			cuts := 0
			for at := 0; at < count.seen; at += stride {
				cuts++
				kept := []int{0, 50, 100}[cuts%3]
				cutTrip(t, cancels, newPowerCut(at, vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: rand.New(rand.NewPCG(uint64(at), 3))}))
				if t.Failed() {
					t.Fatalf("cut at change %d of %d, %d %% of what was not synced kept", at, count.seen, kept)
				}
			}
			t.Logf("%d changes of the disk, %d power cuts", count.seen, cuts)
		})
	}
}

// The process is killed while a compensation of an owed saga runs: it is made
// again, and nothing behind it begins before.
func TestAKillDuringACompensationMakesItAgain(t *testing.T) {
	p := newTrip()
	p.takes = 20 * time.Second
	w := p.workflow(100 * time.Hour)
	bubble(t, typed(w), func(v *env) {
		p.booked(v, w, "house", "train", "boat")
		v.does(flow.CancelRun{Target: flow.Ref{ID: "a"}})
		time.Sleep(30 * time.Second) // boat is undone, train under way
		v.crash()
		time.Sleep(10 * time.Minute)
		if got := v.info().Counts; got.Owed != 0 || got.Dead != 0 {
			t.Errorf("counts %+v", got)
		}
		all := p.deeds.all()
		if got := slices.Compact(all[2:]); !slices.Equal(got, []string{"unbook boat", "unbook train", "house key"}) {
			t.Errorf("undone %q", all)
		}
	})
}
