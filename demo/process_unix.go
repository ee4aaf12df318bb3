//go:build unix

package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// script is what the process of a sandbox does: it leaves its number in a file
// that must not exist yet, says so, and sleeps for an hour. Two attempts to start
// it at once leave one process.
const script = `set -C; echo $$ >` + pidName + ` || exit 1; echo up; exec >/dev/null; sleep 3600; exit`

// spawn starts the process of the sandbox in dir. It gets a session of its own:
// it outlives this process and the terminal.
func spawn(ctx context.Context, dir string) (process, error) {
	// Here none runs, so what is there was left by one that is gone.
	if err := os.Remove(filepath.Join(dir, pidName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return process{}, err
	}
	keepToOurselves()
	cmd := exec.Command("sh", "-c", script, mark(dir))
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return process{}, err
	}
	defer out.Close()
	if err := cmd.Start(); err != nil {
		return process{}, fmt.Errorf("start the process of a sandbox: %w", err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return process{}, errors.Join(fmt.Errorf("the process of a sandbox did not come up: %w", err), cmd.Wait())
	}
	if err := cmd.Process.Release(); err != nil {
		return process{}, err
	}
	p, ok := find(dir)
	if !ok {
		return process{}, errors.New("the process of a sandbox is gone already")
	}
	return p, ctx.Err()
}

// keepToOurselves keeps what this process has open from its children. Go does so
// by itself, but a library may have forgotten it, and a terminal or a pipe that
// the process of a sandbox holds stays open for an hour.
func keepToOurselves() {
	entries, _ := os.ReadDir("/dev/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// mark is an argument by which the process of the sandbox in dir is known. It
// has nothing of the folders above, which may be moved.
func mark(dir string) string { return "weft-sandbox-" + filepath.Base(dir) }

// find is the process that left its number in the sandbox in dir, if it is still
// there and not another one with that number.
func find(dir string) (process, bool) {
	text, err := os.ReadFile(filepath.Join(dir, pidName))
	if err != nil {
		return process{}, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		return process{}, false
	}
	started, arguments, alive := identify(pid)
	if !alive || !strings.Contains(arguments, mark(dir)) {
		return process{}, false
	}
	return process{pid, started}, true
}

// alive reports whether p is still there.
func (p process) alive() bool {
	if p.Pid <= 1 {
		return false
	}
	started, _, alive := identify(p.Pid)
	return alive && started == p.Started
}

// kill ends p and what it has started, and waits until it is gone. A process
// that is gone, or whose number belongs to another one now, is no matter.
func (p process) kill() error {
	if !p.alive() {
		return nil
	}
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill process %d: %w", p.Pid, err)
	}
	// A child of this process must be waited for; one of an earlier process
	// must not.
	for {
		if _, err := syscall.Wait4(p.Pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	for range 100 {
		if !p.alive() {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("process %d does not end", p.Pid)
}
