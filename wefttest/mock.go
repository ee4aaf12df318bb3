package wefttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"weft/engine"
	"weft/flow"
)

// mock is a [Mocked] of any types.
type mock interface {
	call(ctx context.Context, c engine.ActivityCall) (flow.Payload, error)
	lines() []string
}

// Mocked takes the place of an activity, also where it is a finalizer. Without
// instructions it returns the zero value. Its methods may be called at any time
// and return the mock, so that they can be chained.
type Mocked[I, O any] struct {
	v    *Env
	name string

	mu    sync.Mutex
	do    func(context.Context, I) (O, error)
	first int // attempts of each step that fail
	fails error
	takes time.Duration
	calls []Call[I, O]
	token flow.Token // of the latest attempt that was left to somebody outside
}

// Call is one attempt that a mock has seen.
type Call[I, O any] struct {
	// Info tells about the attempt: run, step, number, idempotency key.
	Info engine.Info
	// At is when it began.
	At time.Time
	// Input is what it was called with, Output and Err what it returned.
	Input  I
	Output O
	Err    error
	// Done: it has returned.
	Done bool
}

// Mock replaces the activity's function in this test.
func Mock[I, O any](v *Env, a engine.Activity[I, O]) *Mocked[I, O] {
	m := &Mocked[I, O]{v: v, name: a.Name, do: func(context.Context, I) (out O, err error) { return out, nil }}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mocks[a.Name] = m
	return m
}

// Spy leaves the activity's own function in place and notes its calls.
func Spy[I, O any](v *Env, a engine.Activity[I, O]) *Mocked[I, O] { return Mock(v, a).Do(a.Do) }

// Return makes every attempt return out.
func (m *Mocked[I, O]) Return(out O) *Mocked[I, O] {
	return m.Do(func(context.Context, I) (O, error) { return out, nil })
}

// Fail makes every attempt fail with err. Wrap it in [engine.Permanent] for a
// failure that is not retried.
func (m *Mocked[I, O]) Fail(err error) *Mocked[I, O] {
	return m.Do(func(context.Context, I) (out O, _ error) { return out, err })
}

// FailFirst makes the first n attempts of each step fail with err; later ones do
// what the mock does otherwise. Attempts are counted by the engine, over crashes.
func (m *Mocked[I, O]) FailFirst(n int, err error) *Mocked[I, O] {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.first, m.fails = n, err
	return m
}

// Do makes every attempt call f, which may do with its context what an activity
// may: [engine.InfoOf], [engine.Heartbeat] and so on.
func (m *Mocked[I, O]) Do(f func(ctx context.Context, in I) (O, error)) *Mocked[I, O] {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.do = f
	return m
}

// Take makes every attempt take d of virtual time, or until its context ends.
func (m *Mocked[I, O]) Take(d time.Duration) *Mocked[I, O] {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.takes = d
	return m
}

// Calls are the attempts so far, in the order in which they began.
func (m *Mocked[I, O]) Calls() []Call[I, O] {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Call[I, O]{}, m.calls...)
}

// Count is how many attempts were made so far.
func (m *Mocked[I, O]) Count() int { return len(m.Calls()) }

// Steps is for how many different steps: an attempt that was made again, after a
// failure or a crash, has the same idempotency key.
func (m *Mocked[I, O]) Steps() int {
	keys := map[string]bool{}
	for _, c := range m.Calls() {
		keys[c.Info.Key] = true
	}
	return len(keys)
}

// WantCount fails the test unless exactly n attempts were made so far.
func (m *Mocked[I, O]) WantCount(n int) {
	m.v.Helper()
	if got := m.Count(); got != n {
		m.v.Errorf("activity %s was called %d times; want %d", m.name, got, n)
	}
}

// call is one attempt.
func (m *Mocked[I, O]) call(ctx context.Context, c engine.ActivityCall) (flow.Payload, error) {
	var in I
	dec := json.NewDecoder(bytes.NewReader(c.Input))
	dec.UseNumber()
	if err := dec.Decode(&in); err != nil {
		return nil, engine.Permanent(fmt.Errorf("mock of %s: input %s: %w", c.Name, c.Input, err))
	}
	info := engine.InfoOf(ctx)
	m.mu.Lock()
	i := len(m.calls)
	m.calls = append(m.calls, Call[I, O]{Info: info, At: time.Now(), Input: in})
	do, first, fails, takes := m.do, m.first, m.fails, m.takes
	m.mu.Unlock()
	out, err := m.perform(ctx, in, takes, info.Attempt <= first, fails, do)
	m.mu.Lock()
	m.calls[i].Output, m.calls[i].Err, m.calls[i].Done = out, err, true
	m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

func (m *Mocked[I, O]) perform(ctx context.Context, in I, takes time.Duration, bad bool, fails error,
	do func(context.Context, I) (O, error)) (O, error) {
	var none O
	if takes > 0 {
		timer := time.NewTimer(takes)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
	if bad {
		return none, fails
	}
	return do(ctx, in)
}

// lines describe the calls for a report.
func (m *Mocked[I, O]) lines() []string {
	var out []string
	for _, c := range m.Calls() {
		line := fmt.Sprintf("%s attempt %d for step %s of %s: %+v", m.name, c.Info.Attempt, c.Info.Step, c.Info.Ref.ID, c.Input)
		switch {
		case !c.Done:
			line += " → has not returned"
		case c.Err != nil:
			line += " → error: " + c.Err.Error()
		default:
			line += fmt.Sprintf(" → %+v", c.Output)
		}
		out = append(out, line)
	}
	return out
}

// call is where the engine calls activities.
func (v *Env) call(ctx context.Context, c engine.ActivityCall,
	next func(context.Context, engine.ActivityCall) (flow.Payload, error)) (flow.Payload, error) {
	v.mu.Lock()
	m := v.mocks[c.Name]
	v.mu.Unlock()
	switch {
	case m != nil:
		return m.call(ctx, c)
	case v.o.OnlyMocks:
		v.Errorf("activity %s was called and has no mock, input %s", c.Name, c.Input)
		return nil, engine.Permanent(fmt.Errorf("activity %s has no mock", c.Name))
	case next != nil:
		return next(ctx, c)
	}
	return c.Do(ctx)
}
