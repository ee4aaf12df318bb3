package views

import (
	"weft/flow"
	"weft/keymap"
)

// Press is one key press as a view gets it.
type Press struct {
	Action keymap.Action
	// Text is what the key or a paste writes, where text is owned.
	Text string
}

// Intent is what a view wants done. The loop alone turns it into a command.
type Intent interface{ intent() }

// OpenRun opens a run in the inspector.
type OpenRun struct{ Ref flow.Ref }

// GoTo opens a pane.
type GoTo struct{ Pane Pane }

// Invoke does what a key of the open pane does, by the same gate.
type Invoke struct{ Action keymap.Action }

// RunCommand does what is typed behind ":".
type RunCommand struct{ Text string }

// ListType shows the running runs of a type.
type ListType struct{ Type string }

// Perform does a deed, if the gate lets it. With Each it does those instead,
// one after the other.
type Perform struct {
	Deed flow.Deed
	Why  string
	Each []flow.Deed
}

// AskRun puts a query to a run.
type AskRun struct{ Ask flow.Ask }

// MarkEverything marks all that the filter of the list chooses.
type MarkEverything struct{}

// EditText gives a text to the operator's editor; see [Form.Edited].
type EditText struct{ Text string }

// Say puts a line into the status line.
type Say struct{ Text string }

// SayKey puts a line into the status line that begins with what is so, then names
// a key of the open dialog or pane and what it does.
type SayKey struct {
	Text   string
	At     keymap.Place
	Action keymap.Action
	// Usual is the key that is named unless it was rebound.
	Usual, Does string
}

// CloseModal closes the dialog or form.
type CloseModal struct{}

// Leave ends the console; Drain waits for what is in flight.
type Leave struct{ Drain bool }

func (OpenRun) intent()        {}
func (GoTo) intent()           {}
func (Invoke) intent()         {}
func (RunCommand) intent()     {}
func (ListType) intent()       {}
func (AskRun) intent()         {}
func (Perform) intent()        {}
func (EditText) intent()       {}
func (Say) intent()            {}
func (SayKey) intent()         {}
func (MarkEverything) intent() {}
func (CloseModal) intent()     {}
func (Leave) intent()          {}
