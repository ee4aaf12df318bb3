package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"weft/flow"
	"weft/tui"
)

// window are the flags that say which rows of a list are wanted.
type window struct {
	limit int
	all   bool
	after string
}

func (w *window) flags(f *pflag.FlagSet) {
	f.IntVar(&w.limit, "limit", flow.DefaultLimit, "the most rows")
	f.BoolVar(&w.all, "all", false, "all rows, however many")
	f.StringVar(&w.after, "after", "", "go on behind this `cursor`")
}

func (w *window) check() error {
	if w.limit < 1 {
		return usage("--limit %d: at least 1, or --all", w.limit)
	}
	return nil
}

// listing is the part of a list that was read.
type listing[T any] struct {
	rows []T
	// next is the cursor behind the last row; "" when there are no more.
	next string
	page flow.Page // the last one read
}

// read reads the rows of w, page by page.
func read[T any](ctx context.Context, c tui.Console, q flow.Query, w window, rows func(flow.Page) []T) (listing[T], error) {
	l := listing[T]{rows: []T{}}
	q.After = w.after
	for {
		q.Limit = flow.MaxLimit
		if !w.all {
			q.Limit = min(q.Limit, w.limit-len(l.rows))
		}
		page, err := c.Page(ctx, q)
		if err != nil {
			return l, err
		}
		got := rows(page)
		l.rows, l.page, l.next = append(l.rows, got...), page, ""
		if l.next = behind(page); l.next == "" {
			return l, nil
		}
		if !w.all && (len(l.rows) >= w.limit || len(got) < q.Limit) {
			return l, nil // all that is wanted, or all that one scan budget finds
		}
		q.After = l.next
	}
}

// behind is the cursor to go on with behind a page; "" at the end. A page may be
// short, or empty, because its scan budget ended.
func behind(page flow.Page) string {
	switch {
	case !page.More:
		return ""
	case page.Next != "" || len(page.Cursors) == 0:
		return page.Next
	}
	return page.Cursors[len(page.Cursors)-1]
}

// extent is what a script gets beside the rows of a list.
type extent struct {
	// Total is how many rows the filter chooses, -1 when not known exactly;
	// then it is at least AtLeast.
	Total   int64 `json:"total"`
	AtLeast int64 `json:"atLeast"`
	// Next is given to --after to go on; "" at the end.
	Next string       `json:"next"`
	At   flow.Instant `json:"at"`
}

func (l listing[T]) extent() extent {
	return extent{Total: l.page.Total, AtLeast: l.page.AtLeast, Next: l.next, At: l.page.At}
}

// rest says that there are more rows, for people; "" at the end.
func (l listing[T]) rest() string {
	switch {
	case l.next == "":
		return ""
	case l.page.Total >= 0:
		return fmt.Sprintf("%d of %d rows; go on with --after %s", len(l.rows), l.page.Total, l.next)
	}
	return fmt.Sprintf("%d of at least %d rows; go on with --after %s", len(l.rows), l.page.AtLeast, l.next)
}
