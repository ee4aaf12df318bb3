package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

// closeWait is how long leaving with nothing in flight may take.
const closeWait = 5 * time.Second

// leaveState is the way out.
type leaveState struct {
	interrupts []time.Time // of ctrl+c, the last ones
	closing    bool
	done       bool               // the console is closed
	cancel     context.CancelFunc // stops a drain
	ending     Ending
	recheck    bool // back from a pause: read the lease before the first act
}

// draining reports that what is in flight is waited for.
func (s leaveState) draining() bool { return s.closing && s.ending.How == "drained" }

// Ending is how the console ended.
type Ending struct {
	// How is the way out: "", "drained", "abandoned", "left", or the name of a
	// signal.
	How string
	// Err is what closing failed with.
	Err error
	// Signal is the signal that ended it, nil otherwise.
	Signal os.Signal
	// Info is the last that was known.
	Info flow.Info
}

// quit leaves, or asks first when that would interrupt or lose something.
func (m *model) quit() {
	form, _ := m.modal.top.(views.Form)
	flying := !m.opts.Attached && m.header.Info.Mode != flow.ModeLook && views.InFlight(m.header.Info)
	if !flying && !form.Dirty() {
		m.close("left", closeWait)
		return
	}
	m.openModal(views.Quit{Info: m.header.Info, Limit: m.opts.DrainFor, Unsent: form.Dirty()})
	m.ask(slotInfo)
}

// interrupt is ctrl+c: it asks, the second time abandons, and the third within
// two seconds ends the process on the spot.
func (m *model) interrupt() {
	now := m.opts.Now()
	m.leave.interrupts = append(m.leave.interrupts, now)
	_, asking := m.modal.top.(views.Quit)
	switch n := len(m.leave.interrupts); {
	case n >= 3 && now.Sub(m.leave.interrupts[n-3]) <= 2*time.Second:
		m.do(hardly{m.exit})
	case asking || m.leave.closing:
		m.leaveBy(false)
	default:
		m.quit()
	}
}

// leaveBy leaves after the question: by waiting for what is in flight, or at
// once.
func (m *model) leaveBy(drain bool) {
	switch {
	case m.leave.closing && !drain:
		m.leave.ending.How = "abandoned"
		m.leave.cancel()
	case drain:
		m.close("drained", m.opts.DrainFor)
		m.modal.top = views.Quit{Info: m.header.Info, Limit: m.opts.DrainFor, Until: m.opts.Now().Add(m.opts.DrainFor)}
	default:
		m.close("abandoned", 0)
	}
}

// close releases the console within limit and then ends the loop.
func (m *model) close(how string, limit time.Duration) {
	if m.leave.closing {
		return
	}
	// The engine is closed even when the program was told to end meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.ctx), limit)
	m.leave.closing, m.leave.cancel = true, cancel
	m.leave.ending = Ending{How: how}
	m.say(views.Plain, "leaving ..")
	m.do(closeConsole{ctx, cancel})
}

type closeConsole struct {
	ctx    context.Context
	cancel context.CancelFunc
}

type closedMsg struct{ err error }

func (e closeConsole) run(_ context.Context, c Console) tea.Msg {
	defer e.cancel()
	return closedMsg{c.Close(e.ctx)}
}

// hardly ends the process without any farewell; the guard cleans up.
type hardly struct{ exit func(int) }

func (e hardly) run(context.Context, Console) tea.Msg {
	e.exit(130)
	return nil
}

// takeLeaving takes the messages of the way out.
func (m *model) takeLeaving(msg tea.Msg) {
	switch msg := msg.(type) {
	case closedMsg:
		m.onClosed(msg.err)
	case signalMsg:
		m.do(readSignals{m.signals})
		m.onSignal(msg.signal)
	case resumedMsg:
		m.comeBack()
		if msg.err != nil {
			m.say(views.Bad, msg.err.Error())
		}
	case editedMsg:
		m.comeBack()
		m.onEdited(msg)
	}
}

// comeBack takes the terminal again after something else had it: much may have
// happened since, to the lease too.
func (m *model) comeBack() {
	m.leave.recheck = true
	m.modal.rearm(m.opts.Now())
	m.asked.drop(slotInfo)
	m.refresh()
	m.do(terminalEffect{tea.ClearScreen})
}

func (m *model) onClosed(err error) {
	m.leave.done = true
	abandoned := m.leave.ending.How == "abandoned"
	if abandoned && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		err = nil // it was told not to wait
	}
	m.leave.ending.Err = err
	m.leave.ending.Info = m.header.Info
	m.do(terminalEffect{tea.Quit})
}

// onSignal leaves as a signal wants: by interrupt as by ctrl+c, by another one
// with a drain that a second one cuts short.
func (m *model) onSignal(s os.Signal) {
	if s == os.Interrupt {
		if !m.editor.took(m.opts.Now()) {
			m.interrupt()
		}
		return
	}
	if m.leave.closing {
		m.leaveBy(false)
		return
	}
	m.close("drained", m.opts.DrainFor)
	m.leave.ending.Signal = s
}

// Line is the line that remains on the normal screen: what ran, how it ended
// and what is still owed.
func (e Ending) Line() string {
	name := views.Clean(e.Info.Store)
	if name == "" {
		name = "the console"
	}
	s := "weft " + name + ": " + e.how()
	if e.Err != nil {
		s += ": " + views.Clean(e.Err.Error())
	}
	c := e.Info.Counts
	s += fmt.Sprintf("; %d running, %d suspended, %s owed", c.Running+c.Pending, c.Suspended, several(c.Owed, "teardown"))
	if c.Dead > 0 {
		s += ", " + several(c.Dead, "dead letter")
	}
	return s
}

func several(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (e Ending) how() string {
	switch {
	case e.Signal != nil:
		return e.Signal.String() + ", " + e.How
	case e.How == "":
		return "ended"
	}
	return e.How
}
