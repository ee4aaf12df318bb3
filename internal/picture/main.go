package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	out := flag.String("out", filepath.Join("docs", "pictures"), "the directory the pictures are written to")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(out string) (err error) {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "weft-picture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "weft-tui")
	if text, err := exec.Command("go", "build", "-o", program, "weft/cmd/weft-tui").CombinedOutput(); err != nil {
		return fmt.Errorf("build weft-tui: %w: %s", err, text)
	}
	defer sweepAway(filepath.Join(dir, "weft-data"))
	if err := warmUp(program, dir); err != nil {
		return err
	}
	s, err := begin(program, dir, wide, high)
	if err != nil {
		return err
	}
	// Keys that come before the console has the terminal are echoed by it.
	if err := s.until("= 2 Running", "sandbox-ana"); err != nil {
		_ = s.kill() // why there is nothing says more
		return err
	}
	for _, p := range pictures {
		if err := p.take(s, out); err != nil {
			_ = s.kill() // why there is no picture says more
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return s.leave()
}

// warmUp starts the demo, which takes its time, and leaves: the store then has a
// past.
func warmUp(program, dir string) error {
	s, err := begin(program, dir, wide, high)
	if err != nil {
		return err
	}
	if err := s.until("sandbox-ana", "sandbox-lost"); err != nil {
		_ = s.kill()
		return err
	}
	return s.leave()
}

// take brings a picture on the screen and writes it.
func (p picture) take(s *session, out string) error {
	if p.width != 0 {
		if err := s.resize(p.width, p.height); err != nil {
			return err
		}
	}
	for _, step := range p.steps {
		if err := s.press(step.keys); err != nil {
			return err
		}
		if err := s.until(step.sees...); err != nil {
			return fmt.Errorf("after the keys %q: %w", step.keys, err)
		}
	}
	return os.WriteFile(filepath.Join(out, p.name+".svg"), []byte(s.svg(p.title)), 0o666)
}
