package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// TestEveryActionHasAWord: what a key does in a pane can be typed as well.
func TestEveryActionHasAWord(t *testing.T) {
	for _, p := range keymap.Places() {
		if p.OwnsText() || p >= keymap.HelpPage {
			continue
		}
		for _, b := range (keymap.Map{}).At(p) {
			name := b.Action.String()
			if own, ok := ownWords[b.Action]; ok {
				name = own
			}
			if _, ok := words[name]; !ok && !motions(b.Action) {
				t.Errorf("%s: %q has no word: %s", p, b.Does, name)
			}
		}
	}
}

func TestWordsOfKeysAreForTheirPlace(t *testing.T) {
	for typed, want := range map[string]string{
		"mark": "1 marked", "mark-all": "all 6 marked", "zoom": "> R", "freeze": "FROZEN", "filter ~^ord": "5 of 6", "wrap": ":wrap means nothing here (list of runs)",
		"mark x": ":mark takes nothing, not x", "help": "Keys: list of runs", "freez": "write it out, :freeze", "copy-json": "copied to the terminal's clipboard",
	} {
		r := newRig(t, owing(), 100, 30)
		r.play("j j : '" + typed + "' enter")
		r.shows(want)
	}
	r := newRig(t, owing(), 100, 30)
	r.play("1 : 'mark-all' enter")
	r.shows(":mark-all means nothing here (overview)")
	r.play(": 'filter x' enter")
	r.shows("a filter is for lists")
	r.play("2 enter ] ] ] wait : 'filter n' enter")
	r.shows("match 1 of")
}

// TestClocksThatDifferAreAProblem: what was written in our future has no age, and
// says why.
func TestClocksThatDifferAreAProblem(t *testing.T) {
	f := owing()
	f.find(f.ref(ordRow)).UpdatedAt = flow.InstantOf(noon.Add(5 * time.Second))
	r := newRig(t, f, 100, 30)
	r.keys("r !")
	r.shows("clock differs from the writer's by 4s", "compare the clocks")
	r.keys("2")
	for _, line := range strings.Split(r.frame(), "\n") {
		if strings.Contains(line, ordRow[:12]) && strings.Contains(line, "-") && !strings.Contains(line, " 0s") && !strings.HasPrefix(line, "--") {
			t.Errorf("a negative age is shown: %s", line)
		}
	}
	r.pass(90 * time.Second)
	r.keys("r !")
	r.lacks("clock differs")
}

func TestPayloadsAsTheyAreStored(t *testing.T) {
	f := owing()
	f.inputs[f.ref(ordRow)] = flow.Payload(`{"b":1.50,  "a":{"token":"x"}}`)
	r := newRig(t, f, 80, 24)
	r.play("j j j wait enter ] ] ] wait")
	r.shows(`  "b": 1.50,`)
	r.keys("o")
	r.shows(`{"b":1.50,  "a":{"token":"***"}}`, "as it is stored")
	r.keys("o")
	r.shows(`  "b": 1.50,`)
}

