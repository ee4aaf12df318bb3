package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func printSettings(s settings) {
	fmt.Printf("go %s, %d cores, %d rounds of %v, data in %s\n\n", runtime.Version(), runtime.NumCPU(),
		s.rounds, s.each, "a fresh directory")
}

// memory reads one line of the kernel's account of this process; "unknown"
// where there is none.
func memory(line string) string {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	for text := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(text, line); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return fmt.Sprintf("%.1f MiB", float64(kb)/1024)
		}
	}
	return "unknown"
}

// cpuTime is the CPU time of this process so far; 0 where unknown.
func cpuTime() time.Duration {
	raw, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	f := strings.Fields(rest)
	const perSecond = 100 // USER_HZ, fixed on Linux
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * time.Second / perSecond
}
