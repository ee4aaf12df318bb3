package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"weft"
	"weft/engine"
	"weft/flow"
	"weft/tui"
)

// TestMain lets scripts start this test binary as the program, and as a program
// that embeds the engine.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"weft-tui": main, "owner": owner, "panicking": panicking})
}

// owner DIR [ID WORD] runs the demo workflows in DIR without a console. The file
// DIR.ready appears once it owns the store. It ends by a signal, or once the run
// ID has the status WORD or waits for something named so; with the word parked,
// once it and all others only wait, and nothing of them is in memory. Released,
// attempted and dead are about its teardown: not owed any more, failed so far,
// retried until it was given up. With CHANGED set the code of the type keep is another one under the
// same version.
func owner() {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	dir := os.Args[1]
	open := openNode
	if os.Getenv("CHANGED") != "" {
		open = openChanged
	}
	node, err := open(ctx, want{Dir: dir, Mode: flow.ModeRun, Create: true})
	if err == nil {
		err = os.WriteFile(dir+".ready", nil, 0o644)
	}
	if err == nil && len(os.Args) > 3 {
		err = await(ctx, node.Console(), flow.Ref{ID: flow.WorkflowID(os.Args[2])}, os.Args[3])
	} else if err == nil {
		<-ctx.Done()
	}
	if node != nil {
		err = closeAfter(ctx, node.Console(), err)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "owner:", err)
		os.Exit(1)
	}
}

// changed is keep with other code: it sleeps, then waits for what never comes.
var changed = engine.Workflow[map[string]any, engine.Void]{Name: "keep", Version: "1",
	Do: func(ctx *engine.Context, _ map[string]any) (engine.Void, error) {
		if err := ctx.Sleep(time.Millisecond); err != nil {
			return engine.Void{}, err
		}
		return engine.Signal[engine.Void]{Name: "never"}.Wait(ctx)
	}}

func openChanged(ctx context.Context, w want) (*weft.Node, error) {
	return weft.Open(ctx, weft.Options{Dir: w.Dir, Workflows: []engine.Definition{changed}, AcknowledgeUnknownTypes: true})
}

// await returns when the run at ref is or waits for what word says.
func await(ctx context.Context, c tui.Console, ref flow.Ref, word string) error {
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		d, err := c.Detail(ctx, ref, flow.PartSummary)
		if err != nil && !errors.Is(err, flow.ErrNotFound) {
			return err
		}
		if word == "parked" {
			if info, err := c.Info(ctx); err != nil || d.Run.Waiting != "" && info.Live == 0 {
				return err
			}
		}
		if word == "dead" {
			_, _ = c.Do(ctx, flow.Act{Deed: flow.RetryTeardown{Target: ref}})
		}
		if err == nil && d.Run.Status.String() == word || err == nil && strings.Contains(d.Run.Waiting, word) {
			return nil
		}
		if t, err := teardownWord(ctx, c, ref); err != nil || t == word {
			return err
		}
	}
	return fmt.Errorf("%s never came to %s", ref, word)
}

// teardownWord says how the teardown of a run stands.
func teardownWord(ctx context.Context, c tui.Console, ref flow.Ref) (string, error) {
	of := flow.Filter{IDPrefix: string(ref.ID)}
	owed, err := c.Page(ctx, flow.Query{Of: flow.ListTeardowns, Filter: of})
	if err != nil {
		return "", err
	}
	dead, err := c.Page(ctx, flow.Query{Of: flow.ListDead, Filter: of})
	switch {
	case err != nil:
		return "", err
	case len(dead.Dead) > 0:
		return "dead", nil
	case len(owed.Teardowns) == 0:
		return "released", nil
	case owed.Teardowns[0].Attempts > 0 && owed.Teardowns[0].ClaimedAt == 0:
		return "attempted", nil
	}
	return "owed", nil
}

// TestScript runs the scripts in testdata, each a session that a user could
// have typed.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Defer(func() { sweepAway(filepath.Join(env.WorkDir, "weft-data")) })
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fails": fails,
			"same":  same,
			"until": until,
		},
		Condition: condition,
	})
}

// condition knows root, and volume: a small volume can be mounted, seen by this
// test alone.
func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "volume":
		return exec.Command("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", os.TempDir()).Run() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
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

// until PATTERN COMMAND... repeats a command until its output matches. What it
// waits for is done by another process.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN COMMAND...")
	}
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ts.Exec(args[1], args[2:]...) == nil && pattern.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("%s never printed %s", args[1], args[0])
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
