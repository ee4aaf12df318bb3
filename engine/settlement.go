package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// settleTimeout is how long an act waits for a run to reach its block point.
// After that it commits with what is durable and says so.
const settleTimeout = 5 * time.Second

// errLeft answers an act whose life left memory before the act's turn: look at
// the run again.
var errLeft = errors.New("the run left memory first")

// act is something done to a run at its block point, in the life's own
// goroutine and in its order.
type act struct {
	do   func(*life) error // with mu held; commits through the life
	done chan error        // capacity 1
}

// nextAct does the oldest act. mu is held, advancing is the caller's.
func (l *life) nextAct() {
	a := l.acts[0]
	l.acts = l.acts[1:]
	a.done <- a.do(l)
}

// refuseActs tells the acts that wait that their turn will not come. mu is
// held.
func (l *life) refuseActs() {
	for _, a := range l.acts {
		a.done <- errLeft
	}
	l.acts = nil
}

// submit puts an act to a life and waits for it; settled is false when the life
// did not reach its block point in time, and then the act was withdrawn. A life
// whose body is leaving because it was parked or suspended needs no block
// point: the body cannot commit any more.
func (l *life) submit(do func(*life) error) (err error, settled bool) {
	l.mu.Lock()
	switch l.leaving {
	case stay:
	case leaveParked, leaveSuspend:
		defer l.mu.Unlock()
		return l.alone(do), true
	default:
		l.mu.Unlock()
		<-l.ended
		return errLeft, true
	}
	a := &act{do: do, done: make(chan error, 1)}
	l.acts = append(l.acts, a)
	l.kick()
	l.mu.Unlock()
	t := time.NewTimer(settleTimeout)
	defer t.Stop()
	select {
	case err := <-a.done:
		return err, true
	case <-t.C:
	}
	if l.withdraw(a) {
		return nil, false
	}
	return <-a.done, true
}

// alone does an act while nothing else commits for the life. mu is held.
func (l *life) alone(do func(*life) error) error {
	for l.advancing {
		l.calm.Wait()
	}
	l.advancing = true
	err := do(l)
	l.advancing = false
	l.calm.Broadcast()
	return err
}

// withdraw takes an act back unless its turn has come.
func (l *life) withdraw(a *act) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.acts {
		if l.acts[i] == a {
			l.acts = append(l.acts[:i], l.acts[i+1:]...)
			return true
		}
	}
	return false
}

// settlement is one life-cycle act on one run: what it may be done to, and what
// it does once nothing else moves the run.
type settlement struct {
	target flow.Ref
	// allows looks at the head and refuses with a typed error.
	allows func(flow.Ref, row.Head) error
	// do commits through the life, which holds all that is known of the run;
	// unknown says that the code could not be brought to its block point, so
	// that what it has staged is not among it.
	do func(l *life, unknown bool) error
	// now does not wait for the block point.
	now bool
}

// settle brings a run to its block point and does the act there. The body of a
// run that is parked, pending or suspended does not move, so its rows are all
// there is; a run in the ready set is launched first, because its code may have
// staged something since its last commit. ctx bounds the waiting before the
// act, not the act.
func (e *Engine) settle(ctx context.Context, s settlement) (flow.Ref, error) {
	for {
		if err := ctx.Err(); err != nil {
			return flow.Ref{}, err
		}
		ref, head, err := e.look(s)
		if err != nil {
			return ref, err
		}
		l, err := e.standstill(s, ref, head)
		if err == nil {
			err = e.settleLife(s, l)
		}
		if !errors.Is(err, errLeft) {
			return ref, err
		}
	}
}

func (e *Engine) look(s settlement) (flow.Ref, row.Head, error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return flow.Ref{}, row.Head{}, err
	}
	defer snap.Close()
	head, _, err := liveHead(snap, s.target)
	ref := flow.Ref{ID: s.target.ID, Run: head.Run}
	if err != nil {
		return ref, head, err
	}
	return ref, head, s.allows(ref, head)
}

// standstill is the life to act on: the one in memory, one launched for the
// purpose, or one that only holds the run's rows and keeps others from
// launching it.
func (e *Engine) standstill(s settlement, ref flow.Ref, head row.Head) (*life, error) {
	if l := e.lives.get(ref); l != nil {
		return l, nil
	}
	if !s.now && head.Status == flow.Running && e.types.held(head.Type, head.Version) == "" {
		ready, err := e.store.Get(row.ReadyKey(ref))
		if err != nil {
			return nil, err
		}
		if ready != nil && e.o.Mode != flow.ModeRun {
			return nil, fmt.Errorf("run %s has begun work that is not recorded, and its code does not run here: "+
				"act where the engine runs, or with now: %w", ref, flow.ErrNotOffered)
		}
		if ready != nil && !e.wake(ref) {
			if l := e.lives.get(ref); l != nil {
				return l, nil
			}
		}
	}
	l := e.newLife(ref, e.types[head.Type], row.Head{}, nil)
	l.cold = true
	if !e.lives.admitCold(l) {
		return nil, errLeft
	}
	return l, nil
}

// settleLife does the act on a life.
func (e *Engine) settleLife(s settlement, l *life) error {
	if l.cold {
		return e.settleCold(s, l)
	}
	if !s.now {
		err, settled := l.submit(func(l *life) error { return s.do(l, false) })
		if settled {
			return err
		}
	}
	return l.force(func(l *life) error { return s.do(l, true) })
}

// settleCold acts on a run that is not in memory. The life never runs code: it
// stands in for the run, so that nothing launches it meanwhile.
func (e *Engine) settleCold(s settlement, l *life) error {
	err := l.restore()
	if err == nil {
		err = s.allows(l.ref, l.head)
	}
	l.mu.Lock()
	if err == nil {
		err = l.alone(func(l *life) error { return s.do(l, s.now && l.ready.raw != nil) })
	}
	l.dismissLocked(leaveLost)
	l.stopped, l.done = true, true
	l.mu.Unlock()
	e.lifeEnded(l)
	return err
}

// restore reads what a life-cycle act must know of a run whose code is not in
// memory: head, last event, waits, signals, ready row.
func (l *life) restore() error {
	snap, err := l.eng.store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	head, g, err := headIn(snap, l.ref.ID)
	if err != nil {
		return err
	}
	if head.Run != l.ref.Run || head.Status.Terminal() {
		return errLeft
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head, l.guard, l.loadedAt = head, g, snap.Group()
	last, err := lastEventIn(snap, l.ref)
	if err != nil {
		return err
	}
	l.seq, l.summary = last.Seq, last.Summary
	if err := l.readWaits(snap); err != nil {
		// A damaged row must not make the run immortal.
		if err := l.sweepWaits(snap); err != nil {
			return err
		}
	}
	if err := l.signals.load(snap, l.ref); err != nil {
		l.sweep = true
	}
	if l.children, err = loadEnds(snap, l.ref); err != nil {
		l.sweep = true
	}
	if err := l.readState(snap); err != nil {
		return err
	}
	return l.readReady(snap)
}

func (l *life) readReady(snap store.Snapshot) error {
	raw, err := snap.Get(row.ReadyKey(l.ref))
	if err == nil {
		l.ready = readyRow{raw: raw, at: snap.Group()}
	}
	return err
}

// force acts on a life whose code does not come to its block point. The code is
// told to leave first: whatever it does from here on is dropped.
func (l *life) force(do func(*life) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.advancing {
		l.calm.Wait()
	}
	if l.leaving != stay {
		return errLeft
	}
	l.again = true // if the act fails, the run goes on in another life
	l.dismissLocked(leaveLost)
	err := l.alone(do)
	l.kick()
	return err
}
