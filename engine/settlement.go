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

// errLater answers for an act that a branch will answer.
var errLater = errors.New("answered later")

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
	if err := a.do(l); err != errLater {
		a.done <- err
	}
}

// refuseActs tells the acts that wait that their turn will not come. mu is
// held.
func (l *life) refuseActs() {
	for _, a := range append(l.early, l.acts...) {
		a.done <- errLeft
	}
	l.acts, l.early = nil, nil
}

// submit does an act to a life at its block point; settled is false when the
// life did not reach that in time, and then the act was withdrawn. A life whose
// body is leaving needs no block point: the body cannot commit any more.
func (l *life) submit(ctx context.Context, s settlement) (err error, settled bool) {
	l.mu.Lock()
	switch l.leaving {
	case stay:
	case leaveParked, leaveSuspend:
		if s.code && l.leaving == leaveParked {
			l.mu.Unlock()
			return l.awaitEnd(ctx), true
		}
		return l.aside(func(l *life) error { return s.run(l, false) }), true
	case leaveLost:
		return l.aside(func(l *life) error { return l.lookAndRun(s) }), true
	case leaveEnded:
		l.mu.Unlock()
		return errLeft, true // and that is durable
	default:
		l.mu.Unlock()
		return l.awaitEnd(ctx), true
	}
	a := &act{do: func(l *life) error { return s.run(l, false) }, done: make(chan error, 1)}
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
		if s.gentle {
			return fmt.Errorf("run %s is busy: %w", l.ref, flow.ErrConflict), true
		}
		return nil, false
	}
	return <-a.done, true
}

