package teardown

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
)

// ending is how an attempt ended.
type ending struct {
	event flow.ClaimEvent
	text  string
}

// attempt makes the attempt that s records and settles it.
func (d *Driver) attempt(ctx context.Context, s *standing, fin Finalizer) {
	d.running.Add(1)
	end := d.try(ctx, s, fin)
	d.running.Add(-1)
	d.settle(ctx, s, end)
}

// try calls the finalizer and waits until it returns or its time is up. When the
// driver ends meanwhile it waits for the function all the same: a claim is not
// written back while the code may still act.
func (d *Driver) try(ctx context.Context, s *standing, fin Finalizer) ending {
	bounded, cancel := context.WithTimeout(ctx, s.claim.Timeout)
	defer cancel()
	result := d.call(bounded, s, fin)
	var err error
	select {
	case err = <-result:
	case <-bounded.Done():
		if ctx.Err() == nil {
			d.strays.Add(1)
			d.wg.Go(func() { <-result; d.strays.Add(-1) })
			return late(s)
		}
		err = <-result
	}
	switch {
	case d.stopping():
		return ending{event: flow.ClaimCalledOff}
	case err != nil && bounded.Err() != nil:
		return late(s)
	case err != nil:
		return ending{flow.ClaimFailed, errorText(err)}
	}
	return ending{event: flow.ClaimSucceeded}
}

func late(s *standing) ending {
	return ending{flow.ClaimFailed, fmt.Sprintf("took longer than %v", s.claim.Timeout)}
}

// call runs the function in a goroutine of its own; the result has room, so
// that nobody has to wait for it.
func (d *Driver) call(ctx context.Context, s *standing, fin Finalizer) <-chan error {
	a := Attempt{Ref: s.ref, Type: s.claim.Type, Finalizer: s.finalizer(), Number: s.claim.Attempt(),
		Input: s.state.Payload, OwedAt: s.claim.OwedAt, Seq: s.stateSeq}
	result := make(chan error, 1)
	d.wg.Go(func() {
		err := fmt.Errorf("finalizer %s ended its goroutine with runtime.Goexit", a.Finalizer)
		defer func() {
			if r := recover(); r != nil {
				err = errors.New("panic: " + panicText(r))
			}
			result <- err
		}()
		err = fin.Do(ctx, a)
	})
	return result
}

// settle records how the attempt ended, unless nothing may be written any more. If the claim is not the one of the
// attempt any more, somebody took it over, and nothing is written.
func (d *Driver) settle(ctx context.Context, s *standing, end ending) {
	for {
		err := d.settleOnce(s, end)
		if err == nil || !passing(err) {
			return
		}
		d.c.Problem("the end of a teardown's attempt could not be recorded: "+err.Error(), "it is tried again")
		select {
		case <-ctx.Done():
			return // the watchdog finds the claim
		case <-time.After(time.Second):
		}
	}
}

func (d *Driver) settleOnce(s *standing, end ending) error {
	now := d.now()
	next, verdict, err := s.claim.Next(flow.Turn{Event: end.event, Now: now, Token: newToken(), Error: end.text,
		Following: s.following})
	if err != nil {
		return err
	}
	b := s.change()
	var owed standing
	letter := s.letter(next, now)
	switch verdict {
	case flow.ClaimStays:
		if next.Piece > s.claim.Piece {
			s.dropState(b)
		}
		owed = s.replace(b, next)
	case flow.ClaimDone:
		s.remove(b)
	case flow.ClaimDead:
		s.bury(b, letter)
	}
	applied, err := d.commit(b)
	if err != nil || !applied {
		return err
	}
	d.tellSettled(s, end, verdict, letter, next)
	if verdict == flow.ClaimStays {
		d.queue.Added(owed.timer())
	}
	return nil
}

func (d *Driver) tellSettled(s *standing, end ending, v flow.Verdict, l row.Letter, next flow.Claim) {
	n := s.claim.Attempt()
	switch {
	case next.Piece > s.claim.Piece:
		d.tell(flow.NoticeTeardown, s, false, "teardown %s done at attempt %d, piece %d of %d; %s is next", s.finalizer(), n,
			s.claim.Piece, s.claim.Pieces, next.Finalizer)
	case v == flow.ClaimDone:
		d.tell(flow.NoticeTeardown, s, false, "teardown %s done at attempt %d", s.finalizer(), n)
	case v == flow.ClaimDead:
		d.tellDead(s, l)
	case end.event == flow.ClaimCalledOff:
		d.tell(flow.NoticeTeardown, s, false, "teardown %s: attempt %d called off, again at %s", s.finalizer(), n, next.Due)
	default:
		d.tell(flow.NoticeTeardown, s, true, "teardown %s: attempt %d of %d: %s; again at %s", s.finalizer(), n,
			flow.MaxTeardownAttempts, next.LastError, next.Due)
	}
}

// errorText is err.Error(), even if that panics.
func errorText(err error) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("error of type %T whose text panics", err)
		}
	}()
	return err.Error()
}

// panicText describes a recovered value, even if describing it panics.
func panicText(v any) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("value of type %T whose text panics", v)
		}
	}()
	return fmt.Sprint(v)
}
