package tui

import (
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"
)

// OnTerminal reports whether standard input and output are a terminal, which
// [Run] needs. Asking first spares opening a store in vain.
func OnTerminal() bool {
	return term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd())
}

// printLine writes the line that remains after the console has left.
func printLine(line string) { fmt.Fprintln(os.Stdout, line) }

// hardExit ends the process on the spot.
func hardExit(code int) { os.Exit(code) }