// awaitEnd waits until a life has left memory, so that the run can be looked at
// anew.
func (l *life) awaitEnd(ctx context.Context) error {
	select {
	case <-l.ended:
		return errLeft
	case <-l.eng.dead:
		return l.eng.halted()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// aside does an act to a life that is leaving, and keeps it in memory
// meanwhile: the run must not get another one. mu is held, and given back.
func (l *life) aside(do func(*life) error) error {
	if l.done {
		l.mu.Unlock()
		<-l.ended
		return errLeft
	}
	l.acting++
	err := l.alone(do)
	l.acting--
	ended := l.hasEnded()
	l.mu.Unlock()
	if ended {
		l.eng.lifeEnded(l)
	}
	return err
}

// lookAndRun does an act to a run whose life has lost it, and whose code may be
// stuck: the rows are all there is. mu is held, advancing is the caller's.
func (l *life) lookAndRun(s settlement) error {
	if err := l.restoreLocked(); err != nil {
		return err
	}
	if err := s.allows(l.ref, l.head); err != nil {
		return err
	}
	return s.run(l, l.ready.raw != nil)
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
	// outside: somebody waits who can be told that the store refuses for the
	// moment.
	outside bool
	// code wants the run's code in memory, if it may run here: the act looks at
	// what only the code knows.
	code bool
	// gentle does not make code leave that does not come to its block point.
	gentle bool
}

// run does the act. life.mu is held, advancing is the caller's.
func (s settlement) run(l *life, unknown bool) error {
	l.outside = s.outside
	defer func() { l.outside = false }()
	return s.do(l, unknown)
}

// maxRounds bounds how often an act looks at a run again because its life left
// first. An act is done before a life parks, so few are needed.
const maxRounds = 100

// settle brings a run to its block point and does the act there. The body of a
// run that is parked, pending or suspended does not move, so its rows are all
// there is; a run in the ready set is launched first, because its code may have
// staged something since its last commit. ctx bounds the waiting before the
// act, not the act.
func (e *Engine) settle(ctx context.Context, s settlement) (ref flow.Ref, err error) {
	for range maxRounds {
		if err := ctx.Err(); err != nil {
			return flow.Ref{}, err
		}
		var head row.Head
		if ref, head, err = e.look(s); err != nil {
			return ref, err
		}
		if err = e.settleOnce(ctx, s, ref, head); !errors.Is(err, errLeft) {
			return ref, err
		}
	}
	return ref, fmt.Errorf("run %s does not come to rest: %w", ref, flow.ErrConflict)
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

// settleOnce does the act on the life in memory, or on the rows when there is
// none. It fails with errLeft when the run has to be looked at again, also
// after it has launched the run for the purpose.
func (e *Engine) settleOnce(ctx context.Context, s settlement, ref flow.Ref, head row.Head) error {
	l := e.lives.get(ref)
	if l == nil {
		if needed, err := e.needsCode(s, ref, head); err != nil {
			return err
		} else if needed {
			return e.launchBeyond(ref)
		}
		return e.settleCold(s, ref, head)
	}
	if l.cold {
		return l.awaitEnd(ctx) // another act is at work
	}
	if !s.now {
		err, settled := l.submit(ctx, s)
		if settled {
			return err
		}
	}
	return l.force(ctx, s)
}

// needsCode reports that the code of a run which is not in memory has to be
// brought to its block point.
func (e *Engine) needsCode(s settlement, ref flow.Ref, head row.Head) (bool, error) {
	if s.now || head.Status != flow.Running || e.types.held(head.Type, head.Version) != "" {
		return false, nil
	}
	if s.code {
		return true, nil
	}
	ready, err := e.store.Get(row.ReadyKey(ref))
	if err != nil || ready == nil {
		return false, err
	}
	if e.o.Mode != flow.ModeRun {
		return false, fmt.Errorf("run %s has begun work that is not recorded, and its code does not run here: "+
			"act where the engine runs, or with now: %w", ref, flow.ErrNotOffered)
	}
	return true, nil
}

// launchBeyond launches a run whether or not there is a place, so that an act
// finds it in memory.
func (e *Engine) launchBeyond(ref flow.Ref) error {
	switch {
	case e.halted() != nil:
		return e.halted()
	case e.isClosing():
		return flow.ErrClosed // the code may hold what a cold act would miss
	}
	l := e.newLife(ref, nil, row.Head{}, nil)
	if e.lives.admitBeyond(l) {
		e.launch(func() { e.load(l) })
	}
	return errLeft
}

// settleCold acts on a run that is not in memory, by a life that never runs
// code: it stands in for the run, so that nothing launches it meanwhile.
func (e *Engine) settleCold(s settlement, ref flow.Ref, head row.Head) error {
	l := e.newLife(ref, e.types[head.Type], row.Head{}, nil)
	l.cold = true
	if !e.lives.admitCold(l) {
		return errLeft
	}
	l.mu.Lock()
	err := l.alone(func(l *life) error {
		if err := l.restoreLocked(); err != nil {
			return err
		}
		if err := s.allows(l.ref, l.head); err != nil {
			return err
		}
		if l.ready.raw != nil && !s.now && e.types.held(l.head.Type, l.head.Version) == "" {
			return errLeft // it was woken just now
		}
		return s.run(l, l.ready.raw != nil)
	})
	l.dismissLocked(leaveLost)
	l.stopped, l.done = true, true
	l.mu.Unlock()
	e.lifeEnded(l)
	return err
}

// restoreLocked reads what a life-cycle act must know of a run whose code is not in
// memory: head, last event, waits, signals, ready row. mu is held.
func (l *life) restoreLocked() error {
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
	l.head, l.guard, l.loadedAt = head, g, snap.Group()
	last, err := lastEventIn(snap, l.ref)
	if err == nil {
		l.seq, l.summary = last.Seq, last.Summary
	} else {
		l.noteNewer(err)
		if l.seq, err = lastSeq(snap, l.ref); err != nil {
			return err // the entry may be damaged, but its number is in its key
		}
	}
	if err := l.readWaits(snap); err != nil {
		l.noteNewer(err)
		// A damaged row must not make the run immortal.
		if err := l.sweepWaits(snap); err != nil {
			return err
		}
	}
	if err := l.signals.load(snap, l.box()); err != nil {
		l.noteNewer(err)
		l.sweep = true
	}
	if l.children, err = loadEnds(snap, l.ref); err != nil {
		l.noteNewer(err)
		l.sweep = true
	}
	if err := l.readState(snap); err != nil {
		return err
	}
	return l.readReady(snap)
}

// noteNewer remembers that a newer program wrote a row of the run.
func (l *life) noteNewer(err error) {
	if errors.Is(err, store.ErrNewer) {
		l.newer = err
	}
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
func (l *life) force(ctx context.Context, s settlement) error {
	l.mu.Lock()
	for l.advancing {
		l.calm.Wait()
	}
	if l.leaving != stay {
		l.mu.Unlock()
		err, _ := l.submit(ctx, s)
		return err
	}
	if l.def == nil { // it is being read
		l.mu.Unlock()
		time.Sleep(time.Millisecond)
		return errLeft
	}
	l.again = true // if the act fails, the run goes on in another life
	l.dismissLocked(leaveLost)
	err := l.aside(func(l *life) error { return s.run(l, true) })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kick()
	return err
}
