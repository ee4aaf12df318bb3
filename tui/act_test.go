package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
)

func TestKeysBecomeDeeds(t *testing.T) {
	suspended := flow.WorkflowID("ord-5d4f2a")
	tests := map[string]struct {
		keys string
		want flow.Deed
	}{
		"start sends the example as it is": {"N ctrl+s", flow.Start{Type: "order-process",
			Input: flow.Payload("{\n  \"orderId\": \"ord_1001\",\n  \"amountCents\": 4999,\n  \"ref\": 3544790567247868102\n}")}},
		"the button sends too": {"N tab enter", flow.Start{Type: "order-process",
			Input: flow.Payload("{\n  \"orderId\": \"ord_1001\",\n  \"amountCents\": 4999,\n  \"ref\": 3544790567247868102\n}")}},
		"another type brings its own example": {"N shift+tab shift+tab down ctrl+s", flow.Start{Type: "order-ship",
			Input: flow.Payload("{\n  \"parcel\": 1\n}")}},
		"in the list of types the chosen one": {"9 j N ctrl+s", flow.Start{Type: "order-ship", Input: flow.Payload("{\n  \"parcel\": 1\n}")}},
		"p resumes":                           {"3 p", flow.ResumeRun{Target: flow.Ref{ID: suspended}}},
		"the first declared signal":           {"3 s ctrl+s", flow.SendSignal{Target: flow.Ref{ID: suspended}, Name: "paid", Payload: flow.Payload("null")}},
		"the next declared signal":            {"3 s down ctrl+s", flow.SendSignal{Target: flow.Ref{ID: suspended}, Name: "cancelled", Payload: flow.Payload("null")}},
		"any signal by force": {"3 s ctrl+u x tab tab space ctrl+s", flow.SendSignal{Target: flow.Ref{ID: suspended}, Name: "x",
			Payload: flow.Payload("null"), Force: true}},
		"a signal from the inspector": {"3 enter s ctrl+s", flow.SendSignal{Target: flow.Ref{ID: suspended}, Name: "paid", Payload: flow.Payload("null")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, populated(), 100, 30)
			r.keys(tc.keys)
			if len(r.f.acts) != 1 {
				t.Fatalf("%d acts, want 1; status %q\n%s", len(r.f.acts), r.status().Text, r.frame())
			}
			got := r.f.acts[0]
			want := tc.want
			if ref := target(want); ref.ID != "" {
				switch d := want.(type) {
				case flow.SendSignal:
					d.Target = r.f.ref(string(ref.ID))
					want = d
				case flow.ResumeRun:
					d.Target = r.f.ref(string(ref.ID))
					want = d
				}
			}
			if diff := diffDeeds(got.Deed, want); diff != "" {
				t.Error(diff)
			}
			if got.Actor != "kim" {
				t.Errorf("actor %q, want kim", got.Actor)
			}
			r.shows("audit 118")
		})
	}
}

