package teardown

import (
	"context"
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// maxTries is how often a claim is looked at again at once because somebody
// changed it meanwhile.
const maxTries = 4

// drive looks at the claim of a timer that is due and does what the claim asks
// for. Whatever it does, the claim keeps a timer.
func (d *Driver) drive(ctx context.Context, t row.Teardown) {
	for range maxTries {
		done, err := d.look(ctx, t)
		if err != nil {
			if !d.dead() {
				d.c.Problem("a teardown could not be driven: "+err.Error(), "it is tried again")
			}
			break
		}
		if done {
			return
		}
	}
	d.later(t)
}

// look does it once; false when the claim had been changed meanwhile.
func (d *Driver) look(ctx context.Context, t row.Teardown) (done bool, err error) {
	s, err := readStanding(d.c.Store, t.Ref)
	if err != nil || d.stopping() {
		return true, err
	}
	now := d.now()
	switch {
	case s.raw == nil:
		return d.dropTimer(t, &s)
	case s.newer():
		d.pass(&s, "they were written by a newer version")
		return true, nil
	case s.damaged != nil:
		return d.giveUp(t, &s, now)
	case s.claim.Token != t.Token:
		return d.dropTimer(t, &s)
	case d.isMine(s.claim.Token):
		d.later(t) // the clock was stepped: the attempt is bounded anyway
		return true, nil
	case string(t.Key()) < string(s.timer().Key()):
		return d.renewTimer(t, &s)
	case !s.claim.CanTake(now):
		d.queue.Again(t) // the clock went back since the timer was due
		return true, nil
	}
	fin, known := d.c.Finalizer(s.claim.Type, s.finalizer())
	switch _, hopeless := s.hopeless(now); {
	case !known && s.finalizer() != "":
		d.pass(&s, fmt.Sprintf("finalizer %s of type %s is not registered here", s.finalizer(), s.claim.Type))
		return true, nil
	case hopeless:
		return d.giveUp(t, &s, now)
	case !known:
		d.pass(&s, "type "+s.claim.Type+" is not registered here")
		return true, nil
	}
	return d.take(ctx, t, &s, fin)
}

// pass leaves a claim as it is: it is held. Its timer row stays for the next
// process that opens the store.
func (d *Driver) pass(s *standing, why string) {
	d.c.Problem("teardowns are held: "+why, "open the store with a program that knows them")
}

// dropTimer deletes a timer that no claim needs.
func (d *Driver) dropTimer(t row.Teardown, s *standing) (bool, error) {
	key := t.Key()
	if raw, err := d.c.Store.Get(key); err != nil || raw == nil {
		return true, err
	}
	b := new(store.Batch)
	b.Expect(row.ClaimKey(s.ref), s.raw, s.at)
	b.Delete(key)
	return d.commit(b)
}

// renewTimer replaces a timer that is earlier than its claim allows by the
// claim's own. The claim is not rewritten.
func (d *Driver) renewTimer(t row.Teardown, s *standing) (bool, error) {
	own := s.timer()
	b := new(store.Batch)
	b.Expect(row.ClaimKey(s.ref), s.raw, s.at)
	b.Delete(t.Key())
	b.Put(own.Key(), nil)
	applied, err := d.commit(b)
	if applied {
		d.queue.Added(own)
	}
	return applied, err
}

// giveUp writes the dead letter of a teardown that nobody can attempt.
func (d *Driver) giveUp(t row.Teardown, s *standing, now flow.Instant) (bool, error) {
	l, _ := s.hopeless(now)
	return d.bury(t, s, l)
}

// bury writes a dead letter.
func (d *Driver) bury(t row.Teardown, s *standing, l row.Letter) (bool, error) {
	if raw, err := d.c.Store.Get(row.DeadKey(s.ref)); err != nil {
		return false, err
	} else if raw != nil {
		d.c.Problem(fmt.Sprintf("run %s has a dead letter and owes a teardown that is to become one", s.ref),
			"discard the letter")
		d.later(t)
		return true, nil
	}
	b := s.change()
	b.Delete(t.Key())
	s.bury(b, l)
	applied, err := d.commit(b)
	if applied {
		d.tellDead(s, l)
	}
	return applied, err
}

func (d *Driver) tellDead(s *standing, l row.Letter) {
	named := standing{ref: s.ref, claim: flow.Claim{Type: l.Type}}
	d.tell(flow.NoticeDead, &named, true, "teardown %s given up after %d attempts: %s", l.Finalizer, l.Attempts, l.LastError)
}

// take claims the teardown and makes the attempt. The batch deletes the timer
// that fired and arms the watchdog.
func (d *Driver) take(ctx context.Context, t row.Teardown, s *standing, fin Finalizer) (bool, error) {
	if !d.c.Allowed() {
		d.queue.Again(t)
		return true, nil
	}
	now := d.now()
	next, verdict, err := s.claim.Next(flow.Turn{Event: flow.TakeClaim, Now: now, Token: newToken(), Timeout: fin.Timeout})
	if err != nil {
		return false, nil // the clock went back just now
	}
	if verdict == flow.ClaimDead {
		return d.bury(t, s, s.letter(next, now))
	}
	b := s.change()
	b.Delete(t.Key())
	mine := s.replace(b, next)
	disown := d.own(next.Token)
	defer disown()
	applied, err := d.commit(b)
	if err != nil || !applied {
		return applied, err
	}
	d.queue.Added(mine.timer())
	if next.Attempts > s.claim.Attempts {
		d.tell(flow.NoticeTeardown, s, true, "teardown %s: %s", mine.finalizer(), next.LastError)
	}
	d.tell(flow.NoticeTeardown, s, false, "teardown %s: attempt %d of %d begins", mine.finalizer(), next.Attempt(),
		flow.MaxTeardownAttempts)
	d.attempt(ctx, &mine, fin)
	return true, nil
}
