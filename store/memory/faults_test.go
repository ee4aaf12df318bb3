package memory_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"weft/store"
	"weft/store/memory"
)

func put(s store.Store, key string) error {
	b := new(store.Batch)
	b.Put([]byte(key), nil)
	_, err := s.Commit(context.Background(), b)
	return err
}

func has(t *testing.T, s store.Store, key string) bool {
	t.Helper()
	v, err := s.Get([]byte(key))
	if err != nil {
		t.Fatalf("get %q: %v", key, err)
	}
	return v != nil
}

func TestFailCommit(t *testing.T) {
	for when, applied := range map[memory.Moment]bool{memory.Before: false, memory.After: true} {
		s := memory.New(memory.Options{})
		s.FailCommit(3, when)
		for i := range 5 {
			err := put(s, fmt.Sprint("k", i))
			if wantFailed := i >= 2; errors.Is(err, store.ErrFailed) != wantFailed {
				t.Errorf("moment %d, commit %d: %v, want failed %t", when, i, err, wantFailed)
			}
		}
		if got := has(t, s, "k2"); got != applied {
			t.Errorf("moment %d: applied %t, want %t", when, got, applied)
		}
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		again, err := s.Reopen()
		if err != nil {
			t.Fatal(err)
		}
		if err := put(again, "k9"); err != nil || has(t, again, "k2") != applied {
			t.Errorf("moment %d, opened again: %v", when, err)
		}
	}
}

func TestHoldAndDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New(memory.Options{})
		release := s.Hold()
		done := make(chan error)
		go func() { done <- put(s, "held") }()
		synctest.Wait()
		if has(t, s, "held") {
			t.Error("a held commit shows")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Commit(ctx, new(store.Batch)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("behind a held commit: %v", err)
		}
		release()
		if err := <-done; err != nil || !has(t, s, "held") {
			t.Errorf("released: %v", err)
		}
		s.SetDelay(time.Minute)
		begin := time.Now()
		if err := put(s, "slow"); err != nil || time.Since(begin) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

func TestHookMayCommitFirst(t *testing.T) {
	s := memory.New(memory.Options{})
	s.SetHook(func(b *store.Batch) error {
		if string(b.Writes[0].Key) == "mine" {
			return put(s, "theirs")
		}
		return nil
	})
	b := new(store.Batch)
	b.Expect([]byte("theirs"), nil, 0)
	b.Put([]byte("mine"), nil)
	if res, err := s.Commit(t.Context(), b); err != nil || res.Applied {
		t.Errorf("%+v, %v; want refused", res, err)
	}
	s.SetHook(func(*store.Batch) error { return errors.ErrUnsupported })
	if err := put(s, "k"); !errors.Is(err, errors.ErrUnsupported) || has(t, s, "k") {
		t.Errorf("the hook's error: %v", err)
	}
}

func TestRefuse(t *testing.T) {
	s := memory.New(memory.Options{})
	s.Refuse(store.ErrFull)
	if err := put(s, "k"); !errors.Is(err, store.ErrFull) || s.Health().State != store.Full {
		t.Errorf("%v, %v", err, s.Health().State)
	}
	if _, err := s.Commit(t.Context(), &store.Batch{Urgent: true}); err != nil {
		t.Errorf("urgent: %v", err)
	}
	s.Refuse(nil)
	if err := put(s, "k"); err != nil || s.Health().State != store.Healthy {
		t.Errorf("%v, %v", err, s.Health().State)
	}
}

// TestCrash answers everybody, loses what was held and keeps what was applied.
func TestCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New(memory.Options{})
		if err := put(s, "kept"); err != nil {
			t.Fatal(err)
		}
		snap, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		s.Hold()
		done := make(chan error, 2)
		for i := range 2 {
			go func() { done <- put(s, fmt.Sprint("lost", i)) }()
		}
		synctest.Wait()
		next := s.Crash()
		for range 2 {
			if err := <-done; !errors.Is(err, store.ErrFailed) {
				t.Errorf("under way: %v, want ErrFailed", err)
			}
		}
		if _, err := s.Get([]byte("kept")); !errors.Is(err, store.ErrClosed) {
			t.Errorf("read of the dead: %v, want ErrClosed", err)
		}
		if v, err := snap.Get([]byte("kept")); v == nil || err != nil {
			t.Errorf("snapshot of the dead: %v, %v", v, err)
		}
		if !has(t, next, "kept") || has(t, next, "lost0") || has(t, next, "lost1") {
			t.Error("the wrong rows survived")
		}
		if a, b := s.Info(), next.Info(); a.ID != b.ID || a.Instance == b.Instance {
			t.Errorf("%+v, then %+v", a, b)
		}
		if err := put(next, "k"); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestScanLends: what a Scan yields is valid until the next row, not longer.
func TestScanLends(t *testing.T) {
	s := memory.New(memory.Options{})
	if err := errors.Join(put(s, "a"), put(s, "b")); err != nil {
		t.Fatal(err)
	}
	var kept []byte
	for row, err := range s.Scan(store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if kept == nil {
			kept = row.Key
		}
	}
	if string(kept) == "a" {
		t.Error("a kept row is still right: callers that keep rows would go unnoticed")
	}
}

func BenchmarkCommit(b *testing.B) {
	s := memory.New(memory.Options{})
	i := 0
	for b.Loop() {
		i++
		if err := put(s, fmt.Sprintf("k%09d", i)); err != nil {
			b.Fatal(err)
		}
	}
}
