package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

func (e doAct) run(ctx context.Context, c Console) tea.Msg {
	limit := callLimit
	if _, many := e.act.Deed.(flow.BulkAct); many || len(e.each) > 0 {
		limit = flow.FrozenFor
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if len(e.each) > 0 {
		return actedMsg{e, e.doEach(ctx, c), nil}
	}
	r, err := c.Do(ctx, e.act)
	if errors.Is(err, context.DeadlineExceeded) {
		err = &flow.OutcomeUnknownError{ID: target(e.act.Deed).ID, Cause: err}
	}
	return actedMsg{e, r, err}
}

// doEach does deeds of one kind one after the other. What is refused because it
// has changed counts as skipped, as in a bulk act.
func (e doAct) doEach(ctx context.Context, c Console) flow.Receipt {
	out := flow.Receipt{Results: make([]flow.BulkResult, len(e.each))}
	var n tally
	for i, d := range e.each {
		r, err := c.Do(ctx, flow.Act{Actor: e.act.Actor, Why: e.act.Why, Deed: d})
		res := flow.BulkResult{Ref: target(d), Outcome: flow.BulkDone, Audit: r.Audit, Text: r.Text}
		if err != nil {
			res.Outcome, res.Text = flow.BulkFailed, err.Error()
			if errors.Is(err, flow.ErrConflict) || errors.Is(err, flow.ErrFinished) || errors.Is(err, flow.ErrNotFound) {
				res.Outcome = flow.BulkSkipped
			}
		}
		out.Results[i], out.At = res, r.At
		n.count(res)
	}
	out.Text = e.each[0].Verb() + ": " + n.String()
	return out
}

// tally sums up the results of a bulk act.
type tally struct {
	done, skipped, failed int
	first, last           uint64 // audit records
}

func (t *tally) count(r flow.BulkResult) {
	switch r.Outcome {
	case flow.BulkDone:
		t.done++
	case flow.BulkSkipped:
		t.skipped++
	default:
		t.failed++
	}
	if r.Audit != 0 && (t.first == 0 || r.Audit < t.first) {
		t.first = r.Audit
	}
	t.last = max(t.last, r.Audit)
}

func (t tally) String() string {
	return fmt.Sprintf("%d done, %d skipped, %d failed", t.done, t.skipped, t.failed)
}

// audits names the audit records, which other acts may have numbers between.
func (t tally) audits() string {
	switch {
	case t.first == 0:
		return ""
	case t.first == t.last:
		return fmt.Sprintf("  audit %d", t.first)
	}
	return fmt.Sprintf("  audits %d to %d", t.first, t.last)
}

// leftBehind is what a run that ended left behind.
type leftBehind struct {
	owed   *flow.Teardown
	dead   *flow.Dead
	sought bool // it was looked for, and can be believed
}

// whatLeft looks for an owed teardown and a dead letter of a run. The lists are
// in the order of ids, so that those of this id come first.
func whatLeft(ctx context.Context, c Console, ref flow.Ref) (left leftBehind) {
	f := flow.Filter{IDPrefix: string(ref.ID)}
	owed, err := c.Page(ctx, flow.Query{Of: flow.ListTeardowns, Filter: f})
	if err != nil {
		return left
	}
	dead, err := c.Page(ctx, flow.Query{Of: flow.ListDead, Filter: f})
	if err != nil {
		return left
	}
	left.sought = true
	for i, t := range owed.Teardowns {
		if t.Ref == ref {
			left.owed = &owed.Teardowns[i]
		}
	}
	for i, d := range dead.Dead {
		if d.Ref == ref {
			left.dead = &dead.Dead[i]
		}
	}
	return left
}

// auditDepth is how many of the latest audit records are searched for the acts
// on an id.
const auditDepth = flow.MaxLimit

// kinOf reads what is known of an id beside its run. What cannot be read is left
// out: it is told where it is listed.
func kinOf(ctx context.Context, c Console, id flow.WorkflowID) views.Kin {
	var k views.Kin
	f := flow.Filter{IDPrefix: string(id)}
	if p, err := c.Page(ctx, flow.Query{Of: flow.ListTeardowns, Filter: f}); err == nil {
		k.Owed = p.Teardowns
	}
	if p, err := c.Page(ctx, flow.Query{Of: flow.ListDead, Filter: f}); err == nil {
		k.Dead = p.Dead
	}
	if p, err := c.Page(ctx, flow.Query{Of: flow.ListAudit, Limit: auditDepth}); err == nil {
		k.Of = len(p.Audit)
		for _, a := range p.Audit {
			if a.Target.ID == id {
				k.Audit = append(k.Audit, a)
			}
		}
	}
	return k
}
