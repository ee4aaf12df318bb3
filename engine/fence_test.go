package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// depose gives the store another epoch underneath the engine.
func (r *rig) depose() {
	r.Helper()
	raw, err := r.store.Get(row.LeaseEpoch)
	if err != nil || len(raw) != 8 {
		r.Fatalf("epoch %x, %v", raw, err)
	}
	next := binary.BigEndian.AppendUint64(nil, binary.BigEndian.Uint64(raw)+1)
	r.write(func(b *store.Batch) { b.Put(row.LeaseEpoch, next) })
}

// fenced is a way to make a deposed engine write.
type fenced struct {
	code  func(ctx *engine.Context, _ int) (string, error)
	write func(r *rig, e *engine.Engine) error // the caller's error; nil: nobody calls
}

func working(do func(ctx context.Context) error) func(*engine.Context, int) (string, error) {
	a := engine.Activity[int, string]{Name: "work", Do: func(ctx context.Context, _ int) (string, error) {
		return "", do(ctx)
	}}
	return func(ctx *engine.Context, n int) (string, error) { return a.Run(ctx, n) }
}

func after(d time.Duration, err error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func waiting(ctx *engine.Context, _ int) (string, error) { return paid.Wait(ctx) }

var nothing = func(*rig, *engine.Engine) error { return nil }

var fences = map[string]fenced{
	"the result of a step": {working(after(2*time.Second, nil)), nothing},
	"a failed attempt":     {working(after(2*time.Second, errors.New("no"))), nothing},
	"the end of a run": {func(ctx *engine.Context, _ int) (string, error) {
		select { // no operation: the test's own clock
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
		}
		return "done", nil
	}, nothing},
	"a mismatch or panic": {func(ctx *engine.Context, _ int) (string, error) {
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
		}
		panic("after all")
	}, nothing},
	"a heartbeat": {working(func(ctx context.Context) error {
		_ = after(2*time.Second, nil)(ctx)
		if err := engine.Heartbeat(ctx, 1); !errors.Is(err, engine.ErrStaleAttempt) {
			panic("a heartbeat of a deposed engine is taken")
		}
		<-ctx.Done()
		return ctx.Err()
	}), nothing},
	"the parking of a run": {waiting, nothing},
	"the renewal of the lease": {func(ctx *engine.Context, _ int) (string, error) {
		<-ctx.Done()
		return "", nil
	}, nothing},
	"a start": {waiting, func(r *rig, e *engine.Engine) error {
		_, err := engine.Workflow[int, string]{Name: "fenced"}.Start(context.Background(), e, 1, engine.StartOptions{})
		return err
	}},
	"a signal": {waiting, func(r *rig, e *engine.Engine) error {
		return paid.Send(context.Background(), e, "w", "late")
	}},
	"a resume": {waiting, func(r *rig, e *engine.Engine) error { return r.resume("suspended") }},
	"an operator's start": {waiting, func(r *rig, e *engine.Engine) error {
		_, err := e.Operator().Do(context.Background(), flow.Act{Deed: flow.Start{Type: "fenced", Input: flow.Payload("1")}})
		return err
	}},
}

// TestF003ADeposedEngineWritesNothing (F003): whatever it tries, the store stays as
// it is, the engine halts, everybody who waits is told, and reading goes on.
func TestF003ADeposedEngineWritesNothing(t *testing.T) {
	for name, tc := range fences {
		t.Run(name, func(t *testing.T) {
			inRig(t, func(r *rig) {
				w := engine.Workflow[int, string]{Name: "fenced", Do: tc.code}
				doomed := engine.Workflow[int, string]{Name: "doomed", OnPanic: engine.PanicSuspends,
					Do: func(*engine.Context, int) (string, error) { panic("at once") }}
				e := r.open(w, doomed)
				r.begin(doomed, "suspended")
				r.begin(w, "w")
				time.Sleep(500 * time.Millisecond)
				told := make(chan error, 1)
				go func() {
					run, err := engine.Handle[string](e, "w")
					if err == nil {
						_, err = run.Result(context.Background())
					}
					told <- err
				}()
				r.settle()
				r.depose()
				before := r.rows()
				if err := tc.write(r, e); err != nil && !errors.Is(err, flow.ErrDeposed) {
					t.Errorf("the caller is told %v", err)
				}
				time.Sleep(10 * time.Second)
				r.sameRows("after deposition", before, r.rows())
				r.isDeposed(e, told)
			})
		})
	}
}

func (r *rig) isDeposed(e *engine.Engine, told <-chan error) {
	r.Helper()
	select {
	case <-e.Halted():
	default:
		r.Error("the engine has not halted")
	}
	if !errors.Is(e.Err(), flow.ErrDeposed) {
		r.Errorf("the engine ended by %v", e.Err())
	}
	select {
	case err := <-told:
		if !errors.Is(err, flow.ErrDeposed) {
			r.Errorf("who waited for the result was told %v", err)
		}
	default:
		r.Error("who waits for the result is not told")
	}
	for what, err := range map[string]error{
		"a start":  func() error { _, err := orderFlow.Start(r.Context(), e, order{}, engine.StartOptions{}); return err }(),
		"a signal": paid.Send(r.Context(), e, "w", "again"),
		"a resume": r.resume("suspended"),
	} {
		if !errors.Is(err, flow.ErrDeposed) && !errors.Is(err, flow.ErrUnknown) {
			r.Errorf("%s is answered %v", what, err)
		}
	}
	info, err := e.Operator().Info(r.Context())
	if err != nil || info.Lease.State != flow.LeaseDeposed || info.Counts.Running != 1 {
		r.Errorf("info: %+v, %v", info, err)
	}
	if _, err := e.Operator().Detail(r.Context(), flow.Ref{ID: "w"}, flow.PartEvents); err != nil {
		r.Errorf("detail: %v", err)
	}
	if err := e.Close(context.Background()); err != nil {
		r.Errorf("close: %v", err)
	}
	r.eng = nil
	if left := goroutines(); len(left) > 0 {
		r.Errorf("%d goroutines left: %s", len(left), left)
	}
}
