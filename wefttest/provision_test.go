package wefttest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/wefttest"
)

type request struct{ Name string }

type machine struct{ Address string }

type approval struct{ By string }

var createVM = engine.Activity[request, machine]{Name: "create-vm", Timeout: time.Minute,
	Do: func(context.Context, request) (machine, error) {
		return machine{}, errors.New("there is no cloud here")
	}}

var destroyVM = engine.Activity[request, engine.Void]{Name: "destroy-vm", Timeout: time.Minute,
	Do: func(context.Context, request) (engine.Void, error) {
		return engine.Void{}, errors.New("there is no cloud here")
	}}

var approved = engine.Signal[approval]{Name: "approved"}

var provision = engine.Workflow[request, string]{Name: "provision", Version: "1", Finalizer: destroyVM,
	Signals: []engine.Message{approved}, Do: func(ctx *engine.Context, in request) (string, error) {
		if err := engine.SetFinalizerState(ctx, destroyVM, in); err != nil {
			return "", err
		}
		vm, err := createVM.Run(ctx, in)
		if err != nil {
			return "", err
		}
		a, ok, err := approved.WaitFor(ctx, 2*time.Hour)
		if err != nil || !ok {
			return "nobody approved", err
		}
		return vm.Address + " by " + a.By, nil
	}}

var provisions = wefttest.Options{Workflows: []engine.Definition{provision}, OnlyMocks: true}

func TestMocksAndVirtualTime(t *testing.T) {
	wefttest.Test(t, provisions, func(v *wefttest.Env) {
		create := wefttest.Mock(v, createVM).Return(machine{"10.0.0.7"}).FailFirst(2, errors.New("no capacity")).Take(5 * time.Second)
		begin := time.Now()
		run := wefttest.Start(v, provision, "env-1", request{"ana"})
		v.At(90*time.Minute, func() { wefttest.Send(v, approved, "env-1", approval{"bo"}) })
		run.Want("10.0.0.7 by bo")
		if took := time.Since(begin); took < 90*time.Minute || took > 2*time.Hour {
			t.Errorf("it took %v", took)
		}
		create.WantCount(3)
		if create.Steps() != 1 {
			t.Errorf("%d steps", create.Steps())
		}
		last := create.Calls()[2]
		if last.Info.Attempt != 3 || last.Input.Name != "ana" || last.Err != nil || !last.Done || last.Output.Address != "10.0.0.7" {
			t.Errorf("last call: %+v", last)
		}
		if first := create.Calls()[0]; first.Err == nil || first.At.Sub(begin) != 0 {
			t.Errorf("first call: %+v", first)
		}
		if steps := run.Steps(); len(steps) != 2 || steps[1].Kind != flow.StepSignal {
			t.Errorf("steps %+v", steps)
		}
	})
}

func TestLimitsPass(t *testing.T) {
	wefttest.Test(t, provisions, func(v *wefttest.Env) {
		wefttest.Mock(v, createVM)
		run := wefttest.Start(v, provision, "", request{"ana"})
		v.Advance(time.Hour)
		run.WantStatus(flow.Running)
		run.Want("nobody approved")
		run.WantStatus(flow.Completed)
	})
}

func TestAMockIsAFinalizer(t *testing.T) {
	wefttest.Test(t, provisions, func(v *wefttest.Env) {
		wefttest.Mock(v, createVM).Take(time.Hour)
		destroy := wefttest.Mock(v, destroyVM).FailFirst(1, errors.New("busy"))
		run := wefttest.Start(v, provision, "env-1", request{"ana"})
		v.Advance(10 * time.Second)
		run.Cancel("not needed")
		if _, err := run.Result(); !errors.As(err, new(*flow.EndedError)) {
			t.Errorf("result after cancel: %v", err)
		}
		v.Advance(time.Hour)
		destroy.WantCount(2)
		if calls := destroy.Calls(); calls[1].Input.Name != "ana" || calls[1].Err != nil {
			t.Errorf("calls %+v", calls)
		}
	})
}

func TestFailuresReachTheCodeAsTheyWould(t *testing.T) {
	var noQuota = engine.Code("no-quota")
	wefttest.Test(t, provisions, func(v *wefttest.Env) {
		create := wefttest.Mock(v, createVM).Fail(engine.Permanent(engine.Fail(noQuota, "ask for more")))
		_, err := wefttest.Start(v, provision, "", request{"ana"}).Result()
		if !errors.Is(err, noQuota) {
			t.Errorf("result: %v", err)
		}
		create.WantCount(1)
	})
}

func TestASpyCallsTheFunction(t *testing.T) {
	double := engine.Activity[int, int]{Name: "double", Do: func(_ context.Context, n int) (int, error) { return 2 * n, nil }}
	w := engine.Workflow[int, int]{Name: "w", Do: func(ctx *engine.Context, n int) (int, error) { return double.Run(ctx, n) }}
	wefttest.Test(t, wefttest.Options{Workflows: []engine.Definition{w}}, func(v *wefttest.Env) {
		wefttest.Start(v, w, "plain", 4).Want(8)
		spy := wefttest.Spy(v, double)
		wefttest.Start(v, w, "watched", 5).Want(10)
		spy.WantCount(1)
	})
}
