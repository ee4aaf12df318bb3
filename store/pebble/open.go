package pebble

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

// Open opens a store. A refusal is a [*store.OpenError]; it has changed nothing
// unless the store was to be created.
func Open(opts Options) (*Store, error) {
	opts, err := opts.resolve()
	if err != nil {
		return nil, err
	}
	p, err := opts.locate()
	if err != nil {
		return nil, explain(opts.Dir, err)
	}
	s, err := open(opts, p)
	if err != nil {
		return nil, explain(p.dir, err)
	}
	return s, nil
}

func open(opts Options, p place) (*Store, error) {
	what, err := survey(p)
	switch {
	case errors.Is(err, store.ErrHalfMade):
		// Judged again, and removed, under the lock.
		if lost := holdsNothing(p, tune(opts, p, newAlarm(new(events)))); lost != nil || !opts.Create {
			return nil, cmp.Or(lost, err)
		}
	case err != nil:
		return nil, err
	case what == nothing && !opts.Create:
		return nil, store.ErrMissing
	case what == nothing:
		if err := prepareDir(p); err != nil {
			return nil, err
		}
	default: // keep away before anything is touched, the lock included
		f, err := readFormat(p)
		if err != nil {
			return nil, err
		}
		if err := peek(p, f); err != nil {
			return nil, err
		}
	}
	own, err := takeOwnership(p, opts.Mode, opts.Patience.Lock)
	if err != nil {
		return nil, err
	}
	s := &Store{opts: opts, place: p, own: own, events: new(events)}
	s.alarm = newAlarm(s.events)
	if err := s.openLocked(); err != nil {
		if !errors.Is(err, errPending) {
			own.release()
		}
		return nil, err
	}
	return s, nil
}

// errPending means that Pebble is still being opened in the background and that
// the lock stays with it.
var errPending = errors.New("opening has not ended")

// openLocked does what may only be done by the owner, or reader, of the
// directory.
func (s *Store) openLocked() error {
	p, look := s.place, s.opts.Mode == Look
	if err := foreignLock(p); err != nil {
		return err
	}
	if !look {
		if err := checkRoom(p, s.opts.MinFree); err != nil {
			return err
		}
	}
	f, err := s.settleFormat()
	if err != nil {
		return err
	}
	highWater, marked, err := readHighWater(p, f.ID)
	if err != nil && !s.opts.AcceptDataLoss && !look {
		return err
	}
	s.info = store.Info{
		Kind: "pebble", Name: p.dir, ID: f.ID, Instance: randomName(),
		Exclusive: true, Durable: true, ReadOnly: look,
	}
	t, err := s.rehearse(highWater, marked)
	if err != nil || look {
		return err
	}
	if err := announceOwner(s.own, s.opts); err != nil {
		return err
	}
	if s.db, err = s.openPebble(tune(s.opts, p, s.alarm)); err != nil {
		return err
	}
	if t, err = s.settleTrail(t, highWater, marked); err != nil {
		return errors.Join(err, s.db.Close())
	}
	s.start(t, highWater)
	return nil
}

// settleFormat creates the store if need be, and reads FORMAT under the lock.
func (s *Store) settleFormat() (format, error) {
	what, err := survey(s.place)
	po := tune(s.opts, s.place, s.alarm)
	if s.opts.Create && errors.Is(err, store.ErrHalfMade) {
		err = scrap(s.place, po)
	}
	if err == nil && what == nothing {
		if !s.opts.Create {
			return format{}, store.ErrMissing // removed since the first look
		}
		err = create(s.place, po)
	}
	if err != nil {
		return format{}, err
	}
	f, err := readFormat(s.place)
	if err != nil {
		return f, err
	}
	return f, peek(s.place, f)
}

// checkRoom refuses to open for writing what could hang for want of space.
func checkRoom(p place, reserve int64) error {
	usage, err := p.fs.GetDiskUsage(p.dir)
	if err != nil {
		return nil // unknown here
	}
	if free := int64(min(usage.AvailBytes, 1<<62)); free < reserve {
		return &fullError{p.dir, free, reserve}
	}
	return nil
}

