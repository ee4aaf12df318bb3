//go:build unix

package tui

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"weft/flow"
)

// programEnv makes the test binary the program under test.
const programEnv = "WEFT_TUI_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if name := os.Getenv(programEnv); name != "" {
		os.Exit(testProgram(name))
	}
	os.Exit(m.Run())
}

// fatal is a fake whose acts end the process in the ways a library could.
type fatal struct{ *fake }

func (f fatal) Do(ctx context.Context, a flow.Act) (flow.Receipt, error) {
	switch a.Deed.(type) {
	case flow.ResumeRun:
		go func() { panic("boom\x1b[2J") }()
		select {}
	case flow.SendSignal:
		os.Exit(3)
	}
	return f.fake.Do(ctx, a)
}

func testProgram(name string) int {
	Guard()
	if errorFile == "" {
		fmt.Fprintln(os.Stderr, "not guarded")
		return 4
	}
	f := populated()
	if name == "owing" {
		f = owing()
		noon = time.Now()
	}
	f.now = time.Now
	f.info.Lease.ExpiresAt = flow.InstantOf(time.Now().Add(30 * time.Second))
	f.info.Lease.RenewedAt = flow.InstantOf(time.Now())
	if name == "crowd" {
		c := crowd(40)
		c.now, c.info = time.Now, f.info
		time.AfterFunc(2*time.Second, func() { c.set(c.runs[35].Ref, flow.Completed) })
		f = c
	}
	if name == "stolen" {
		time.AfterFunc(time.Second, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.stolenBy("con-thief")
		})
	}
	if name == "hostile" {
		f = hostile()
		f.now = time.Now
		time.AfterFunc(time.Second, func() { fmt.Fprintf(os.Stderr, "library: %s\n", evil) })
	}
	if name == "busy" {
		f.info.Attempts, f.info.Finalizers = 3, 1
	}
	fmt.Printf("pid %d\r\n", os.Getpid())
	var c Console = fatal{f}
	if name == "owing" || name == "crowd" {
		c = f
	}
	err := Run(context.Background(), c, Options{Editor: os.Getenv("WEFT_TUI_TEST_EDITOR")})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

// session is a program in a pseudo-terminal.
type session struct {
	t     *testing.T
	cmd   *exec.Cmd
	tty   *os.File // the program's side
	pty   *os.File
	saved *term.State
	mu    sync.Mutex
	out   bytes.Buffer
	ended chan error
	mark  int
}

const patience = 20 * time.Second

func newSession(t *testing.T, name string) *session {
	t.Helper()
	return runIn(t, name, exec.Command(os.Args[0]))
}

// runIn runs cmd, which is the program or something that starts it.
func runIn(t *testing.T, name string, cmd *exec.Cmd) *session {
	t.Helper()
	p, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	if err := pty.Setsize(p, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, pty: p, tty: tty, ended: make(chan error, 1)}
	if s.saved, err = term.GetState(tty.Fd()); err != nil {
		t.Fatal(err)
	}
	s.cmd = cmd
	s.cmd.Env = append(os.Environ(), programEnv+"="+name, "TERM=xterm-256color", "TMPDIR="+t.TempDir())
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.read()
	go func() { s.ended <- s.cmd.Wait() }()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		tty.Close()
		p.Close()
	})
	return s
}

