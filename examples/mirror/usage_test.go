package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMirrorRefuses runs command lines that must change nothing but the
// directories they name.
func TestMirrorRefuses(t *testing.T) {
	tests := map[string]struct {
		args []string
		code int
		says string
	}{
		"no directories":          {nil, 2, "usage: mirror SRC DST"},
		"one directory":           {[]string{"src"}, 2, "usage: mirror SRC DST"},
		"three directories":       {[]string{"src", "dst", "x"}, 2, "usage: mirror SRC DST"},
		"an unknown flag":         {[]string{"src", "--fast", "dst"}, 2, "-fast"},
		"an empty batch":          {[]string{"src", "dst", "--batch", "0"}, 2, "batches of 1 to 10000"},
		"a source that is none":   {[]string{"none", "dst"}, 1, "source: "},
		"a source that is a file": {[]string{"src/file", "dst"}, 1, "is no directory"},
		"a copy into itself":      {[]string{"src", "src/copy"}, 1, "is within"},
		"a copy around itself":    {[]string{"src", "."}, 1, "is within"},
		"data in the copy":        {[]string{"src", "dst", "--data", "dst/data"}, 1, "is within"},
		"a trace that cannot be":  {[]string{"src", "dst", "--trace", "none/trace"}, 1, "none"},
		"no terminal":             {[]string{"src", "dst"}, 1, "terminal"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "src", "file"), "text")
			out, errs, code := run(t, dir, tc.args...)
			if code != tc.code || !strings.Contains(errs, tc.says) || out != "" {
				t.Errorf("exit %d with %q and %q; want %d with %q", code, out, errs, tc.code, tc.says)
			}
			if n := strings.Count(errs, "\n"); n != 1 {
				t.Errorf("%d lines on standard error: %q", n, errs)
			}
		})
	}
}

func TestMirrorTellsItsResultAgain(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "src", "file"), "text")
	first, _, code := run(t, dir, "src", "dst", "--headless")
	if code != 0 || !strings.Contains(first, "1 of 1 files, 4 B\nmirrored 1 files, 4 B") {
		t.Fatalf("exit %d with %q", code, first)
	}
	again, _, code := run(t, dir, "--headless", "src", "--batch", "7", "dst")
	if code != 0 || !strings.HasSuffix(first, again) || strings.Contains(again, " of ") {
		t.Errorf("exit %d with %q, first %q", code, again, first)
	}
	other, _, code := run(t, dir, "src", "other", "--headless")
	if code != 0 || !strings.Contains(other, "mirrored 1 files") {
		t.Errorf("another pair in the same store: exit %d with %q", code, other)
	}
}

// TestMirrorAgain replaces a run that has ended, well or badly.
func TestMirrorAgain(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "src", "file"), "text")
	write(t, filepath.Join(dir, "dst", "name", "below"), "a directory there")
	steps := []struct {
		does string
		do   func()
		args []string
		code int
		says string
	}{
		{"mirrors", func() {}, nil, 0, "mirrored 1 files, 4 B"},
		{"tells its result", func() { write(t, filepath.Join(dir, "src", "more"), "more") }, nil, 0, "mirrored 1 files, 4 B"},
		{"mirrors anew", func() {}, []string{"--again"}, 0, "mirrored 2 files, 8 B"},
		{"tells the new result", func() {}, nil, 0, "mirrored 2 files, 8 B"},
		{"fails", func() { write(t, filepath.Join(dir, "src", "name"), "name") }, []string{"--again"}, 1, "copy name: "},
		{"tells why", func() { os.RemoveAll(filepath.Join(dir, "dst", "name")) }, nil, 1, "copy name: "},
		{"recovers", func() {}, []string{"--again"}, 0, "mirrored 3 files, 12 B"},
	}
	for _, s := range steps {
		s.do()
		out, errs, code := run(t, dir, append([]string{"src", "dst", "--headless"}, s.args...)...)
		if code != s.code || !strings.Contains(out+errs, s.says) {
			t.Fatalf("%s: exit %d with %q and %q; want %d with %q", s.does, code, out, errs, s.code, s.says)
		}
	}
	same(t, filepath.Join(dir, "src"), filepath.Join(dir, "dst"))
}

func TestMirrorSaysWhyItFailed(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "src", "name"), "a file here")
	write(t, filepath.Join(dir, "dst", "name", "below"), "a directory there")
	_, errs, code := run(t, dir, "src", "dst", "--headless")
	if code != 1 || !strings.Contains(errs, "copy name: ") {
		t.Errorf("exit %d with %q", code, errs)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err := errors.Join(err, os.WriteFile(path, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// run runs the mirror in dir.
func run(t *testing.T, dir string, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}
