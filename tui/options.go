package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"weft/views"
)

// Options configures the console. The zero value is a sound default.
type Options struct {
	// Now is the clock ages are counted by. Nil means time.Now.
	Now func() time.Time
	// In and Out are the terminal. Nil means standard input and output, which
	// must then be a terminal.
	In  io.Reader
	Out io.Writer
	// Settings are how the console looks and answers. Unfit says why they are not
	// those the operator wrote; the console stays usable and says so.
	Settings Settings
	Unfit    error
	// Changes waits for the next change of the settings and returns them, or why
	// they cannot be used, which keeps those in force. It returns when ctx ends,
	// and is called by one goroutine at a time. Nil means they never change.
	Changes func(ctx context.Context) (Settings, error)
	// ReadOnly refuses every act, whatever the console would allow. Attached
	// says that the engine is in another process: leaving does not stop it.
	ReadOnly, Attached bool
	// Editor is the command a text is edited with, which gets the name of a file
	// as its last argument; a shell reads it. "" means there is none.
	Editor string
	// Actor is who acts, for the audit.
	Actor string
	// Pane is what to open first, by digit or word; "" means running.
	Pane string
	// Memory is what was remembered of the store; its pane counts when Pane is
	// "". Remember, when set, gets it whenever it has changed, never twice at
	// the same time, and once more at the end; it may take a while.
	// Forgotten says why what was remembered cannot be used.
	Forgotten error
	Memory    Memory
	Remember  func(Memory) error
	// Drawn, when set, is called once the frame after a key is drawn, before it is
	// written: for measurements. It is on the way of every key.
	Drawn func()
	// DrainFor is how long leaving waits for work in flight. Zero means 30s.
	DrainFor time.Duration
	// Ended gets the one line that remains when the console has left the
	// screen. Nil writes it to Out.
	Ended func(line string)

	theme views.Theme
	pane  views.Pane
}

// resolve fills in the defaults and reports every value that makes no sense.
func (o Options) resolve() (Options, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.DrainFor == 0 {
		o.DrainFor = 30 * time.Second
	}
	if _, err := views.PaneNamed(o.Memory.Pane); o.Pane == "" && err == nil {
		o.Pane = o.Memory.Pane
	}
	if o.Pane == "" {
		o.Pane = "running"
	}
	var bad []error
	theme, err := o.Settings.resolve()
	if err != nil {
		bad = append(bad, err)
	}
	pane, err := views.PaneNamed(o.Pane)
	if err != nil {
		bad = append(bad, err)
	}
	if o.DrainFor < 0 {
		bad = append(bad, fmt.Errorf("DrainFor %v: is negative", o.DrainFor))
	}
	o.theme, o.pane = theme, pane
	return o, errors.Join(bad...)
}