// openPebble opens the database within our patience. Pebble's Open never
// returns when a log must be flushed and does not fit.
func (s *Store) openPebble(po *pebble.Options) (*pebble.DB, error) {
	type opened struct {
		db  *pebble.DB
		err error
	}
	result := make(chan opened, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				result <- opened{nil, fmt.Errorf("store panicked: %v: %w", p, store.ErrCorrupt)}
			}
		}()
		db, err := pebble.Open(s.place.db(), po)
		result <- opened{db, err}
	}()
	late := time.NewTimer(s.opts.Patience.Open)
	defer late.Stop()
	select {
	case r := <-result:
		return r.db, openError(r.err)
	case <-s.alarm.fatal:
		return nil, fmt.Errorf("%w: %w (%w)", store.ErrFailed, s.alarm.why, errPending)
	case <-late.C:
		go func() { // the lock is free once Pebble has let go
			if r := <-result; r.err == nil {
				_ = r.db.Close()
			}
			s.own.release()
		}()
		return nil, fmt.Errorf("%w: %w within %v", store.ErrStalled, errPending, s.opts.Patience.Open)
	}
}

// openError says what a refusal of Pebble means for a directory that FORMAT
// says is a store.
func openError(err error) error {
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "lock held by current process"): // Pebble has no value for it
		return fmt.Errorf("the lock of Pebble itself is held: %w", &store.LockedError{PID: os.Getpid(), Here: true})
	case isLockRefusal(err):
		return fmt.Errorf("the lock of Pebble itself is held: %w", &store.LockedError{})
	case errors.Is(err, pebble.ErrDBDoesNotExist), errors.Is(err, pebble.ErrDBNotPristine):
		return fmt.Errorf("%w: %w", store.ErrCorrupt, plain{err})
	}
	if err = translate(err); sentinel(err) == nil {
		// What is left is a file that is missing, short or unreadable.
		err = fmt.Errorf("%w: %w", store.ErrCorrupt, plain{err})
	}
	return err
}

// rehearse opens the database for reading and looks for what is missing. Only
// then may it be opened for writing, because that already flushes and deletes
// the logs: what damaged logs still hold would be gone. In Look mode the opened
// database serves.
func (s *Store) rehearse(highWater store.Group, marked bool) (trail, error) {
	opts := s.opts
	opts.Mode = Look
	db, err := s.openPebble(tune(opts, s.place, s.alarm))
	if err != nil {
		return trail{}, err
	}
	t, err := readTrail(db)
	if err == nil {
		err = s.accept(t, highWater, marked)
	}
	if err == nil && s.opts.Mode == Look {
		s.db = db
		s.start(t, highWater)
		return t, nil
	}
	return t, errors.Join(translate(err), db.Close())
}

// accept refuses what lacks acknowledged groups, unless that is accepted, and
// records what was accepted.
func (s *Store) accept(t trail, highWater store.Group, marked bool) error {
	loss := t.verify(highWater)
	switch {
	case loss != nil && s.opts.Mode != Look && !s.opts.AcceptDataLoss:
		return loss
	case loss != nil && s.opts.Mode == Look:
		s.info.Accepted = "opened for reading although " + loss.Error()
	case loss != nil:
		s.info.Accepted = loss.Error()
	case !marked && t.last > 0:
		s.info.Accepted = "the file high-water was missing or unreadable: a loss of the newest groups would not be noticed"
	}
	return nil
}

// settleTrail makes what was accepted whole from here on, so that it is
// accepted once. seen is what was found when reading.
func (s *Store) settleTrail(seen trail, highWater store.Group, marked bool) (trail, error) {
	t, err := readTrail(s.db)
	if err == nil && t.last != seen.last {
		err = fmt.Errorf("%w: group %d when read, %d when opened", store.ErrCorrupt, seen.last, t.last)
	}
	if err == nil && t.verify(highWater) != nil {
		t = trail{base: max(t.last, highWater) + 1}
		t.last = t.base
		err = bridge(s.db, t.base)
	}
	if err == nil && !marked {
		err = writeHighWater(s.place, s.info.ID, t.last)
	}
	return t, translate(err)
}