func diffDeeds(got, want flow.Deed) string {
	switch g := got.(type) {
	case flow.Start:
		w, ok := want.(flow.Start)
		if ok && g.Type == w.Type && g.ID == w.ID && string(g.Input) == string(w.Input) {
			return ""
		}
	case flow.SendSignal:
		w, ok := want.(flow.SendSignal)
		if ok && g.Target == w.Target && g.Name == w.Name && g.Force == w.Force && string(g.Payload) == string(w.Payload) {
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return strings.Join([]string{"got  ", "want "}, "") + fmtDeed(got) + fmtDeed(want)
}

func TestRefusalsSayWhy(t *testing.T) {
	tests := map[string]struct {
		change func(*fake)
		keys   string
		want   string
	}{
		"resume of a held run":           {nil, "3 ] p", "held, not suspended: type old-import is not registered here"},
		"signal to a run that ended":     {nil, "4 s", "already completed at"},
		"query of a type that has none":  {nil, "Q", "type order-process declares no queries"},
		"update of a type that has none": {nil, "u", "type order-process declares no updates"},
		"query of a held run":            {chatty, "3 ] Q", "held: type old-import is not registered here"},
		"update of a suspended run":      {chatty, "3 u", "suspended: resume it first"},
		"update to a run that ended":     {chatty, "4 u", "already completed at"},
		"update when deposed":            {depose, "u", "lease lost at epoch 41"},
		"an undeclared update":           {chatty, "u ctrl+u x ctrl+s", "update \"x\" is not known here"},
		"an update of bad JSON":          {chatty, "u tab x ctrl+s", "input: line 1, column"},
		"updates of marks":               {chatty, "space u", "updates and queries go to one run"},
		"retry":                          {nil, "R", "retry is for teardowns"},
		"resume with no row":             {func(f *fake) { f.runs = nil }, "3 p", "no run selected"},
		"enter with no row":              {func(f *fake) { f.runs = nil }, "enter", "no row selected"},
		"start without types":            {func(f *fake) { f.types = nil }, "N", "no workflow type is registered here"},
		"start when opened read-only":    {func(f *fake) { f.info.Mode = flow.ModeLook }, "N", "opened read-only"},
		"signal when deposed":            {depose, "s", "lease lost at epoch 41, now 42 held by con-2222"},
		"resume when deposed":            {depose, "3 p", "lease lost at epoch 41, now 42 held by con-2222"},
		"start when deposed":             {depose, "N", "lease lost at epoch 41, now 42 held by con-2222"},
		"start while renewal is late":    {func(f *fake) { f.info.Lease.State = flow.LeaseDoubt }, "N", "renewal of the lease is overdue"},
		"start when nobody owns it":      {func(f *fake) { f.info.Lease.State = flow.LeaseNone }, "N", "does not hold the lease"},
		"an undeclared signal":           {nil, "3 s ctrl+u x ctrl+s", "signal \"x\" is not known here"},
		"a signal without a name":        {nil, "3 s ctrl+u ctrl+s", "signal name \"\" is empty"},
		"a bad workflow id":              {nil, "N shift+tab space x ctrl+s", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := populated()
			if tc.change != nil {
				tc.change(f)
			}
			r := newRig(t, f, 120, 30)
			r.keys(tc.keys)
			if tc.want == "" {
				return
			}
			if len(r.f.acts) > 0 {
				t.Fatalf("done all the same: %v", r.f.acts)
			}
			r.shows(tc.want)
		})
	}
}

func depose(f *fake) {
	f.stolenBy("con-2222")
}

func TestFormSaysWhereJSONIsWrong(t *testing.T) {
	r := newRig(t, populated(), 100, 30)
	r.keys("N ctrl+e")
	r.types(",")
	r.keys("down down end") // the line of ref gets a comma behind it
	r.keys("down")
	r.types("x")
	r.keys("ctrl+s")
	if len(r.f.acts) > 0 {
		t.Fatal("sent all the same")
	}
	r.shows("input: line 1, column 2: invalid character ','")
	r.types("!") // the cursor is where the error is
	r.shows("{!")
}

func TestFormKeepsEverythingWhenTheActFails(t *testing.T) {
	r := newRig(t, populated(), 100, 30)
	r.f.refuse = &flow.ExistsError{Ref: flow.Ref{ID: "ord-5"}, Status: flow.Running}
	r.keys("N shift+tab")
	r.types("ord-5")
	r.keys("ctrl+s")
	r.shows("already exists", "[ord-5", "3544790567247868102")
	r.f.refuse = nil
	r.keys("ctrl+s")
	r.lacks("Start a workflow")
	if len(r.f.acts) != 1 || r.f.acts[0].Deed.(flow.Start).ID != "ord-5" {
		t.Errorf("acts %v", r.f.acts)
	}
}

func TestEscAsksBeforeTypedTextIsLost(t *testing.T) {
	r := newRig(t, populated(), 100, 30)
	r.keys("N esc")
	r.lacks("Start a workflow")
	r.keys("N")
	r.types("x")
	r.keys("esc")
	r.shows("esc again closes the form")
	r.keys("tab")
	r.lacks("esc again")
	r.keys("esc esc")
	r.lacks("Start a workflow")
}

func TestStartAgainFromARunThatEnded(t *testing.T) {
	r := newRig(t, populated(), 100, 30)
	ref := r.f.ref("ord-77ab10dd")
	r.f.inputs[ref] = flow.Payload(`{"again":12345678901234567890}`)
	r.keys("4")
	r.pass(time.Second)
	r.keys("N")
	r.shows(`"again": 12345678901234567890`)
}

// TestStartAgainWithWhatIsStillRead: the form gets the run's input as soon as that is
// there, unless somebody was faster.
func TestStartAgainWithWhatIsStillRead(t *testing.T) {
	open := func() *rig {
		r := newRig(t, populated(), 100, 30)
		r.f.inputs[r.f.ref("ord-77ab10dd")] = flow.Payload(`{"again":12345678901234567890}`)
		r.stall = func(e effect) bool { _, ok := e.(readDetail); return ok }
		r.keys("4 N")
		r.shows("Start a workflow", `"orderId": "ord_1001"`)
		return r
	}
	r := open()
	r.release()
	r.shows(`"again": 12345678901234567890`)
	r.lacks("ord_1001")
	for name, keys := range map[string]string{"the input was edited": "x", "another type was chosen": "shift+tab shift+tab down", "another form is open": "esc 2 s"} {
		r = open()
		r.keys(keys)
		r.release()
		r.pass(time.Second)
		if strings.Contains(r.frame(), `"again": `) {
			t.Errorf("%s: overwritten\n%s", name, r.frame())
		}
	}
}

func TestPasteGoesToTextFieldsOnly(t *testing.T) {
	r := newRig(t, populated(), 100, 30)
	r.send(tea.PasteMsg{Content: "3p\nq"})
	r.shows("pasted text is ignored here")
	if len(r.f.acts) > 0 || r.done {
		t.Error("pasted text acted")
	}
	r.keys("N shift+tab")
	r.send(tea.PasteMsg{Content: "ord-\n9"})
	r.shows("[ord- 9")
}

func TestAnswerOfAnActThatTakesLong(t *testing.T) {
	r := newRig(t, populated(), 100, 30)
	r.stall = func(e effect) bool { _, ok := e.(doAct); return ok }
	r.keys("3 p")
	r.shows("resume ..")
	r.release()
	r.lacks("resume ..")
	r.shows("OK resume ord-5d4f2a", "audit 118")
}

func TestOutcomeThatIsNotKnownIsSaidSo(t *testing.T) {
	r := newRig(t, populated(), 100, 30)
	r.f.refuse = &flow.OutcomeUnknownError{ID: "ord-5d4f2a", Cause: errors.New("connection closed")}
	r.keys("3 p")
	r.shows("outcome unknown, look at workflow")
}

func fmtDeed(d flow.Deed) string { return fmt.Sprintf("%T%+v\n", d, d) }
