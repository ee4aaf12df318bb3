package engine

import (
	"context"
	"crypto/rand"
	"errors"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// ErrLater is what an activity returns when somebody outside will tell the
// outcome of its attempt, with the token of [CompleteLater]. The value it
// returns beside it plays no part.
var ErrLater = errors.New("the outcome of the activity comes from outside")

// CompleteLater promises that the outcome of this attempt may come from
// outside, and returns the token it is told with ([Activity.Complete],
// [Activity.Fail], [Activity.Beat], or the verb weft-tui activity). Hand it to
// whoever will do the work, then return [ErrLater]. The token is durable before
// it is returned and is the same whenever the attempt asks for it, also when the
// attempt is made again after a crash.
//
// Once the function has ended it is not run again: the run may park, and a
// restart goes on waiting. The limits go on, too: Timeout counts from the
// beginning of the attempt, ScheduleToClose from that of the first one, and
// HeartbeatTimeout from the latest heartbeat, the end of the function being one.
// An attempt that runs out of time or is failed from outside is retried like any
// other, under a new token; the old one is then refused.
//
// The outcome may be told before the function has ended: then that counts, and
// the function's context ends. A function that got a token may still return a
// result or an error itself, which makes the token worthless. So does the end of
// the run.
//
// It fails with [ErrStaleAttempt] when the attempt is over, and outside of one:
// a finalizer cannot complete later.
func CompleteLater(ctx context.Context) (flow.Token, error) {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return "", ErrStaleAttempt
	}
	var secret string
	err := a.atRest(func(l *life) (err error) {
		secret, err = l.mint(a)
		return err
	})
	if err != nil {
		return "", err
	}
	return flow.NewToken(a.life.ref, a.op.step, secret), nil
}

// atRest does an act of the attempt at its run's block point, also while the
// run is suspended.
func (a *attempt) atRest(do func(*life) error) error {
	l := a.life
	for {
		l.mu.Lock()
		if l.leaving == leaveSuspend {
			err := l.aside(do)
			if errors.Is(err, errLeft) {
				err = ErrStaleAttempt
			}
			return err
		}
		if l.leaving != stay {
			l.mu.Unlock()
			return ErrStaleAttempt
		}
		asked := &act{do: do, done: make(chan error, 1)}
		l.acts = append(l.acts, asked)
		l.kick()
		l.mu.Unlock()
		select {
		case err := <-asked.done:
			if errors.Is(err, errLeft) {
				continue // it was suspended, or is gone
			}
			return err
		case <-a.Done():
			if l.withdraw(asked) {
				return ErrStaleAttempt
			}
			if err := <-asked.done; err != nil {
				return ErrStaleAttempt
			}
			return nil
		}
	}
}

// mint makes the attempt's token durable, once. mu is held, advancing is the
// caller's.
func (l *life) mint(a *attempt) (string, error) {
	o := a.op
	a.mu.Lock()
	over := a.over
	a.minted = a.minted || !over
	a.mu.Unlock()
	if over || o.running != a {
		return "", ErrStaleAttempt
	}
	if o.later != nil && o.later.Token != "" {
		return o.later.Token, nil
	}
	before := o.later
	o.later = &row.Later{Token: rand.Text()}
	if !l.keepAlways(o) {
		o.later = before
		return "", ErrStaleAttempt
	}
	return o.later.Token, nil
}

// keepAlways registers an operation as it is, also for a suspended run.
func (l *life) keepAlways(o *op) bool {
	if l.leaving == stay {
		return l.keep(o)
	}
	if !l.commitLate(func(b *store.Batch) { l.register(b, o, o.handed() && o.due != 0) }) {
		return false
	}
	w := l.waitOf(o, o.handed() && o.due != 0)
	o.stored, l.waits[o.step] = &w, w
	if w.Timed {
		l.eng.timers.Added(row.Timer{Due: w.Due, Ref: l.ref, Step: o.step})
	}
	return true
}
