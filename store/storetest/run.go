package storetest

import (
	"context"
	"testing"

	"weft/store"
)

// Subject is one fresh store under test and what can be done to it.
type Subject struct {
	// Open opens the data. The suite closes what it opened before it opens
	// again.
	Open func() (store.Store, error)
	// Fail makes the next write of s fail; nil when that cannot be arranged.
	Fail func(s store.Store)
	// Crash loses power and returns the store opened again on what survived.
	// Nil when that cannot be arranged.
	Crash func(s store.Store) (store.Store, error)
}

// Opener makes a fresh, empty Subject.
type Opener func(t testing.TB) Subject

// Run runs the whole suite.
func Run(t *testing.T, opener Opener) {
	groups := map[string]map[string]func(*testing.T, *kit){
		"read":      reading,
		"write":     writing,
		"condition": conditions,
		"counter":   counters,
		"snapshot":  snapshots,
		"contend":   contention,
		"refuse":    refusals,
		"life":      life,
	}
	for group, cases := range groups {
		for name, test := range cases {
			t.Run(group+"/"+name, func(t *testing.T) {
				test(t, newKit(t, opener))
			})
		}
	}
	t.Run("model", func(t *testing.T) { runModel(t, opener) })
}

// kit is an open store with shorthands that fail the test.
type kit struct {
	t testing.TB
	Subject
	s store.Store
}

func newKit(t testing.TB, opener Opener) *kit {
	t.Helper()
	k := &kit{t: t, Subject: opener(t)}
	k.open()
	t.Cleanup(func() { _ = k.s.Close() })
	return k
}

func (k *kit) open() {
	k.t.Helper()
	s, err := k.Open()
	if err != nil {
		k.t.Fatalf("open: %v", err)
	}
	k.s = s
}

// reopen closes the store and opens it again.
func (k *kit) reopen() {
	k.t.Helper()
	if err := k.s.Close(); err != nil {
		k.t.Fatalf("close: %v", err)
	}
	k.open()
}

// batch builds a batch in one expression.
func batch(build func(b *store.Batch)) *store.Batch {
	b := new(store.Batch)
	build(b)
	return b
}

// commit must answer without an error.
func (k *kit) commit(build func(b *store.Batch)) store.Result {
	k.t.Helper()
	res, err := k.s.Commit(context.Background(), batch(build))
	if err != nil {
		k.t.Fatalf("commit: %v", err)
	}
	return res
}

// apply must be applied.
func (k *kit) apply(build func(b *store.Batch)) store.Group {
	k.t.Helper()
	res := k.commit(build)
	if !res.Applied {
		k.t.Fatalf("batch was refused, want applied")
	}
	return res.Group
}

// put applies key, value, key, value, ...
func (k *kit) put(pairs ...string) store.Group {
	k.t.Helper()
	return k.apply(func(b *store.Batch) {
		for i := 0; i+1 < len(pairs); i += 2 {
			b.Put([]byte(pairs[i]), []byte(pairs[i+1]))
		}
	})
}

// get returns what r says of key; "<none>" when there is no row.
func get(t testing.TB, r store.Reader, key string) string {
	t.Helper()
	v, err := r.Get([]byte(key))
	if err != nil {
		t.Fatalf("get %q: %v", key, err)
	}
	if v == nil {
		return "<none>"
	}
	return string(v)
}

// scan lists "key=value" of the rows in r.
func scan(t testing.TB, r store.Reader, rng store.Range) []string {
	t.Helper()
	var rows []string
	for row, err := range r.Scan(rng) {
		if err != nil {
			t.Fatalf("scan %q to %q: %v", rng.From, rng.To, err)
		}
		rows = append(rows, string(row.Key)+"="+string(row.Value))
	}
	return rows
}

func (k *kit) wantGet(key, want string) {
	k.t.Helper()
	if got := get(k.t, k.s, key); got != want {
		k.t.Errorf("get %q: got %q, want %q", key, got, want)
	}
}

func (k *kit) wantScan(rng store.Range, want ...string) {
	k.t.Helper()
	wantRows(k.t, scan(k.t, k.s, rng), want)
}

func wantRows(t testing.TB, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("rows: got %q, want %q", got, want)
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("row %d: got %q, want %q", i, got[i], want[i])
		}
	}
}
