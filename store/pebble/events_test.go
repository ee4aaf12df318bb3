package pebble

import (
	"errors"
	"syscall"
	"testing"
	"time"
)

// TestFatalfNeverReturns: after it Pebble would report lost writes as success.
// It tells the owner first, once, also when the owner asks late.
func TestFatalfNeverReturns(t *testing.T) {
	a := newAlarm(new(events))
	returned := make(chan struct{})
	for range 2 {
		go func() {
			a.Fatalf("commit: %v", syscall.EIO)
			close(returned)
		}()
	}
	<-a.fatal
	told := make(chan error, 2)
	a.onFatal(func(err error) { told <- err })
	if err := <-told; !errors.Is(err, syscall.EIO) {
		t.Errorf("told %v, want the cause", err)
	}
	select {
	case <-returned:
		t.Error("Fatalf returned")
	case err := <-told:
		t.Errorf("told twice: %v", err)
	case <-time.After(50 * time.Millisecond): // "never" takes a while to see
	}
}

// TestEventsAreBounded: a store that is sick for days must not eat the memory.
func TestEventsAreBounded(t *testing.T) {
	var s Store
	s.events = new(events)
	for i := range 10 * maxEvents {
		s.events.add("event %d", i)
		s.events.add("event %d", i)
	}
	got := s.Events()
	if len(got) > maxEvents || len(got) < maxEvents/2 {
		t.Errorf("%d events, want some and at most %d", len(got), maxEvents)
	}
	if last := got[len(got)-1]; last.Text != "event 2559" || last.Count != 2 {
		t.Errorf("last event %+v", last)
	}
}
