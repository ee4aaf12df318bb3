package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// kin is a family of runs that is cut at commits: a root with children that it
// awaits, one of which has a child itself, and one that it abandons.
type kin struct {
	*rig
	crashes int
	mu      sync.Mutex
	effects map[string]int // attempts, by key and number
}

// work does something outside.
func (k *kin) work() engine.Activity[int, int] {
	return engine.Activity[int, int]{Name: "work", Do: func(ctx context.Context, n int) (int, error) {
		about := engine.InfoOf(ctx)
		k.mu.Lock()
		k.effects[fmt.Sprintf("%s %d", about.Key, about.Attempt)]++
		k.mu.Unlock()
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(time.Duration(n) * time.Second):
			return 10 * n, nil
		}
	}}
}

// leaf is a child without children; it waits for a signal when its input is 0.
func (k *kin) leaf() engine.Workflow[int, string] {
	return engine.Workflow[int, string]{Name: "leaf", Do: func(ctx *engine.Context, n int) (string, error) {
		if n == 0 {
			return paid.Wait(ctx)
		}
		got, err := k.work().Run(ctx, n)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(got), ctx.Sleep(3 * time.Second)
	}}
}

func (k *kin) hub() engine.Workflow[int, string] {
	return engine.Workflow[int, string]{Name: "hub", Do: func(ctx *engine.Context, n int) (string, error) {
		got, err := k.leaf().RunChild(ctx, n, engine.ChildOptions{ID: flow.WorkflowID(fmt.Sprint("leaf-of-hub-", n))})
		return "<" + got + ">", err
	}}
}

// busyRoot lets all forms of branches have children, and abandons one child.
func (k *kin) busyRoot() engine.Workflow[int, string] {
	return engine.Workflow[int, string]{Name: "root", Do: func(ctx *engine.Context, _ int) (string, error) {
		if _, err := k.leaf().StartChild(ctx, 0, engine.ChildOptions{ID: "left", OnParentEnd: flow.Abandon}); err != nil {
			return "", err
		}
		all, err := engine.All(ctx,
			func(ctx *engine.Context) (string, error) { n, err := k.work().Run(ctx, 1); return fmt.Sprint(n), err },
			func(ctx *engine.Context) (string, error) {
				return k.leaf().RunChild(ctx, 2, engine.ChildOptions{ID: "leaf-of-all"})
			})
		if err != nil {
			return "", err
		}
		won, _, err := engine.Race(ctx,
			func(ctx *engine.Context) (string, error) {
				n, err := k.work().Run(ctx, 3600)
				return fmt.Sprint(n), err
			},
			func(ctx *engine.Context) (string, error) { return "never", ctx.Sleep(time.Hour) },
			func(ctx *engine.Context) (string, error) {
				return k.leaf().RunChild(ctx, 1, engine.ChildOptions{ID: "leaf-of-race"})
			})
		if err != nil {
			return "", err
		}
		mapped, err := engine.Map(ctx, 2, []int{3, 1, 2}, func(ctx *engine.Context, n int) (string, error) {
			return k.hub().RunChild(ctx, n, engine.ChildOptions{ID: flow.WorkflowID(fmt.Sprint("hub-", n))})
		})
		return strings.Join(append(append(all, won), mapped...), " "), err
	}}
}

// idleRoot waits for children that wait.
func (k *kin) idleRoot() engine.Workflow[int, string] {
	return engine.Workflow[int, string]{Name: "root", Do: func(ctx *engine.Context, _ int) (string, error) {
		if _, err := k.leaf().StartChild(ctx, 0, engine.ChildOptions{ID: "left", OnParentEnd: flow.Abandon}); err != nil {
			return "", err
		}
		got, err := engine.All(ctx,
			func(ctx *engine.Context) (string, error) {
				return k.hub().RunChild(ctx, 0, engine.ChildOptions{ID: "hub-0"})
			},
			func(ctx *engine.Context) (string, error) {
				return k.leaf().RunChild(ctx, 0, engine.ChildOptions{ID: "parked"})
			},
			func(ctx *engine.Context) (string, error) {
				return k.leaf().RunChild(ctx, 3600, engine.ChildOptions{ID: "working"})
			})
		return strings.Join(got, " "), err
	}}
}

// begin opens an engine and starts the root, unless it is there.
func (k *kin) begin(root engine.Workflow[int, string]) (engine.Run[string], bool) {
	if _, err := k.tryOpen(root, k.hub(), k.leaf()); err != nil {
		return engine.Run[string]{}, false
	}
	run, err := root.Start(context.Background(), k.eng, 0, engine.StartOptions{ID: "root", IdempotencyKey: "root"})
	return run, k.lives("start", err)
}

