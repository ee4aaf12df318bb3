package tui

import (
	"errors"
	"testing"

	"weft/flow"
)

// chatty gives the type of most runs updates and queries.
func chatty(f *fake) {
	f.types[0].Updates, f.types[0].Queries = []string{"add", "slow"}, []string{"total", "items"}
}

func chatRig(t *testing.T) *rig {
	f := populated()
	chatty(f)
	return newRig(t, f, 100, 30)
}

func TestUpdateKeysBecomeDeeds(t *testing.T) {
	tests := map[string]struct {
		keys  string
		want  flow.CallUpdate // without its target
		shows []string
	}{
		"the first declared":  {"u ctrl+s", flow.CallUpdate{Name: "add", Input: flow.Payload("null")}, []string{"Reply", `"total": 3544790567247868102`, "id u-1", "audit 118"}},
		"with input and id":   {"u tab ctrl+e ctrl+u 7 tab x ctrl+s", flow.CallUpdate{Name: "add", Input: flow.Payload("7"), UpdateID: "x"}, []string{"id x"}},
		"without a reply yet": {"u down ctrl+s", flow.CallUpdate{Name: "slow", Input: flow.Payload("null")}, []string{"accepted, no reply yet; ask again with update id u-1"}},
		"in the inspector":    {"enter u ctrl+s", flow.CallUpdate{Name: "add", Input: flow.Payload("null")}, []string{"Reply"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := chatRig(t)
			r.keys(tc.keys)
			if len(r.f.acts) != 1 {
				t.Fatalf("%d acts; status %q\n%s", len(r.f.acts), r.status().Text, r.frame())
			}
			got, ok := r.f.acts[0].Deed.(flow.CallUpdate)
			if !ok || got.Name != tc.want.Name || string(got.Input) != string(tc.want.Input) || got.UpdateID != tc.want.UpdateID || got.Target.Run == "" {
				t.Errorf("got %+v, want %+v", r.f.acts[0].Deed, tc.want)
			}
			r.shows(tc.shows...)
			r.keys("esc")
			r.lacks("Reply")
		})
	}
}

func TestQueryKeysAsk(t *testing.T) {
	tests := map[string]struct{ keys, name string }{
		"the first declared":      {"Q ctrl+s", "total"},
		"the next":                {"Q down ctrl+s", "items"},
		"of a run that has ended": {"4 Q ctrl+s", "total"},
		"in the inspector":        {"enter Q ctrl+s", "total"},
		"of a suspended run":      {"3 Q ctrl+s", "total"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := chatRig(t)
			r.keys(tc.keys)
			if len(r.f.acts) > 0 || len(r.f.asks) != 1 || r.f.asks[0].Name != tc.name || r.f.asks[0].Target.Run == "" {
				t.Fatalf("acts %v, asks %v\n%s", r.f.acts, r.f.asks, r.frame())
			}
			r.shows("Answer", "query "+tc.name+" of", `"of": 3544790567247868102`)
			r.keys("esc")
			r.lacks("Answer")
		})
	}
}

func TestQueriesAreAskedWhereNothingCanBeChanged(t *testing.T) {
	r := chatRig(t)
	r.keys(":")
	r.types("ro")
	r.keys("enter Q ctrl+s")
	r.shows("Answer")
}

func TestMessageFormsKeepEverythingWhenRefused(t *testing.T) {
	for _, key := range []string{"u", "Q"} {
		t.Run(key, func(t *testing.T) {
			r := chatRig(t)
			r.f.refuse = &flow.RejectedError{Name: "add", Failure: &flow.Failure{Message: "3 and 7 is more than 9"}}
			r.keys(key + " tab ctrl+e ctrl+u 7 ctrl+s")
			r.shows("rejected: 3 and 7 is more than 9", "7")
			r.f.refuse = nil
			r.keys("ctrl+s")
			r.lacks("rejected")
			r.shows("3544790567247868102")
		})
	}
}

// An answer that comes when its form has been closed does not cover what is
// being done.
func TestALateAnswerIsSaidAndNotShown(t *testing.T) {
	r := chatRig(t)
	r.m.asked.acts = 7
	r.keys("N")
	r.send(answeredMsg{askRun: askRun{3, flow.Ask{Name: "total", Target: flow.Ref{ID: "x"}}}, answer: flow.Answer{Payload: flow.Payload("12")}})
	r.shows("Start a workflow", "query total of x: 12")
	r.send(answeredMsg{askRun: askRun{3, flow.Ask{Name: "total", Target: flow.Ref{ID: "x"}}}, err: errors.New("gone")})
	r.shows("query total of x failed: gone")
}

func TestMessagesByCommand(t *testing.T) {
	r := chatRig(t)
	r.keys(":")
	r.types("query total")
	r.keys("enter")
	r.shows("Answer", `"done": 3`)
	r.keys("esc :")
	r.types(`update add {"n":1}`)
	r.keys("enter")
	r.shows("Reply", `"total": 3544790567247868102`, "audit 118")
	r.keys("esc :")
	r.types(`update add {`)
	r.keys("enter")
	r.shows("input: line 1, column 2")
	r.keys(":")
	r.types("query")
	r.keys("enter")
	r.shows("Query a run")
	if len(r.f.acts) != 1 || len(r.f.asks) != 1 {
		t.Errorf("acts %v, asks %v", r.f.acts, r.f.asks)
	}
}

func TestMessageFormsFitSmallScreens(t *testing.T) {
	f := populated()
	chatty(f)
	f.types[0].Updates = []string{"日本語の更新"}
	r := newRig(t, f, 58, 16)
	r.keys("u")
	r.shows("Send an update", "[ send ]")
	r.keys("ctrl+s")
	r.shows("Reply", "esc closes")
}
