//go:build unix

package tui

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"weft/views"
)

// guardEnv tells a child that it is guarded, and where its errors go while the
// console is on the screen. The file is there exactly as long as the console
// is: what remains of it tells the guard that the console did not leave.
const guardEnv = "WEFT_GUARD"

var errorFile string

// Guard makes the terminal survive whatever happens to the program. It is the
// first line of main: the process becomes a guard, and the program runs as its
// child, on the same terminal and in the same process group. If the child ends
// without having given the terminal back (killed, a fatal error of the runtime,
// os.Exit in a library) the guard does, says so in one line, and ends with the
// child's code, or 128+n when signal n ended it.
//
// Guard does none of this in the child, nor when input or output is no terminal.
// Where the console will be shown it makes room for it; see [MakeRoom].
func Guard() {
	if path, child := os.LookupEnv(guardEnv); child {
		os.Unsetenv(guardEnv)
		errorFile = path
		MakeRoom()
		return
	}
	if !OnTerminal() {
		return
	}
	g, err := newGuard()
	if err != nil {
		MakeRoom()
		return // without a guard rather than not at all
	}
	os.Exit(g.run())
}

// guard watches one child.
type guard struct {
	saved *term.State
	file  string
	child *os.Process
	ch    chan os.Signal
}

// forwarded are the signals somebody sends to the guard and means the program
// with. What the terminal sends (INT, QUIT, TSTP) the child gets by itself.
var forwarded = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}

func newGuard() (*guard, error) {
	saved, err := term.GetState(os.Stdin.Fd())
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	g := &guard{saved: saved, ch: make(chan os.Signal, 16)}
	g.file = filepath.Join(os.TempDir(), "weft-"+strings.ToLower(rand.Text())+".err")
	// Handlers go back to the default in the child; that is why nothing is
	// ignored here.
	signal.Notify(g.ch, syscall.SIGCHLD, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP)
	for _, s := range forwarded {
		if !signal.Ignored(s) {
			signal.Notify(g.ch, s)
		}
	}
	g.child, err = os.StartProcess(exe, os.Args, &os.ProcAttr{
		Env:   append(os.Environ(), guardEnv+"="+g.file),
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   childAttr(),
	})
	if err != nil {
		signal.Reset()
		return nil, err
	}
	return g, nil
}

// run waits for the child and returns the code to end with.
func (g *guard) run() int {
	for s := range g.ch {
		switch s {
		case syscall.SIGCHLD:
			if ws, ended := g.reap(); ended {
				return g.finish(ws)
			}
		case syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP:
		default:
			_ = g.child.Signal(s)
		}
	}
	return 1
}

// reap takes what is to be known of the child: that it stopped, or how it ended.
func (g *guard) reap() (ws syscall.WaitStatus, ended bool) {
	for {
		pid, err := syscall.Wait4(g.child.Pid, &ws, syscall.WNOHANG|syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil || pid == 0:
			return ws, false
		case ws.Stopped():
			g.stop()
		default:
			return ws, true
		}
	}
}

// stop follows the child: the shell waits for the guard, so the guard must stop
// for the shell to come back. When it is continued the child is too.
func (g *guard) stop() {
	was, err := term.GetState(os.Stdin.Fd())
	raw := err == nil && *was != *g.saved
	if raw { // stopped from outside, in the middle of things
		g.restore()
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	defer signal.Stop(again)
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
	<-again // the stop may come a moment later than the call returns
	if raw {
		_ = term.SetState(os.Stdin.Fd(), was)
	}
	_ = g.child.Signal(syscall.SIGCONT)
}

// finish repairs what the child left behind and says what happened.
func (g *guard) finish(ws syscall.WaitStatus) int {
	code := ws.ExitStatus()
	if ws.Signaled() {
		code = 128 + int(ws.Signal())
	}
	text, onScreen := g.errors()
	state, err := term.GetState(os.Stdin.Fd())
	if !onScreen && (err != nil || *state == *g.saved) {
		return code
	}
	g.restore()
	fmt.Fprintln(os.Stderr, "weft: "+g.epitaph(ws, text)+"; the terminal was restored")
	return code
}

// errors is the first telling line of what the child wrote as errors; there is
// false when the console was not on the screen.
func (g *guard) errors() (text string, there bool) {
	data, err := os.ReadFile(g.file)
	if err != nil {
		return "", false
	}
	for _, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			disarm(g.file)
			return line, true
		}
	}
	os.Remove(g.file)
	return "", true
}

// disarm makes a file of errors safe to be shown on a terminal: what was stored may
// be quoted in them.
func disarm(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		lines[i] = views.Clean(line)
	}
	if text := strings.Join(lines, "\n"); text != string(data) {
		_ = os.WriteFile(path, []byte(text), 0o600)
	}
}

// epitaph says how the child ended.
func (g *guard) epitaph(ws syscall.WaitStatus, text string) string {
	s := fmt.Sprintf("the program ended with code %d without leaving the screen", ws.ExitStatus())
	if ws.Signaled() {
		s = fmt.Sprintf("the program was ended by signal %d (%s)", ws.Signal(), ws.Signal())
	}
	if text != "" {
		s += ": " + views.Clean(text) + "; more in " + g.file
	}
	return s
}

// restore gives the terminal back: the keyboard modes of either screen, the
// modes a console sets, colours, then the line discipline.
func (g *guard) restore() {
	fmt.Fprint(os.Stdout, "\x1b[<u\x1b[>4;0m"+ // kitty keyboard, modifyOtherKeys on the alternate screen
		"\x1b[?1049l\x1b[<u\x1b[=0;1u\x1b[>4;0m"+
		"\x1b[?1000;1001;1002;1003;1004;1005;1006l\x1b[?2004l\x1b[?2026l\x1b[?2027l\x1b[?25h\x1b[m\r")
	_ = term.SetState(os.Stdin.Fd(), g.saved)
	dropInput(int(os.Stdin.Fd()))
}

// capture sends standard error into the guard's file while the console is on
// the screen: what libraries and the runtime write must not land on it.
func capture() (restore func()) {
	if errorFile == "" {
		return func() {}
	}
	f, err := os.OpenFile(errorFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return func() {}
	}
	// Not for what activities start: it would hold the terminal open.
	stderr, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = onto(int(f.Fd()), 2)
	}
	if err != nil {
		os.Remove(errorFile)
		return func() { f.Close() }
	}
	return func() {
		_ = onto(stderr, 2)
		syscall.Close(stderr)
		keep(f)
	}
}

// keep removes the file, or puts it aside when there is something in it.
func keep(f *os.File) {
	info, err := f.Stat()
	f.Close()
	if err == nil && info.Size() > 0 {
		aside := strings.TrimSuffix(errorFile, ".err") + ".log"
		if os.Rename(errorFile, aside) == nil {
			disarm(aside)
			fmt.Fprintln(os.Stderr, "weft: error messages were written to "+aside)
		}
		return
	}
	os.Remove(errorFile)
}
