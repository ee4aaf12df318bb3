package pebble

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

// Store is an open store. Make one with [Open].
type Store struct {
	info    store.Info
	opts    Options
	place   place
	db      *pebble.DB
	own     ownership
	events  *events
	alarm   *alarm
	views   views
	stats   stats
	durable atomic.Uint64 // the newest durable group
	queue   *queue
	// The goroutines; Look mode has chores only.
	committer *committer
	watch     *watch
	chores    *chores

	closed   atomic.Bool
	shut     sync.Once
	closeErr error
}

// start makes the opened database serve.
func (s *Store) start(t trail, marked store.Group) {
	s.queue = newQueue()
	s.chores = newChores(s)
	s.durable.Store(uint64(t.last))
	s.views.moves = &s.alarm.moves
	s.views.show(s.db.NewSnapshot(), t.last)
	s.alarm.onFatal(func(err error) { s.queue.fail(err, false) })
	s.chores.measureFree()
	s.chores.measureSize()
	s.chores.marked, s.chores.markedAt = marked, time.Now()
	go s.chores.run()
	if s.info.ReadOnly {
		return
	}
	s.watch = newWatch(s)
	s.committer = &committer{
		db: s.db, queue: s.queue, views: &s.views, stats: &s.stats, shown: &s.durable,
		recent: newRecent(t.last), awake: s.watch.rouse, still: s.own.still, durable: t.last, done: make(chan struct{}),
	}
	go s.committer.run()
	go s.watch.run()
}

// Info implements [store.Store].
func (s *Store) Info() store.Info { return s.info }

// Commit implements [store.Store].
func (s *Store) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	if s.closed.Load() {
		return store.Result{}, store.ErrClosed
	}
	if s.info.ReadOnly {
		return store.Result{}, store.ErrReadOnly
	}
	if err := b.Validate(); err != nil {
		return store.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return store.Result{}, err
	}
	if full := s.chores.refusal(); full != nil && !b.Urgent {
		s.watch.rouse() // somebody may have made room
		return store.Result{}, full
	}
	return s.queue.submit(ctx, b, b.Bytes())
}

// Failed is closed when the store has failed and nothing is written any more.
func (s *Store) Failed() <-chan struct{} { return s.queue.sick }

// StillOwner implements [store.Owner].
func (s *Store) StillOwner() error { return s.own.still() }
