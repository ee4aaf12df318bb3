package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
)

// ErrNoTerminal: standard input or output is no terminal. Use the verbs.
var ErrNoTerminal = errors.New("not a terminal")

// ErrDrain: leaving took longer than it may; what was not done resumes on the
// next start.
var ErrDrain = errors.New("work was still in flight when the time to wait for it was over")

// SignalError means that a signal ended the console.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

// Run shows c on the terminal until the operator leaves, ctx ends or a signal
// comes. It closes c before it returns, and leaves one line on the normal
// screen (see [Options].Ended).
//
// It returns nil when the operator left, [*SignalError], [ErrDrain],
// [flow.ErrDeposed] when the lease was lost, or what closing or the terminal
// failed with.
func Run(ctx context.Context, c Console, o Options) error {
	o, err := o.resolve()
	if err != nil {
		return err
	}
	if o.In == nil && o.Out == nil && !OnTerminal() {
		return ErrNoTerminal
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	restore := capture()
	defer restore()

	m := newModel(ctx, c, o)
	// Before the first frame, and until the last: a signal that nobody waits for
	// would end the process on the screen.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, endSignals...)
	defer signal.Stop(signals)
	m.signals = signals
	final, err := tea.NewProgram(m, m.program()...).Run()
	signal.Stop(signals) // from here on they end the process again
	if last, ok := final.(*model); ok {
		m = last
	}
	ending := m.end(ctx, err)
	if o.Remember != nil { // a failure was told when something was changed
		_ = o.Remember(m.memory())
	}
	o.farewell(ending.Line())
	return ending.result(ctx)
}

// program are the options for the terminal library.
func (m *model) program() []tea.ProgramOption {
	// Signals are ours: the library would end with no error on SIGTERM, and
	// leave the terminal as it is on SIGHUP.
	opts := []tea.ProgramOption{tea.WithContext(m.ctx), tea.WithoutSignalHandler(), tea.WithFilter(onlyPresses)}
	if m.opts.In != nil {
		opts = append(opts, tea.WithInput(m.opts.In))
	}
	if m.opts.Out != nil {
		opts = append(opts, tea.WithOutput(m.opts.Out))
	}
	return opts
}

// onlyPresses drops that a key was let go, which means nothing here.
func onlyPresses(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, up := msg.(tea.KeyReleaseMsg); up {
		return nil
	}
	return msg
}

// end closes the console if the loop ended without.
func (m *model) end(ctx context.Context, err error) Ending {
	e := m.leave.ending
	e.Info = m.header.Info
	if err != nil && ctx.Err() == nil {
		e.How, e.Err = "ended", err
	}
	if !m.leave.done {
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.opts.DrainFor)
		defer cancel()
		if cerr := m.console.Close(wait); cerr != nil {
			e.Err = errors.Join(e.Err, cerr)
		}
	}
	return e
}

// result is what Run returns for an ending.
func (e Ending) result(ctx context.Context) error {
	switch {
	case errors.Is(e.Err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", ErrDrain, e.Err)
	case e.Err != nil:
		return e.Err
	case e.Signal != nil:
		return &SignalError{e.Signal}
	case e.Info.Lease.State == flow.LeaseDeposed:
		return flow.ErrDeposed
	}
	return context.Cause(ctx)
}

// farewell hands over the line that remains.
func (o Options) farewell(line string) {
	switch {
	case o.Ended != nil:
		o.Ended(line)
	case o.Out != nil:
		fmt.Fprintln(o.Out, line)
	default:
		printLine(line)
	}
}

// readSignals waits for a signal to end by.
type readSignals struct{ from <-chan os.Signal }

type signalMsg struct{ signal os.Signal }

func (e readSignals) run(ctx context.Context, _ Console) tea.Msg {
	select {
	case s := <-e.from:
		return signalMsg{s}
	case <-ctx.Done():
		return nil
	}
}
