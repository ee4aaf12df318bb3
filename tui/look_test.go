package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/keymap"
)

func TestOrders(t *testing.T) {
	r := newRig(t, crowd(300), 80, 24)
	r.keys("=")
	r.shows("by created ^", "> R ord-00000", "300 runs |")
	first := r.cursor()
	for range 300 {
		r.keys("j")
	}
	if r.cursor().ID != "ord-00299" {
		t.Errorf("the end of the order turned round is %s", r.cursor())
	}
	for range 300 {
		r.keys("k")
	}
	if r.cursor() != first {
		t.Errorf("back at %s", r.cursor())
	}
	r.keys("= >")
	r.shows("by id v")
	r.keys("<")
	r.lacks("by id", "by created")
	r.keys("5 >")
	r.shows("this list has one order only")
}

func TestZoomAndBack(t *testing.T) {
	r := newRig(t, owing(), 120, 40)
	r.shows("+- 8 Feed", "+- 5 Owed")
	r.keys("j j +")
	at := r.cursor()
	r.lacks("8 Feed", "Inspector -")
	exact(t, "zoomed", r.frame(), 120, 40)
	r.keys("enter")
	r.shows("[Overview]")
	r.lacks("+-")
	r.keys("esc")
	r.shows("+- 8 Feed")
	r.keys("esc")
	if r.cursor() != at {
		t.Errorf("zooming moved the cursor to %s", r.cursor())
	}
	r.keys("+ _")
	r.shows("+- 8 Feed")
}

func TestFeedCollapsesWhatIsSimilar(t *testing.T) {
	r := newRig(t, crowd(30), 100, 30)
	r.keys("8")
	tell := func(text string, n int) {
		for i := range n {
			r.f.mu.Lock()
			r.f.tell(flow.Notice{Kind: flow.NoticeAttempt, Ref: r.f.runs[i].Ref, Type: "order-process", Text: text, Failed: true})
			r.f.mu.Unlock()
		}
	}
	tell("503 stock", 14)
	tell("402 closed", 1)
	r.pass(time.Second)
	r.shows("(14 similar in 1s) 503 stock", "402 closed")
	r.pass(time.Second)
	tell("402 closed", 1)
	r.pass(time.Second)
	if n := strings.Count(r.frame(), "402 closed"); n != 2 {
		t.Errorf("a second later it is another event: %d lines, want 2", n)
	}
}

// TestFeedCollapsesWhatIsSimilarAmongOthers: two things that go on at once are two
// lines, and errors with other texts are never counted together.
func TestFeedCollapsesWhatIsSimilarAmongOthers(t *testing.T) {
	r := newRig(t, crowd(30), 100, 30)
	r.keys("8")
	r.f.mu.Lock()
	for i := range 14 {
		r.f.tell(flow.Notice{Kind: flow.NoticeAttempt, Ref: r.f.runs[i].Ref, Type: "order-process", Text: "503 stock", Failed: true})
		r.f.tell(flow.Notice{Kind: flow.NoticeAttempt, Ref: r.f.runs[i].Ref, Type: "order-process", Text: "402 closed", Failed: true})
	}
	r.f.mu.Unlock()
	r.pass(300 * time.Millisecond)
	r.shows("(14 similar in 1s) 503 stock", "(14 similar in 1s) 402 closed")
	if n := strings.Count(r.frame(), "attempt"); n != 2 {
		t.Errorf("%d lines, want 2\n%s", n, r.frame())
	}
	r.f.mu.Lock()
	r.f.tell(flow.Notice{Kind: flow.NoticeAttempt, Ref: r.f.runs[0].Ref, Type: "order-process", Text: "503 stock", Failed: true, Missed: 3})
	r.f.tell(flow.Notice{Kind: flow.NoticeAttempt, Ref: r.f.runs[0].Ref, Type: "order-process", Text: "402 closed", Failed: true})
	r.f.mu.Unlock()
	r.pass(time.Second)
	if n := strings.Count(r.frame(), "attempt"); n != 4 {
		t.Errorf("behind a gap it is not the same: %d lines, want 4\n%s", n, r.frame())
	}
}

func TestSignsOfOrderHaveNoMeaningElsewhere(t *testing.T) {
	for _, p := range []keymap.Place{keymap.Inspector, keymap.Feed, keymap.Types} {
		if (keymap.Map{}).Find(p, ">") != keymap.None {
			t.Errorf("%s sorts", p)
		}
	}
}

