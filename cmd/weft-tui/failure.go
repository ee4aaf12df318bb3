package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/tui"
	"weft/views"
)

// The exit codes. They are an interface.
const (
	exitOK         = 0
	exitFailed     = 1 // failed, refused or not confirmed
	exitStore      = 2 // the store is in use or cannot be read
	exitUsage      = 3 // wrong command line, or no terminal for the console
	exitNotOffered = 4 // this engine does not do that
	exitLeaseLost  = 5
	exitDrain      = 6   // work was still in flight when the time to drain was over
	exitSignal     = 128 // plus the number of the signal
)

// usageError is a command line that makes no sense, or an argument that cannot
// be meant. Nothing was opened.
type usageError struct{ cause error }

func (e *usageError) Error() string { return e.cause.Error() }
func (e *usageError) Unwrap() error { return e.cause }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// advisedError is an error about which the verb knows what to do.
type advisedError struct {
	cause  error
	advice string
}

func (e *advisedError) Error() string { return e.cause.Error() }
func (e *advisedError) Unwrap() error { return e.cause }

// exitCode says what kind of error err is.
func exitCode(err error) int {
	var bySignal *tui.SignalError
	var badUsage *usageError
	var stuck *engine.StuckError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &bySignal):
		return signalCode(bySignal.Signal)
	case errors.As(err, &badUsage), errors.Is(err, tui.ErrNoTerminal):
		return exitUsage
	case cannotOpen(err):
		return exitStore
	case errors.Is(err, flow.ErrNotOffered):
		return exitNotOffered
	case errors.Is(err, flow.ErrDeposed), errors.Is(err, flow.ErrLeaseNotHeld):
		return exitLeaseLost
	case errors.Is(err, tui.ErrDrain), errors.As(err, &stuck):
		return exitDrain
	}
	return exitFailed
}

func signalCode(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return exitSignal + int(n)
	}
	return exitFailed
}

// refusals are the reasons why a store cannot be opened or read, with the code a
// script gets. The advice, where there is one, names a verb or a flag and
// replaces the store's, which knows of neither.
var refusals = []struct {
	err          error
	code, advice string
}{
	{store.ErrMissing, "store-missing", "name another directory with --data, or make a store there with: weft-tui init"},
	{store.ErrLocked, "store-in-use", "stop that process, or wait until it ends"},
	{store.ErrForeign, "store-foreign", ""},
	{store.ErrHalfMade, "store-half-made", "making it was interrupted; go on with: weft-tui init"},
	{store.ErrNewer, "store-newer", ""},
	{store.ErrCorrupt, "store-damaged", ""},
	{store.ErrDataLoss, "store-data-loss", "restore a backup, look at it with --read-only, or accept the loss with --accept-data-loss"},
	{store.ErrFull, "disk-full", ""},
	{store.ErrDenied, "access-denied", ""},
	{store.ErrStalled, "store-stalled", ""},
	{store.ErrFailed, "store-failed", ""},
}

// advices replace what package flow says to do, by verbs and flags.
var advices = []struct {
	is           func(error) bool
	code, advice string
}{
	{isA[*unconfirmedError], "not-confirmed", "look at them with --dry-run"},
	{func(err error) bool { return errors.Is(err, flow.ErrTeardownOwed) }, "teardown-owed",
		"see it with: weft-tui teardowns"},
	{isMissing("owed teardown"), "not-found", "list them with: weft-tui teardowns"},
	{isMissing("dead letter"), "not-found", "list them with: weft-tui dead"},
	{isA[*flow.ClaimError], "conflict", "see it with: weft-tui teardowns"},
}

func isA[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// isMissing finds what is not there by what the error calls it.
func isMissing(what string) func(error) bool {
	return func(err error) bool {
		var missing *flow.NotFoundError
		return errors.As(err, &missing) && strings.HasPrefix(missing.What, what)
	}
}

func cannotOpen(err error) bool {
	var open *store.OpenError
	if errors.As(err, &open) {
		return true
	}
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return true
		}
	}
	return false
}

// troubleOf describes err to a script, and is the source of the sentence for
// people.
func troubleOf(err error) flow.Trouble {
	t := flow.TroubleOf(err)
	var open *store.OpenError
	if errors.As(err, &open) && open.Advice != "" {
		bare := *open
		bare.Advice = ""
		t.Message = strings.Replace(t.Message, open.Error(), bare.Error(), 1)
		t.Advice = open.Advice
	}
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			t.Code, t.Advice = r.code, cmp.Or(r.advice, t.Advice)
		}
	}
	for _, a := range advices {
		if a.is(err) {
			t.Code, t.Advice = a.code, a.advice
		}
	}
	var advised *advisedError
	if errors.As(err, &advised) {
		t.Advice = advised.advice
	}
	var badUsage *usageError
	var bySignal *tui.SignalError
	switch {
	case t.Code != "error":
	case errors.As(err, &badUsage):
		t.Code = "usage"
	case errors.As(err, &bySignal):
		t.Code = "interrupted"
	}
	return t
}

// complain writes err to standard error: one sentence, or one JSON object.
func (p *program) complain(err error, asJSON bool) {
	t := troubleOf(err)
	if asJSON {
		if line, bad := json.Marshal(t); bad == nil {
			fmt.Fprintln(p.err, views.SafeJSON(string(line)))
			return
		}
	}
	sentence := t.Message
	if t.Advice != "" {
		sentence += "; " + t.Advice
	}
	fmt.Fprintln(p.err, "weft-tui: "+views.Clean(sentence))
}
