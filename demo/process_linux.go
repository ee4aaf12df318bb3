package demo

import (
	"fmt"
	"os"
	"strings"
)

// identify describes the process with a number: when it started, in ticks since
// the boot and with the boot, and its arguments.
func identify(pid int) (started, arguments string, alive bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", "", false
	}
	// The name, in parentheses, may contain anything.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const state, startTime = 0, 19
	if len(fields) <= startTime || fields[state] == "Z" || fields[state] == "X" {
		return "", "", false
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", "", false
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return "", "", false
	}
	return fields[startTime] + "@" + strings.TrimSpace(string(boot)), string(line), true
}
