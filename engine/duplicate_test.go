package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/engine"
	"weft/flow"
)

// TestF166AFieldThatIsThereTwiceIsRefused at the operator's doors, with its
// position, however deep, and nothing else is.
func TestF166AFieldThatIsThereTwiceIsRefused(t *testing.T) {
	w := flowOf(func(*engine.Context, any) (string, error) { return "", nil })
	shaped := engine.Workflow[map[string][]map[string]int, string]{Name: "shaped",
		Do: func(*engine.Context, map[string][]map[string]int) (string, error) { return "", nil }}
	free := engine.Signal[any]{Name: "free"}
	waits := engine.Workflow[string, any]{Name: "waits", Signals: []engine.Message{free},
		Do: func(ctx *engine.Context, _ string) (any, error) { return free.Wait(ctx) }}
	bubble(t, typed(w, shaped, waits), func(v *env) {
		for input, where := range map[string]string{
			`{"a":1,"a":2}`: "1:8",
			`{"a":1, "b":{"c":2,"d":[{},{"x":1,"x":1}]}}`: "1:35",
			"{\n \"a\":1,\n  \"a\" : 2}":                  "3:3",
			`{"a":"a","b":["a","a"],"c":{"a":"a"}}`:       "",
			`{"a":{"k":1},"b":{"k":1}}`:                   "",
			`[{"a":1},{"a":1},"a","a"]`:                   "",
			`{"\u0061":1,"a":2}`:                          "1:13",
			`{"":1,"":2}`:                                 "1:7",
			`[[],{},[{}],{"a":[]}]`:                       "",
			`{"a":[],"a":{}}`:                             "1:9",
			`{"a":null,"A":null}`:                         "",
		} {
			_, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.Start{Type: "w", Input: flow.Payload(input)}})
			var bad *flow.InputError
			switch {
			case where == "" && err != nil:
				v.Errorf("%s: %v", input, err)
			case where != "" && (!errors.As(err, &bad) || !strings.Contains(bad.Problem, "twice")):
				v.Errorf("%s: %v", input, err)
			case where != "" && where != position(bad):
				v.Errorf("%s: at %s, want %s", input, position(bad), where)
			}
		}
		begin(v, waits, "run", "")
		for _, d := range []flow.Deed{
			flow.Start{Type: "shaped", Input: flow.Payload(`{"a":[],"a":[]}`)},
			flow.Start{Type: "shaped", Input: flow.Payload(`{"a":[{"b":1,"b":1}]}`)},
			flow.SendSignal{Target: flow.Ref{ID: "run"}, Name: "free", Payload: flow.Payload(`{"b":1,"b":1}`)},
			flow.SendSignal{Target: flow.Ref{ID: "run"}, Name: "undeclared", Payload: flow.Payload(`{"b":1,"b":1}`), Force: true},
		} {
			_, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: d})
			var bad *flow.InputError
			if !errors.As(err, &bad) {
				v.Errorf("%+v: %v", d, err)
			}
		}
	})
}

func position(e *flow.InputError) string { return fmt.Sprintf("%d:%d", e.Line, e.Column) }
