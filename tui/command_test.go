package tui

import (
	"slices"
	"strings"
	"testing"

	"weft/views"
)

func TestCommands(t *testing.T) {
	tests := map[string]struct {
		script string
		want   string // on the screen
		open   views.Pane
	}{
		"a place":                    {": 'owed' enter", "box-4d11", views.PaneOwed},
		"a prefix opens a place":     {": 'aud' enter", "box-gone", views.PaneAudit},
		"a prefix of two places":     {": 'l' enter", "", views.PaneLease},
		"a prefix never acts":        {": 'canc' enter", "nothing was done: write it out, :cancel", views.PaneRunning},
		"an unknown word":            {": 'cancle' enter", ":cancle is not known; nearest is :cancel", views.PaneRunning},
		"an act opens its dialog":    {": 'cancel' enter", "Cancel 1 workflow", views.PaneRunning},
		"an act takes no id":         {": 'cancel ord-5' enter", "nothing was done: the run under the cursor", views.PaneRunning},
		"an act on marks":            {"space space : 'cancel' enter", "type   cancel 2", views.PaneRunning},
		"a refused act says why":     {": 'discard' enter", "discard is for dead letters: this run is live", views.PaneRunning},
		"resume of what runs":        {": 'resume' enter", "nothing was done: ord-a10b33de", views.PaneRunning},
		"resume":                     {"3 : 'resume' enter", "OK resume ord-5d4f2a", views.PaneSuspended},
		"suspend":                    {": 'suspend' enter", "OK suspend ord-a10b33de", views.PaneRunning},
		"signal":                     {`: 'signal paid {"cents":1}' enter`, "OK signal ord-a10b33de", views.PaneRunning},
		"signal with bad JSON":       {": 'signal paid {' enter", "payload: line 1, column 2", views.PaneRunning},
		"signal to what has ended":   {"4 / 'ord-77' wait enter : 'signal paid' enter", "already completed at", views.PaneTerminal},
		"go":                         {": 'go ord-77ab10dd' enter wait", "C COMPLETED order-process v3", views.PaneInspector},
		"start":                      {": 'start order-ship' enter", `"parcel": 1`, views.PaneRunning},
		"start of an unknown type":   {": 'start nosuch' enter", "is not known here", views.PaneRunning},
		"read-only":                  {": 'ro' enter c", "opened read-only", views.PaneRunning},
		"save and load":              {"/ 'imp' wait enter : 'save a' enter esc : 'load a' enter wait", "1 of 6", views.PaneRunning},
		"load of what is not there":  {": 'load b' enter", `no filter "b"`, views.PaneRunning},
		"theme":                      {": 'theme mono' enter", "", views.PaneRunning},
		"tab completes":              {": 'over' tab enter", "teardowns under way", views.PaneOverview},
		"tab as far as it is sure":   {": 're' tab 't' tab", "retry", views.PaneRunning},
		"up brings the last one":     {": 'dead' enter 2 : up enter", "402 account closed", views.PaneDead},
		"esc does nothing":           {": 'dead' esc", "all running", views.PaneRunning},
		"letters are text":           {": 'q c y N'", ":q c y N", views.PaneRunning},
		"the palette does a key":     {"ctrl+p 'cancel the run' enter", "Cancel 1 workflow", views.PaneRunning},
		"the palette goes to a pane": {"ctrl+p 'dead let' enter", "402 account closed", views.PaneDead},
		"the palette starts":         {"ctrl+p 'start order-ship' enter", `"parcel": 1`, views.PaneRunning},
		"the palette opens a run":    {"ctrl+p 'open shp' enter wait", "[Overview]", views.PaneInspector},
		"the palette says why not":   {"ctrl+p 'discard a dead' enter", "discard is for dead letters", views.PaneRunning},
		"the palette closes":         {"ctrl+p 'x' esc", "all running", views.PaneRunning},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, owing(), 100, 30)
			r.play(tc.script)
			if r.m.open != tc.open {
				t.Errorf("pane %s is open, want %s: %s", r.m.open, tc.open, r.status().Text)
			}
			r.shows(tc.want)
		})
	}
}

// TestWordsOfOldAreThere: what people type by heart, and what nothing may take.
func TestWordsOfOldAreThere(t *testing.T) {
	for _, name := range strings.Fields("runs susp term owed dead lease feed types go group sort cols save load time theme mouse " +
		"cancel suspend resume signal retry redrive discard start ro q") {
		w, ok := words[name]
		if !ok || w.do == nil || w.does == "" {
			t.Errorf("there is no :%s", name)
		}
		if act := slices.Contains(strings.Fields("cancel suspend resume signal retry redrive discard start"), name); act && w.place {
			t.Errorf("a prefix of :%s would act", name)
		}
	}
	for name := range reserved {
		r := newRig(t, owing(), 100, 30)
		if _, taken := words[name]; taken {
			t.Errorf(":%s is taken", name)
		}
		r.play(": '" + name + "' enter")
		r.shows("nothing was done: :" + name + " is kept for")
		r.lacks("nearest")
	}
}

// TestNoPrefixActs: a word that does something is done when it is written out, never
// for its beginning.
func TestNoPrefixActs(t *testing.T) {
	for name := range words {
		for n := 1; n < len(name); n++ {
			prefix := name[:n]
			if w, whole := words[prefix]; whole && !w.place {
				continue
			}
			for _, at := range []string{"", "5 ", "6 "} {
				r := newRig(t, owing(), 100, 30)
				r.play(at + ": '" + prefix + "' enter wait")
				if len(r.f.acts) > 0 || r.m.modal.top != nil || r.done || r.m.leave.closing || r.m.opts.ReadOnly {
					t.Errorf(":%s acted: %v\n%s", prefix, r.deedsOf(), r.frame())
				}
			}
		}
	}
}

// TestNoCommandActsByItself: what a word means it means for the gate too.
func TestNoCommandActsWithoutTheLease(t *testing.T) {
	for name, w := range words {
		if w.place {
			continue
		}
		f := owing()
		depose(f)
		r := newRig(t, f, 100, 30)
		r.stall = func(e effect) bool { _, writes := e.(putFile); return writes }
		r.play(": '" + name + " x' enter wait y wait")
		if len(f.acts) > 0 {
			t.Errorf(":%s acted: %v", name, r.deedsOf())
		}
	}
}

func TestPaletteOffersWhatThePlaceDoes(t *testing.T) {
	r := newRig(t, owing(), 100, 50)
	var texts []string
	for _, c := range r.m.choices() {
		texts = append(texts, c.Text)
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"cancel the run", "go to 6 Dead letters", "go to ! Problems", "start order-process", "open ord-a10b33de"} {
		if !strings.Contains(all, want) {
			t.Errorf("the palette lacks %q", want)
		}
	}
}
