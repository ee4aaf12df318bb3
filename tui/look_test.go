package tui

import (
	"strings"
	"testing"
	"time"

	"weft/flow"
	"weft/keymap"
)

func TestOrders(t *testing.T) {
	r := newRig(t, crowd(300), 80, 24)
	r.keys("=")
	r.shows("by created ^", "> R ord-00000", "300 |")
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

func TestSignsOfOrderHaveNoMeaningElsewhere(t *testing.T) {
	for _, p := range []keymap.Place{keymap.Inspector, keymap.Feed, keymap.Types} {
		if keymap.Find(p, ">") != keymap.None {
			t.Errorf("%s sorts", p)
		}
	}
}
