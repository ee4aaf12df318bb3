//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// sweepAway ends the processes that the sandboxes of the demo have left in a store.
func sweepAway(data string) {
	files, _ := filepath.Glob(filepath.Join(data, "demo", "sandbox", "*", "pid"))
	for _, name := range files {
		data, _ := os.ReadFile(name)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && pid > 1 {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		}
	}
}
