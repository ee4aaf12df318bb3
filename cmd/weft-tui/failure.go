package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"weft/flow"
	"weft/store"
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

// errDrain means that the console was left before what was in flight had ended.
var errDrain = errors.New("work was still in flight; it goes on at the next start")

// usageError is a command line that makes no sense, or an argument that cannot
// be meant. Nothing was opened.
type usageError struct{ cause error }

func (e *usageError) Error() string { return e.cause.Error() }
func (e *usageError) Unwrap() error { return e.cause }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// signalError is the end of a command by a signal.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "ended by signal: " + e.signal.String() }

func (e *signalError) code() int {
	if n, ok := e.signal.(syscall.Signal); ok {
		return exitSignal + int(n)
	}
	return exitFailed
}

// exitCode says what kind of error err is.
func exitCode(err error) int {
	var bySignal *signalError
	var badUsage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &bySignal):
		return bySignal.code()
	case errors.As(err, &badUsage):
		return exitUsage
	case cannotOpen(err):
		return exitStore
	case errors.Is(err, flow.ErrNotOffered):
		return exitNotOffered
	case errors.Is(err, flow.ErrDeposed), errors.Is(err, flow.ErrLeaseNotHeld):
		return exitLeaseLost
	case errors.Is(err, errDrain):
		return exitDrain
	}
	return exitFailed
}

// refusals are the reasons why a store cannot be opened or read, with the code
// and the advice a script gets.
var refusals = []struct {
	err          error
	code, advice string
}{
	{store.ErrMissing, "store-missing", "make one with: weft-tui init"},
	{store.ErrLocked, "store-in-use", "end that process, or work through it"},
	{store.ErrForeign, "store-foreign", "name another directory with --data"},
	{store.ErrHalfMade, "store-half-made", "remove the directory and make it again with: weft-tui init"},
	{store.ErrNewer, "store-newer", "open it with the program that wrote it, or a newer one"},
	{store.ErrCorrupt, "store-damaged", "restore it from a backup"},
	{store.ErrDataLoss, "store-data-loss", "look at it with --read-only, or accept the loss with --accept-data-loss"},
	{store.ErrFull, "disk-full", "make room on the volume"},
	{store.ErrDenied, "access-denied", "check the owner and the mode of the directory"},
	{store.ErrStalled, "store-stalled", "look at the volume: it does not answer"},
	{store.ErrFailed, "store-failed", "open the store anew"},
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
	var badUsage *usageError
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			t.Code, t.Advice = r.code, r.advice
		}
	}
	if errors.As(err, &open) && open.Advice != "" {
		bare := *open
		bare.Advice = ""
		t.Message = strings.Replace(t.Message, open.Error(), bare.Error(), 1)
		t.Advice = open.Advice
	}
	var bySignal *signalError
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
			fmt.Fprintln(p.err, escapeJSON(string(line)))
			return
		}
	}
	sentence := t.Message
	if t.Advice != "" {
		sentence += "; " + t.Advice
	}
	fmt.Fprintln(p.err, "weft-tui: "+views.Clean(sentence))
}
