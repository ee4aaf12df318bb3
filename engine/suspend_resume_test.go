package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

func (v *env) suspends(id flow.WorkflowID) {
	v.Helper()
	v.do(flow.SuspendRun{Target: flow.Ref{ID: id}})
}
func (v *env) resumes(id flow.WorkflowID) { v.Helper(); v.do(flow.ResumeRun{Target: flow.Ref{ID: id}}) }

// TestALoserOfARaceLeavesNothingInASuspendedRun: its attempt, called off but
// still running, is not recorded.
func TestALoserOfARaceLeavesNothingInASuspendedRun(t *testing.T) {
	slow := engine.Activity[int, int]{Name: "slow", Do: func(context.Context, int) (int, error) { time.Sleep(time.Minute); return 1, nil }}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		_, _, err := engine.Race(ctx,
			func(ctx *engine.Context) (int, error) { return slow.Run(ctx, 1) },
			func(ctx *engine.Context) (int, error) { return 2, ctx.Sleep(time.Second) })
		if err != nil {
			return "", err
		}
		return paid.Wait(ctx)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 1)
		time.Sleep(2 * time.Second)
		v.suspends("a")
		time.Sleep(2 * time.Minute)
		v.resumes("a")
		sends(v, paid, "a", "x")
		wants(v, "a", "x")
	})
}

// TestALoserThatIsRecordedUnderASuspensionIsPassedOver: both attempts end while
// the run is suspended; the first decides the race, the second is in the journal.
func TestALoserThatIsRecordedUnderASuspensionIsPassedOver(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		got, _, err := engine.Race(ctx,
			func(ctx *engine.Context) (string, error) { return nap.Run(ctx, time.Minute) },
			func(ctx *engine.Context) (string, error) { return nap.Run(ctx, time.Second) })
		if err != nil {
			return "", err
		}
		who, err := paid.Wait(ctx)
		return got + " " + who, err
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 1)
		synctest.Wait()
		v.suspends("a")
		time.Sleep(2 * time.Minute)
		v.resumes("a")
		sends(v, paid, "a", "x")
		wants(v, "a", "1s x")
	})
}

// TestOutcomesBeforeASuspensionAreKept: also those that wait behind a commit.
func TestOutcomesBeforeASuspensionAreKept(t *testing.T) {
	var calls atomic.Int64
	act := engine.Activity[int, int]{Name: "act", Do: func(_ context.Context, n int) (int, error) { calls.Add(1); return n, nil }}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		got, err := engine.Map(ctx, 0, []int{1, 2, 3}, func(ctx *engine.Context, n int) (int, error) { return act.Run(ctx, n) })
		if err != nil {
			return 0, err
		}
		_, err = paid.Wait(ctx)
		return got[0] + got[1] + got[2], err
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 1)
		free := v.s.Hold()
		synctest.Wait()
		go func() { time.Sleep(time.Second); free() }()
		v.suspends("a")
		v.resumes("a")
		sends(v, paid, "a", "x")
		wants(v, "a", 6)
		if n := calls.Load(); n != 3 {
			v.Errorf("%d attempts", n)
		}
	})
}

// TestAnOutcomeDuringTheCommitOfASuspensionIsKept: the attempt ends while the
// batch that suspends its run is on its way.
func TestAnOutcomeDuringTheCommitOfASuspensionIsKept(t *testing.T) {
	for name, err := range map[string]error{"success": nil, "failure": errors.New("no")} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			act := engine.Activity[int, int]{Name: "act", Do: func(ctx context.Context, n int) (int, error) {
				if calls.Add(1); engine.InfoOf(ctx).Attempt > 1 {
					return n, nil
				}
				time.Sleep(time.Second)
				return n, err
			}}
			w := flowOf(func(ctx *engine.Context, n int) (int, error) { return act.Run(ctx, n) })
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 7)
				time.Sleep(500 * time.Millisecond)
				free := v.s.Hold()
				go func() { time.Sleep(time.Second); free() }()
				v.suspends("a")
				v.crash()
				v.resumes("a")
				wants(v, "a", 7)
				want := int64(1)
				if err != nil {
					want = 2
				}
				if n := calls.Load(); n != want {
					v.Errorf("%d attempts, want %d", n, want)
				}
			})
		})
	}
}

// lateCase is an attempt that ends while its run is suspended.
type lateCase struct {
	act  engine.Activity[int, string]
	want string // the run's result
	made int64  // attempts in the end
}

func lateCases(calls *atomic.Int64) map[string]lateCase {
	after := func(d time.Duration, err error) func(context.Context, int) (string, error) {
		return func(ctx context.Context, _ int) (string, error) {
			if calls.Add(1) > 1 {
				return "again", nil
			}
			select {
			case <-time.After(d):
			case <-ctx.Done():
				time.Sleep(time.Second)
			}
			return "first", err
		}
	}
	return map[string]lateCase{
		"success":           {engine.Activity[int, string]{Do: after(time.Minute, nil)}, "first", 1},
		"a failure":         {engine.Activity[int, string]{Do: after(time.Minute, errors.New("no"))}, "again", 2},
		"the last failure":  {engine.Activity[int, string]{Do: after(time.Minute, engine.Permanent(errors.New("no")))}, "failed: no", 1},
		"a timeout":         {engine.Activity[int, string]{Do: after(time.Hour, nil), Timeout: time.Minute}, "again", 2},
		"no heartbeat":      {engine.Activity[int, string]{Do: after(time.Hour, nil), HeartbeatTimeout: time.Minute}, "again", 2},
		"the time is up":    {engine.Activity[int, string]{Do: after(time.Hour, nil), ScheduleToClose: time.Minute}, "failed: activity act: not done within 1m0s of its first attempt", 1},
		"the only attempt":  {engine.Activity[int, string]{Do: after(time.Minute, errors.New("no")), Retry: engine.Retry{MaxAttempts: 1}}, "failed: no", 1},
		"a long back-off":   {engine.Activity[int, string]{Do: after(time.Minute, errors.New("no")), Retry: engine.Retry{Initial: time.Hour}}, "again", 2},
		"a crash before it": {engine.Activity[int, string]{Do: after(3*time.Hour, nil)}, "again", 2},
	}
}

