//go:build unix && !linux

package demo

import (
	"os/exec"
	"strconv"
	"strings"
)

// identify describes the process with a number: when it started, to the second,
// and its arguments.
func identify(pid int) (started, arguments string, alive bool) {
	// An equals sign leaves the heading out.
	ask := func(what string) string {
		out, err := exec.Command("ps", "-ww", "-o", what+"=", "-p", strconv.Itoa(pid)).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	state := ask("state")
	if state == "" || strings.HasPrefix(state, "Z") {
		return "", "", false
	}
	started, arguments = ask("lstart"), ask("args")
	return started, arguments, started != ""
}
