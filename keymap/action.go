package keymap

// Action is what a key asks for.
type Action uint8

// The actions. Those from Cancel to Palette are named and answered with a
// reason while nothing is behind them.
const (
	None Action = iota
	Up
	Down
	Top
	Bottom
	HalfUp
	HalfDown
	PageUp
	PageDown
	Left
	Right
	Open
	Back
	NextPane
	PrevPane
	GoPane
	NextTab
	PrevTab
	Filter
	Freeze
	Refresh
	Repaint
	Mark
	ClearMarks
	Copy
	Start
	Signal
	Pause // suspend or resume, whichever fits the run
	Help
	Quit
	Interrupt
	Background

	Cancel
	Update
	AskQuery
	Retry
	Discard
	ForceTimeout
	Diff
	Export
	Command
	Palette

	Submit
	NextField
	PrevField
	Keep // enter in the filter
	Drain
	Abandon
	Stay

	CharLeft
	CharRight
	LineUp
	LineDown
	LineStart
	LineEnd
	Rubout
	Delete
	RubWord
	RubLine
	Enter
	Toggle
)
