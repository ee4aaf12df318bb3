package engine

import (
	"errors"
	"fmt"
	"maps"
	"sync"

	"weft/engine/row"
	"weft/engine/timers"
	"weft/flow"
	"weft/store"
)

// newLife is a life that has not been launched. Its journal is empty but for
// the start.
func (e *Engine) newLife(ref flow.Ref, def *definition, head row.Head, input flow.Payload) *life {
	l := &life{eng: e, ref: ref, def: def, head: head, input: input, seq: 1, at: head.StartedAt,
		gone: make(chan struct{}), ended: make(chan struct{}),
		guard: guard{key: row.HeadKey(ref.ID), raw: row.EncodeHead(head)},
		ready: readyRow{raw: row.EncodeReady(row.Ready{Generation: e.arrival()})}}
	l.calm = sync.NewCond(&l.mu)
	l.mainBranch = newBranch("")
	l.mainBranch.started = true
	l.current, l.branches = l.mainBranch, []*branch{l.mainBranch}
	return l
}

// admitFresh takes a place for a life whose start is about to be committed.
// Whoever sees the committed start then finds the life; if it could be loaded
// and run before the starter launches it, the run would have two lives.
func (e *Engine) admitFresh(l *life) bool {
	if e.o.Mode != flow.ModeRun {
		return false
	}
	admitted, _ := e.lives.admit(l)
	return admitted
}

// launchFresh runs a life whose start is durable since group at, without
// reading what was just written. Without a place it is woken like any other: it
// may have been launched and be through already.
func (e *Engine) launchFresh(l *life, admitted bool, at store.Group) {
	if !admitted {
		e.wake(l.ref)
		return
	}
	l.mu.Lock()
	l.guard.at, l.ready.at, l.loadedAt = at, at, at
	l.mu.Unlock()
	e.launch(l.main)
}

// launch runs f in the goroutine that was counted when a life was admitted.
func (e *Engine) launch(f func()) {
	go func() {
		defer e.wg.Done()
		f()
	}()
}

// wake launches a run that has become runnable, unless it is in memory or there
// is no place; then its ready row, or its timer, keeps the fact.
func (e *Engine) wake(ref flow.Ref) (full bool) { return e.wakeIn(ref, timers.Slot{}) }

// wakeIn is wake for a timer, whose slot the life keeps until it has come to the
// outcome of a wait, or to rest.
func (e *Engine) wakeIn(ref flow.Ref, s timers.Slot) (full bool) {
	if e.o.Mode != flow.ModeRun || e.halted() != nil {
		s.Free()
		return false
	}
	l := e.newLife(ref, nil, row.Head{}, nil)
	l.slot = s
	admitted, full := e.lives.admit(l)
	if !admitted {
		s.Free()
		return full
	}
	e.launch(func() { e.load(l) })
	return false
}

// load reads the rows of an admitted life and starts it. A run that may not run
// here, or cannot be read, leaves again.
func (e *Engine) load(l *life) {
	err := e.read(l)
	switch {
	case err == nil:
		l.main()
		return
	case errors.Is(err, errNotHere):
	case errors.Is(err, store.ErrNewer):
		e.passNewer(l.ref, err)
	case errors.Is(err, store.ErrCorrupt):
		e.failUnreadable(l, err)
	default:
		e.problem(fmt.Sprintf("run %s could not be loaded: %v", l.ref, err), "")
	}
	l.mu.Lock()
	l.dismissLocked(leaveLost)
	l.stopped, l.done = true, true
	l.mu.Unlock()
	e.lifeEnded(l)
}

// errNotHere: the run has ended, is suspended, is held, or was replaced.
var errNotHere = errors.New("not to be run here")

