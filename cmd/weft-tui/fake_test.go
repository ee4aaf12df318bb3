package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/flow"
	"weft/tui"
)

// fake is a console over fixed values. Cursors are row numbers.
type fake struct {
	page    flow.Page // all rows of each list
	detail  flow.Detail
	info    flow.Info
	notices []flow.Notice
	err     error // of every call but Close
	closing error // of Close
	// watched, when set, is called once a watcher waits for more notices; the
	// channel then stays open until its context ends.
	watched func()

	// budget, when set, is how many rows a page looks at; every third suits.
	budget int
	// previews are how many runs each look at a bulk act finds, one after the
	// other; results is what became of them.
	previews []int64
	results  []flow.BulkResult

	queries []flow.Query
	acts    []flow.Act
	asks    []flow.Ask
	bulks   []flow.Bulk
	closed  int
}

var _ tui.Console = (*fake)(nil)

func (f *fake) Info(context.Context) (flow.Info, error) { return f.info, f.err }

func (f *fake) Page(_ context.Context, q flow.Query) (flow.Page, error) {
	f.queries = append(f.queries, q)
	if f.err != nil {
		return flow.Page{}, f.err
	}
	only := flow.Page{At: f.page.At}
	switch q.Of {
	case flow.ListTypes:
		only.Types = f.page.Types
		return only, nil
	case flow.ListAudit:
		only.Audit = f.page.Audit
		return only, nil
	case flow.ListTeardowns:
		only.Teardowns, only.Cursors = f.page.Teardowns, make([]string, len(f.page.Teardowns))
		return only, nil
	case flow.ListDead:
		only.Dead, only.Cursors = f.page.Dead, make([]string, len(f.page.Dead))
		return only, nil
	case flow.ListFeed:
		only.Feed = f.page.Feed
		return only, nil
	}
	if f.budget > 0 {
		return f.scan(q), nil
	}
	from, _ := strconv.Atoi(q.After)
	to := min(from+q.Limit, len(f.page.Runs))
	page := flow.Page{Runs: f.page.Runs[from:to], More: to < len(f.page.Runs), Total: int64(len(f.page.Runs)), At: noon}
	for i := from; i < to; i++ {
		page.Cursors = append(page.Cursors, strconv.Itoa(i+1))
	}
	return page, nil
}

// scan is a page of a list with a scan budget: it may be short or empty and yet
// not the last.
func (f *fake) scan(q flow.Query) flow.Page {
	from, _ := strconv.Atoi(q.After)
	to := min(from+f.budget, len(f.page.Runs))
	page := flow.Page{Total: -1, At: noon}
	for i := from; i < to; i++ {
		if i%3 == 2 {
			page.Runs, page.Cursors = append(page.Runs, f.page.Runs[i]), append(page.Cursors, strconv.Itoa(i+1))
		}
	}
	if page.More = to < len(f.page.Runs); page.More {
		page.Next = strconv.Itoa(to)
	}
	return page
}

func (f *fake) Detail(_ context.Context, ref flow.Ref, _ flow.Part) (flow.Detail, error) {
	if f.err == nil && f.detail.Run.ID != ref.ID {
		return flow.Detail{}, &flow.NotFoundError{What: "workflow", Name: string(ref.ID)}
	}
	return f.detail, f.err
}

func (f *fake) Ask(_ context.Context, q flow.Ask) (flow.Answer, error) {
	f.asks = append(f.asks, q)
	return flow.Answer{Payload: flow.Payload(`{"got": 3544790567247868102}`), At: noon}, f.err
}

func (f *fake) Do(_ context.Context, act flow.Act) (flow.Receipt, error) {
	if f.err != nil {
		return flow.Receipt{}, f.err
	}
	f.acts = append(f.acts, act)
	if _, ok := act.Deed.(flow.BulkAct); ok {
		return flow.Receipt{Results: f.results, Text: "some done", At: noon}, nil
	}
	if d, ok := act.Deed.(flow.CallUpdate); ok {
		return flow.Receipt{Ref: flow.Ref{ID: "order-1", Run: run1}, Audit: 7, Text: "update " + d.Name, At: noon,
			UpdateID: d.UpdateID, Output: flow.Payload(`{"paid": 3544790567247868102}`)}, nil
	}
	return flow.Receipt{Ref: flow.Ref{ID: "order-1", Run: run1}, Audit: 7, Text: act.Deed.Verb() + " done", At: noon}, nil
}

func (f *fake) Preview(_ context.Context, bulk flow.Bulk) (flow.Preview, error) {
	f.bulks = append(f.bulks, bulk)
	n := f.previews[min(len(f.bulks), len(f.previews))-1]
	return flow.Preview{Count: n, Sample: f.page.Runs[:min(n, int64(len(f.page.Runs)))], Token: fmt.Sprint("token-", len(f.bulks))}, f.err
}

func (f *fake) News(ctx context.Context, from uint64, _ int) (flow.News, error) {
	const next = 10 // behind them all
	switch {
	case f.err != nil:
		return flow.News{}, f.err
	case from < next:
		return flow.News{Notices: f.notices, Next: next}, nil
	case f.watched == nil:
		return flow.News{Next: next}, flow.ErrClosed
	}
	f.watched()
	<-ctx.Done()
	return flow.News{Next: next}, ctx.Err()
}

func (f *fake) Close(context.Context) error {
	f.closed++
	return f.closing
}

const run1 = "01JQ8Z5V4X2Y7K9M3N6P8R0S1T"

var noon = flow.InstantOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))

// ran is what one invocation did.
type ran struct {
	code     int
	out, err string
	opened   []want
	shown    []want
}

func (r ran) String() string {
	return fmt.Sprintf("exit %d\nstdout:\n%s\nstderr:\n%s\nopened: %+v", r.code, r.out, r.err, r.opened)
}

// invoke runs the program on f, without a terminal.
func invoke(t *testing.T, f *fake, args ...string) ran {
	t.Helper()
	return invokeOn(t, f, false, args...)
}

func invokeOn(t *testing.T, f *fake, terminal bool, args ...string) ran {
	t.Helper()
	var r ran
	var out, err bytes.Buffer
	p := &program{in: strings.NewReader(`{"from":"stdin"}`), out: &out, err: &err,
		terminal: func() bool { return terminal },
		open: func(_ context.Context, w want) (tui.Console, error) {
			r.opened = append(r.opened, w)
			return f, nil
		},
		screen: func(_ context.Context, w want, _ tui.Options) error {
			r.shown = append(r.shown, w)
			return nil
		},
	}
	r.code = p.run(args)
	r.out, r.err = out.String(), err.String()
	return r
}