func TestSearchInAText(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	r.play("j j j enter ] ] ] wait / 'email' enter")
	r.shows("/email", "match 1 of 1")
	r.play("/ 'ORD' ")
	r.shows("match 0 of 0")
	r.play("esc wait / 'e' enter")
	first := r.frame()
	r.keys("n")
	if r.frame() == first {
		t.Error("n stays on the first match")
	}
	r.keys("N")
	if r.frame() != first {
		t.Error("N does not go back to the first match")
	}
	r.keys("esc")
	r.lacks("match")
	r.shows("[Payloads]")
	r.keys("N")
	r.shows("Start a workflow")
	r.play("esc n")
	r.shows("nothing is searched for")
}

func TestSecretsAreMaskedUntilAskedFor(t *testing.T) {
	f := owing()
	ref := f.ref("ord-7f3a9c1e-44b0-4a5e-9f0e-2d0c6f5a1b2c")
	f.inputs[ref] = flow.Payload(`{"user":"kim","dbPassword":"hunter2","api_key":42,"nested":{"authToken":"abc\"def"},"n":1}`)
	r := newRig(t, f, 120, 40)
	r.play("j j j wait")
	r.lacks("hunter2", `abc\"def`, "42,")
	r.shows(`"dbPassword":"***"`)
	r.play("enter ] ] ] wait")
	r.shows(`"dbPassword": "***",`, `"api_key": "***",`, `"authToken": "***"`, `"n": 1`)
	r.keys("V")
	r.shows("hunter2", `abc\"def`)
	r.play("esc enter wait")
	r.lacks("hunter2")
	if got := strings.Count(r.frame(), "***"); got == 0 {
		t.Error("nothing is masked after the view was left")
	}
}

func TestLongLinesWrap(t *testing.T) {
	f := owing()
	f.inputs[f.ref("ord-7f3a9c1e-44b0-4a5e-9f0e-2d0c6f5a1b2c")] = flow.Payload(`{"text":"` + strings.Repeat("word ", 40) + `the end"}`)
	r := newRig(t, f, 80, 24)
	r.play("j j j enter ] ] ] wait")
	r.lacks("the end")
	r.keys("w")
	r.shows("the end")
	exact(t, "wrapped", r.frame(), 80, 24)
	r.keys("w")
	r.lacks("the end")
}

func TestTimesByAClock(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	r.keys("t")
	r.shows("times in lists: UTC", "12:02", "12:04:3")
	r.keys("t t")
	r.shows("times in lists: ages", "1m4")
}

func TestRangesOfMarks(t *testing.T) {
	r := newRig(t, crowd(30), 80, 24)
	r.keys("j space j j j v")
	r.shows("5 marked, 0 hidden", "* R ord-00028", ">*R ord-00024")
	r.keys("k k k k k v")
	r.shows("6 marked")
	r.keys(`ctrl+\ v`)
	r.shows("1 marked")
}

func TestCopyAsJSON(t *testing.T) {
	f := owing()
	ref := f.ref("ord-7f3a9c1e-44b0-4a5e-9f0e-2d0c6f5a1b2c")
	f.inputs[ref] = flow.Payload(`{"token":"abc","ref":3544790567247868102}`)
	r := newRig(t, f, 80, 24)
	var copied string
	r.stall = func(e effect) bool {
		if e, ok := e.(terminalEffect); ok && e.cmd != nil {
			copied = fmt.Sprint(e.cmd())
		}
		return false
	}
	r.play("j j j wait Y")
	if !strings.Contains(copied, `"token": "***"`) || !strings.Contains(copied, "3544790567247868102") {
		t.Errorf("copied %s", copied)
	}
	r.play("enter V Y")
	if !strings.Contains(copied, `"token": "abc"`) {
		t.Errorf("shown, yet masked in the copy: %s", copied)
	}
}

// TestShapesDoNotFlicker: an edge that is dragged over the place where the shape
// changes must pass it by two cells.
func TestShapesDoNotFlicker(t *testing.T) {
	r := newRig(t, owing(), 104, 29)
	boxed := func() bool { return strings.Contains(r.frame(), "+- 0 Inspector") }
	low := func() bool { return strings.Contains(r.frame(), "+- 5 Owed") }
	for _, step := range []struct {
		w, h       int
		boxed, low bool
	}{{106, 29, false, false}, {107, 29, false, false}, {108, 29, true, false}, {106, 29, true, false}, {105, 29, true, false}, {104, 29, true, false},
		{103, 29, false, false}, {120, 29, true, false}, {120, 31, true, false}, {120, 32, true, true}, {120, 29, true, true}, {120, 27, true, false}} {
		r.send(tea.WindowSizeMsg{Width: step.w, Height: step.h})
		exact(t, "dragged", r.frame(), step.w, step.h)
		if boxed() != step.boxed || low() != step.low {
			t.Errorf("%dx%d: boxed %t, teardowns %t, want %t and %t", step.w, step.h, boxed(), low(), step.boxed, step.low)
		}
	}
}
