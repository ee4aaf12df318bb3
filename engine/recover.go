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
			e.eachReady(func(ref flow.Ref) bool {
				if !e.waitForPlace(e.lives.forFeeder) {
					return false
				}
				e.wake(ref)
				return true
			})
		}
	}
}

// eachReady calls f for the runs of the ready set, until f answers false.
func (e *Engine) eachReady(f func(flow.Ref) bool) {
	e.eachReadyPage(func(refs []flow.Ref) bool {
		for _, ref := range refs {
			if e.halted() != nil || !f(ref) {
				return false
			}
		}
		return true
	})
}

// eachReadyPage calls f for the runs of the ready set, a page at a time and each
// page from a snapshot of its own, until f answers false.
func (e *Engine) eachReadyPage(f func([]flow.Ref) bool) {
	from := []byte(row.FamilyReady)
	for from != nil {
		refs, next, err := e.readyRefs(from)
		if err != nil {
			e.problem(fmt.Sprintf("ready set could not be read: %v", err), "")
			return
		}
		if !f(refs) {
			return
		}
		from = next
	}
}

func (e *Engine) readyRefs(from []byte) (refs []flow.Ref, next []byte, err error) {
	for kv, err := range e.store.Scan(store.Range{From: from, To: store.PrefixEnd([]byte(row.FamilyReady))}) {
		if err != nil {
			return nil, nil, err
		}
		if len(refs) == readyPage {
			return refs, append([]byte(nil), kv.Key...), nil
		}
		if ref, ok := row.ParseReady(kv.Key); ok {
			refs = append(refs, ref)
		}
	}
	return refs, nil, nil
}

// recoverAll launches what the last tenure left in the ready set; after a crash,
// with care: see [suspect].
func (e *Engine) recoverAll() {
	var suspects []suspect
	e.eachReadyPage(func(refs []flow.Ref) bool {
		for len(refs) > 0 && e.halted() == nil {
			if !e.waitForPlace(e.lives.forFeeder) {
				return false
			}
			// No more than can be launched at once: a recovery is counted just
			// before the launch.
			n := min(len(refs), max(e.lives.vacant(), 1))
			some := refs[:n]
			refs = refs[n:]
			if e.crashes > 0 {
				var more []suspect
				some, more = e.countRecoveries(some)
				suspects = append(suspects, more...)
			}
			if !e.launchAll(some) {
				return false
			}
		}
		return e.halted() == nil
	})
	close(e.recovered)
	if len(suspects) > 0 {
		// Apart: the delays must not keep the feeder from its work.
		e.wg.Go(func() { e.recoverSuspects(suspects) })
	}
}

// launchAll wakes runs as places become free; false when the engine closes.
func (e *Engine) launchAll(refs []flow.Ref) bool {
	for _, ref := range refs {
		if !e.waitForPlace(e.lives.forFeeder) {
			return false
		}
		e.wake(ref)
	}
	return true
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
