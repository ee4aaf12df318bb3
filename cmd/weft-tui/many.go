package main

import (
	"context"
	"fmt"

	"weft/flow"
	"weft/tui"
)

// many is one deed that is done to all runs of a filter.
type many struct {
	verb   string
	filter flow.Filter
	dry    bool
	yes    int64 // how many the user expects
	reason string
	// signal and payload belong to the verb signal.
	signal  string
	payload flow.Payload
	// add, set and remove belong to tag and attr.
	add, remove []string
	set         map[string]flow.Attribute
}

func (m many) bulk() flow.Bulk { return flow.Bulk{Filter: m.filter, Verb: m.verb} }

// unconfirmedError refuses a bulk act whose count is not the one that the user
// has seen. It was not done to any run.
type unconfirmedError struct {
	verb      string
	got, want int64
}

func (e *unconfirmedError) Error() string {
	return fmt.Sprintf("%s: the filter chooses %s, not %d: nothing was done", e.verb, things(e.verb, e.got), e.want)
}

// many shows or does m. It counts with the store open for reading first, so that
// a refusal has not changed a byte, and again under the lease: a preview is kept
// by the process that made it, and what is done is what that one froze.
func (p *program) many(ctx context.Context, m many, out printer) error {
	if p.readOnly && !m.dry {
		return &usageError{flow.ErrReadOnly}
	}
	err := p.look(ctx, func(ctx context.Context, c tui.Console) error {
		preview, err := c.Preview(ctx, m.bulk())
		switch {
		case err != nil:
			return err
		case m.dry:
			return p.preview(m, preview, out)
		}
		return m.confirm(preview)
	})
	if err != nil || m.dry {
		return err
	}
	return p.act(ctx, func(ctx context.Context, c tui.Console) error { return m.do(ctx, c, out) })
}

func (m many) confirm(preview flow.Preview) error {
	if preview.Count != m.yes {
		return &unconfirmedError{m.verb, preview.Count, m.yes}
	}
	return nil
}

// do does m to exactly the runs of a preview that has the expected count.
func (m many) do(ctx context.Context, c tui.Console, out printer) error {
	preview, err := c.Preview(ctx, m.bulk())
	if err == nil {
		err = m.confirm(preview)
	}
	if err != nil {
		return err
	}
	receipt, err := c.Do(ctx, flow.Act{Actor: actor(), Why: m.reason,
		Deed: flow.BulkAct{Token: preview.Token, Signal: m.signal, Payload: m.payload,
			Add: m.add, Set: m.set, Remove: m.remove}})
	if err != nil {
		return err
	}
	if err := printResults(receipt, out); err != nil {
		return err
	}
	failed := 0
	for _, r := range receipt.Results {
		if r.Outcome == flow.BulkFailed {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%s: %d of %s failed", m.verb, failed, things(m.verb, int64(len(receipt.Results))))
	}
	return nil
}

func printResults(receipt flow.Receipt, out printer) error {
	if out.json {
		return out.value(receipt)
	}
	table := make([][]string, len(receipt.Results))
	for i, r := range receipt.Results {
		audit := ""
		if r.Audit != 0 {
			audit = fmt.Sprint(r.Audit)
		}
		table[i] = []string{string(r.Ref.ID), string(r.Ref.Run), string(r.Outcome), audit, r.Text}
	}
	if err := out.table([]string{"ID", "RUN", "OUTCOME", "AUDIT", "WHAT"}, table); err != nil {
		return err
	}
	return out.line(receipt.Text)
}

// preview prints what m would touch. Its token is not shown: it is worth nothing
// to another process.
func (p *program) preview(m many, preview flow.Preview, out printer) error {
	if out.json {
		return out.value(struct {
			Verb   string `json:"verb"`
			Count  int64  `json:"count"`
			Sample any    `json:"sample"`
		}{m.verb, preview.Count, sample(m.verb, preview.Sample)})
	}
	if err := out.line(fmt.Sprintf("%s would touch %s", m.verb, things(m.verb, preview.Count))); err != nil {
		return err
	}
	if preview.Count == 0 {
		return nil
	}
	if err := sampleTable(m.verb, preview.Sample, out); err != nil {
		return err
	}
	rest := ""
	if n := preview.Count - int64(len(preview.Sample)); n > 0 {
		rest = fmt.Sprintf("and %d more; ", n)
	}
	p.note(fmt.Sprintf("%sto do it, say --yes %d instead of --dry-run", rest, preview.Count))
	return nil
}

func sampleTable(verb string, runs []flow.Run, out printer) error {
	if verb != "redrive" {
		return runTable(runs, out)
	}
	table := make([][]string, len(runs))
	for i, r := range runs {
		table[i] = []string{string(r.ID), string(r.Run), r.Type, r.ClosedAt.String(), r.Reason}
	}
	return out.table([]string{"ID", "RUN", "TYPE", "DEAD SINCE", "LAST ERROR"}, table)
}

// deadSample is a dead letter in a sample, with the names it has in its list.
type deadSample struct {
	flow.Ref
	Type           string       `json:"type"`
	Status         flow.Status  `json:"status,omitzero"`
	LastError      string       `json:"lastError"`
	DeadLetteredAt flow.Instant `json:"deadLetteredAt"`
}

// sample is what a script gets of the chosen: runs, or dead letters with the
// status of their runs, none when a run was removed.
func sample(verb string, runs []flow.Run) any {
	if verb != "redrive" {
		return append([]flow.Run{}, runs...)
	}
	letters := make([]deadSample, len(runs))
	for i, r := range runs {
		letters[i] = deadSample{r.Ref, r.Type, r.Status, r.Reason, r.ClosedAt}
	}
	return letters
}

// things is a number of what a verb is done to.
func things(verb string, n int64) string {
	what := "run"
	if verb == "redrive" {
		what = "dead letter"
	}
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
