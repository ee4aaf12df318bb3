package tui

import (
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"
)

// onTerminal reports whether standard input and output are a terminal.
func onTerminal() bool {
	return term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd())
}

// printLine writes the line that remains after the console has left.
func printLine(line string) { fmt.Fprintln(os.Stdout, line) }

// hardExit ends the process on the spot.
func hardExit(code int) { os.Exit(code) }