// read fills a life from one snapshot.
func (e *Engine) read(l *life) error {
	snap, err := e.store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	head, g, err := headIn(snap, l.ref.ID)
	if err != nil {
		return err
	}
	if head.Run != l.ref.Run || head.Status != flow.Running || e.types.held(head.Type, head.Version) != "" {
		return errNotHere
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head, l.guard, l.def = head, g, e.types[head.Type]
	l.loadedAt = snap.Group()
	// What was handed in before now and is older than the snapshot is there, or
	// has been taken since by another life.
	l.signals.forget(snap.Group())
	if err := l.readJournal(snap); err != nil {
		return err
	}
	if err := l.readWaits(snap); err != nil {
		return err
	}
	if err := l.signals.load(snap, l.box()); err != nil {
		return err
	}
	if l.answers, err = loadAnswers(snap, l.ref, l.waits); err != nil {
		return err
	}
	ends, err := loadEnds(snap, l.ref)
	if err != nil {
		return err
	}
	if l.children == nil {
		l.children = ends
	} else {
		maps.Copy(l.children, ends) // beside what was handed in before
	}
	// Also when this build knows no finalizer: what was recorded counts.
	if err := l.readState(snap); err != nil {
		return err
	}
	if err := l.readReady(snap); err != nil {
		return err
	}
	l.again = false // this is the life that was asked for
	return nil
}

func (l *life) readJournal(snap store.Snapshot) error {
	l.journal = l.journal[:0]
	want := flow.EventSeq(1)
	for kv, err := range snap.Scan(store.Prefix(row.EventPrefix(l.ref))) {
		if err != nil {
			return err
		}
		_, seq, ok := row.ParseEvent(kv.Key)
		if !ok || seq != want {
			return fmt.Errorf("journal: entry %d is missing: %w", want, store.ErrCorrupt)
		}
		ev, err := row.DecodeEvent(seq, kv.Value)
		if err != nil {
			return fmt.Errorf("journal entry %d: %w", seq, err)
		}
		l.journal = append(l.journal, ev)
		want++
	}
	if len(l.journal) == 0 || l.journal[0].Kind != flow.EventStarted {
		return fmt.Errorf("journal: does not begin with a start: %w", store.ErrCorrupt)
	}
	l.seq, l.ran = want-1, codeRan(l.journal)
	l.input, l.next = l.journal[0].Output, 1
	l.at = max(l.journal[0].At, l.head.StartedAt)
	return nil
}

func (l *life) readWaits(snap store.Snapshot) error {
	l.waits = map[flow.StepPath]row.Wait{}
	for kv, err := range snap.Scan(store.Prefix(row.WaitPrefix(l.ref))) {
		if err != nil {
			return err
		}
		_, step, ok := row.ParseWait(kv.Key)
		if !ok {
			return fmt.Errorf("wait key %q: %w", kv.Key, store.ErrCorrupt)
		}
		w, err := row.DecodeWait(kv.Value)
		if err != nil {
			return fmt.Errorf("wait of step %s: %w", step, err)
		}
		l.waits[step] = w
		if w.Summary != "" {
			l.summary = w.Summary
		}
	}
	return nil
}

// sweepWaits finds what waits a run has left on disk, of rows of which some may
// be damaged. A timer is named by its wait only; when one of those cannot be
// read, all timers there are must be looked at.
func (l *life) sweepWaits(r store.Snapshot) error {
	l.sweep = true
	if l.readWaits(r) == nil {
		return nil
	}
	for kv, err := range r.Scan(store.Prefix([]byte(row.FamilyTimer))) {
		if err != nil {
			return err
		}
		if t, ok := row.ParseTimer(kv.Key); ok && t.Ref == l.ref {
			l.waits[t.Step] = row.Wait{Timed: true, Due: t.Due}
		}
	}
	return nil
}

// passNewer leaves a run as it is that a newer program has written to: to this
// one it is held, and the newer one goes on with it.
func (e *Engine) passNewer(ref flow.Ref, cause error) {
	e.problem(fmt.Sprintf("run %s is held: a newer program wrote to it: %v", ref, cause), "open the store with that program")
}

// failUnreadable ends a run whose records cannot be read: no deploy can heal
// it, and it must not stop the others. A head that cannot be read stays as it
// is and is reported.
func (e *Engine) failUnreadable(l *life, cause error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return
	}
	defer snap.Close()
	head, g, err := headIn(snap, l.ref.ID)
	if err != nil || head.Run != l.ref.Run || head.Status != flow.Running {
		e.problem(fmt.Sprintf("run %s cannot be read: %v", l.ref, cause), "look at it with weft-tui show")
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head, l.guard = head, g
	last, err := lastSeq(snap, l.ref)
	l.seq = last
	if err == nil {
		err = l.sweepWaits(snap)
	}
	if err == nil {
		err = l.readState(snap)
	}
	if err != nil {
		e.problem(fmt.Sprintf("run %s cannot be read: %v", l.ref, err), "")
		return
	}
	l.advancing = true
	err = l.endWith(flow.Event{Seq: last + 1, Kind: flow.EventEnded, Status: flow.Failed,
		Failure: systemFailure(CodeRecord, "the run's records cannot be read: %v", cause)}, nil)
	l.advancing = false
	if err != nil {
		e.problem(fmt.Sprintf("run %s cannot be read and could not be failed: %v", l.ref, err), "")
	}
}

// lastSeq is the number of a run's last event.
func lastSeq(s store.Reader, ref flow.Ref) (flow.EventSeq, error) {
	r := store.Prefix(row.EventPrefix(ref))
	r.Reverse = true
	for kv, err := range s.Scan(r) {
		if err != nil {
			return 0, err
		}
		_, seq, _ := row.ParseEvent(kv.Key)
		return seq, nil
	}
	return 0, nil
}

// lifeEnded takes a life out of memory and launches the run again if it was
// woken meanwhile.
func (e *Engine) lifeEnded(l *life) {
	if l.ghost != nil {
		e.asks.leave(l)
		close(l.ended)
		return
	}
	l.mu.Lock()
	l.slot.Free()
	if e.o.Mode != flow.ModeRun {
		l.again = false // nothing is launched here
	}
	l.mu.Unlock()
	next := e.lives.remove(l, func() *life { return e.newLife(l.ref, nil, row.Head{}, nil) })
	close(l.ended)
	if next != nil {
		e.launch(func() { e.load(next) })
	}
}
