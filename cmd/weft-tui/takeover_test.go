//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTortureTakeOver kills an engine while a finalizer runs. The next one takes
// the teardown over once the claim is stale, counts the lost attempt, and ends
// with nothing left outside. It takes 35 s and runs when WEFT_TORTURE is set.
func TestTortureTakeOver(t *testing.T) {
	if os.Getenv("WEFT_TORTURE") == "" {
		t.Skip("set WEFT_TORTURE=1 to run it")
	}
	dir := t.TempDir()
	t.Cleanup(func() { sweepAway(filepath.Join(dir, "weft-data")) })
	headless(t, dir, "init")
	headless(t, dir, "start", "sandbox", "--id", "s", "--input", `{"name":"a","minutes":60,"failures":2,"teardownSeconds":3}`)
	engine := func(word string) { ownerIn(t, dir, "s", word) }
	engine("parked")
	pids, err := filepath.Glob(filepath.Join(dir, "weft-data", "demo", "sandbox", "*", "pid"))
	if err != nil || len(pids) != 1 {
		t.Fatalf("%v, %v", pids, err)
	}
	text, err := os.ReadFile(pids[0])
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	headless(t, dir, "cancel", "s")

	killed := exec.Command("owner", "weft-data")
	killed.Dir = dir
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	calls := filepath.Dir(pids[0]) + ".attempts"
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if data, _ := os.ReadFile(calls); len(data) > 0 || time.Now().After(end) {
			break
		}
	}
	began := time.Now()
	_ = killed.Process.Kill()
	_ = killed.Wait()
	shows(t, dir, `s .+ running +0/8 `)

	engine("attempted") // taken over, and failed at its second call
	if took := time.Since(began); took < 30*time.Second {
		t.Errorf("the claim was taken over %v after the kill, before it was stale", took)
	}
	shows(t, dir, `s .+ owed +2/8 .+ call 2: `)
	headless(t, dir, "retry-teardown", "s")
	engine("released")
	if err := syscall.Kill(pid, 0); err == nil && !zombie(pid) {
		t.Errorf("process %d runs on", pid)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "weft-data", "demo", "sandbox", "*"))
	if counts := headless(t, dir, "counts", "--json"); len(left) > 0 || !strings.Contains(counts, `"owed":0,"dead":0`) {
		t.Errorf("left %v; counts %s", left, counts)
	}
}

// zombie reports whether a process has ended and nobody took note.
func zombie(pid int) bool {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return strings.Contains(string(stat), ") Z ")
}

func ownerIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("owner", append([]string{"weft-data"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("owner %q: %v\n%s", args, err, out)
	}
}

func shows(t *testing.T, dir, pattern string) {
	t.Helper()
	if out := headless(t, dir, "teardowns"); !regexp.MustCompile(pattern).MatchString(out) {
		t.Errorf("teardowns show no %s:\n%s", pattern, out)
	}
}
