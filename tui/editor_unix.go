//go:build unix

package tui

import "os/exec"

// shell is a command that a shell reads, with one argument more: an editor may
// come with options, and quotes around a path.
func shell(command, arg string) *exec.Cmd {
	return exec.Command("/bin/sh", "-c", command+` "$@"`, "sh", arg)
}
