package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// torture reports that the long forms of tests are asked for.
func torture() bool { return os.Getenv("WEFT_TORTURE") != "" }

// sagas are the lives that are cut at every point.
var sagas = map[string]func() *saga{
	"cancelled, two attempts":      func() *saga { return &saga{end: flow.Cancelled, fails: 1} },
	"cancelled, dead and redriven": func() *saga { return &saga{end: flow.Cancelled, fails: flow.MaxTeardownAttempts} },
	"timed out":                    func() *saga { return &saga{end: flow.TimedOut} },
	"completed":                    func() *saga { return &saga{end: flow.Completed} },
	"failed":                       func() *saga { return &saga{end: flow.Failed} },
	"failed, and that owes":        func() *saga { return &saga{end: flow.Failed, on: []flow.Status{flow.Failed}} },
}

// enact plays a saga in memory; before each process plan may order a fault, and
// answers false when the process is to live.
func enact(t *testing.T, g *saga, plan func(tenure int, s *memory.Store) bool) {
	t.Helper()
	inRig(t, func(r *rig) {
		g.rig = r
		longLease(r)
		for tenure := 0; ; tenure++ {
			more := plan(tenure, r.mem)
			if g.play() {
				r.mem.FailCommit(0, memory.Before)
				break
			}
			if !more || t.Failed() {
				t.Error("the process died by itself")
				return
			}
			g.crashes++
			r.die()
		}
		r.leave()
		g.judge()
	})
}

// TestACrashAtEveryCommitOfAnEndingLeavesNothingBehind: what a run holds is
// released exactly when its end calls for it, no matter at which commits the
// process dies (F005, F007, F009, F082).
func TestACrashAtEveryCommitOfAnEndingLeavesNothingBehind(t *testing.T) {
	again := []int{0, 2}
	if torture() {
		again = []int{0, 1, 2, 3, 4, 5, 8, 13, 21, 34}
	}
	for name, make := range sagas {
		t.Run(name, func(t *testing.T) {
			stride := func(commits int) int {
				if commits > 20 && !torture() {
					return 5 // hours of back-off, over and over
				}
				return 1
			}
			cutAtCommits(t, stride, func(int) []int { return again }, func(plan func(int, *memory.Store) bool) {
				enact(t, make(), plan)
			})
		})
	}
}

// cutSaga plays a saga on a disk whose power goes at a change of it.
func cutSaga(t *testing.T, g *saga, cut *powerCut) {
	t.Helper()
	cutPower(t, cut, func(r *rig) (*player, piece) {
		g.rig = r
		longLease(r)
		return &g.player, piece{act: g.play, judge: g.judge, anew: func() bool { return true }}
	})
}

// longLease keeps renewals out of what is counted and cut.
func longLease(r *rig) {
	r.opts.LeaseTTL = 100 * 365 * 24 * time.Hour
	r.opts.LeaseRenew = r.opts.LeaseTTL / 3
}

// TestAPowerCutDuringAnEndingLeavesNothingBehind does so on Pebble, at changes
// of the disk; unsynced data is kept wholly, not at all, or by half.
func TestAPowerCutDuringAnEndingLeavesNothingBehind(t *testing.T) {
	for name, make := range sagas {
		t.Run(name, func(t *testing.T) {
			count := newPowerCut(-1, vfs.CrashCloneCfg{})
			cutSaga(t, make(), count)
			stride := max(1, count.seen/12)
			if count.seen > 200 {
				stride = count.seen / 3 // hours of back-off, over and over
			}
			if torture() {
				stride = 1
			}
			cuts := 0
			for at := 0; at < count.seen; at += stride {
				for _, kept := range []int{0, 50, 100} {
					cuts++
					cutSaga(t, make(), newPowerCut(at, vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: rand.New(rand.NewPCG(uint64(at), 3))}))
					if t.Failed() {
						t.Fatalf("cut at change %d of %d, %d %% of what was not synced kept", at, count.seen, kept)
					}
				}
			}
			t.Logf("%d changes of the disk, %d power cuts", count.seen, cuts)
		})
	}
}

