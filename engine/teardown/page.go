package teardown

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// pageScan is how many rows one page may look at to find those it shows.
const pageScan = 20_000

// States of an owed teardown as people see it, in flow.Teardown.State.
const (
	StateOwed       = "owed"
	StateRunning    = "running"
	StateStale      = "stale"
	StateHeld       = "held"
	StateUnreadable = "unreadable"
)

// Held reports whether a teardown may not run here. Nil means never.
type Held func(typ, finalizer string) bool

// Teardowns reads one page of what is owed, in the order of ids. Of the filter
// it takes Type, IDPrefix, Contains, Match and Not (id, type, finalizer, error), Held, and
// Created, which means the instant it became owed; it refuses the others. Sort
// is not used. Counts and At are left to the caller.
func Teardowns(r store.Reader, q flow.Query, held Held, now flow.Instant) (flow.Page, error) {
	p, err := newPager(q, 't', row.FamilyClaim, row.ClaimPrefix)
	if err != nil {
		return flow.Page{}, err
	}
	p.count = row.CountOwed
	return p.read(r, func(kv store.Row) bool {
		ref, ok := row.ParseClaim(kv.Key)
		if !ok {
			return false
		}
		t, owedAt := teardownOf(ref, kv.Value, held, now)
		f := q.Filter
		if !p.lets(ref.ID, t.Type, owedAt, t.Finalizer, t.LastError) || f.Held != nil && *f.Held != (t.State == StateHeld) {
			return false
		}
		return p.take(func(page *flow.Page) { page.Teardowns = append(page.Teardowns, t) })
	})
}

func teardownOf(ref flow.Ref, raw []byte, held Held, now flow.Instant) (flow.Teardown, flow.Instant) {
	c, err := row.DecodeClaim(raw)
	if err != nil {
		return flow.Teardown{Ref: ref, State: StateUnreadable, LastError: err.Error()}, 0
	}
	t := flow.Teardown{Ref: ref, Type: c.Type, Finalizer: c.Finalizer, State: StateOwed, Attempts: c.Attempts,
		NextAt: c.Due, ClaimedAt: c.ClaimedAt, StaleAt: c.StaleAt(), LastError: c.LastError, OwedAt: c.OwedAt, Piece: c.Piece, Pieces: c.Pieces}
	switch p := c.Phase(now); {
	case p == flow.ClaimIsFresh:
		t.State = StateRunning
	case held != nil && held(c.Type, c.Finalizer):
		t.State = StateHeld
	case p == flow.ClaimIsStale:
		t.State, t.NextAt = StateStale, c.StaleAt()
	}
	return t, c.OwedAt
}

// Dead reads one page of the dead letters, in the order of ids; however many
// there are, all can be reached. The filter is as in [Teardowns], with Created
// the instant of the letter, and without Held.
func Dead(r store.Reader, q flow.Query) (flow.Page, error) {
	p, err := newPager(q, 'd', row.FamilyDead, row.DeadPrefix)
	if err != nil {
		return flow.Page{}, err
	}
	p.count = row.CountDead
	return p.read(r, func(kv store.Row) bool {
		ref, ok := row.ParseDead(kv.Key)
		if !ok {
			return false
		}
		l, err := row.DecodeLetter(kv.Value)
		if err != nil {
			l = row.Letter{LastError: err.Error()}
		}
		if !p.lets(ref.ID, l.Type, l.At, l.Finalizer, l.LastError) {
			return false
		}
		return p.take(func(page *flow.Page) { page.Dead = append(page.Dead, l.Dead(ref)) })
	})
}

// lets reports whether the filter lets a row through.
func (p *pager) lets(id flow.WorkflowID, typ string, at flow.Instant, more ...string) bool {
	f := &p.q.Filter
	texts := append(more, string(id), typ)
	switch {
	case f.Type != "" && f.Type != typ,
		f.CreatedFrom != 0 && at < f.CreatedFrom,
		f.CreatedTo != 0 && at >= f.CreatedTo,
		!p.patterns.Let(texts...):
		return false
	case f.Contains == "":
		return true
	}
	part := strings.ToLower(f.Contains)
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(strings.ToLower(s), part) })
}

// pager takes one page out of a family.
type pager struct {
	q      flow.Query
	list   byte
	family string
	rng    store.Range
	limit  int
	count  []byte
	page   flow.Page
	key    []byte // of the row looked at
	full   bool
	// whole: every row of the family is one the list shows.
	whole    bool
	patterns flow.Patterns
}

