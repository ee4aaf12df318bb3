package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"weft/flow"
)

// Options configures an [Engine]. The zero value runs nothing but is sound.
type Options struct {
	// Mode says what the engine may do. "" is [flow.ModeRun].
	Mode flow.Mode
	// Workflows are the types this engine runs.
	Workflows []Definition
	// AcknowledgeUnknownTypes opens a store that holds unfinished runs of
	// types which Workflows lacks; they are held, untouched. Without it Open
	// refuses with an [*UnknownTypesError].
	AcknowledgeUnknownTypes bool
	// Grace is how long a run waits in memory before it is parked; a wait known
	// to last longer parks at once. Zero means 1 s.
	Grace time.Duration
	// MaxIdle is how many runs may wait in memory. Zero means 1,024.
	MaxIdle int
	// MaxLive is how many runs may be in memory. Zero means 10,000.
	MaxLive int
	// MaxEvents is how many events the journal of a run may have; one that would
	// get another is timed out, with the reason history-limit. Zero is no limit.
	MaxEvents int
	// MaxPayload is how many bytes of JSON a payload may have: an input, a
	// result, a signal, an update or a query and its reply, a heartbeat's details,
	// a memo, state for the finalizer. What has more is refused, or fails its step
	// or its run, with a [*flow.LimitError] or a failure with [CodeEncoding] that
	// holds its text. Zero means 63 MiB, which is also the most it may be.
	//
	// What was recorded before counts as it is, so the option may change from one
	// opening of a store to the next. Of payloads from 64 KiB on the log tells
	// whatever it says, once for each type, kind and name.
	MaxPayload int
	// ActivitySlots is how many attempts run at once. Zero means 256.
	ActivitySlots int
	// FinalizerSlots is how many finalizer attempts run at once. Zero means 8.
	FinalizerSlots int
	// MaxRecoveries is how often a run may be recovered after crashes without
	// progress before it is suspended. Zero means 20.
	MaxRecoveries int
	// Holder names this engine in the lease. "" makes a name from host and
	// process.
	Holder string
	// LeaseTTL is how long others wait for an owner that does not renew;
	// LeaseRenew the time between renewals, LeaseWait how long Open waits for
	// another owner of the same open store, LeasePoll the time between two
	// looks meanwhile. Zero means 30 s, 5 s, 60 s and 1 s; LeaseRenew is at
	// most a third of LeaseTTL, a negative LeaseWait does not wait. The owner
	// of a store that is exclusive to a process is never waited for: see
	// package lease.
	LeaseTTL, LeaseRenew, LeaseWait, LeasePoll time.Duration
	// Log receives what workflow code logs and what goes wrong where no caller
	// is. Nil drops it.
	Log slog.Handler
	// Now is the wall clock for stored instants. Nil means [time.Now].
	Now func() time.Time
	// ClockEvery is the longest that timers wait before the wall clock is looked
	// at again: one that is stepped, or a machine that slept, delays a timer by no
	// more than this. Zero means 1 s; a test in virtual time, where each look
	// costs and no clock is stepped, may make it a day.
	ClockEvery time.Duration
	// Retention removes ended runs after a time. The zero value keeps all.
	Retention Retention
	// Services makes the live values a run's code gets from [Services], each
	// time the run is launched. Nil means there are none; see
	// [StartOptions].NeedsServices.
	Services func(ServiceRequest) (any, error)
	// InterceptActivity is called in place of each activity's function, and of
	// each finalizer's, in the goroutine of the attempt; c.Do calls the
	// function. It may change input, result and error, and what it returns is
	// what is recorded: for traces, measurements, mocks. Nil calls the function.
	InterceptActivity func(ctx context.Context, c ActivityCall) (flow.Payload, error)
	// Ring is how many change notices are kept for watchers. Zero means 4,096.
	Ring int
}

func (o Options) resolve() (Options, error) {
	var bad []error
	if o.Mode == "" {
		o.Mode = flow.ModeRun
	}
	if o.Mode != flow.ModeRun && o.Mode != flow.ModeOperate && o.Mode != flow.ModeLook {
		bad = append(bad, fmt.Errorf("Mode %q: is none of run, operate, look", o.Mode))
	}
	if o.Grace == 0 {
		o.Grace = time.Second
	}
	if o.ClockEvery == 0 {
		o.ClockEvery = time.Second
	}
	if o.ClockEvery < 0 {
		bad = append(bad, fmt.Errorf("ClockEvery %v: is negative", o.ClockEvery))
	}
	if o.Grace < 0 {
		bad = append(bad, fmt.Errorf("Grace %v: is negative", o.Grace))
	}
	for _, n := range []struct {
		name  string
		value *int
		zero  int
	}{
		{"MaxIdle", &o.MaxIdle, 1024},
		{"MaxLive", &o.MaxLive, 10_000},
		{"ActivitySlots", &o.ActivitySlots, 256},
		{"FinalizerSlots", &o.FinalizerSlots, 8},
		{"MaxRecoveries", &o.MaxRecoveries, 20},
		{"MaxEvents", &o.MaxEvents, 0},
		{"MaxPayload", &o.MaxPayload, maxPayload},
		{"Ring", &o.Ring, 4096},
	} {
		if *n.value == 0 {
			*n.value = n.zero
		}
		if *n.value < 0 {
			bad = append(bad, fmt.Errorf("%s %d: is negative", n.name, *n.value))
		}
	}
	if o.MaxPayload > maxPayload {
		bad = append(bad, fmt.Errorf("MaxPayload %d: is more than a batch can hold, at most %d", o.MaxPayload, maxPayload))
	}
	bad = append(bad, o.Retention.check())
	if o.Holder == "" {
		o.Holder = holderName()
	}
	if o.Log == nil {
		o.Log = slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1})
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, errors.Join(bad...)
}

func holderName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}
