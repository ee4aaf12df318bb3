package engine

import (
	"bytes"
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// recovery is a run of the ready set that is about to be launched after a crash.
type recovery struct {
	ref   flow.Ref
	head  row.Head
	guard guard
	raw   []byte // of its ready row; nil: it is not to be launched here any more
	next  row.Ready
}

// lookAt reads how often a run has been recovered in a row without progress;
// next counts this time, too.
func (e *Engine) lookAt(snap store.Snapshot, ref flow.Ref) (r recovery, err error) {
	r.ref = ref
	r.head, r.guard, err = headIn(snap, ref.ID)
	if err != nil || r.head.Run != ref.Run || r.head.Status != flow.Running || e.types.held(r.head.Type, r.head.Version) != "" {
		return r, err
	}
	raw, err := snap.Get(row.ReadyKey(ref))
	if err != nil || raw == nil {
		return r, err
	}
	last, err := lastSeq(snap, ref)
	if err != nil {
		return r, err
	}
	r.raw = raw
	r.next = row.Ready{Generation: e.arrival(), Last: last, Recoveries: 1}
	// Without a row that can be read only the count is lost.
	if old, err := row.DecodeReady(raw); err == nil && old.Last == last {
		r.next.Recoveries += old.Recoveries
	}
	return r, nil
}

// lookAtAll looks at runs as of one snapshot. Those that cannot be read are
// reported and left out.
func (e *Engine) lookAtAll(refs []flow.Ref) (all []recovery) {
	snap, err := e.store.Snapshot()
	if err != nil {
		e.problem(fmt.Sprintf("recovery of %d runs: %v", len(refs), err), "")
		return nil
	}
	defer snap.Close()
	for _, ref := range refs {
		r, err := e.lookAt(snap, ref)
		if err != nil {
			e.problem(fmt.Sprintf("recovery of run %s: %v", ref, err), "")
			continue
		}
		all = append(all, r)
	}
	return all
}

// put counts the recovery, on condition that the run is as it was looked at:
// else it has ended, or somebody has woken it.
func (r *recovery) put(b *store.Batch) {
	b.Expect(r.guard.key, r.guard.raw, r.guard.at)
	b.Expect(row.ReadyKey(r.ref), r.raw, r.guard.at)
	b.Put(row.ReadyKey(r.ref), row.EncodeReady(r.next))
}

// countRecoveries tells apart which runs of the ready set are to be launched and
// which are suspects, and counts the recovery of the former: all in one commit,
// each on condition of its own rows. A run above the limit is suspended.
func (e *Engine) countRecoveries(refs []flow.Ref) (launch []flow.Ref, suspects []suspect) {
	var count []recovery
	for _, r := range e.lookAtAll(refs) {
		switch {
		case r.raw == nil:
			launch = append(launch, r.ref) // the launch finds out why
		case r.next.Recoveries > e.o.MaxRecoveries:
			e.suspendCulprit(r)
		case r.next.Recoveries >= suspectFrom:
			suspects = append(suspects, suspect{r.ref, r.next.Recoveries})
		default:
			count = append(count, r)
			launch = append(launch, r.ref)
		}
	}
	e.commitCounts(count)
	return launch, suspects
}

// commitCounts notes recoveries. When a condition is lost, those that have
// changed have moved on and are not counted any more; the others are, after a
// few such losses one by one.
func (e *Engine) commitCounts(count []recovery) {
	for try := 0; len(count) > 0; try++ {
		some, rest := count, []recovery(nil)
		if try > 3 {
			some, rest = count[:1], count[1:]
		}
		var b store.Batch
		for i := range some {
			some[i].put(&b)
		}
		applied, err := e.commit(nil, &b)
		switch {
		case err != nil:
			e.problem(fmt.Sprintf("recovery of %d runs: %v", len(count), err), "")
			return
		case applied || try > 3:
			count = rest
		default:
			count = e.unmoved(count)
		}
	}
}

// unmoved looks again at runs, and leaves out those that have changed.
func (e *Engine) unmoved(count []recovery) (left []recovery) {
	refs := make([]flow.Ref, len(count))
	before := make(map[flow.Ref]recovery, len(count))
	for i, r := range count {
		refs[i] = r.ref
		before[r.ref] = r
	}
	for _, r := range e.lookAtAll(refs) {
		if r.raw != nil && bytes.Equal(r.raw, before[r.ref].raw) {
			left = append(left, r)
		}
	}
	return left
}

// countAgain counts the recovery of one suspect just before its launch; false
// when it is not to be launched: it has moved on, or is suspended now.
func (e *Engine) countAgain(ref flow.Ref) bool {
	for _, r := range e.lookAtAll([]flow.Ref{ref}) {
		switch {
		case r.raw == nil:
		case r.next.Recoveries > e.o.MaxRecoveries:
			e.suspendCulprit(r)
		default:
			e.commitCounts([]recovery{r})
			return e.halted() == nil
		}
	}
	return false
}

// suspendCulprit suspends a run that was recovered too often.
func (e *Engine) suspendCulprit(r recovery) {
	err := e.suspendRun(r.ref, r.head, r.guard, r.next.Last, flow.CrashLoop,
		fmt.Sprintf("recovered %d times after crashes without progress", e.o.MaxRecoveries))
	if err != nil {
		e.problem(fmt.Sprintf("recovery of run %s: %v", r.ref, err), "")
	}
}
