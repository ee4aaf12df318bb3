// Package views is what the console shows, as plain values: a [Press] goes in,
// an [Intent] and a changed value come out, and Draw gives a frame. Nothing
// here does I/O, starts a goroutine or reads a clock; the instant of a frame
// is [Look].Now, one for the whole frame.
//
// # Frames
//
// Draw gets a size and returns exactly that many lines of exactly that many
// cells. Cells are counted so that both ways in use agree: [Clean] lets no
// stored text through on which they do not, and everything the console writes
// itself is ASCII.
//
// # Lists
//
// A [List] holds a window of rows around what is visible, never all. Its
// cursor and marks are addresses of runs ([flow.Ref]), never row numbers, so a
// refresh cannot move them to another run. While the operator reads, nothing
// moves: new rows are counted, rows that left stay dimmed.
package views
