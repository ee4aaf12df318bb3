// Mirror copies a directory tree, whatever happens to its process meanwhile.
//
//	go run ./examples/mirror SRC DST
//	go run ./examples/mirror SRC DST --headless
//	go run ./examples/mirror SRC DST --again
//	go run ./examples/mirror SRC DST --data DIR --batch 100 --trace FILE
//
// It is a program that embeds the engine of weft and its console. The copy is one
// workflow; the console shows how far it is, --headless prints that instead. Kill
// it at any moment, by kill -9 or by the plug, and start it with the same
// arguments again: it goes on with the batch it was at.
//
// # What it does
//
// The workflow first counts the files. Then it takes them in batches: one
// activity lists the names that follow the last one copied, the next copies
// them. Each file is written under another name, synced, read back, compared by
// SHA-256 and renamed, so that no reader ever sees half a file. Files, symbolic
// links, empty directories and permissions are kept; sockets, pipes and devices
// are counted and left out. What else is in DST stays there.
//
// # Why it goes on
//
// The outcome of each activity is on disk before the workflow sees it. After a
// crash the workflow runs again from its first line and gets those outcomes at
// once, without a file being touched, until it comes to the batch that was under
// way. That one is copied again, which leaves the same files.
//
// There is one run for a pair of SRC and DST, under an id made from both, so
// starting is safe to repeat: an unfinished run goes on, one that has ended tells
// its result, or why it failed, again. With --again a new run takes the place of
// one that has ended. SRC must not change meanwhile; a file that vanishes fails
// the run.
//
// # The files here
//
// main.go embeds engine and console, workflow.go is the workflow, list.go,
// copy.go and seal.go are its activities.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"weft"
	"weft/engine"
	"weft/flow"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := mirror(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mirror:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// mirror does what args say and prints the result to out.
func mirror(ctx context.Context, args []string, out io.Writer) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	trace, err := openTrace(s.trace)
	if err != nil {
		return err
	}
	defer trace.close()
	work := newWorkflow(trace)
	o := weft.Options{Dir: s.data, Create: true, Version: "mirror", Workflows: []engine.Definition{work}}
	var r report
	if s.headless {
		o.Log = lines{out}
		r, err = headless(ctx, o, work, s)
	} else {
		r, err = console(ctx, o, work, s)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, r)
	return err
}

// headless starts the run, or finds it, and waits for its end.
func headless(ctx context.Context, o weft.Options, work mirroring, s settings) (report, error) {
	return with(ctx, o, func(e *engine.Engine) (report, error) {
		run, err := s.start(ctx, e, work)
		if err != nil {
			return report{}, err
		}
		r, err := run.Result(ctx)
		if ctx.Err() != nil {
			return r, errNotDone
		}
		return r, err
	})
}

// errNotDone: the program was left before the run had ended.
var errNotDone = errors.New("not done yet; the same command goes on")

// console starts the run, or finds it, shows the console until the user leaves
// it, and looks whether the run has ended by then.
func console(ctx context.Context, o weft.Options, work mirroring, s settings) (report, error) {
	begin, look := o, o
	begin.Mode = flow.ModeOperate // the run begins in the console
	_, err := with(ctx, begin, func(e *engine.Engine) (engine.Run[report], error) {
		return s.start(ctx, e, work)
	})
	if err != nil {
		return report{}, err
	}
	if err := weft.Run(ctx, o); err != nil {
		return report{}, err
	}
	look.Mode, look.Create = flow.ModeLook, false
	return with(ctx, look, func(e *engine.Engine) (report, error) {
		d, err := e.Operator().Detail(ctx, flow.Ref{ID: s.id()}, flow.PartSummary)
		if err == nil && !d.Run.Status.Terminal() {
			err = errNotDone
		}
		if err != nil {
			return report{}, err
		}
		run, err := engine.Handle[report](e, s.id())
		if err != nil {
			return report{}, err
		}
		return run.Result(ctx)
	})
}

// closeWithin is how long closing waits for the batch under way.
const closeWithin = 10 * time.Second

// with opens the engine, does f and closes it.
func with[T any](ctx context.Context, o weft.Options, f func(*engine.Engine) (T, error)) (out T, err error) {
	node, err := weft.Open(ctx, o)
	if err != nil {
		return out, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
		defer cancel()
		err = errors.Join(err, node.Close(closing))
	}()
	return f(node.Engine)
}
