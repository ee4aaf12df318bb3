//go:build !unix

package tui

import (
	"os"

	"weft/views"
)

// endSignals are the signals that end the console.
var endSignals = []os.Signal{os.Interrupt}

type resumedMsg struct{ err error }

// background is job control, which this system has not.
func (m *model) background() {
	m.say(views.Warn, "stopping the console is not offered on this system")
}
