package list

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// count is one counter: how many runs of a type, version and status there are.
type count struct {
	row.Count
	n int64
}

// census is all counters. Damaged says why a counter could not be read; a sum
// is then not to be trusted, but the triple exists.
type census struct {
	counts     []count
	owed, dead int64
	damaged    error
}

func readCensus(r store.Reader) (census, error) {
	var c census
	for kv, err := range hot(r, store.Prefix([]byte(row.FamilyCount))) {
		if err != nil {
			return census{}, fmt.Errorf("read counters: %w", err)
		}
		key, ok := row.ParseCount(kv.Key)
		if !ok {
			c.damaged = fmt.Errorf("counter %q: not a counter's key: %w", kv.Key, store.ErrCorrupt)
			continue
		}
		n, err := store.DecodeCounter(kv.Value)
		if err != nil {
			c.damaged = fmt.Errorf("counter %q: %w", kv.Key, err)
		}
		c.counts = append(c.counts, count{key, n})
	}
	if err := c.teardowns(r); err != nil {
		return census{}, fmt.Errorf("read counters: %w", err)
	}
	return c, nil
}

// hot yields the few rows of g, each of which is written with nearly every commit.
// A scan would step over all the old versions in memory, thousands at times, to
// come to the next row; a new one begins right there.
func hot(r store.Reader, g store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		for more := true; more; {
			more = false
			for kv, err := range r.Scan(g) {
				if !yield(kv, err) || err != nil {
					return
				}
				g.From = append(bytes.Clone(kv.Key), 0)
				more = true
				break
			}
		}
	}
}

// teardowns reads how many are owed and how many were given up.
func (c *census) teardowns(r store.Reader) error {
	for _, n := range []struct {
		key []byte
		to  *int64
	}{{row.CountOwed, &c.owed}, {row.CountDead, &c.dead}} {
		value, err := r.Get(n.key)
		if err != nil {
			return err
		}
		if *n.to, err = store.DecodeCounter(value); err != nil {
			c.damaged = fmt.Errorf("counter %q: %w", n.key, err)
		}
	}
	return nil
}

// sum is how many runs there are by status.
func (c census) sum() flow.Counts {
	sum := flow.Counts{Owed: c.owed, Dead: c.dead}
	for _, n := range c.counts {
		sum.Add(n.Status, n.n)
	}
	return sum
}

// choose returns the counters that match.
func (c census) choose(match func(row.Count) bool) []count {
	var chosen []count
	for _, n := range c.counts {
		if match(n.Count) {
			chosen = append(chosen, n)
		}
	}
	return chosen
}

// total is how many runs the counters count.
func total(counts []count) int64 {
	var sum int64
	for _, n := range counts {
		sum += n.n
	}
	return sum
}

// Counts is how many runs there are by status, and how many teardowns are owed
// or were given up. It reads one row for each (type, version, status) and two.
func Counts(r store.Reader) (flow.Counts, error) {
	c, err := readCensus(r)
	if err != nil {
		return flow.Counts{}, err
	}
	return c.sum(), c.damaged
}

// Types lists the registered types and those that only the store knows, by
// name, with the counts of their recorded versions.
func Types(r store.Reader, registered []flow.Type) ([]flow.Type, error) {
	c, err := readCensus(r)
	if err != nil {
		return nil, err
	}
	types := slices.Clone(registered)
	for i := range types {
		types[i].Versions = []flow.VersionCounts{}
	}
	for _, n := range c.counts {
		i := slices.IndexFunc(types, func(t flow.Type) bool { return t.Name == n.Type })
		if i < 0 {
			i = len(types)
			types = append(types, unregistered(n.Type))
		}
		t := &types[i]
		if last := len(t.Versions) - 1; last < 0 || t.Versions[last].Version != n.Version {
			t.Versions = append(t.Versions, flow.VersionCounts{Version: n.Version})
		}
		t.Versions[len(t.Versions)-1].Counts.Add(n.Status, n.n)
	}
	slices.SortFunc(types, func(a, b flow.Type) int { return strings.Compare(a.Name, b.Name) })
	return types, c.damaged
}

func unregistered(name string) flow.Type {
	return flow.Type{Name: name, Versions: []flow.VersionCounts{},
		Signals: []string{}, Queries: []string{}, Updates: []string{}}
}
