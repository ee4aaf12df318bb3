package pebble

import (
	"bytes"
	"errors"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

// judge decides one request: refused, answered at once when that rests on
// durable rows alone, or taken into the group.
func (c *committer) judge(r *request) {
	b := r.batch
	fresh := false // whether a row of this very group was looked at
	for i := range b.Conditions {
		holds, touched, err := c.holds(&b.Conditions[i])
		switch {
		case err != nil:
			r.settle(store.Result{}, translate(err))
			return
		case !holds && touched:
			c.land(r, false)
			return
		case !holds:
			r.settle(store.Result{Group: c.durable}, nil)
			return
		}
		fresh = fresh || touched
	}
	if len(b.Writes)+len(b.Adds) == 0 && !fresh {
		r.settle(store.Result{Applied: true, Group: c.durable}, nil)
		return
	}
	if err := c.checkSums(b.Adds); err != nil {
		r.settle(store.Result{}, translate(err))
		return
	}
	c.apply(b)
	c.dirty = c.dirty || len(b.Writes)+len(b.Adds) > 0
	c.land(r, true)
}

func (c *committer) land(r *request, applied bool) {
	c.landing = append(c.landing, landing{r, applied})
}

// holds judges one condition. touched says that it was judged against a row of
// the group being built, which is not durable yet.
func (c *committer) holds(cond *store.Condition) (holds, touched bool, err error) {
	row, known := c.recent.find(cond.Key)
	if known && !row.big {
		return same(row.value, cond.Want), row.group == c.recent.group, nil
	}
	if !known && cond.At != 0 && cond.At >= c.recent.first && cond.At <= c.durable {
		return true, false, nil
	}
	value, closer, err := c.db.Get(cond.Key)
	if errors.Is(err, pebble.ErrNotFound) {
		c.recent.learn(cond.Key, nil)
		return cond.Want == nil, false, nil
	}
	if err != nil {
		return false, false, err
	}
	if !known { // a big row is known not to be worth it
		c.recent.learn(cond.Key, value)
	}
	holds = cond.Want != nil && bytes.Equal(value, cond.Want)
	return holds, false, closer.Close()
}

// same compares values, where nil is no row and differs from an empty one.
func same(have, want []byte) bool {
	return (have == nil) == (want == nil) && bytes.Equal(have, want)
}

// apply writes b into the group. Pebble's batch methods fail only on a batch
// that is closed.
func (c *committer) apply(b *store.Batch) {
	for i := range b.Writes {
		w := &b.Writes[i]
		switch w.Op {
		case store.OpPut:
			value := w.Value
			if value == nil {
				value = []byte{}
			}
			_ = c.batch.Set(w.Key, value, nil)
			c.recent.put(w.Key, value, false)
		case store.OpDelete:
			_ = c.batch.Delete(w.Key, nil)
			c.recent.put(w.Key, nil, false)
		case store.OpDeleteRange:
			if bytes.Compare(w.Key, w.Value) < 0 {
				_ = c.batch.DeleteRange(w.Key, w.Value, nil)
				c.recent.cut(w.Key, w.Value)
			}
		}
	}
	for i := range b.Adds {
		c.add(&b.Adds[i])
	}
}

// add changes a counter in memory; finish writes it, once per group.
func (c *committer) add(a *store.Add) {
	row, known := c.recent.find(a.Key)
	if !known || !row.sum || row.group != c.recent.group {
		c.sums = append(c.sums, bytes.Clone(a.Key))
	}
	n, _ := c.sum(a.Key) // checkSums has read it
	var value []byte
	if n += a.Delta; n != 0 {
		value = store.EncodeCounter(n)
	}
	c.recent.put(a.Key, value, true)
}

// checkSums makes sure that every counter can be read, before anything of the
// batch is written.
func (c *committer) checkSums(adds []store.Add) error {
	for i := range adds {
		if _, err := c.sum(adds[i].Key); err != nil {
			return err
		}
	}
	return nil
}

func (c *committer) sum(key []byte) (int64, error) {
	if row, known := c.recent.find(key); known && !row.big {
		return store.DecodeCounter(row.value)
	}
	value, closer, err := c.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := store.DecodeCounter(value)
	if cerr := closer.Close(); err == nil {
		err = cerr
	}
	return n, err
}
