package pebble

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

// committer is the one goroutine that writes. It judges the conditions of all
// requests that wait and writes them as one group.
type committer struct {
	db     *pebble.DB
	queue  *queue
	views  *views
	recent *recent
	stats  *stats
	shown  *atomic.Uint64 // durable, for others
	awake  func()         // tells the watch that there is work
	still  func() error   // whether the directory is still ours
	done   chan struct{}

	durable store.Group // the newest synced group
	batch   *pebble.Batch
	group   []*request // of the queue, reused
	sums    [][]byte   // the counters this group changed
	landing []landing  // answered after the sync
	dirty   bool       // the group writes something

	// What the last group has left behind, to be given back while the disk works
	// for the next: a batch that is through, a view that nobody reads.
	spent *pebble.Batch
	old   *view
}

// landing is an answer that waits for the group's sync.
type landing struct {
	req     *request
	applied bool
}

// run serves the queue until it is closed or the store has failed.
func (c *committer) run() {
	defer close(c.done)
	for {
		c.gather()
		group, ok := c.queue.take(c.group[:0])
		if !ok {
			if c.failure() == nil { // else Pebble may keep us for ever
				c.tidy()
			}
			return
		}
		c.group = group
		c.awake()
		if err := c.serve(group); err != nil {
			c.queue.fail(err, false)
			for _, r := range group {
				r.settle(store.Result{}, c.failure())
			}
			return
		}
	}
}

// gather lets the callers that the last group woke come back before the next
// group is taken. Otherwise the first of them gets a sync for itself.
func (c *committer) gather() {
	if len(c.group) < 4 {
		return
	}
	for n, last := 0, -1; n < 8; n++ {
		runtime.Gosched()
		waiting := c.queue.length()
		if waiting >= len(c.group) || waiting == last {
			return
		}
		last = waiting
	}
}

// serve judges, writes and answers one group. An error means that the store has
// failed.
func (c *committer) serve(group []*request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store panicked: %v", p)
		}
	}()
	next := c.durable + 1
	c.recent.begin(next)
	c.batch, c.dirty = c.db.NewBatch(), false
	for _, r := range group {
		c.judge(r)
	}
	if !c.dirty {
		c.queue.land()
		c.answer(c.durable)
		return c.batch.Close()
	}
	if err := c.write(next); err != nil {
		return err
	}
	c.durable = next
	c.recent.end()
	c.queue.land()
	c.answer(next)
	return nil
}

// write makes the group durable and shows it to readers.
func (c *committer) write(next store.Group) error {
	if err := c.finish(next); err != nil {
		return err
	}
	if err := c.queue.write(); err != nil {
		return err
	}
	begin := time.Now()
	// Not Commit(Sync): it reports a failed log as success.
	if err := c.db.ApplyNoSyncWait(c.batch, pebble.Sync); err != nil {
		return err
	}
	// While the disk works: what the last group left, the view of this one,
	// which holds all of it already, and a look whether the directory is still
	// ours. Log files stay writable when theirs is removed or replaced, and we
	// would go on as if anything were saved.
	c.tidy()
	snap := c.db.NewSnapshot()
	owned := c.still()
	if err := c.batch.SyncWait(); err != nil {
		return err
	}
	if owned != nil {
		return owned
	}
	c.stats.synced(time.Since(begin), len(c.landing))
	c.old, c.spent = c.views.show(snap, next), c.batch
	c.shown.Store(uint64(next))
	return nil
}

// tidy gives back what the last group has left behind.
func (c *committer) tidy() {
	if c.old != nil {
		c.old.free() // by the committer, which may wait for Pebble
	}
	if c.spent != nil {
		_ = c.spent.Close() // it only gives back memory
	}
	c.old, c.spent = nil, nil
}

// finish adds what belongs to the group as a whole: counters and the trail.
func (c *committer) finish(next store.Group) error {
	for _, key := range c.sums {
		row, _ := c.recent.find(key)
		if row.value == nil {
			if err := c.batch.Delete(key, nil); err != nil {
				return err
			}
		} else if err := c.batch.Set(key, row.value, nil); err != nil {
			return err
		}
	}
	clear(c.sums)
	c.sums = c.sums[:0]
	return blaze(c.batch, next)
}

// answer settles the requests of the group that were not settled at once.
func (c *committer) answer(g store.Group) {
	for _, l := range c.landing {
		l.req.land(store.Result{Applied: l.applied, Group: g})
	}
	clear(c.landing)
	c.landing = c.landing[:0]
}

func (c *committer) failure() error {
	_, _, failed := c.queue.status()
	return failed
}
