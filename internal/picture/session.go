package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
)

// patience is how long a session waits for what it wants to see.
const patience = 30 * time.Second

// session is the console in a pseudo-terminal.
type session struct {
	cmd   *exec.Cmd
	pty   *os.File
	ended chan struct{}

	mu     sync.Mutex
	screen *screen
	last   time.Time // when bytes came
	err    error     // what the screen did not understand
}

// begin starts the demo of program in dir, where its store is.
func begin(program, dir string, width, height int) (*session, error) {
	cmd := exec.Command(program, "demo")
	cmd.Dir = dir
	// The terminal has a name that nobody knows: only plain sequences are used.
	cmd.Env = append(os.Environ(), "TERM=plain-256color", "COLORTERM=", "NO_COLOR=", "HOME="+dir, "USER=you", "LOGNAME=you",
		"XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "XDG_STATE_HOME="+filepath.Join(dir, "state"), "WEFT_TUI_CONFIG=")
	p, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
	if err != nil {
		return nil, err
	}
	s := &session{cmd: cmd, pty: p, ended: make(chan struct{}), screen: newScreen(width, height)}
	go s.listen()
	return s, nil
}

// listen shows what comes until the terminal is closed.
func (s *session) listen() {
	defer close(s.ended)
	buf := make([]byte, 64<<10)
	for {
		n, err := s.pty.Read(buf)
		s.mu.Lock()
		s.last = time.Now()
		s.err = errors.Join(s.err, s.screen.write(string(buf[:n])))
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// resize makes the terminal anew in another size.
func (s *session) resize(width, height int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.screen = newScreen(width, height)
	return pty.Setsize(s.pty, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
}

// press types keys.
func (s *session) press(keys string) error {
	_, err := s.pty.WriteString(keys)
	return err
}

// until waits until all texts are on the screen and nothing more is being drawn.
func (s *session) until(texts ...string) error {
	end := time.Now().Add(patience)
	for ; time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text, still, err := s.look()
		if err != nil || still && containsAll(text, texts) {
			return err
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the console ended before %q was on the screen", texts)
		default:
		}
	}
	text, _, _ := s.look()
	return fmt.Errorf("%q was not on the screen within %v:\n%s", texts, patience, text)
}

// look is what is on the screen, whether it is not just changing, and what was
// not understood.
func (s *session) look() (text string, still bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.text(), time.Since(s.last) > 60*time.Millisecond, s.err
}

func containsAll(text string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

// svg is the screen as a picture.
func (s *session) svg(title string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.svg(title)
}

// leave leaves the console, and abandons what is in flight.
func (s *session) leave() error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		select {
		case <-s.ended:
			return errors.Join(s.close(), s.cmd.Wait())
		default:
			_ = s.press("\x03") // ends with the session
		}
	}
	return errors.Join(errors.New("the console does not end"), s.kill())
}

// kill ends the console by taking its terminal away, and by force if it does not
// end by that.
func (s *session) kill() error {
	err := s.close()
	force := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer force.Stop()
	_ = s.cmd.Wait() // it ends by a signal
	return err
}

func (s *session) close() error {
	err := s.pty.Close()
	<-s.ended
	return err
}
