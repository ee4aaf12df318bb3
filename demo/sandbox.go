package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"weft/engine"
	"weft/flow"
)

// Sandbox is the input of sandbox.
type Sandbox struct {
	Name string `json:"name"`
	// Minutes is how long it stays open if nobody closes it, 1 to 60.
	Minutes int `json:"minutes"`
	// Failures is how many attempts of its teardown fail, up to 100; -1 is all.
	Failures int `json:"failures"`
	// TeardownSeconds is how long an attempt of its teardown takes, 0 to 60. It
	// may take 5.
	TeardownSeconds int `json:"teardownSeconds"`
}

// Sandboxed is the result of sandbox.
type Sandboxed struct {
	Name string `json:"name"`
	// Closed is by whom; "" when its time was over.
	Closed string `json:"closed,omitempty"`
}

// Closing is the payload of the signal close.
type Closing struct {
	By string `json:"by"`
}

// Close ends a sandbox.
var Close = engine.Signal[Closing]{Name: "close"}

// box is what the finalizer is called with. The run records it before anything
// is made, and again when it knows the process.
type box struct {
	// Dir is the folder of the sandbox; the code chose it, so that it is known
	// before it exists.
	Dir      string  `json:"dir"`
	Process  process `json:"process,omitzero"`
	Failures int     `json:"failures"`
	Seconds  int     `json:"seconds"`
}

// sandboxNotes is a file in a sandbox, pidName the one its process leaves.
const (
	sandboxNotes = "notes.txt"
	pidName      = "pid"
)

func sandbox(work string) engine.Workflow[Sandbox, Sandboxed] {
	d := folder(work, "sandbox")
	open := engine.Activity[string, process]{Name: "open-sandbox", Do: d.openBox, Timeout: time.Minute}
	shut := engine.Activity[box, engine.Void]{Name: "close-sandbox", Do: d.closeBox, Timeout: time.Minute}
	destroy := engine.Activity[box, engine.Void]{Name: "destroy-sandbox", Do: d.destroyBox, Timeout: 5 * time.Second}
	do := func(ctx *engine.Context, in Sandbox) (Sandboxed, error) {
		err := errors.Join(inRange("minutes", in.Minutes, 1, 60), inRange("failures", in.Failures, -1, 100),
			inRange("teardownSeconds", in.TeardownSeconds, 0, 60))
		if err != nil {
			return Sandboxed{}, err
		}
		// The intent comes first: a cancel while the sandbox is being made finds
		// enough to remove it.
		b := box{Dir: string(ctx.Ref().Run), Failures: in.Failures, Seconds: in.TeardownSeconds}
		if err := engine.SetFinalizerState(ctx, destroy, b); err != nil {
			return Sandboxed{}, err
		}
		if b.Process, err = open.Run(ctx, b.Dir); err != nil {
			return Sandboxed{}, err
		}
		if err := engine.SetFinalizerState(ctx, destroy, b); err != nil {
			return Sandboxed{}, err
		}
		ctx.SetSummary("%s is open, with process %d", in.Name, b.Process.Pid)
		closing, _, err := Close.WaitFor(ctx, time.Duration(in.Minutes)*time.Minute)
		if err != nil {
			return Sandboxed{}, err
		}
		ctx.SetSummary("%s is being closed", in.Name)
		_, err = shut.Run(ctx, b)
		return Sandboxed{Name: in.Name, Closed: closing.By}, err
	}
	return engine.Workflow[Sandbox, Sandboxed]{Name: "sandbox", Version: version, Do: do, Finalizer: destroy,
		FinalizeOn: []flow.Status{flow.Failed}, Signals: []engine.Message{Close},
		Example: Sandbox{Name: "try it", Minutes: 30, Failures: 1}}
}

// openBox makes the folder of a sandbox and starts its process. A repeat finds
// the process that an earlier attempt has started.
func (d disk) openBox(ctx context.Context, name string) (process, error) {
	dir := filepath.Join(d.root, name)
	if err := os.MkdirAll(filepath.Join(dir, "files"), 0o777); err != nil {
		return process{}, err
	}
	if err := write(filepath.Join(dir, sandboxNotes), []byte("a sandbox of the weft demo\n")); err != nil {
		return process{}, err
	}
	if p, ok := find(dir); ok {
		return p, nil
	}
	return spawn(ctx, dir)
}

// closeBox releases a sandbox that nobody needs any more.
func (d disk) closeBox(_ context.Context, b box) (engine.Void, error) {
	return engine.Void{}, d.release(b)
}

// destroyBox is the finalizer. It does what closeBox does, unless it was asked to
// fail or to be slow. However often it is called, and wherever an earlier call
// ended, the sandbox is gone when it returns nil.
func (d disk) destroyBox(ctx context.Context, b box) (engine.Void, error) {
	attempts := filepath.Join(d.root, b.Dir+".attempts")
	n, err := countUp(attempts)
	if err != nil {
		return engine.Void{}, err
	}
	if err := rest(ctx, time.Duration(b.Seconds)*time.Second); err != nil {
		return engine.Void{}, err
	}
	if b.Failures < 0 || n <= b.Failures {
		return engine.Void{}, engine.Fail(Stubborn, "call %d: the sandbox does not let go", n)
	}
	if err := d.release(b); err != nil {
		return engine.Void{}, err
	}
	return engine.Void{}, remove(attempts)
}

// release ends the process of a sandbox and removes its folder. The process is
// the recorded one, or, if the run never came to record it, the one that left
// its number in the folder.
func (d disk) release(b box) error {
	dir := filepath.Join(d.root, b.Dir)
	found, _ := find(dir)
	if err := errors.Join(b.Process.kill(), found.kill()); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return syncDir(d.root)
}

// countUp adds a byte to a file and returns how many it has.
func countUp(path string) (int, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return 0, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return 0, err
	}
	_, err = f.WriteString("|")
	info, bad := f.Stat()
	if err = errors.Join(err, bad, f.Sync(), f.Close()); err != nil {
		return 0, fmt.Errorf("count in %s: %w", path, err)
	}
	return int(info.Size()), nil
}
