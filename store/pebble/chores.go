package pebble

import (
	"fmt"
	"sync/atomic"
	"time"

	"weft/store"
)

// markAfter is how often high-water follows a store that is written.
const markAfter = time.Second

// chores are the slow looks at the disk: free space, size, high-water. They have
// a goroutine of their own because each may hang on a sick disk, and the watch
// must not.
type chores struct {
	store *Store
	want  chan struct{} // one value: look
	stop  chan struct{}
	done  chan struct{}

	size, free atomic.Int64
	full       atomic.Pointer[fullError]
	lookedAt   atomic.Int64 // Unix ns
	marked     store.Group  // what high-water says; chores' and, at the end, Close's
	markedAt   time.Time
}

// fullError says how much is missing.
type fullError struct {
	dir           string
	free, reserve int64
}

func (e *fullError) Error() string {
	return fmt.Sprintf("%v: %s has %d MiB left, %d MiB are kept in reserve", store.ErrFull, e.dir, e.free>>20, e.reserve>>20)
}

func (e *fullError) Unwrap() error { return store.ErrFull }

func newChores(s *Store) *chores {
	c := &chores{store: s, want: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	c.size.Store(-1)
	c.free.Store(-1)
	return c
}

// ask wants a look soon. It never waits.
func (c *chores) ask() {
	select {
	case c.want <- struct{}{}:
	default:
	}
}

// askIfOld asks when the figures are older than a second.
func (c *chores) askIfOld() {
	if time.Since(time.Unix(0, c.lookedAt.Load())) > time.Second {
		c.ask()
	}
}

func (c *chores) run() {
	defer close(c.done)
	for {
		select {
		case <-c.want:
			c.measureFree()
			c.measureSize()
			c.lookedAt.Store(time.Now().UnixNano())
			if !c.store.info.ReadOnly {
				c.mark()
			}
		case <-c.stop:
			return
		}
	}
}

// measureFree compares free space with the reserve.
func (c *chores) measureFree() {
	p := c.store.place
	usage, err := p.fs.GetDiskUsage(p.dir)
	if err != nil {
		c.free.Store(-1)
		c.full.Store(nil)
		return
	}
	free := int64(min(usage.AvailBytes, 1<<62))
	c.free.Store(free)
	if reserve := c.store.opts.MinFree; free < reserve {
		c.full.Store(&fullError{p.dir, free, reserve})
	} else {
		c.full.Store(nil)
	}
}

func (c *chores) measureSize() {
	c.size.Store(int64(c.store.db.Metrics().DiskSpaceUsage()))
}

// refusal says why new work is refused, or nil.
func (c *chores) refusal() error {
	if full := c.full.Load(); full != nil {
		return full
	}
	return nil
}

// hint is what a person looks at first when writes hang.
func (c *chores) hint() string {
	if free := c.free.Load(); free >= 0 {
		return fmt.Sprintf("; %s has %d MiB left", c.store.place.dir, free>>20)
	}
	return ""
}

// mark lets high-water follow, when it is time.
func (c *chores) mark() {
	if time.Since(c.markedAt) >= markAfter {
		c.markNow()
	}
}

// markNow records the newest durable group. A failure costs only how much of a
// silent loss would be noticed.
func (c *chores) markNow() {
	g := store.Group(c.store.durable.Load())
	if g == c.marked {
		return
	}
	c.markedAt = time.Now()
	if c.store.own.still() != nil {
		return // the directory is another one by now: the mark would lie about it
	}
	if err := writeHighWater(c.store.place, c.store.info.ID, g); err != nil {
		c.store.events.add("write high-water: %v", err)
		return
	}
	c.marked = g
}
