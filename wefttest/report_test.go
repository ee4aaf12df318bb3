package wefttest_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/wefttest"
)

// failing are tests that fail, with what they must print. Each is run in a
// process of its own.
var failing = map[string]struct {
	test func(t *testing.T)
	want []string
}{
	"a result that is not wanted": {func(t *testing.T) {
		wefttest.Test(t, provisions, func(v *wefttest.Env) {
			wefttest.Mock(v, createVM).Return(machine{"a"}).FailFirst(1, errors.New("no capacity"))
			run := wefttest.Start(v, provision, "env-1", request{"ana"})
			v.At(time.Hour, func() { wefttest.Send(v, approved, "env-1", approval{"bo"}) })
			run.Want("b by bo")
		})
	}, []string{
		"result of env-1: a by bo; want b by bo",
		"run env-1 of type provision is completed",
		`step 1 activity create-vm done, attempt 2: {"Address":"a"}`,
		`step 2 signal approved done: {"By":"bo"}`,
		"mock create-vm attempt 1 for step 1 of env-1: {Name:ana} → error: no capacity",
		"mock create-vm attempt 2 for step 1 of env-1: {Name:ana} → {Address:a}",
	}},
	"an activity without a mock": {func(t *testing.T) {
		wefttest.Test(t, provisions, func(v *wefttest.Env) { _, _ = wefttest.Start(v, provision, "env-1", request{"ana"}).Result() })
	}, []string{`activity create-vm was called and has no mock, input {"Name":"ana"}`, "run env-1 of type provision is failed"}},
	"a run that does not end": {func(t *testing.T) {
		w := engine.Workflow[int, approval]{Name: "patient", Do: func(ctx *engine.Context, _ int) (approval, error) { return approved.Wait(ctx) }}
		wefttest.Test(t, wefttest.Options{Workflows: []engine.Definition{w}, Limit: 2 * time.Hour}, func(v *wefttest.Env) {
			wefttest.Start(v, w, "p", 0).Want(approval{})
		})
	}, []string{"run p has not ended after 2h0m0s of virtual time", "run p of type patient is running: signal approved"}},
	"code that forgets": {func(t *testing.T) {
		count := 0
		w := forgetful(&count)
		wefttest.EveryCrash(t, wefttest.Options{Workflows: []engine.Definition{w}}, func(v *wefttest.Env) int {
			count = 0
			n, _ := wefttest.Start(v, w, "f", 1).Result()
			return n
		})
	}, []string{"the outcome differs: got 2, want 1", "with a crash just before commit 2 of 3: step 1 of f is recorded, activity add",
		"the process has died 1 times"}},
}

func TestFailuresTellWhatIsNeeded(t *testing.T) {
	if name := os.Getenv("WEFTTEST_FAILING"); name != "" {
		failing[name].test(t)
		return
	}
	for name, tc := range failing {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestFailuresTellWhatIsNeeded$")
			cmd.Env = append(os.Environ(), "WEFTTEST_FAILING="+name)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the test passes:\n%s", out)
			}
			for _, want := range tc.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("nothing of %q in\n%s", want, out)
				}
			}
		})
	}
}
