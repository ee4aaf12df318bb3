package memory

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"weft/store"

	"github.com/RaduBerinde/btreemap"
)

// Options configures a [Store]. The zero value is right for most tests.
type Options struct {
	// Exclusive is what [store.Info] promises. False lets two engines share
	// one open store and wait for each other's lease.
	Exclusive bool
	// ReadOnly makes every Commit answer [store.ErrReadOnly].
	ReadOnly bool
}

// tree holds the rows. Its nodes are copied on write, so a clone is a snapshot.
type tree = btreemap.BTreeMap[[]byte, []byte]

// Store is an open store. Make one with [New].
type Store struct {
	info store.Info
	opts Options

	// turn is taken by whoever judges and applies a batch. A channel, not a
	// mutex, so that a bubble's clock goes on while a commit is held.
	turn chan struct{}
	// dead is closed when the store can never commit again.
	dead chan struct{}

	mu     sync.RWMutex // guards what follows; never held over a wait
	rows   *tree
	group  store.Group
	err    error // why commits are refused; nil when they are not
	closed bool  // reads are refused, too
	syncs  uint64
	faults faults
}

// New returns an empty store.
func New(opts Options) *Store { return open(opts, randomName(), newTree(), 0) }

func open(opts Options, id string, rows *tree, group store.Group) *Store {
	return &Store{
		info: store.Info{
			Kind: "memory", Name: "memory", ID: id, Instance: randomName(),
			Exclusive: opts.Exclusive, ReadOnly: opts.ReadOnly,
		},
		opts: opts, turn: make(chan struct{}, 1), dead: make(chan struct{}),
		rows: rows, group: group,
	}
}

func newTree() *tree { return btreemap.New[[]byte, []byte](32, bytes.Compare) }

func randomName() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Info implements [store.Store].
func (s *Store) Info() store.Info { return s.info }

// Health implements [store.Store].
func (s *Store) Health() store.Health {
	s.mu.RLock()
	defer s.mu.RUnlock()
	h := store.Health{
		State: store.Healthy, Group: s.group, Syncs: s.syncs, Batches: s.syncs,
		Size: -1, Free: -1,
	}
	h.Err = s.err
	switch {
	case s.closed:
		h.State, h.Err = store.Closed, store.ErrClosed
	case s.err != nil:
		h.State = store.Failed
	case s.faults.refuse != nil:
		h.State, h.Err = stateOf(s.faults.refuse), s.faults.refuse
	}
	return h
}

// Close implements [store.Store]. Snapshots taken before it stay readable.
func (s *Store) Close() error {
	select {
	case s.turn <- struct{}{}: // no commit is under way now
		defer func() { <-s.turn }()
	case <-s.dead:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.kill(store.ErrClosed)
	return nil
}

// Reopen opens the data of a closed store again: same ID, new Instance.
func (s *Store) Reopen() (*Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		return nil, fmt.Errorf("reopen a store that is open: %w", store.ErrLocked)
	}
	return open(s.opts, s.info.ID, s.rows.Clone(), s.group), nil
}

// kill refuses commits from now on with err, unless they already are.
func (s *Store) kill(err error) {
	if s.err == nil {
		s.err = err
		close(s.dead)
	}
}

// pause waits for d, or until the store is dead.
func (s *Store) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.dead:
	}
}
