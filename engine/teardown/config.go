package teardown

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/flow"
	"weft/store"
)

// Finalizer is the code that tears down.
type Finalizer struct {
	// Do makes one attempt. It must be idempotent, and return when ctx ends. A
	// nil error is success.
	Do func(ctx context.Context, a Attempt) error
	// Timeout bounds one attempt. Zero means [flow.TeardownTimeout].
	Timeout time.Duration
}

// Attempt is what one call of a finalizer is about.
type Attempt struct {
	Ref             flow.Ref
	Type, Finalizer string
	// Number counts from 1 to [flow.MaxTeardownAttempts].
	Number int
	// Input is what the run recorded last.
	Input flow.Payload
	// OwedAt is when the teardown became owed.
	OwedAt flow.Instant
	// Seq is the number of the event of the step that is compensated, 0 for the
	// finalizer.
	Seq flow.EventSeq
}

// Key is the same in every attempt of a run's teardown, or of one piece of it: an
// idempotency key.
func (a Attempt) Key() string {
	if a.Seq > 0 {
		return fmt.Sprintf("%s/%s/teardown/%d", a.Ref.ID, a.Ref.Run, a.Seq)
	}
	return string(a.Ref.ID) + "/" + string(a.Ref.Run) + "/teardown"
}

// Config configures a [Driver].
type Config struct {
	// Store is read; everything is written through Commit.
	Store store.Store
	// Commit applies a batch under the lease's fence and reports whether its
	// conditions held. An error other than [store.ErrFull], [store.ErrStalled],
	// [store.ErrCorrupt] and a [*store.LimitError] is final: the driver stops.
	Commit func(*store.Batch) (applied bool, err error)
	// Finalizer finds the code; false when it is not registered here. It must
	// answer the same for the driver's whole life.
	Finalizer func(typ, name string) (Finalizer, bool)
	// Now is the wall clock for stored instants. Nil means [time.Now].
	Now func() time.Time
	// LookEvery is the longest the driver waits before it looks at the wall clock
	// again. Zero means a second.
	LookEvery time.Duration
	// Slots is how many attempts run at once. Zero means 8.
	Slots int
	// Allowed reports whether something may be started: the lease is in good
	// standing. Nil means always.
	Allowed func() bool
	// Halted, when it is closed, calls off all attempts and ends the driver
	// without another write. Nil never does.
	Halted <-chan struct{}
	// Notify tells what changed and is durable; it must not block. Nil drops it.
	Notify func(flow.Notice)
	// Problem takes standing conditions for which there is no caller. The same
	// text may come often. Nil drops them.
	Problem func(text, advice string)
}

// resolve fills in the defaults and reports everything that makes no sense.
func (c Config) resolve() (Config, error) {
	var bad []error
	if c.Store == nil {
		bad = append(bad, errors.New("no Store"))
	}
	if c.Commit == nil {
		bad = append(bad, errors.New("no Commit"))
	}
	if c.Finalizer == nil {
		bad = append(bad, errors.New("no Finalizer"))
	}
	if c.Slots < 0 {
		bad = append(bad, errors.New("a negative number of Slots"))
	}
	if c.Slots == 0 {
		c.Slots = 8
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Allowed == nil {
		c.Allowed = func() bool { return true }
	}
	if c.Notify == nil {
		c.Notify = func(flow.Notice) {}
	}
	if c.Problem == nil {
		c.Problem = func(string, string) {}
	}
	return c, errors.Join(bad...)
}
