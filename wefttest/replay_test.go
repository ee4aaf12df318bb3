package wefttest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/wefttest"
)

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

// replayed is what Replay says.
func replayed(file string, types ...engine.Definition) (said string) {
	r := &recorder{}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
		said = strings.Join(r.said, "\n")
	}()
	wefttest.Replay(r, file, types...)
	return ""
}

// exported runs provision up to a point and writes its journal.
func exported(t *testing.T, upTo func(v *wefttest.Env)) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "env-1.json")
	wefttest.Test(t, provisions, func(v *wefttest.Env) {
		wefttest.Mock(v, createVM).Return(machine{"a"})
		wefttest.Mock(v, destroyVM)
		run := wefttest.Start(v, provision, "env-1", request{"ana"})
		v.Advance(20 * time.Minute)
		upTo(v)
		v.Advance(20 * time.Minute)
		run.Export(file)
	})
	return file
}

func waiting(*wefttest.Env) {}

func completed(v *wefttest.Env) { wefttest.Send(v, approved, "env-1", approval{"bo"}) }

func cancelled(v *wefttest.Env) { wefttest.Handle[string](v, "env-1").Cancel("no") }

// changed is provision with other code.
func changed(do func(ctx *engine.Context, in request) (string, error)) engine.Definition {
	w := provision
	w.Version, w.Do = "2", do
	return w
}

// noEffect is called where a replay must not get.
func noEffect(t *testing.T) func() (string, error) {
	return func() (string, error) { t.Error("a replay computed a memo"); return "", nil }
}

func TestReplay(t *testing.T) {
	files := map[string]string{"waiting": exported(t, waiting), "completed": exported(t, completed), "cancelled": exported(t, cancelled)}
	renamed := changed(func(ctx *engine.Context, in request) (string, error) {
		a := createVM
		a.Name = "make-vm"
		_, err := a.Run(ctx, in)
		return "", err
	})
	hasty := changed(func(ctx *engine.Context, in request) (string, error) {
		_, err := createVM.Run(ctx, in)
		return "done", err
	})
	longer := changed(func(ctx *engine.Context, in request) (string, error) {
		out, err := provision.Do(ctx, in)
		if err == nil {
			_, err = engine.Memo(ctx, "stamp", noEffect(t))
		}
		return out, err
	})
	worded := changed(func(ctx *engine.Context, in request) (string, error) {
		out, err := provision.Do(ctx, in)
		return "it is " + out, err
	})
	asks := "recorded activity create-vm, code asks for activity make-vm"
	for _, tc := range []struct {
		journal, what string
		code          engine.Definition
		want          string
	}{
		{"waiting", "the same code", provision, ""},
		{"completed", "the same code", provision, ""},
		{"cancelled", "the same code", provision, ""},
		{"waiting", "another activity", renamed, "step 1: " + asks},
		{"completed", "another activity", renamed, "step 1: " + asks},
		{"cancelled", "another activity", renamed, "step 1: " + asks},
		{"waiting", "an early return", hasty, "step 2: recorded signal approved, code returned"},
		{"completed", "an early return", hasty, "step 2: recorded signal approved, code returned"},
		{"waiting", "a step behind the wait", longer, ""},
		{"completed", "a step behind the end", longer, "recorded that the run completed, code goes on with step 3, memo stamp"},
		{"waiting", "another result", worded, ""},
		{"completed", "another result", worded, `recorded that the run completed with "a by bo", code completed with "it is a by bo"`},
	} {
		t.Run(tc.journal+", "+tc.what, func(t *testing.T) {
			said := replayed(files[tc.journal], tc.code)
			if (said != "") != (tc.want != "") || !strings.Contains(said, tc.want) {
				t.Errorf("said %q, want %q", said, tc.want)
			}
			if advice := strings.Contains(said, "would suspend"); said != "" && advice != (tc.journal == "waiting") {
				t.Errorf("said %q", said)
			}
		})
	}
}

func TestReplayRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	other := engine.Workflow[int, int]{Name: "other", Do: func(*engine.Context, int) (int, error) { return 0, nil }}
	good := exported(t, waiting)
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ file, want string }{
		"no file":           {filepath.Join(dir, "none-*.json"), "no file is named"},
		"no journal":        {write("a", "what?"), "is not what weft-tui export writes"},
		"a newer format":    {write("b", strings.Replace(string(data), `"format": 1`, `"format": 9`, 1)), "format 9, this program reads 1"},
		"an unknown kind":   {write("c", strings.Replace(string(data), `"activity"`, `"telepathy"`, 1)), "of a kind that is not known here"},
		"a missing event":   {write("d", strings.Replace(string(data), `"seq": 2`, `"seq": 3`, 1)), "event 3 stands where 2 is due"},
		"an unknown type":   {good, `type "provision" is not known here`},
		"one behind a good": {write("e", string(data)+"{}"), "format 0"},
	} {
		t.Run(name, func(t *testing.T) {
			types := []engine.Definition{provision}
			if name == "an unknown type" {
				types = []engine.Definition{other}
			}
			if said := replayed(tc.file, types...); !strings.Contains(said, tc.want) {
				t.Errorf("said %q, want %q", said, tc.want)
			}
		})
	}
}

// TestReplayOfARunThatTheEngineSuspends: both say the same.
func TestReplayOfARunThatTheEngineSuspends(t *testing.T) {
	lives := 0
	moody := engine.Workflow[int, int]{Name: "moody", Do: func(ctx *engine.Context, _ int) (int, error) {
		lives++
		if err := ctx.Sleep(time.Duration(lives) * time.Hour); err != nil {
			return 0, err
		}
		return 1, nil
	}}
	wefttest.Test(t, wefttest.Options{Workflows: []engine.Definition{moody}}, func(v *wefttest.Env) {
		run := wefttest.Start(v, moody, "m", 0)
		v.Advance(2 * time.Hour)
		run.WantStatus(flow.Suspended)
		err := engine.Replay(v.Context(), engine.Options{Workflows: []engine.Definition{moody}}, run.Journal())
		var differs *engine.ReplayError
		if !errors.As(err, &differs) || "nondeterminism: "+differs.Problem != run.Info().Reason || differs.Problem == "" {
			t.Errorf("replay says %v, the engine %q", err, run.Info().Reason)
		}
	})
}
