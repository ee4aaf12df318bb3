package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"weft/engine/list"
	"weft/flow"
	"weft/store"
)

// frozen is a list of runs that a preview showed: the act touches exactly these.
type frozen struct {
	verb  string
	items []frozenItem
	until time.Time
}

type frozenItem struct {
	ref    flow.Ref
	status flow.Status
}

// previews are the frozen lists, by token. They are kept in memory: a token
// does not outlive the owner that gave it.
type previews struct {
	mu      sync.Mutex
	byToken map[string]*frozen
}

// maxPreviews bounds the lists kept; the oldest goes.
const maxPreviews = 16

func (p *previews) put(token string, f *frozen, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byToken == nil {
		p.byToken = map[string]*frozen{}
	}
	oldest := ""
	for t, other := range p.byToken {
		if now.After(other.until) {
			delete(p.byToken, t)
		} else if oldest == "" || other.until.Before(p.byToken[oldest].until) {
			oldest = t
		}
	}
	if len(p.byToken) >= maxPreviews {
		delete(p.byToken, oldest)
	}
	p.byToken[token] = f
}

// take removes a list: a token acts once.
func (p *previews) take(token string, now time.Time) (*frozen, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.byToken[token]
	delete(p.byToken, token)
	if f == nil || now.After(f.until) {
		return nil, fmt.Errorf("preview %q is unknown, used or older than %v: %w", token, flow.FrozenFor, flow.ErrConflict)
	}
	return f, nil
}

// bulkVerbs says which statuses a verb makes sense for; a run in another is not
// in the preview.
var bulkVerbs = map[string][]flow.Status{
	"cancel":  {flow.Pending, flow.Running, flow.Suspended},
	"suspend": {flow.Running},
	"resume":  {flow.Suspended},
	"signal":  {flow.Pending, flow.Running, flow.Suspended},
	"purge":   {flow.Completed, flow.Failed, flow.Cancelled, flow.TimedOut},
	"restart": {flow.Failed, flow.Cancelled, flow.TimedOut},
	"tag":     flow.Statuses(),
	"attr":    flow.Statuses(),
	"redrive": nil,
}

const sampleSize = 20

// Preview freezes what a bulk act would touch.
func (p *Operator) Preview(_ context.Context, bulk flow.Bulk) (flow.Preview, error) {
	e := p.eng
	if _, ok := bulkVerbs[bulk.Verb]; !ok {
		return flow.Preview{}, &flow.UnknownError{What: "bulk verb", Name: bulk.Verb,
			Known: []string{"cancel", "suspend", "resume", "signal", "purge", "restart", "tag", "attr", "redrive"}}
	}
	f := &frozen{verb: bulk.Verb, until: e.now().Add(flow.FrozenFor)}
	var sample []flow.Run
	err := p.read(func(s store.Snapshot) error {
		return e.freeze(s, bulk, func(r flow.Run) error {
			if len(f.items) >= flow.MaxBulk {
				return &flow.LimitError{Limit: "runs of a bulk act", Got: len(f.items) + 1, Max: flow.MaxBulk}
			}
			f.items = append(f.items, frozenItem{r.Ref, r.Status})
			if len(sample) < sampleSize {
				sample = append(sample, r)
			}
			return nil
		})
	})
	if err != nil {
		return flow.Preview{}, fmt.Errorf("preview of %s: %w", bulk.Verb, err)
	}
	token := fmt.Sprintf("%s-%d", bulk.Verb, e.arrival())
	e.previews.put(token, f, e.now())
	return flow.Preview{Count: int64(len(f.items)), Sample: sample, Token: token, Until: flow.InstantOf(f.until)}, nil
}

// freeze calls add for every run that the bulk chooses, from one snapshot.
func (e *Engine) freeze(s store.Snapshot, bulk flow.Bulk, add func(flow.Run) error) error {
	if bulk.Verb == "redrive" {
		return e.freezeDead(s, bulk, add)
	}
	if len(bulk.Only) > 0 {
		return freezeOnly(s, bulk, add)
	}
	q := flow.Query{Of: flow.ListRuns, Filter: bulk.Filter, Limit: flow.MaxLimit}
	if len(q.Filter.Statuses) == 0 {
		q.Filter.Statuses = bulkVerbs[bulk.Verb]
	}
	for {
		page, err := list.Runs(s, q, e.types.held)
		if err != nil {
			return err
		}
		for _, r := range page.Runs {
			if suits(bulk.Verb, r.Status) {
				if err := add(r); err != nil {
					return err
				}
			}
		}
		if !page.More {
			return nil
		}
		if q.After = page.Next; q.After == "" {
			q.After = page.Cursors[len(page.Cursors)-1]
		}
	}
}