// TestFooterOfWhatIsReadTellsItsOwnKeys: keys of the panes mean nothing there.
func TestFooterOfWhatIsReadTellsItsOwnKeys(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	for _, keys := range []string{"?", "space d"} {
		r.play(keys + " wait")
		if r.m.modal.top == nil {
			t.Fatalf("%s opened nothing", keys)
		}
		r.lacks("tab pane", "z freeze")
		open := r.m.open
		r.keys("tab")
		if r.m.open != open {
			t.Errorf("%s: tab left the pane behind", keys)
		}
		r.keys("esc")
		if r.m.modal.top != nil {
			t.Errorf("%s: esc does not close it", keys)
		}
		r.keys(`ctrl+\`)
	}
}

// TestHelpIsNotCut: whatever a key does is told to its end.
func TestHelpIsNotCut(t *testing.T) {
	for _, size := range [][2]int{{58, 16}, {80, 24}} {
		r := newRig(t, owing(), size[0], size[1])
		r.keys("?")
		var text strings.Builder
		for range 200 {
			text.WriteString(r.frame())
			r.keys("j")
		}
		for _, part := range []string{"ctrl+z", "T timed-out", "<4m27s it runs", "OVER 4m it is lost since", "beginning,"} {
			if !strings.Contains(text.String(), part) {
				t.Errorf("%v: the help lacks %q", size, part)
			}
		}
		if strings.Contains(text.String(), "..|") || strings.Contains(text.String(), ".. |") {
			t.Errorf("%v: a line of the help is cut", size)
		}
		r.keys("g")
		r.shows("open the run in the inspector")
		r.keys("G")
		r.shows("- it is held")
		end := r.frame()
		r.keys("k")
		if r.frame() == end {
			t.Errorf("%v: one line back from the end shows nothing new", size)
		}
	}
}

// TestLongValuesGoOn: what a run waits for is told to its end beside the list.
func TestLongValuesGoOn(t *testing.T) {
	f := owing()
	f.find(f.ref(ordRow)).Waiting = "signal close, or the hour, whichever of the two comes first to the desk of the clerk"
	r := newRig(t, f, 120, 40)
	r.play("j j j wait")
	r.shows("whichever", "clerk")
	exact(t, "long value", r.frame(), 120, 40)
	f.steps[f.ref(ordRow)] = []flow.Step{{Path: "1", Kind: flow.StepActivity, Name: "fetch", Attempt: 4, State: flow.StepRetrying,
		Error: &flow.Failure{Message: "put a file at inbox/letter.txt below the work directory of the desk"}}}
	r.play("enter ] wait")
	r.shows("RETRY x4", "of the desk")
}

// TestEscapeGoesOneStep is the ladder: dialog, text field, marks, filter, zoom,
// back; at the root it does nothing, and it never quits.
func TestEscapeGoesOneStep(t *testing.T) {
	r := newRig(t, owing(), 120, 40)
	r.play("4 / 'status=cancelled' enter + space v / 'x' esc wait")
	state := func() [4]bool {
		shown, hidden := r.m.list().Marked()
		return [4]bool{r.m.modal.top != nil, shown+hidden > 0, r.m.list().Filter() != "", r.m.zoom}
	}
	r.play("? wait")
	for i, want := range [][4]bool{{true, true, true, true}, {false, true, true, true}, {false, false, true, true}, {false, false, false, true},
		{false, false, false, false}, {false, false, false, false}} {
		if got := state(); got != want {
			t.Fatalf("after %d steps dialog, marks, filter, zoom are %v, want %v", i, got, want)
		}
		r.keys("esc")
	}
	if r.done || r.m.open != views.PaneTerminal {
		t.Errorf("esc at the root left for %s", r.m.open)
	}
}

// TestStormOfSizes: while an edge is dragged every frame fits, and the cursor
// stays on its run.
func TestStormOfSizes(t *testing.T) {
	r := newRig(t, owing(), 120, 40)
	for i := range 60 {
		w, h := 20+i*4%230, 5+i*7%60
		r.send(tea.WindowSizeMsg{Width: w, Height: h})
		exact(t, "storm", r.frame(), w, h)
	}
	at := r.cursor()
	r.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	if r.cursor() != at {
		t.Error("a change of size moved the cursor")
	}
}

func TestEmptyListsOfferNoRowKeys(t *testing.T) {
	r := newRig(t, newFake(), 80, 24)
	r.lacks("enter open", "space mark")
	for _, key := range []string{"enter", "space", "v"} {
		r.send(pressOf(key))
		r.shows("no row selected")
		r.pass(5 * time.Second)
	}
}

// TestHeldListsSayHowMuchWaits: what a mark keeps out is counted, and comes in
// once the mark is gone.
func TestHeldListsSayHowMuchWaits(t *testing.T) {
	f := owing()
	r := newRig(t, f, 80, 24)
	r.keys("space")
	for i := range 3 {
		f.mu.Lock()
		f.add("new-"+string(rune('a'+i)), "order-process", flow.Running, 0)
		f.tell(flow.Notice{Kind: flow.NoticeStarted, Ref: f.runs[len(f.runs)-1].Ref})
		f.mu.Unlock()
	}
	r.pass(time.Second)
	r.shows("HELD +3")
	r.lacks("new-a")
	r.keys(`ctrl+\ g`)
	r.pass(time.Second)
	r.shows("new-a", "new-c")
	r.lacks("HELD +3")
}
