package torture

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/pebble"
)

// envDeath says how the finalizer of a deadly child ends its process; empty:
// the child is of another kind.
const envDeath = "WEFT_TORTURE_DEATH"

// apart is how much later than the one before each deadly child lives: longer
// than any back-off, and than the horizon of a lost attempt.
const apart = 2 * time.Hour

// deaths are the ways in which a finalizer can take its process with it.
var deaths = map[string]func(){
	"exit":   func() { os.Exit(7) },
	"killed": killSelf,
	"panic":  func() { go func() { panic("nobody recovers this") }(); select {} },
}

func killSelf() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // until it has come through
}

// deadly's finalizer never returns. Beside it lives a run that is well.
var deadly = engine.Workflow[string, string]{Name: "deadly", Signals: []engine.Message{goOn}, Finalizer: dies,
	Do: func(ctx *engine.Context, in string) (string, error) {
		if err := engine.SetFinalizerState(ctx, dies, in); err != nil {
			return "", err
		}
		return goOn.Wait(ctx)
	}}

var dies = engine.Activity[string, engine.Void]{Name: "dies", Do: func(ctx context.Context, in string) (engine.Void, error) {
	about := engine.InfoOf(ctx)
	f, err := os.OpenFile(os.Getenv(envDir)+"-starts", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return engine.Void{}, err
	}
	if _, err := fmt.Fprintf(f, "%s %d\n", in, about.Attempt); err != nil {
		return engine.Void{}, err
	}
	f.Close()
	deaths[os.Getenv(envDeath)]()
	return engine.Void{}, nil
}}

// beDeadly opens the store as the child of this number, which lives in a time of
// its own. The first one starts the run and cancels it. Each waits until
// nothing is owed, if it lives to see that.
func beDeadly(dir string) error {
	life, err := strconv.Atoi(os.Getenv(envLife))
	if err != nil {
		return err
	}
	s, err := pebble.Open(pebble.Options{Dir: dir, Create: true})
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	later := time.Duration(life) * apart
	ctx := context.Background()
	e, err := engine.Open(ctx, s, engine.Options{Workflows: []engine.Definition{deadly},
		Now: func() time.Time { return time.Now().Add(later) }})
	if err != nil {
		return fmt.Errorf("open the engine: %w", err)
	}
	say("open")
	if life == 0 {
		if err := cancelOne(ctx, e); err != nil {
			return err
		}
	}
	for {
		info, err := e.Operator().Info(ctx)
		if err != nil {
			return err
		}
		if info.Counts.Owed == 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := e.Close(ctx); err != nil {
		return err
	}
	return s.Close()
}

func cancelOne(ctx context.Context, e *engine.Engine) error {
	for _, id := range []flow.WorkflowID{"well", "doomed"} {
		if _, err := deadly.Start(ctx, e, string(id), engine.StartOptions{ID: id}); err != nil {
			return err
		}
	}
	_, err := e.Operator().Do(ctx, flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "doomed"}}})
	return err
}
