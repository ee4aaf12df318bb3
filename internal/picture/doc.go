// Command picture makes the pictures of the documents: it runs the demo of the
// console in a pseudo-terminal, presses keys, and writes what is on the screen as
// SVG.
//
//	go run ./internal/picture -out docs/pictures
//
// Nothing is drawn by hand and nothing is faked: ids, ages and counts are those
// of the run, so two runs differ in them. It needs a Unix system and a minute,
// and leaves nothing behind but the pictures.
//
// # From bytes to a picture
//
// A [screen] understands what the console writes to a terminal that can do
// little, which is the one it is told to be on. A sequence that it does not
// understand is an error, because the picture would be wrong. [screen.svg] writes
// one text element for each stretch of cells that look alike, and gives its
// length in cells: the columns are straight with any font.
package main
