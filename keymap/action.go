package keymap

// Action is what a key asks for.
type Action uint8

// The actions. Some are named and answered with a reason while nothing is
// behind them.
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
	GoLast
	GoProblems
	GoAudit
	NextTab
	PrevTab
	Filter
	Freeze
	Refresh
	Repaint
	Mark
	MarkAll
	MarkRange
	ClearMarks
	SortNext
	SortPrev
	SortFlip
	Columns
	Zoom
	Unzoom
	FindNext
	FindPrev
	Wrap
	Unmask
	Raw
	TimeMode
	Copy
	CopyAs
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
	Retry // a teardown now, or a dead letter anew
	Discard
	Again // start an ended run again under its id
	Purge
	Relabel
	ForceTimeout
	Diff
	Export
	Follow
	SaveFrame
	Command
	Palette

	Submit
	NextField
	PrevField
	Keep // enter in the filter
	Drain
	Abandon
	Stay
	Accept

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
	MoveUp
	MoveDown
	Overwrite
	Usual
	Editor // a text field in a program of the operator's choice
)
