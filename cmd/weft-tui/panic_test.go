//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"weft"
	"weft/engine"
)

// The three places where code of a program can panic beside its console.
var (
	burst = engine.Activity[string, engine.Void]{Name: "burst", Retry: engine.Retry{MaxAttempts: 1},
		Do: func(_ context.Context, how string) (engine.Void, error) {
			if how == "goroutine" {
				go func() { panic("boom in a goroutine") }()
				select {}
			}
			panic("boom in an activity")
		}}
	bursting = engine.Workflow[string, engine.Void]{Name: "bursting", Version: "1",
		Do: func(ctx *engine.Context, how string) (engine.Void, error) {
			if how == "workflow" {
				panic("boom in a workflow")
			}
			if how == "goroutine" {
				if err := ctx.Sleep(2e9); err != nil { // until the console is on the screen
					return engine.Void{}, err
				}
			}
			return burst.Run(ctx, how)
		}}
)

// panicking WHERE is a program of its own whose code panics there.
func panicking() {
	weft.Guard()
	ctx := context.Background()
	node, err := weft.Open(ctx, weft.Options{Dir: "weft-data", Create: true, Workflows: []engine.Definition{bursting}})
	if err == nil {
		_, err = bursting.Start(ctx, node.Engine, os.Args[1], engine.StartOptions{ID: "bad-1"})
	}
	if err == nil {
		err = node.Run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "panicking:", err)
		os.Exit(1)
	}
}

// TestPanicsBesideTheConsole: one in a workflow or an activity fails the run, and
// the console goes on. One in a goroutine of its own ends the process, as in any
// program of Go: the terminal is given back, and the next start goes on.
func TestPanicsBesideTheConsole(t *testing.T) {
	for _, where := range []string{"workflow", "activity"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := programOnScreen(t, dir, "panicking", where)
			s.until("the failed run", func() bool { return strings.Contains(s.screen(), "bad-1") }, func() { _, _ = s.pty.WriteString("4") })
			s.press("q", "a")
			s.endsWith(exitOK)
			if shown := headless(t, dir, "show", "bad-1"); !strings.Contains(shown, "boom in a") {
				t.Errorf("the run does not tell of the panic:\n%s", shown)
			}
		})
	}
	t.Run("goroutine", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := programOnScreen(t, dir, "panicking", "goroutine")
		s.waitFor("bad-1")
		s.endsWith(2)
		s.waitFor("panic: boom in a goroutine")
		s.waitFor("the terminal was restored")
		if list := headless(t, dir, "ls"); !strings.Contains(list, "bad-1") {
			t.Errorf("ls after the death:\n%s", list)
		}
	})
}
