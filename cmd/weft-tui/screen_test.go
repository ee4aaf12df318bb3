//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// session is the program on a pseudo-terminal.
type session struct {
	t     *testing.T
	cmd   *exec.Cmd
	pty   *os.File
	modes *term.State // before the program changed them
	ended chan struct{}

	mu   sync.Mutex
	seen bytes.Buffer
}

// onScreen starts the program in dir.
func onScreen(t *testing.T, dir string, args ...string) *session {
	t.Helper()
	return programOnScreen(t, dir, "weft-tui", args...)
}

func programOnScreen(t *testing.T, dir, program string, args ...string) *session {
	t.Helper()
	s := &session{t: t, cmd: exec.Command(program, args...), ended: make(chan struct{})}
	s.cmd.Dir = dir
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "TMPDIR="+t.TempDir(),
		"XDG_CONFIG_HOME=", "XDG_STATE_HOME="+filepath.Join(dir, "state"), "HOME="+dir, configEnv+"="+configIn(t, dir, ""))
	var err error
	if s.pty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	if s.modes, err = term.GetState(s.pty.Fd()); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := s.pty.Read(buf)
			s.mu.Lock()
			s.seen.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		<-s.ended
		sweepAway(filepath.Join(dir, "weft-data"))
		s.pty.Close()
		<-read
	})
	return s
}

// configIn puts a configuration into dir, as editors do: whole, under its name.
func configIn(t *testing.T, dir, text string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "config.toml")
	if err := errors.Join(os.WriteFile(path+"~", []byte(text), 0o600), os.Rename(path+"~", path)); err != nil {
		t.Fatal(err)
	}
	return path
}

func (s *session) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// until repeats try until done reports true.
func (s *session) until(what string, done func() bool, try func()) {
	s.t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if done() {
			return
		}
		try()
	}
	s.t.Fatalf("%s never came; on the terminal:\n%q", what, s.screen())
}

func (s *session) waitFor(text string) {
	s.t.Helper()
	s.until(text, func() bool { return strings.Contains(s.screen(), text) }, func() {})
}

// press presses the keys, and the last one again and again until the program has
// ended: questions do not count keys that come too early. An escape does not
// belong among them: a slow machine reads it and the next key as one.
func (s *session) press(keys ...string) {
	s.t.Helper()
	i := 0
	s.until("the end", s.hasEnded, func() {
		_, _ = s.pty.WriteString(keys[min(i, len(keys)-1)])
		i++
		time.Sleep(100 * time.Millisecond)
	})
}

func (s *session) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// endsWith checks the exit code, and that the terminal is as it was.
func (s *session) endsWith(code int) {
	s.t.Helper()
	s.until("the end", s.hasEnded, func() {})
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("exit code %d, want %d; on the terminal:\n%q", got, code, s.screen())
	}
	modes, err := term.GetState(s.pty.Fd())
	if err != nil {
		s.t.Fatal(err)
	}
	if *modes != *s.modes {
		s.t.Errorf("the terminal is left in %+v, was in %+v", *modes, *s.modes)
	}
}

// headless runs a verb in dir, beside the terminal.
func headless(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("weft-tui", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("weft-tui %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestDemoOnATerminal is the first minute: live workflows on the screen, and all
// of them still there after it was left.
func TestDemoOnATerminal(t *testing.T) {
	dir := t.TempDir()
	s := onScreen(t, dir, "demo")
	s.waitFor("keep-april-logs")
	s.press("q", "a")
	s.endsWith(exitOK)
	list := headless(t, dir, "ls")
	if !strings.Contains(list, "keep-april-logs") || !strings.Contains(list, "release-1.4") {
		t.Errorf("ls after the demo:\n%s", list)
	}
	if lease := headless(t, dir, "lease"); !strings.Contains(lease, "released") {
		t.Errorf("lease after the demo:\n%s", lease)
	}

	// The second time nothing is started again, and the plain console goes on.
	runs := strings.Count(list, "\n")
	s = onScreen(t, dir)
	s.waitFor("keep-april-logs")
	configIn(t, dir, "[store.weft-data]\nlabel = \"qqqqq\"")
	s.waitFor("qqqqq")
	configIn(t, dir, "them = 1")
	s.waitFor("config.toml:1: them")
	s.press("q", "a")
	s.endsWith(exitOK)
	if list = headless(t, dir, "ls"); strings.Count(list, "\n") != runs {
		t.Errorf("ls after the second console, %d lines before:\n%s", runs, list)
	}
}

// TestKilledConsole: whatever ends the program, the terminal is given back and
// the store opens again.
func TestKilledConsole(t *testing.T) {
	dir := t.TempDir()
	s := onScreen(t, dir, "demo")
	s.waitFor("keep-april-logs")
	owner, err := os.ReadFile(filepath.Join(dir, "weft-data", "owner.lock"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`"pid":\s*(\d+)`).FindSubmatch(owner)
	if m == nil {
		t.Fatalf("owner.lock names no process: %s", owner)
	}
	pid, err := strconv.Atoi(string(m[1]))
	if err != nil || pid == s.cmd.Process.Pid {
		t.Fatalf("the owner is process %d, the guard %d: %v", pid, s.cmd.Process.Pid, err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.endsWith(137)
	s.waitFor("the terminal was restored")
	headless(t, dir, "counts")
	if lease := headless(t, dir, "lease"); !strings.Contains(lease, "epoch    1") {
		t.Errorf("lease after the kill:\n%s", lease)
	}
}

// TestConsoleOnNothing: the error is a sentence on the normal screen.
func TestConsoleOnNothing(t *testing.T) {
	dir := t.TempDir()
	s := onScreen(t, dir, "--data", "typo")
	s.endsWith(exitStore)
	s.waitFor("weft-tui: open ")
	if strings.Contains(s.screen(), "\x1b") {
		t.Errorf("the screen was touched: %q", s.screen())
	}
	if _, err := os.Stat(filepath.Join(dir, "typo")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a store was made: %v", err)
	}
}
