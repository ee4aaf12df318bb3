package engine

import (
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

const readyPage = 256

// feed is the loop that launches runs from the ready set: once after open, and
// again whenever places become free while runs wait for one.
func (e *Engine) feed() {
	e.recoverAll()
	for {
		select {
		case <-e.closing:
			return
		case <-e.lives.forFeeder:
		}
		for e.lives.takeBacklog() {
			// One pass launches all that wait, as places become free: starting
			// anew for each place would read the rows of those in memory again
			// and again.
			e.eachReady(func(ref flow.Ref, _ row.Ready) bool {
				if !e.waitForPlace(e.lives.forFeeder) {
					return false
				}
				e.wake(ref)
				return true
			})
		}
	}
}

// eachReady calls f for the ready rows, a page at a time and each page from a
// snapshot of its own, until f answers false.
func (e *Engine) eachReady(f func(flow.Ref, row.Ready) bool) {
	from := []byte(row.FamilyReady)
	for from != nil {
		refs, rows, next, err := e.readyRows(from)
		if err != nil {
			e.problem(fmt.Sprintf("ready set could not be read: %v", err), "")
			return
		}
		for i, ref := range refs {
			if e.halted() != nil || !f(ref, rows[i]) {
				return
			}
		}
		from = next
	}
}

func (e *Engine) readyRows(from []byte) (refs []flow.Ref, rows []row.Ready, next []byte, err error) {
	for kv, err := range e.store.Scan(store.Range{From: from, To: store.PrefixEnd([]byte(row.FamilyReady))}) {
		if err != nil {
			return nil, nil, nil, err
		}
		if len(refs) == readyPage {
			return refs, rows, append([]byte(nil), kv.Key...), nil
		}
		ref, ok := row.ParseReady(kv.Key)
		if !ok {
			continue
		}
		r, err := row.DecodeReady(kv.Value)
		if err != nil {
			r = row.Ready{} // the run's own rows decide; only the count is lost
		}
		refs, rows = append(refs, ref), append(rows, r)
	}
	return refs, rows, nil, nil
}

// recoverAll launches what the last tenure left in the ready set. After a crash
// it first counts the recovery of each run that made no progress since the one
// before: from the third on such runs go one at a time, each after a delay, so
// that the culprit dies alone; above MaxRecoveries a run is suspended.
func (e *Engine) recoverAll() {
	var suspects []suspect
	e.eachReady(func(ref flow.Ref, r row.Ready) bool {
		if e.crashed {
			n, err := e.countRecovery(ref, r)
			if err != nil {
				e.problem(fmt.Sprintf("recovery of run %s: %v", ref, err), "")
				return e.halted() == nil
			}
			if n >= 3 {
				suspects = append(suspects, suspect{ref, n})
				return true
			}
		}
		if !e.waitForPlace(e.lives.forFeeder) {
			return false
		}
		e.wake(ref)
		return true
	})
	close(e.recovered)
	if len(suspects) == 0 {
		return
	}
	// Apart: the delays must not keep the feeder from its work.
	e.wg.Go(func() {
		for _, s := range suspects {
			e.recoverSuspect(s)
		}
	})
}

type suspect struct {
	ref        flow.Ref
	recoveries int
}

// waitForPlace blocks until a run may be launched; false when the engine
// closes. freed is the caller's own channel of [lives].
func (e *Engine) waitForPlace(freed <-chan struct{}) bool {
	for !e.lives.room() {
		select {
		case <-e.closing:
			return false
		case <-freed:
		}
	}
	return true
}

// countRecovery notes in the ready row that the run is being recovered and
// answers how many times in a row that has happened without progress.
func (e *Engine) countRecovery(ref flow.Ref, r row.Ready) (int, error) {
	last, err := lastSeq(e.store, ref)
	if err != nil {
		return 0, err
	}
	head, g, err := e.readHead(ref.ID)
	if err != nil || head.Run != ref.Run || head.Status != flow.Running || e.types.held(head.Type, head.Version) != "" {
		return 0, err // also when the run has moved on since its ready row was read
	}
	next := row.Ready{Generation: e.arrival(), Last: last}
	if r.Last == last {
		next.Recoveries = r.Recoveries + 1
	} else {
		next.Recoveries = 1
	}
	if next.Recoveries > e.o.MaxRecoveries {
		return 0, e.suspendRun(ref, head, g, flow.CrashLoop,
			fmt.Sprintf("recovered %d times after crashes without progress", r.Recoveries))
	}
	var b store.Batch
	b.Put(row.ReadyKey(ref), row.EncodeReady(next))
	_, err = e.commit(&g, &b)
	return next.Recoveries, err
}

// recoverSuspect launches one run that was there in several crashes, after a
// delay, and waits until it has parked, ended or stayed up for a while.
func (e *Engine) recoverSuspect(s suspect) {
	delay := min(time.Second<<min(s.recoveries-3, 6), time.Minute)
	e.problem(fmt.Sprintf("run %s was recovered %d times without progress; it starts in %v", s.ref, s.recoveries, delay),
		"fix its code, or suspend it")
	if !e.pause(delay) {
		return
	}
	e.wake(s.ref)
	for range 10 {
		if e.lives.get(s.ref) == nil || !e.pause(time.Second) {
			return
		}
	}
}

// pause waits; false when the engine closes meanwhile.
func (e *Engine) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-e.closing:
		return false
	}
}

// suspendRun suspends a run that is not in memory.
func (e *Engine) suspendRun(ref flow.Ref, head row.Head, g guard, why flow.Reason, text string) error {
	l := e.newLife(ref, e.types[head.Type], head, nil)
	l.guard = g
	last, err := lastSeq(e.store, ref)
	if err != nil {
		return err
	}
	l.seq = last
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.alone(func(l *life) error { return l.suspendWith(why, text, nil) })
}
