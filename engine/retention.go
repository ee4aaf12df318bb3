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

// Retention says how long ended runs are kept. The zero value keeps all. The
// engine looks every 5 minutes; a run that still owes a teardown stays.
type Retention struct {
	// Keep is the age, since its end, at which a run is removed, by its end. A
	// status that is missing is kept.
	Keep map[flow.Status]time.Duration
	// ByType overrides Keep for a type: its statuses only, the others stay as
	// in Keep.
	ByType map[string]map[flow.Status]time.Duration
}

// of is how long runs of a type with an end are kept; false is for ever.
func (r Retention) of(typ string, s flow.Status) (time.Duration, bool) {
	if d, ok := r.ByType[typ][s]; ok {
		return d, true
	}
	d, ok := r.Keep[s]
	return d, ok
}

// shortest is the least age at which anything is removed; false when nothing
// ever is.
func (r Retention) shortest() (least time.Duration, any bool) {
	take := func(m map[flow.Status]time.Duration) {
		for _, d := range m {
			if !any || d < least {
				least, any = d, true
			}
		}
	}
	take(r.Keep)
	for _, m := range r.ByType {
		take(m)
	}
	return least, any
}

func (r Retention) check() error {
	var bad []error
	for _, m := range append([]map[flow.Status]time.Duration{r.Keep}, valuesOf(r.ByType)...) {
		for s, d := range m {
			if !s.Terminal() {
				bad = append(bad, fmt.Errorf("Retention of %s runs: is no end", s))
			}
			if d < 0 {
				bad = append(bad, fmt.Errorf("Retention of %s runs, %v: is negative", s, d))
			}
		}
	}
	return errors.Join(bad...)
}

func valuesOf(m map[string]map[flow.Status]time.Duration) []map[flow.Status]time.Duration {
	out := make([]map[flow.Status]time.Duration, 0, len(m))
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

const (
	sweepEvery = 5 * time.Minute
	sweepPage  = 1000
)

// sweep removes ended runs past their age, from time to time. A run that owes a
// teardown, and one whose type is held here, stays.
func (e *Engine) sweep() {
	shortest, any := e.o.Retention.shortest()
	if !any {
		return
	}
	for {
		var from []byte
		for more := true; more && e.halted() == nil && !e.isClosing(); {
			var err error
			if from, more, err = e.sweepPage(from, shortest); err != nil {
				e.problem("retention sweep: "+err.Error(), "")
				break
			}
		}
		if !e.pause(sweepEvery) {
			return
		}
	}
}

// sweepPage goes through one page of ended runs, oldest end first.
func (e *Engine) sweepPage(from []byte, shortest time.Duration) (next []byte, more bool, err error) {
	now := e.now()
	if from == nil {
		from = []byte(row.FamilyTerminal)
	}
	to := row.TerminalsFrom(flow.InstantOf(now.Add(-shortest)) + 1)
	var due []flow.Ref
	n := 0
	for kv, err := range e.store.Scan(store.Range{From: from, To: to}) {
		if err != nil {
			return nil, false, err
		}
		if n == sweepPage {
			next, more = append([]byte(nil), kv.Key...), true
			break
		}
		n++
		if _, id, ok := row.ParseTerminal(kv.Key); ok {
			due = append(due, flow.Ref{ID: id, Run: flow.RunID(kv.Value)})
		}
	}
	for _, ref := range due {
		if e.isClosing() {
			return nil, false, nil
		}
		if err := e.sweepRun(ref, now); err != nil {
			return nil, false, err
		}
	}
	return next, more, nil
}

func (e *Engine) sweepRun(ref flow.Ref, now time.Time) error {
	head, _, err := e.readHead(ref.ID)
	if err != nil || head.Run != ref.Run || !head.Status.Terminal() {
		return nil // damaged, or replaced: not the sweep's business
	}
	keep, limited := e.o.Retention.of(head.Type, head.Status)
	if !limited || now.Sub(head.ClosedAt.Time()) < keep || e.types.held(head.Type, head.Version) != "" && e.types[head.Type] == nil {
		return nil
	}
	if _, err := e.purgeRun(context.Background(), ref, nil); err != nil && e.halted() != nil {
		return err
	}
	return nil
}