func suits(verb string, status flow.Status) bool {
	for _, s := range bulkVerbs[verb] {
		if s == status {
			return true
		}
	}
	return false
}

func freezeOnly(s store.Snapshot, bulk flow.Bulk, add func(flow.Run) error) error {
	for _, ref := range bulk.Only {
		head, g, err := headIn(s, ref.ID)
		if err != nil {
			return err
		}
		if g.raw == nil || head.Run != ref.Run || !suits(bulk.Verb, head.Status) {
			continue // it has changed since it was marked: not part of the act
		}
		if err := add(list.Describe(s, head, ref)); err != nil {
			return err
		}
	}
	return nil
}

// doBulk does to exactly the frozen runs what was previewed, one batch and one
// audit record each, and reports each. What has changed meanwhile is skipped.
func (e *Engine) doBulk(ctx context.Context, act flow.Act, d flow.BulkAct) (flow.Receipt, error) {
	f, err := e.previews.take(d.Token, e.now())
	if err != nil {
		return flow.Receipt{}, err
	}
	results := make([]flow.BulkResult, len(f.items))
	work := make(chan int)
	var wg sync.WaitGroup
	for range bulkWorkers {
		wg.Go(func() {
			for i := range work {
				results[i] = e.bulkItem(ctx, act, d, f.verb, f.items[i])
			}
		})
	}
	for i := range f.items {
		work <- i
	}
	close(work)
	wg.Wait()
	var n [3]int
	for _, r := range results {
		switch r.Outcome {
		case flow.BulkDone:
			n[0]++
		case flow.BulkSkipped:
			n[1]++
		default:
			n[2]++
		}
	}
	return flow.Receipt{Results: results, Text: fmt.Sprintf("%s: %d done, %d skipped, %d failed", f.verb, n[0], n[1], n[2])}, nil
}

// bulkWorkers is how many runs of a bulk act are done at once: they share
// syncs.
const bulkWorkers = 64

func (e *Engine) bulkItem(ctx context.Context, act flow.Act, d flow.BulkAct, verb string, item frozenItem) flow.BulkResult {
	res := flow.BulkResult{Ref: item.ref}
	if why := e.changedSince(verb, item); why != "" {
		res.Outcome, res.Text = flow.BulkSkipped, why
		return res
	}
	one := flow.Act{Actor: act.Actor, Why: act.Why, Deed: bulkDeed(verb, d, item.ref)}
	var r flow.Receipt
	var err error
	if s, ok := one.Deed.(flow.SendSignal); ok {
		r, err = e.doSignal(ctx, one, s)
	} else {
		r, err = e.doOne(ctx, one)
	}
	res.Audit, res.Text, res.Outcome = r.Audit, r.Text, flow.BulkDone
	if err != nil {
		res.Text, res.Outcome = err.Error(), flow.BulkFailed
		for _, sentinel := range notNow {
			if errors.Is(err, sentinel) {
				res.Outcome = flow.BulkSkipped
			}
		}
	}
	return res
}

// notNow are the refusals by which a run is skipped: what it is, or still owes,
// does not allow the act. Anything else is a failure.
var notNow = []error{flow.ErrConflict, flow.ErrFinished, flow.ErrNotFound, flow.ErrTeardownOwed}

// changedSince says what became of a run since the preview, or "".
func (e *Engine) changedSince(verb string, item frozenItem) string {
	if verb == "redrive" {
		return "" // the redrive itself is conditional on the letter
	}
	head, g, err := e.readHead(item.ref.ID)
	switch {
	case err != nil:
		return err.Error()
	case g.raw == nil:
		return "is gone"
	case head.Run != item.ref.Run:
		return "a new run of this id exists"
	case head.Status != item.status:
		return fmt.Sprintf("was %s, is %s now", item.status, head.Status)
	}
	return ""
}

func bulkDeed(verb string, d flow.BulkAct, ref flow.Ref) flow.Deed {
	switch verb {
	case "cancel":
		return flow.CancelRun{Target: ref, Now: d.Now}
	case "suspend":
		return flow.SuspendRun{Target: ref}
	case "resume":
		return flow.ResumeRun{Target: ref}
	case "signal":
		return flow.SendSignal{Target: ref, Name: d.Signal, Payload: d.Payload}
	case "purge":
		return flow.PurgeRun{Target: ref}
	case "restart":
		return flow.RestartRun{Target: ref}
	case "tag":
		return flow.TagRun{Target: ref, Add: d.Add, Remove: d.Remove}
	case "attr":
		return flow.SetAttributes{Target: ref, Set: d.Set, Remove: d.Remove}
	}
	return flow.Redrive{Target: ref}
}
