package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/creack/pty"
)

// measureStart starts the program on the store, with its guard, and waits for
// what it draws.
func measureStart(s settings) error {
	tmp, err := os.MkdirTemp("", "bench-start-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	program := filepath.Join(tmp, "weft-tui")
	if out, err := exec.Command("go", "build", "-o", program, "weft/cmd/weft-tui").CombinedOutput(); err != nil {
		return fmt.Errorf("build weft-tui: %w: %s", err, out)
	}
	var frames, lists []time.Duration
	for range s.starts {
		frame, list, err := startOnce(program, tmp, s.dir)
		if err != nil {
			return err
		}
		frames, lists = append(frames, frame), append(lists, list)
	}
	slices.Sort(frames)
	slices.Sort(lists)
	row("process start → first frame, guard on, median", frames[len(frames)/2].Round(time.Millisecond).String(), "≤ 100 ms")
	row("process start → first rows, guard on, median", lists[len(lists)/2].Round(time.Millisecond).String(), "")
	return nil
}

// startOnce answers when the header was there, and when the first run was.
func startOnce(program, home, dir string) (frame, list time.Duration, err error) {
	cmd := exec.Command(program, "--data", dir)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "HOME="+home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=")
	began := time.Now()
	p, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		return 0, 0, err
	}
	defer p.Close()
	var seen []byte
	buf := make([]byte, 64<<10)
	for list == 0 {
		n, err := p.Read(buf)
		seen = append(seen, buf[:n]...)
		if frame == 0 && bytes.Contains(seen, []byte("weft")) && bytes.Contains(seen, []byte("lease")) {
			frame = time.Since(began)
		}
		if bytes.Contains(seen, []byte("nap-")) {
			list = time.Since(began)
		}
		if err != nil && list == 0 {
			return 0, 0, fmt.Errorf("weft-tui ended early: %w: %q", err, seen)
		}
	}
	if _, err := p.WriteString("q"); err != nil {
		return 0, 0, err
	}
	for { // its farewell, until the terminal is closed
		if _, err := p.Read(buf); err != nil {
			break
		}
	}
	return frame, list, cmd.Wait()
}