func (s *session) read() {
	buf := make([]byte, 4096)
	for {
		n, err := s.pty.Read(buf)
		s.mu.Lock()
		s.out.Write(buf[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// raw is all that was written so far.
func (s *session) raw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// waits until text was written since the last key.
func (s *session) waits(text string) {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(ansi.Strip(s.raw()[s.mark:]), text) {
			return
		}
	}
	s.t.Fatalf("%q was not written within %v:\n%q", text, patience, s.raw()[s.mark:])
}

// sees waits until text is on the screen, which is drawn anew for it: otherwise
// only what differs is written. Not for where text is typed.
func (s *session) sees(text string) {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		s.send("\x0c")
		time.Sleep(100 * time.Millisecond)
		if strings.Contains(ansi.Strip(s.raw()[s.mark:]), text) {
			return
		}
	}
	s.t.Fatalf("%q was not on the screen within %v:\n%q", text, patience, s.raw()[s.mark:])
}

func (s *session) send(keys string) {
	s.t.Helper()
	s.mark = len(s.raw())
	if _, err := s.pty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the end and checks that the terminal is as it was.
func (s *session) ends(code int) {
	s.t.Helper()
	s.set()
	s.restored(code)
}

// restored waits for the end and checks that the terminal is as it was.
func (s *session) restored(code int) {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatalf("did not end within %v:\n%q", patience, s.raw())
	}
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("ended with code %d, want %d", got, code)
	}
	now, err := term.GetState(s.tty.Fd())
	if err != nil || *now != *s.saved {
		s.t.Errorf("the line discipline is not as before: %v, %+v, want %+v", err, now, s.saved)
	}
	bad := s.leftOn()
	for end := time.Now().Add(time.Second); bad != "" && time.Now().Before(end); bad = s.leftOn() {
		time.Sleep(10 * time.Millisecond) // what was written may not have been read yet
	}
	if bad != "" {
		s.t.Errorf("%q is the last word: a mode was left on", bad)
	}
}

// childPid is the process the guard watches.
func (s *session) childPid() int {
	s.t.Helper()
	s.waits("pid ")
	_, rest, _ := strings.Cut(s.raw(), "pid ")
	text, _, _ := strings.Cut(rest, "\r")
	pid, err := strconv.Atoi(text)
	if err != nil || pid == s.cmd.Process.Pid {
		s.t.Fatalf("pid %q: %v", text, err)
	}
	return pid
}

func TestSessionStartsFromTheFormAndLeaves(t *testing.T) {
	s := newSession(t, "console")
	s.waits("reserveStock 2/3")
	s.send("N")
	s.waits("Start a workflow")
	s.send("\x1b[Z") // shift+tab
	s.send("my-order\x13")
	s.waits("OK start my-order")
	s.waits("audit 118")
	s.send("q")
	s.waits("weft /srv/orders: left; ")
	s.ends(0)
}

func TestSessionAsksBeforeItStopsWork(t *testing.T) {
	s := newSession(t, "busy")
	s.waits("reserveStock 2/3")
	s.send("\x03")
	s.waits("3 attempts and 1 teardown")
	s.send("\x1b")
	s.waits("reserveStock")
	s.send("q")
	s.waits("3 attempts")
	time.Sleep(armsAfter) // the question accepts nothing before
	s.send("a")
	s.waits("weft /srv/orders: abandoned; ")
	s.ends(0)
}

func TestSessionSurvivesAPanicElsewhere(t *testing.T) {
	s := newSession(t, "console")
	s.waits("reserveStock 2/3")
	s.send("3")
	s.waits("operator: looking")
	s.send("p")
	s.waits(`panic: boom\x1b[2J`)
	s.waits("the terminal was restored")
	s.ends(2)
	_, rest, _ := strings.Cut(s.raw(), "more in ")
	path, _, _ := strings.Cut(rest, ";")
	s.harmless(path, "goroutine ", `boom\x1b[2J`)
}

func TestSessionSurvivesAnExitElsewhere(t *testing.T) {
	s := newSession(t, "console")
	s.waits("reserveStock 2/3")
	s.send("s")
	s.waits("Send a signal")
	s.send("\x13")
	s.waits("ended with code 3 without leaving the screen; the terminal was restored")
	s.ends(3)
}

func TestSessionSurvivesBeingKilled(t *testing.T) {
	s := newSession(t, "console")
	pid := s.childPid()
	s.waits("reserveStock 2/3")
	s.mark = 0
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.waits("ended by signal 9 (killed); the terminal was restored")
	s.ends(128 + 9)
}

func TestSessionEndsInOrderBySignals(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"terminated": syscall.SIGTERM, "hangup": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, "console")
			s.waits("reserveStock 2/3")
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			s.waits(name + ", drained")
			s.waits("error: ended by signal: " + name)
			s.ends(1)
		})
	}
}

// TestSessionGoesToTheShellAndBack is ctrl+z and fg under a shell that controls
// jobs.
func TestSessionGoesToTheShellAndBack(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	s := runIn(t, "console", exec.Command(bash, "--norc", "--noprofile", "-i"))
	s.send(os.Args[0] + "\r")
	s.waits("reserveStock 2/3")
	for range 2 {
		s.send("\x1a")
		s.waits("weft: stopped, and the engine too")
		s.waits("Stopped")
		s.send("echo $((6*7))\r")
		s.waits("42")
		s.send("fg\r")
		s.waits("reserveStock 2/3")
	}
	s.send("q")
	s.waits("weft /srv/orders: left; ")
	s.send("exit 5\r")
	s.ends(5)
}

// TestSessionStopsAndGoesOn: the guard stops when the child does, and both go
// on together.
func TestSessionStopsAndGoesOn(t *testing.T) {
	s := newSession(t, "console")
	pid := s.childPid()
	s.waits("reserveStock 2/3")
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.state(s.cmd.Process.Pid, 'T')
	time.Sleep(100 * time.Millisecond) // time to go wrong
	s.state(pid, 'T')
	now, err := term.GetState(s.tty.Fd())
	if err != nil || *now != *s.saved {
		t.Errorf("stopped, the line discipline is not as before: %v", err)
	}
	if err := syscall.Kill(s.cmd.Process.Pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.state(pid, 'S')
	s.send("q")
	s.ends(0)
}

// state waits until a process is in a state; where there is no /proc the test
// ends.
func (s *session) state(pid int, want byte) {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			s.t.Skip("no /proc here")
		}
		if _, rest, _ := strings.Cut(string(data), ") "); rest != "" && rest[0] == want {
			return
		}
	}
	s.t.Fatalf("process %d did not get into state %c", pid, want)
}