// TestAFinalizerThatEndsTheProcessIsADeadLetter after eight starts.
func TestAFinalizerThatEndsTheProcessIsADeadLetter(t *testing.T) {
	inRig(t, func(r *rig) {
		starts := 0
		killed := make(chan struct{}, 1)
		release := engine.Activity[string, engine.Void]{Name: "release", Timeout: time.Minute,
			Do: func(ctx context.Context, _ string) (engine.Void, error) {
				starts++
				killed <- struct{}{}
				<-ctx.Done()
				return engine.Void{}, nil
			}}
		w := flowOf(func(ctx *engine.Context, in string) (string, error) { holds(ctx, release, in); return paid.Wait(ctx) })
		w.Finalizer = release
		r.open(w)
		if _, err := w.Start(context.Background(), r.eng, "box", engine.StartOptions{ID: "a"}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.eng.Operator().Do(context.Background(), flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "a"}}}); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			select {
			case <-killed:
				r.die()
				r.open(w)
				continue
			case <-time.After(12 * time.Hour):
			}
			break
		}
		info, err := r.eng.Operator().Info(context.Background())
		if err != nil || info.Counts.Dead != 1 || info.Counts.Owed != 0 || starts != flow.MaxTeardownAttempts {
			t.Errorf("%d starts, counts %+v, %v", starts, info.Counts, err)
		}
	})
}

// TestF082BookingsOfAnyMomentAreReleased: a run that records what it holds after
// each of many steps, cancelled at each moment, with a crash at each commit
// around it, hands the finalizer every booking whose result was saved (F082).
func TestF082BookingsOfAnyMomentAreReleased(t *testing.T) {
	moments := 0
	for at := range 24 {
		for _, crash := range []int{0, at, at + 1, at + 2, at + 3} {
			moments++
			t.Run(fmt.Sprintf("step %d, crash %d", at, crash), func(t *testing.T) { cancelBookings(t, at, crash) })
		}
	}
	t.Logf("%d moments", moments)
}

func cancelBookings(t *testing.T, at, crash int) {
	var booked atomic.Int64 // outside
	var got atomic.Pointer[[]int]
	release := engine.Activity[[]int, engine.Void]{Name: "release", Do: func(_ context.Context, all []int) (engine.Void, error) {
		got.Store(&all)
		return engine.Void{}, nil
	}}
	book := engine.Activity[int, int]{Name: "book", Do: func(_ context.Context, n int) (int, error) {
		time.Sleep(time.Second)
		booked.Store(max(booked.Load(), int64(n)))
		return n, nil
	}}
	w := engine.Workflow[int, int]{Name: "bookings", Finalizer: release, Do: func(ctx *engine.Context, n int) (int, error) {
		var all []int
		for i := 1; i <= n; i++ {
			if err := engine.SetFinalizerState(ctx, release, append(all, i)); err != nil { // the intent
				return 0, err
			}
			if _, err := book.Run(ctx, i); err != nil {
				return 0, err
			}
			all = append(all, i)
		}
		return 0, ctx.Sleep(time.Hour)
	}}
	inRig(t, func(r *rig) {
		longLease(r)
		cancel := func() error {
			if _, err := w.Start(context.Background(), r.eng, 20, engine.StartOptions{ID: "a", IdempotencyKey: "a"}); err != nil {
				return err
			}
			time.Sleep(time.Duration(at)*time.Second + time.Duration(at%3)*400*time.Millisecond)
			_, err := r.eng.Operator().Do(context.Background(), flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "a"}}})
			if errors.Is(err, flow.ErrFinished) {
				err = nil
			}
			return err
		}
		if crash > 0 {
			r.mem.FailCommit(crash, memory.Moment(1+crash%2))
		}
		if _, err := r.tryOpen(w); err != nil || cancel() != nil {
			r.die()
			r.open(w)
			if err := cancel(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		if r.eng.Err() != nil { // it died after the cancel was acknowledged
			r.die()
			r.open(w)
		}
		r.mem.FailCommit(0, memory.Before)
		time.Sleep(10 * time.Minute)
		if all := got.Load(); int64(len(deref(all))) < booked.Load() {
			t.Errorf("%d booked, the finalizer got %v", booked.Load(), deref(all))
		}
	})
}

func deref(p *[]int) []int {
	if p == nil {
		return nil
	}
	return *p
}
