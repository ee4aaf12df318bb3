package torture

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/check"
	"weft/flow"
	"weft/store/pebble"
)

// TestAFinalizerThatEndsItsProcessIsADeadLetterAfterEightStarts: real processes,
// each of which the finalizer takes with it, until one lives to see that
// nothing is owed.
func TestAFinalizerThatEndsItsProcessIsADeadLetterAfterEightStarts(t *testing.T) {
	for way := range deaths {
		t.Run(way, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			died := 0
			for life := 0; ; life++ {
				if life > 2*flow.MaxTeardownAttempts {
					t.Fatalf("still owed after %d processes", life)
				}
				if !diesOf(t, dir, way, life) {
					break
				}
				died++
			}
			if died != flow.MaxTeardownAttempts {
				t.Errorf("%d processes died, want %d", died, flow.MaxTeardownAttempts)
			}
			started(t, dir)
			buried(t, dir)
		})
	}
}

// diesOf runs one child to its end and reports whether its finalizer ended it.
func diesOf(t *testing.T, dir, way string, life int) bool {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envDir+"="+dir, envLife+"="+strconv.Itoa(life), envDeath+"="+way)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	cmd.WaitDelay = time.Minute
	err := cmd.Run()
	if err == nil {
		return false
	}
	var exit *exec.ExitError
	natural := errors.As(err, &exit) && (way != "exit" || exit.ExitCode() == 7) &&
		(way != "panic" || strings.Contains(stderr.String(), "nobody recovers this"))
	if !natural || out.String() != "open\n" {
		t.Fatalf("process %d did not die of its finalizer: %v\nit said %q\n%s", life, err, out.String(), stderr.String())
	}
	return true
}

// started demands eight starts, each told its number.
func started(t *testing.T, dir string) {
	t.Helper()
	var want strings.Builder
	for n := range flow.MaxTeardownAttempts {
		fmt.Fprintf(&want, "doomed %d\n", n+1)
	}
	got, err := os.ReadFile(dir + "-starts")
	if err != nil || string(got) != want.String() {
		t.Errorf("the finalizer was started, %v:\n%swant:\n%s", err, got, want.String())
	}
}

// buried demands the dead letter, a neighbour that is well, and rows that fit
// together.
func buried(t *testing.T, dir string) {
	t.Helper()
	s, err := pebble.Open(pebble.Options{Dir: dir, Mode: pebble.Look})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	findings, err := check.Run(s)
	for _, f := range findings {
		t.Errorf("check: %s", f)
	}
	if err != nil {
		t.Error(err)
	}
	e, err := engine.Open(t.Context(), s, engine.Options{Mode: flow.ModeLook})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close(t.Context())
	page, err := e.Operator().Page(t.Context(), flow.Query{Of: flow.ListDead})
	if err != nil || len(page.Dead) != 1 {
		t.Fatalf("dead letters %+v, %v", page.Dead, err)
	}
	last := fmt.Sprintf("attempt %d ended without result", flow.MaxTeardownAttempts)
	if d := page.Dead[0]; d.ID != "doomed" || d.Finalizer != dies.Name || d.Attempts != flow.MaxTeardownAttempts ||
		d.LastError != last || string(d.Input) != `"doomed"` {
		t.Errorf("dead letter %+v", d)
	}
	if c := page.Counts; c.Owed != 0 || c.Dead != 1 || c.Cancelled != 1 || c.Running != 1 {
		t.Errorf("counts %+v", c)
	}
}
