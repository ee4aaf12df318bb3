package engine_test

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// ledger keeps the messages of a log.
type ledger struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *ledger) handler() slog.Handler { return slog.NewTextHandler(l, nil) }

func (l *ledger) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

// lines are the messages that contain the word, without their attributes.
func (l *ledger) lines(word string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for line := range strings.Lines(l.buf.String()) {
		if _, rest, ok := strings.Cut(line, "msg="); ok && strings.Contains(rest, word) {
			msg, _, _ := strings.Cut(rest, " ")
			out = append(out, msg)
		}
	}
	return out
}

// TestLinesOfEarlierLivesAreNotRepeated replays a run ten times, from parked and
// by reopening: each line of its code is logged once.
func TestLinesOfEarlierLivesAreNotRepeated(t *testing.T) {
	inRig(t, func(r *rig) {
		var log ledger
		r.opts.Log = log.handler()
		w := engine.Workflow[int, string]{Name: "w", Do: func(ctx *engine.Context, _ int) (string, error) {
			ctx.Log().Info("begun", "by", "code")
			for range 3 {
				if _, err := paid.Wait(ctx); err != nil {
					return "", err
				}
				ctx.Log().With("n", 1).WithGroup("g").Info("paid", "a", 1)
			}
			ctx.Log().Info("over")
			return "", nil
		}}
		r.open(w)
		r.begin(w, "w")
		for i := range 3 {
			time.Sleep(time.Minute)
			// Wake it for nothing, so that the code runs up to its wait again.
			if err := (engine.Signal[int]{Name: "nothing"}).Send(r.Context(), r.eng, "w", 0); err != nil {
				r.Fatal(err)
			}
			time.Sleep(time.Minute)
			if i == 1 {
				r.leave()
				r.open(w)
			}
			if err := paid.Send(r.Context(), r.eng, "w", "x"); err != nil {
				r.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if r.head("w").Status != flow.Completed {
			r.Fatal("the run has not completed")
		}
		if got := log.lines("workflow=w"); !slices.Equal(got, []string{"begun", "paid", "paid", "paid", "over"}) {
			r.Errorf("logged %q", got)
		}
	})
}

// TestALineBetweenTwoLateOutcomesIsLoggedOnce: both were recorded while the run
// was suspended, so no code has run between them.
func TestALineBetweenTwoLateOutcomesIsLoggedOnce(t *testing.T) {
	var log ledger
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		ctx.Log().Info("begun")
		first := engine.Go(ctx, func(ctx *engine.Context) (int, error) {
			n, err := slowly.Run(ctx, 10)
			ctx.Log().Info("first")
			return n, err
		})
		_, err := slowly.Run(ctx, 20)
		ctx.Log().Info("second")
		if _, firstErr := first.Await(ctx); err != nil || firstErr != nil {
			return "", errors.Join(err, firstErr)
		}
		got, err := paid.Wait(ctx)
		if err == nil {
			_, err = slowly.Run(ctx, 30)
		}
		return got, err
	})
	o := typed(w)
	o.Log = log.handler()
	bubble(t, o, func(v *env) {
		begin(v, w, "a", 0)
		suspendsLong(v)
		v.restart()
		sends(v, paid, "a", "x")
		time.Sleep(time.Second)
		v.crash()
		wants(v, "a", "x")
	})
	for _, word := range []string{"begun", "first", "second"} {
		if got := log.lines(word); len(got) != 1 {
			t.Errorf("%s was logged %d times", word, len(got))
		}
	}
}
