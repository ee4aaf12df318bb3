package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/flow"
	"weft/views"
)

func TestOverviewLeadsToItsPanes(t *testing.T) {
	want := []views.Pane{2, 2, 3, 4, 4, 4, 4, 5, 6, 7, 2, 8, views.PaneProblems, views.PaneProblems, views.PaneAudit,
		6, 6, 5, 5} // the last of them are what needs a person
	for i, p := range want {
		r := newRig(t, owing(), 80, 24)
		r.keys("1 " + strings.Repeat("j ", i) + "enter")
		if r.m.open != p {
			t.Errorf("line %d leads to %s, want %s", i+1, r.m.open, p)
		}
	}
	r := newRig(t, owing(), 80, 24)
	r.keys("1")
	r.shows("oldest 20m", "1 Over]")
	r.f.mu.Lock()
	r.f.tell(flow.Notice{Kind: flow.NoticeStep})
	r.f.mu.Unlock()
	r.pass(2 * time.Second)
	for range 30 {
		r.f.mu.Lock()
		r.f.tell(flow.Notice{Kind: flow.NoticeStep})
		r.f.mu.Unlock()
	}
	r.pass(time.Second)
	r.shows("30/s", "_#")
}

func TestAuditIsReadToItsEndAndFollows(t *testing.T) {
	f := owing()
	f.audit, f.audits = nil, 1000
	for i := range 1000 {
		f.audit = append(f.audit, flow.Audit{Number: uint64(i + 1), At: flow.InstantOf(noon), Actor: "kim", Verb: "cancel", Target: f.runs[0].Ref})
	}
	r := newRig(t, f, 80, 24)
	r.keys("@")
	r.shows(">   1000 ")
	_, _ = f.Do(t.Context(), flow.Act{Actor: "lee", Deed: flow.Start{Type: "order-process"}})
	r.pass(time.Second)
	r.shows("lee")
	for range 90 {
		r.keys("ctrl+f")
	}
	r.shows(">      1 ")
	r.keys("k k k")
	r.shows(">      4 ")
	_, _ = f.Do(t.Context(), flow.Act{Actor: "lee", Deed: flow.Start{Type: "order-process"}})
	r.pass(time.Second)
	r.shows(">      4 ")
	r.keys("enter")
	if r.m.open != views.PaneInspector || r.m.inspector.Ref != f.runs[0].Ref {
		t.Errorf("enter opened %s of %s", r.m.open, fmt.Sprint(r.m.inspector.Ref))
	}
	r.keys("esc")
	if r.m.open != views.PaneAudit {
		t.Errorf("esc led to %s", r.m.open)
	}
}

func TestThePaneBefore(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	for _, step := range []struct {
		keys string
		want views.Pane
	}{{"-", 2}, {"5", 5}, {"-", 2}, {"-", 5}, {"enter", 0}, {"-", 5}, {"-", 0}} {
		r.keys(step.keys)
		if r.m.open != step.want {
			t.Errorf("%q leads to %s, want %s", step.keys, r.m.open, step.want)
		}
	}
}
