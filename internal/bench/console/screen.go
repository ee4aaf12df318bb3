package main

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/creack/pty"

	"weft/flow"
	"weft/tui"
)

// screen is the console on a pseudo-terminal, beside a running engine.
type screen struct {
	pty, tty *os.File
	door     *door
	drawn    chan time.Time // after a key
	bytes    atomic.Int64
	ended    chan error
	stop     context.CancelFunc
	read     sync.WaitGroup

	mu   sync.Mutex
	last time.Time // when bytes came
	came *sync.Cond
}

// door counts what the console asks, and does not close the engine with the
// console.
type door struct {
	tui.Console
	lists, pages atomic.Int64
}

func (d *door) Page(ctx context.Context, q flow.Query) (flow.Page, error) {
	if q.Of == flow.ListRuns {
		d.lists.Add(1)
	}
	d.pages.Add(1)
	return d.Console.Page(ctx, q)
}

func (d *door) Close(context.Context) error { return nil }

// openScreen shows the console of n, and returns once it has drawn something.
func openScreen(ctx context.Context, n *node) (*screen, error) {
	p, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	if err := pty.Setsize(p, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &screen{pty: p, tty: tty, door: &door{Console: n.Console()}, drawn: make(chan time.Time, 100), ended: make(chan error, 1), stop: cancel}
	s.came = sync.NewCond(&s.mu)
	s.read.Go(s.listen)
	go func() {
		s.ended <- tui.Run(ctx, s.door, tui.Options{In: tty, Out: tty, Ended: func(string) {},
			Drawn: func() { s.drawn <- time.Now() }})
	}()
	s.bytesAfter(time.Time{})
	return s, nil
}

func (s *screen) listen() {
	buf := make([]byte, 64<<10)
	for {
		n, err := s.pty.Read(buf)
		s.bytes.Add(int64(n))
		s.mu.Lock()
		s.last = time.Now()
		s.came.Broadcast()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// bytesAfter waits for bytes that come after t.
func (s *screen) bytesAfter(t time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.last.After(t) {
		s.came.Wait()
	}
	return s.last
}

// press presses a key and answers how long the console took to draw its frame,
// and to write it.
func (s *screen) press(key string) (view, written time.Duration, err error) {
	began := time.Now()
	if _, err := s.pty.WriteString(key); err != nil {
		return 0, 0, err
	}
	at := <-s.drawn
	return at.Sub(began), s.bytesAfter(at).Sub(began), nil
}

// close leaves the console; the engine goes on.
func (s *screen) close() error {
	s.stop()
	<-s.ended // always the end of its context
	err := s.tty.Close()
	s.pty.Close()
	s.read.Wait()
	return err
}
