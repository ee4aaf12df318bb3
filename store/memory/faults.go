package memory

import (
	"errors"
	"fmt"
	"time"

	"weft/store"
)

// Moment says when an injected failure strikes.
type Moment uint8

const (
	// Before: the batch is not applied. The caller cannot know that.
	Before Moment = iota + 1
	// After: the batch is applied and durable, yet the caller gets an error.
	After
)

// errInjected is what a failing commit answers.
var errInjected = fmt.Errorf("injected fault: %w", store.ErrFailed)

// faults is what tests have ordered. Store.mu guards it.
type faults struct {
	failIn int // commits until one fails; 0 when none will
	moment Moment
	delay  time.Duration
	held   chan struct{} // closed when commits may go on; nil when they may
	hook   func(*store.Batch) error
	refuse error
}

// FailCommit makes the n-th commit from now fail (1 is the next). From then on
// every commit answers [store.ErrFailed]; reads go on.
func (s *Store) FailCommit(n int, when Moment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.failIn, s.faults.moment = n, when
}

// Hold makes commits wait, before they are judged, until release is called.
func (s *Store) Hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := make(chan struct{})
	s.faults.held = held
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.faults.held == held {
			s.faults.held = nil
			close(held)
		}
	}
}

// SetDelay makes every commit take d.
func (s *Store) SetDelay(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.delay = d
}

// SetHook calls hook before each commit is judged, in the caller's goroutine
// and with nothing locked: it may read and commit. An error of the hook is
// answered and nothing is changed. Nil removes the hook.
func (s *Store) SetHook(hook func(*store.Batch) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.hook = hook
}

// Refuse makes commits that are not urgent answer err, usually
// [store.ErrFull] or [store.ErrStalled]. Nil lets them pass again.
func (s *Store) Refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.refuse = err
}

// Fail makes the store fail at this instant, as a background error would.
func (s *Store) Fail(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill(fmt.Errorf("%w: %w", store.ErrFailed, cause))
}

// Crash ends the process that holds s, so to speak, and opens the data anew.
// Commits under way are lost unless they are already applied. What still uses
// s gets [store.ErrFailed] from commits and [store.ErrClosed] from reads.
func (s *Store) Crash() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill(fmt.Errorf("%w: the process crashed", store.ErrFailed))
	s.closed = true
	return open(s.opts, s.info.ID, s.rows.Clone(), s.group)
}

// beforeCommit answers the refusals that come before the batch is taken up.
func (s *Store) beforeCommit(b *store.Batch) error {
	s.mu.RLock()
	err, refuse, hook := s.err, s.faults.refuse, s.faults.hook
	s.mu.RUnlock()
	switch {
	case err != nil:
		return err
	case s.opts.ReadOnly:
		return store.ErrReadOnly
	case refuse != nil && !b.Urgent:
		return refuse
	case hook != nil:
		return hook(b)
	}
	return nil
}

// takeFault tells the commit that has the turn what shall happen to it.
func (s *Store) takeFault() (Moment, time.Duration, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.faults
	var moment Moment
	if f.failIn > 0 {
		if f.failIn--; f.failIn == 0 {
			moment = f.moment
		}
	}
	held := f.held
	if held == nil {
		held = make(chan struct{})
		close(held)
	}
	return moment, f.delay, held
}

func stateOf(refusal error) store.State {
	if errors.Is(refusal, store.ErrFull) {
		return store.Full
	}
	return store.Stalled
}
