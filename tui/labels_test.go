package tui

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// TestLabelsAreChangedByAForm: the form says what is so, and only what was changed
// in it is done.
func TestLabelsAreChangedByAForm(t *testing.T) {
	number := func(text string) map[string]flow.Attribute {
		return map[string]flow.Attribute{"amount": {Kind: flow.NumberAttribute, Text: text}}
	}
	tests := map[string]struct {
		script string
		want   func(flow.Ref) []flow.Deed
		says   string
	}{
		"a tag more": {"T end ', new' ctrl+s wait", func(r flow.Ref) []flow.Deed {
			return []flow.Deed{flow.TagRun{Target: r, Add: []string{"new"}, Remove: []string{}}}
		}, "OK tag tagged-1"},
		"a tag less": {"T end ctrl+u 'vip' ctrl+s wait", func(r flow.Ref) []flow.Deed {
			return []flow.Deed{flow.TagRun{Target: r, Add: []string{}, Remove: []string{"eu"}}}
		}, "audit"},
		"a value": {"T tab ctrl+a '1' ctrl+u 'amount=6' ctrl+e ctrl+w 'amount=6' ctrl+s wait", func(r flow.Ref) []flow.Deed {
			return []flow.Deed{flow.SetAttributes{Target: r, Set: number("6")}}
		}, "OK attr tagged-1"},
		"an attribute less": {"T tab ctrl+e ctrl+w ctrl+s wait", func(r flow.Ref) []flow.Deed {
			return []flow.Deed{flow.SetAttributes{Target: r, Set: map[string]flow.Attribute{}, Remove: []string{"amount"}}}
		}, "OK attr tagged-1"},
		"both": {"T end ', new' tab ctrl+e '0' ctrl+s wait", func(r flow.Ref) []flow.Deed {
			return []flow.Deed{flow.TagRun{Target: r, Add: []string{"new"}, Remove: []string{}}, flow.SetAttributes{Target: r, Set: number("50")}}
		}, "2 done, 0 skipped, 0 failed"},
		"the palette": {"ctrl+p 'tags and attributes of' enter end ', new' ctrl+s wait", func(r flow.Ref) []flow.Deed {
			return []flow.Deed{flow.TagRun{Target: r, Add: []string{"new"}, Remove: []string{}}}
		}, "OK tag tagged-1"},
		"a command": {": 'labels' enter end ', new' ctrl+s wait", func(r flow.Ref) []flow.Deed {
			return []flow.Deed{flow.TagRun{Target: r, Add: []string{"new"}, Remove: []string{}}}
		}, "OK tag tagged-1"},
		"nothing":     {"T ctrl+s wait", nil, "nothing is different"},
		"no name":     {"T tab ctrl+e ctrl+w 'x' ctrl+s wait", nil, "is not NAME=VALUE"},
		"a bad tag":   {"T end ', a=b\u0007' ctrl+s wait", nil, "tag"},
		"marks":       {"space T", nil, "belongs to one run"},
		"esc and esc": {"T end 'x' esc esc", nil, "all running"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			run := f.add("tagged-1", "order-process", flow.Running, time.Minute)
			run.Tags, run.Attributes = []string{"eu", "vip"}, map[string]string{"amount": "5"}
			ref := run.Ref
			r := newRig(t, f, 100, 30)
			r.play("wait " + tc.script)
			r.shows(tc.says)
			var want []flow.Deed
			if tc.want != nil {
				want = tc.want(ref)
			}
			if diff := cmp.Diff(want, r.deedsOf()); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, r.frame())
			}
		})
	}
}

// TestLabelsPassTheGate: what changes nothing else is refused by what refuses all.
func TestLabelsPassTheGate(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	r.m.opts.ReadOnly = true
	r.keys("T")
	r.shows(flow.ErrReadOnly.Error())
	if _, open := r.m.modal.top.(views.Form); open || r.m.refusal(keymap.Relabel) == "" {
		t.Error("the form opened on a store that is only read")
	}
}

// TestGoPutsTheCursorThere: beside a run that was named the list shows where it is.
func TestGoPutsTheCursorThere(t *testing.T) {
	r := newRig(t, owing(), 120, 40)
	r.play("wait : 'go shp-00a1f9c3-77d0-4c1a-8f3e-5b2a9d0ce2b7' enter wait")
	r.shows("> R shp-00a1f9c3", "shp-00a1f9c3-77d0-4c1a-8f3e-5b2a9d0ce2b7")
	r.play(": 'go box-19f0aa02-1111-77c1' enter wait") // is in another list
	r.shows("> R shp-00a1f9c3", "X CANCELLED")
}
