package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

// reader reads on from one notice to the next.
type reader struct{ next uint64 }

// watch begins a watch at from, as a console does.
func watch(v *env, from uint64) *reader {
	v.Helper()
	if from == 0 {
		news, err := v.e.Operator().News(v.ctx, 0, 0)
		if err != nil || len(news.Notices) > 0 {
			v.Fatalf("watch: %v, %v", news.Notices, err)
		}
		from = news.Next
	}
	return &reader{from}
}

// news takes what there is to say now.
func (w *reader) news(v *env, most int) []flow.Notice {
	v.Helper()
	synctest.Wait()
	ctx, cancel := context.WithTimeout(v.ctx, time.Nanosecond)
	defer cancel()
	news, err := v.e.Operator().News(ctx, w.next, most)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		v.Fatalf("news from %d: %v", w.next, err)
	}
	w.next = news.Next
	return news.Notices
}

func TestAWatchTellsWhatHappensInOrder(t *testing.T) {
	act := engine.Activity[int, int]{Name: "act", Do: func(ctx context.Context, _ int) (int, error) {
		if engine.InfoOf(ctx).Attempt == 1 {
			return 0, fmt.Errorf("no")
		}
		return 1, nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		if _, err := act.Run(ctx, 1); err != nil {
			return 0, err
		}
		return poke.Wait(ctx)
	})
	bubble(t, typed(w), func(v *env) {
		synctest.Wait() // the recovery is through: it would look at the run, too
		w0 := watch(v, 0)
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		sends(v, poke, "a", 1)
		time.Sleep(time.Minute)
		got := w0.news(v, 0)
		var kinds []flow.NoticeKind
		for i, n := range got {
			kinds = append(kinds, n.Kind)
			if n.Seq != got[0].Seq+uint64(i) || n.Missed != 0 || n.Ref.ID != "a" || n.Type != "w" || n.At == 0 {
				t.Errorf("notice %d: %+v", i, n)
			}
		}
		want := "[started attempt waiting step waiting signal step ended]"
		if fmt.Sprint(kinds) != want {
			t.Errorf("got %v, want %s", kinds, want)
		}
	})
}

func TestWhereAWatchBegins(t *testing.T) {
	tests := map[string]struct {
		from          uint64
		first, missed uint64 // of what is seen after two more notices; the newest before is 20
	}{
		"0: from now on":                {0, 21, 0},
		"a number that is still there":  {15, 15, 0},
		"the next number":               {21, 21, 0},
		"a number that was overwritten": {3, 5, 2},
		"a number of another life":      {5000, 21, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := typed(collector)
			o.Ring = 16
			bubble(t, o, func(v *env) {
				begin(v, collector, "a", 100) // notices 1 (lease) and 2
				for i := range 9 {
					sends(v, poke, "a", i) // two each
				}
				synctest.Wait()
				w := watch(v, tc.from)
				got := w.news(v, 0)
				if tc.from != 3 {
					sends(v, poke, "a", 9)
					got = append(got, w.news(v, 0)...)
				}
				if len(got) == 0 || got[0].Seq != tc.first || got[0].Missed != tc.missed {
					t.Errorf("got %+v, want it to begin at %d, missed %d", got, tc.first, tc.missed)
				}
			})
		})
	}
}

func TestASlowWatcherIsToldHowManyItMissedAndTheEngineDoesNotWait(t *testing.T) {
	for name, most := range map[string]int{"all that are kept": 0, "the newest ten": 10} {
		t.Run(name, func(t *testing.T) {
			o := typed(sleeper)
			o.Ring = 64
			bubble(t, o, func(v *env) {
				w := watch(v, 1)
				next, missed := uint64(1), uint64(0)
				for i := range 500 {
					begin(v, sleeper, flow.WorkflowID(fmt.Sprint(i)), 0)
					wants(v, flow.WorkflowID(fmt.Sprint(i)), "slept")
					if i%100 != 99 {
						continue
					}
					got := w.news(v, most)
					if len(got) != max(most, 10) && len(got) != 64 {
						t.Errorf("%d notices", len(got))
					}
					for _, n := range got {
						if n.Seq != next+n.Missed {
							t.Errorf("notice %d, missed %d, after %d", n.Seq, n.Missed, next-1)
						}
						next, missed = n.Seq+1, missed+n.Missed
					}
				}
				if next != w.next || next < 1500 || missed < 1000 {
					t.Errorf("the last is %d, %d were missed", next-1, missed)
				}
			})
		})
	}
}

// wait asks for news from number on and tells how it ended.
func wait(v *env, ctx context.Context, from uint64) <-chan error {
	op := v.e.Operator()
	ended := make(chan error, 1)
	go func() {
		_, err := op.News(ctx, from, 0)
		ended <- err
	}()
	synctest.Wait()
	return ended
}

func TestAWaitForNewsEndsWithItsContextAndWithTheEngine(t *testing.T) {
	bubble(t, typed(sleeper), func(v *env) {
		at := watch(v, 0).next
		ctx, cancel := context.WithCancel(v.ctx)
		gone, told := wait(v, ctx, at), wait(v, v.ctx, at)
		select {
		case err := <-gone:
			t.Fatalf("there is no news yet, the wait ended with %v", err)
		default:
		}
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("its context has ended: %v", err)
		}
		begin(v, sleeper, "a", 0)
		if err := <-told; err != nil {
			t.Errorf("there is news: %v", err)
		}
		wants(v, "a", "slept")
		w := watch(v, 0)
		closing := wait(v, v.ctx, w.next+100) // has not been given out
		op := v.e.Operator()
		v.close()
		if err := <-closing; err != nil && !errors.Is(err, flow.ErrClosed) {
			t.Errorf("the engine has closed: %v", err)
		}
		if news, err := op.News(v.ctx, at, 0); err != nil || len(news.Notices) == 0 {
			t.Errorf("what was told before the close: %v, %v", news.Notices, err)
		}
		for _, from := range []uint64{0, w.next + 100} {
			if _, err := op.News(v.ctx, from, 0); !errors.Is(err, flow.ErrClosed) {
				t.Errorf("news of a closed engine from %d: %v", from, err)
			}
		}
	})
}