// TestF047AttemptsThatEndUnderASuspensionAreRecorded, nothing is begun meanwhile,
// and the run goes on from there: resumed before or after the end, with a
// restart or a crash in between, or ended instead.
func TestF047AttemptsThatEndUnderASuspensionAreRecorded(t *testing.T) {
	phases := map[string]func(*env){
		"resumed after":               func(v *env) { time.Sleep(10 * time.Minute); v.resumes("a") },
		"resumed before":              func(v *env) { time.Sleep(time.Second); v.resumes("a") },
		"resumed, suspended, resumed": func(v *env) { v.resumes("a"); v.suspends("a"); time.Sleep(10 * time.Minute); v.resumes("a") },
		"restarted after":             func(v *env) { time.Sleep(10 * time.Minute); v.restart(); v.resumes("a") },
		"crashed after":               func(v *env) { time.Sleep(10 * time.Minute); v.crash(); v.resumes("a") },
	}
	for phase, f := range phases {
		var calls atomic.Int64
		for name, tc := range lateCases(&calls) {
			t.Run(phase+"/"+name, func(t *testing.T) {
				if name == "a crash before it" && phase != "crashed after" {
					t.Skip("only for the crash")
				}
				calls.Store(0)
				playLate(t, tc, f)
				if n := calls.Load(); n != tc.made {
					t.Errorf("%d attempts", n)
				}
			})
		}
	}
}

func playLate(t *testing.T, tc lateCase, f func(*env)) {
	tc.act.Name = "act"
	var begun notes[time.Time]
	next := engine.Activity[int, int]{Name: "next", Do: func(context.Context, int) (int, error) { begun.add(time.Now()); return 1, nil }}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		got, err := tc.act.Run(ctx, 1)
		if err != nil {
			got = "failed: " + err.Error()
		}
		_, err = next.Run(ctx, 1)
		return got, err
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 1)
		time.Sleep(30 * time.Second)
		v.suspends("a")
		f(v)
		resumed := time.Now()
		wants(v, "a", tc.want)
		if all := begun.all(); len(all) != 1 || all[0].Before(resumed) {
			v.Errorf("what follows began %v, resumed %v", all, resumed)
		}
	})
}

// TestACancelWhileAttemptsLingerDropsThem: whatever they bring comes too late.
func TestACancelWhileAttemptsLingerDropsThem(t *testing.T) {
	var called notes[error]
	var released notes[string]
	release := releases(&released)
	act := engine.Activity[int, int]{Name: "act", Do: func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		time.Sleep(time.Minute)
		called.add(ctx.Err())
		return 1, nil
	}}
	w := flowOf(func(ctx *engine.Context, in string) (int, error) { holds(ctx, release, in); return act.Run(ctx, 1) })
	w.Finalizer = release
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", "box")
		time.Sleep(time.Second)
		v.suspends("a")
		time.Sleep(time.Second)
		v.cancels("a")
		before := v.detail("a", flow.PartSteps)
		time.Sleep(time.Hour)
		if after := v.detail("a", flow.PartSteps); len(after.Steps) != len(before.Steps) {
			v.Errorf("steps %v became %v", before.Steps, after.Steps)
		}
		if called.len() != 1 || !slices.Equal(released.all(), []string{"box"}) {
			v.Errorf("called off %v, released %v", called.all(), released.all())
		}
	})
}

// TestTheDeadlineStaysWhereItWas over a suspension; when it has passed, the
// resumed run is timed out at once.
func TestTheDeadlineStaysWhereItWas(t *testing.T) {
	for name, tc := range map[string]struct {
		held    time.Duration
		restart bool
		want    time.Duration // from the start
	}{
		"before it":                 {30 * time.Minute, false, time.Hour},
		"before it, over a restart": {30 * time.Minute, true, time.Hour},
		"after it":                  {2 * time.Hour, false, 2 * time.Hour},
		"after it, over a restart":  {2 * time.Hour, true, 2 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(0)
			bubble(t, typed(s.w), func(v *env) {
				began := time.Now()
				if _, err := s.w.Start(v.ctx, v.e, "box", engine.StartOptions{ID: "a", Deadline: time.Hour}); err != nil {
					v.Fatal(err)
				}
				v.suspends("a")
				time.Sleep(tc.held)
				if got := v.status("a"); got != flow.Suspended {
					v.Fatalf("run is %s", got)
				}
				if tc.restart {
					v.restart()
				}
				v.resumes("a")
				_, err := ending[string](v, "a")
				var ended *flow.EndedError
				if !errors.As(err, &ended) || ended.Status != flow.TimedOut || time.Since(began) != tc.want {
					v.Errorf("%v after %v", err, time.Since(began))
				}
				time.Sleep(time.Minute)
				if s.released.len() != 1 {
					v.Errorf("released %v", s.released.all())
				}
			})
		})
	}
}
