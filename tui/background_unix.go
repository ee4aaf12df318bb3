//go:build unix

package tui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
)

// endSignals are the signals that end the console.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// notStopped is how long a stop may take to come. Without a shell that controls
// jobs the kernel ignores it, and nothing would ever continue the console.
const notStopped = 500 * time.Millisecond

var errNoShell = errors.New("not stopped: no shell with job control to go back to")

// pause stops the process group, as ctrl+z does, after one line on the normal
// screen.
type pause struct {
	out io.Writer
	say string
}

type resumedMsg struct{ err error }

// background hands the terminal back and stops.
func (m *model) background() {
	m.do(terminalEffect{tea.Exec(&pause{say: m.parting()}, func(err error) tea.Msg { return resumedMsg{err} })})
}

// parting is the one line on the normal screen while the console is stopped.
func (m *model) parting() string {
	if m.opts.Attached || m.header.Info.Mode == flow.ModeLook {
		return "weft: stopped. fg goes on."
	}
	return "weft: stopped, and the engine too; its lease runs out meanwhile. fg goes on."
}

// Run implements [tea.ExecCommand].
func (p *pause) Run() error {
	fmt.Fprintln(p.out, p.say)
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	defer signal.Stop(again)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-again:
		return nil
	case <-time.After(notStopped):
		return errNoShell
	}
}

func (p *pause) SetStdin(io.Reader)    {}
func (p *pause) SetStdout(w io.Writer) { p.out = w }
func (p *pause) SetStderr(io.Writer)   {}
