package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// deskDay is a run whose activity is failed from outside once, then kept alive
// and completed, by somebody who repeats what was not acknowledged.
type deskDay struct {
	*rig
	*desk
	acked map[string]bool
}

// play plays one tenure; false when the process has died.
func (d *deskDay) play() bool {
	if _, err := d.tryOpen(d.workflow()); err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	run, err := d.workflow().Start(ctx, d.eng, "x", engine.StartOptions{ID: "a", IdempotencyKey: "a"})
	if err != nil {
		return false
	}
	for _, word := range []string{"fail", "beat", "complete"} {
		for !d.acked[word] {
			if d.eng.Err() != nil {
				return false
			}
			time.Sleep(700 * time.Millisecond) // some while live, some while parked
			err := d.say(ctx, word)
			d.acked[word] = err == nil
			if err != nil && !errors.Is(err, flow.ErrToken) && d.eng.Err() == nil {
				d.Errorf("%s: %v", word, err)
				return false
			}
			if d.took(ctx, word) {
				d.acked[word] = true // it was durable, only the answer was lost
			}
		}
	}
	got, err := run.Result(ctx)
	if err != nil && d.eng.Err() == nil || err == nil && got != "signed" {
		d.Errorf("result %q, %v", got, err)
	}
	return err == nil
}

func (d *deskDay) say(ctx context.Context, word string) error {
	all := d.tokens.all()
	if len(all) == 0 {
		return flow.ErrToken
	}
	token := all[len(all)-1]
	switch word {
	case "fail":
		return d.act.Fail(ctx, d.eng, token, errors.New("blot"))
	case "beat":
		return d.act.Beat(ctx, d.eng, token, word)
	}
	return d.act.Complete(ctx, d.eng, token, "signed")
}

// took reports whether an outcome is durable although nobody was told so.
func (d *deskDay) took(ctx context.Context, word string) bool {
	detail, err := d.eng.Operator().Detail(ctx, flow.Ref{ID: "a"}, flow.PartSteps)
	if err != nil || len(detail.Steps) != 1 {
		return false
	}
	s := detail.Steps[0]
	return word == "fail" && s.Attempt == 2 || detail.Run.Status.Terminal()
}

// handedOver reads which attempt is durably left to somebody outside, 0 for
// none.
func (d *deskDay) handedOver() int {
	for kv, err := range d.store.Scan(store.Prefix([]byte(row.FamilyWait))) {
		if err != nil {
			d.Fatal(err)
		}
		if w, err := row.DecodeWait(kv.Value); err == nil && w.Later != nil && w.Later.Handed {
			return w.Attempt
		}
	}
	return 0
}

func enactDesk(t *testing.T, plan func(tenure int, s *memory.Store) bool) {
	t.Helper()
	inRig(t, func(r *rig) {
		r.opts.LeaseTTL = 100 * 365 * 24 * time.Hour
		r.opts.LeaseRenew = r.opts.LeaseTTL / 3
		var last, calls atomic.Int64 // the attempt called last, and how often that was
		d := &deskDay{rig: r, acked: map[string]bool{},
			desk: newDesk(engine.Activity[string, string]{HeartbeatTimeout: time.Minute, Retry: engine.Retry{MaxAttempts: 2, Initial: 2 * time.Second}})}
		do := d.act.Do
		d.act.Do = func(ctx context.Context, in string) (string, error) {
			if n := int64(engine.InfoOf(ctx).Attempt); last.Swap(n) != n {
				calls.Store(0)
			}
			calls.Add(1)
			return do(ctx, in)
		}
		handed, called := 0, int64(0)
		for tenure := 0; ; tenure++ {
			more := plan(tenure, r.mem)
			done := d.play()
			if handed != 0 && last.Load() == int64(handed) && calls.Load() > called {
				t.Errorf("attempt %d was handed over before the crash and called again", handed)
			}
			if done || t.Failed() {
				r.mem.FailCommit(0, memory.Before)
				return
			}
			if !more {
				t.Error("the process died by itself")
				return
			}
			r.die()
			handed, called = d.handedOver(), calls.Load()
		}
	})
}

// TestACrashAtEveryCommitLosesNoOutcomeFromOutside: what was acknowledged is
// taken, and a function that has left its outcome to somebody outside is not
// called again, at whichever commits the process dies.
func TestACrashAtEveryCommitLosesNoOutcomeFromOutside(t *testing.T) {
	cutAtCommits(t, everyCommit, func(int) []int { return []int{0, 1, 2, 3, 5, 8} },
		func(plan func(tenure int, s *memory.Store) bool) { enactDesk(t, plan) })
}
