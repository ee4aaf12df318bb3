package pebble

import (
	"errors"
	"fmt"
	"time"

	"weft/store"
)

// errLeft is what Close answers when the database could not be closed in time.
var errLeft = errors.New("left open, its directory stays locked until this process ends")

// Close implements [store.Store]. A store that has failed or stalled is closed
// in the background and frees its directory when that ends, if it ever does.
func (s *Store) Close() error {
	s.shut.Do(func() { s.closeErr = s.close() })
	return s.closeErr
}

func (s *Store) close() error {
	s.queue.close()
	sick := s.settleCommits()
	s.closed.Store(true)
	out := s.views.close()
	if sick == nil {
		sick = s.await(out, "readers are still at work")
	}
	s.stopHelpers()
	if sick != nil {
		go s.abandon(out)
		return fmt.Errorf("close %s: %w; %w", s.place.dir, sick, errLeft)
	}
	return s.closeDB()
}

// settleCommits waits until what was under way is answered. It returns why the
// store is sick, if it is.
func (s *Store) settleCommits() error {
	if s.committer == nil {
		return nil
	}
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	begin := time.Now()
	for {
		select {
		case <-s.committer.done:
			_, _, failed := s.queue.status()
			return failed
		case <-s.queue.sick:
			_, _, failed := s.queue.status()
			return failed
		case <-poll.C:
			_, stalled, _ := s.queue.status()
			if stalled == nil && time.Since(begin) > s.opts.Patience.Close {
				stalled = fmt.Errorf("%w: a write did not end within %v", store.ErrStalled, s.opts.Patience.Close)
			}
			if stalled != nil {
				s.queue.fail(stalled, true)
				return stalled
			}
		}
	}
}

// await waits for done within our patience.
func (s *Store) await(done <-chan struct{}, otherwise string) error {
	t := time.NewTimer(s.opts.Patience.Close)
	defer t.Stop()
	select {
	case <-done:
		return nil
	case <-t.C:
		return fmt.Errorf("%w: %s after %v", store.ErrStalled, otherwise, s.opts.Patience.Close)
	}
}

// stopHelpers ends watch and chores. Chores may hang on the disk; then it ends
// when the disk lets it.
func (s *Store) stopHelpers() {
	if s.watch != nil {
		close(s.watch.stop)
		<-s.watch.done
	}
	close(s.chores.stop)
	_ = s.await(s.chores.done, "")
}

// closeDB closes a healthy database and lets go of the directory.
func (s *Store) closeDB() error {
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		err = s.finish()
	}()
	if late := s.await(done, "closing has not ended"); late != nil {
		return fmt.Errorf("close %s: %w; %w", s.place.dir, late, errLeft)
	}
	if err != nil {
		return fmt.Errorf("close %s: %w", s.place.dir, translate(err))
	}
	return nil
}

// finish writes what the next opening is glad of, closes and unlocks.
func (s *Store) finish() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store panicked: %v", p) // and keeps the lock
			return
		}
		s.own.release()
	}()
	if lost := s.own.still(); lost != nil && !s.info.ReadOnly {
		// Files are made by path: what is there now belongs to somebody else.
		return errors.Join(lost, s.db.Close())
	}
	if !s.info.ReadOnly {
		s.chores.markNow()
		if s.chores.refusal() == nil { // a flush that does not fit never ends
			err = s.db.Flush()
		}
	}
	return errors.Join(err, s.db.Close())
}

// abandon closes a sick store, however long that takes.
func (s *Store) abandon(out <-chan struct{}) {
	<-out
	if s.committer != nil {
		<-s.committer.done // closing under a write would panic
	}
	defer func() { _ = recover() }() // then the lock is kept
	_ = s.db.Close()
	s.own.release()
}
