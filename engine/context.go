package engine

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"weft/flow"
)

// Context is what workflow code calls operations with. It is a
// [context.Context] whose Done closes when the code is asked to leave memory;
// code needs no check of it, because the next operation does not return then.
//
// A Context belongs to the goroutine it was given to.
type Context struct {
	life   *life
	branch *branch
	saga   *saga // the innermost that is open; nil outside of one
}

// Ref is the run's address.
func (c *Context) Ref() flow.Ref { return c.life.ref }

// Now is the time of the last event the code has seen: the same in every life.
func (c *Context) Now() time.Time {
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	return c.life.at.Time()
}

// Sleep waits until d has passed since the step was first reached. It survives
// any crash; a process that was down when the time came sees it pass at once. A
// crash within Options.Grace of its beginning begins it again.
func (c *Context) Sleep(d time.Duration) error {
	ev := c.perform(&op{kind: flow.StepSleep, limited: true, limit: max(d, 0),
		digest: flow.DigestOf([]byte(d.String()))})
	if ev.Failure != nil {
		return ev.Failure
	}
	return nil
}

// SetSummary sets the run's own one-line account of how far it is, shown in
// lists. It rides on the next step; at most 120 bytes are kept.
func (c *Context) SetSummary(format string, args ...any) {
	s := cut(fmt.Sprintf(format, args...), 120)
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	c.life.summary = s
}

// Log writes to the engine's log, once: lines that the code wrote in an
// earlier life are not repeated.
func (c *Context) Log() *slog.Logger { return c.life.logger() }

// Deadline implements [context.Context]: there is none.
func (c *Context) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements [context.Context].
func (c *Context) Done() <-chan struct{} { return c.life.gone }

// Err implements [context.Context].
func (c *Context) Err() error {
	select {
	case <-c.life.gone:
		return context.Canceled
	default:
		return nil
	}
}

// Value implements [context.Context]: there are none.
func (c *Context) Value(any) any { return nil }

var _ context.Context = (*Context)(nil)
