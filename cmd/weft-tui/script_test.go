package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets scripts start this test binary as the program.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"weft-tui": main})
}

// TestScript runs the scripts in testdata, each a session that a user could
// have typed.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fails": fails,
			"same":  same,
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// fails N COMMAND... runs a command that must end with exit code N.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fails N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		ts.Fatalf("%s succeeded, want exit code %d", args[1], want)
	case !errors.As(err, &exit):
		ts.Fatalf("%s: %v", args[1], err)
	case exit.ExitCode() != want:
		ts.Fatalf("%s: exit code %d, want %d", args[1], exit.ExitCode(), want)
	}
}

// same DIR compares everything below DIR with how it was when the same script
// last asked, and fails when a byte, a name or a mode differs.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] same DIR")
	}
	key := "FINGERPRINT_" + args[0]
	before, now := ts.Getenv(key), fingerprint(ts, ts.MkAbs(args[0]))
	ts.Setenv(key, now)
	if before != "" && (before == now) == neg {
		ts.Fatalf("%s: unchanged is %t\nbefore:\n%s\nnow:\n%s", args[0], before == now,
			strings.ReplaceAll(before, ";", "\n"), strings.ReplaceAll(now, ";", "\n"))
	}
}

func fingerprint(ts *testscript.TestScript, root string) string {
	var b strings.Builder
	ts.Check(filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		fmt.Fprintf(&b, "%s %v", filepath.ToSlash(rel), info.Mode())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %d bytes %x", len(data), sha256.Sum256(data))
		}
		b.WriteString(";")
		return nil
	}))
	return b.String()
}