func newPager(q flow.Query, list byte, family string, prefix func(string) []byte) (*pager, error) {
	f := q.Filter
	if len(f.Statuses) > 0 || f.Version != "" || f.Tag != "" || f.Held != nil && list == 'd' {
		return nil, fmt.Errorf("this list filtered by status, version, tag or held: %w", flow.ErrNotOffered)
	}
	patterns, err := f.Patterns()
	if err != nil {
		return nil, err
	}
	p := &pager{q: q, patterns: patterns, list: list, family: family, limit: q.Limit,
		rng: store.Prefix(prefix(f.IDPrefix)), page: flow.Page{Total: -1, Cursors: []string{}}}
	if p.limit <= 0 {
		p.limit = flow.DefaultLimit
	}
	p.limit = min(p.limit, flow.MaxLimit)
	p.rng.Reverse = q.Backward
	p.whole = !patterns.Any() && f.Type == "" && f.IDPrefix == "" && f.Contains == "" && f.Held == nil && f.CreatedFrom == 0 && f.CreatedTo == 0
	return p, p.after(q.After)
}

// after narrows the range to what lies behind a cursor.
func (p *pager) after(cursor string) error {
	if cursor == "" {
		return nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) == 0 {
		return &flow.NameError{What: "cursor", Value: cursor, Problem: "is not one this program gave"}
	}
	if b[0] != p.list {
		return &flow.NameError{What: "cursor", Value: cursor, Problem: "belongs to another list or order"}
	}
	key := append([]byte(p.family), b[1:]...)
	if p.q.Backward {
		if bytes.Compare(key, p.rng.To) < 0 {
			p.rng.To = key
		}
	} else if bytes.Compare(key, p.rng.From) >= 0 {
		p.rng.From = append(key, 0)
	}
	return nil
}

func (p *pager) cursor(key []byte) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{p.list}, key[len(p.family):]...))
}

// read walks the family until the page is full or enough rows were looked at;
// look offers a row to take and reports whether it matched.
func (p *pager) read(r store.Reader, look func(store.Row) bool) (flow.Page, error) {
	for kv, err := range r.Scan(p.rng) {
		if err != nil {
			return flow.Page{}, err
		}
		p.page.Scanned++
		p.key = kv.Key
		if look(kv) {
			p.page.AtLeast++
		}
		if p.full {
			break
		}
		if !p.whole && p.page.Scanned == pageScan {
			p.full, p.page.More, p.page.Next = true, true, p.cursor(kv.Key)
			break
		}
	}
	return p.page, p.total(r)
}

// take puts a row on the page. One more than the page holds ends the walk.
func (p *pager) take(put func(*flow.Page)) bool {
	if n := len(p.page.Cursors); n == p.limit {
		p.full, p.page.More, p.page.Next = true, true, p.page.Cursors[n-1]
		return true
	}
	put(&p.page)
	p.page.Cursors = append(p.page.Cursors, p.cursor(p.key))
	return true
}

// total is exact when the counter tells it or the walk saw everything.
func (p *pager) total(r store.Reader) error {
	switch {
	case p.whole:
		n, err := counter(r, p.count)
		if err != nil {
			return err
		}
		p.page.Total, p.page.AtLeast = n, n
	case !p.full && p.q.After == "":
		p.page.Total = p.page.AtLeast
	}
	return nil
}

// OwedSince is since when the oldest owed teardown is owed, 0 when there is none.
// It reads all claims, and passes over those that it cannot read.
func OwedSince(r store.Reader) (since flow.Instant, err error) {
	for kv, err := range r.Scan(store.Prefix([]byte(row.FamilyClaim))) {
		if err != nil {
			return 0, err
		}
		c, err := row.DecodeClaim(kv.Value)
		if err == nil && (since == 0 || c.OwedAt < since) {
			since = c.OwedAt
		}
	}
	return since, nil
}

// Owed lists the runs of a workflow whose teardown is owed, oldest first.
func Owed(r store.Reader, id flow.WorkflowID) ([]flow.Ref, error) {
	return runsOf(r, append(row.ClaimPrefix(string(id)), ':'), row.ParseClaim)
}

// Letters lists the runs of a workflow that have a dead letter, oldest first.
func Letters(r store.Reader, id flow.WorkflowID) ([]flow.Ref, error) {
	return runsOf(r, append(row.DeadPrefix(string(id)), ':'), row.ParseDead)
}

func runsOf(r store.Reader, prefix []byte, parse func([]byte) (flow.Ref, bool)) ([]flow.Ref, error) {
	var refs []flow.Ref
	for kv, err := range r.Scan(store.Prefix(prefix)) {
		if err != nil {
			return nil, err
		}
		if ref, ok := parse(kv.Key); ok {
			refs = append(refs, ref)
		}
	}
	return refs, nil
}
