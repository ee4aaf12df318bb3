//go:build !unix

package tui

import (
	"os/exec"
	"strings"
)

// shell is a command with one argument more. Its words are parted by spaces.
func shell(command, arg string) *exec.Cmd {
	words := append(strings.Fields(command), arg)
	return exec.Command(words[0], words[1:]...)
}