// lives reports whether the process lives; an error of one that does is a fault.
func (k *kin) lives(what string, err error) bool {
	k.Helper()
	if k.eng.Err() != nil {
		return false
	}
	if err != nil {
		k.Fatalf("%s: %v", what, err)
	}
	return true
}

// release lets the abandoned child end.
func (k *kin) release() bool {
	k.Helper()
	err := paid.SendWith(context.Background(), k.eng, "left", "go", engine.SendOptions{SignalID: "go"})
	if errors.Is(err, flow.ErrFinished) {
		err = nil
	}
	if !k.lives("signal", err) {
		return false
	}
	return k.result("left", "go")
}

func (k *kin) result(id flow.WorkflowID, want string) bool {
	k.Helper()
	run, err := engine.Handle[string](k.eng, id)
	if err != nil {
		return k.lives("handle", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Hour)
	defer cancel()
	got, err := run.Result(ctx)
	if !k.lives("result of "+string(id), err) {
		return false
	}
	if got != want {
		k.Errorf("%s returned %q, want %q", id, got, want)
	}
	return true
}

func (k *kin) judge(want map[flow.WorkflowID]flow.Status) {
	k.Helper()
	for id, status := range want {
		if got := k.head(id).Status; got != status {
			k.Errorf("%s is %s, want %s", id, got, status)
		}
	}
	if n := k.rows("wf:"); n != len(want) {
		k.Errorf("%d runs, want %d", n, len(want))
	}
	for what, n := range k.effects {
		if n > 1+k.crashes {
			k.Errorf("attempt %s was made %d times with %d crashes", what, n, k.crashes)
		}
	}
}

func (k *kin) rows(family string) (n int) {
	k.Helper()
	for _, err := range k.store.Scan(store.Prefix([]byte(family))) {
		if err != nil {
			k.Fatal(err)
		}
		n++
	}
	return n
}

// families are the lives of a family that are cut: play answers false when the
// process died, want is what must be in the end.
var families = map[string]struct {
	play func(*kin) bool
	want map[flow.WorkflowID]flow.Status
}{
	"completes": {func(k *kin) bool {
		_, ok := k.begin(k.busyRoot())
		return ok && k.result("root", "10 20 10 <30> <10> <20>") && k.release()
	}, map[flow.WorkflowID]flow.Status{"root": flow.Completed, "left": flow.Completed, "leaf-of-all": flow.Completed,
		"leaf-of-race": flow.Completed, "hub-3": flow.Completed, "hub-1": flow.Completed, "hub-2": flow.Completed,
		"leaf-of-hub-3": flow.Completed, "leaf-of-hub-1": flow.Completed, "leaf-of-hub-2": flow.Completed}},
	"is cancelled": {func(k *kin) bool {
		if _, ok := k.begin(k.idleRoot()); !ok {
			return false
		}
		time.Sleep(30 * time.Second)
		if !k.lives("wait", nil) {
			return false
		}
		_, err := k.eng.Operator().Do(context.Background(), flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "root"}}})
		if errors.Is(err, flow.ErrFinished) {
			err = nil
		}
		if !k.lives("cancel", err) {
			return false
		}
		time.Sleep(30 * time.Second)
		return k.release()
	}, map[flow.WorkflowID]flow.Status{"root": flow.Cancelled, "left": flow.Completed, "hub-0": flow.Cancelled,
		"leaf-of-hub-0": flow.Cancelled, "parked": flow.Cancelled, "working": flow.Cancelled}},
}

// enactKin plays the life of a family; before each process plan may order a
// fault, and answers false when the process is to live.
func enactKin(t *testing.T, name string, plan func(tenure int, s *memory.Store) bool) {
	t.Helper()
	inRig(t, func(r *rig) {
		k := &kin{rig: r, effects: map[string]int{}}
		longLease(r)
		for tenure := 0; ; tenure++ {
			more := plan(tenure, r.mem)
			if families[name].play(k) {
				r.mem.FailCommit(0, memory.Before)
				break
			}
			if !more || t.Failed() {
				t.Error("the process died by itself")
				return
			}
			k.crashes++
			r.die()
		}
		r.leave()
		k.judge(families[name].want)
	})
}

// TestACrashAtEveryCommitOfAFamily: whatever a parent has begun, in branches of
// every form, goes on as if nothing had happened, and the end of a cancelled
// parent reaches whom it must, and nobody else.
func TestACrashAtEveryCommitOfAFamily(t *testing.T) {
	again := func(commit int) []int { return []int{3 * (commit % 2)} }
	if torture() {
		again = func(int) []int { return []int{0, 1, 2, 3, 4, 5, 8, 13, 21, 34} }
	}
	for name := range families {
		t.Run(name, func(t *testing.T) {
			cutAtCommits(t, everyCommit, again, func(plan func(int, *memory.Store) bool) { enactKin(t, name, plan) })
		})
	}
}
