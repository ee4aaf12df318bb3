package tui

import (
	"strings"
	"testing"
	"time"

	"weft/flow"
)

func TestTwoRunsAreCompared(t *testing.T) {
	f := owing()
	a, b := f.ref(ordRow), f.ref("ord-81ee02aa-cccc-4a5e-9f0e-2d0c6f5a9d04")
	f.inputs[a] = flow.Payload(`{"orderId":"ord_1","amount":3544790567247868102,"token":"s3cret","a":1,"b":2,"c":3,"d":4,"e":5}`)
	f.inputs[b] = flow.Payload(`{"orderId":"ord_1","amount":3544790567247868103,"token":"s3cret","a":1,"b":2,"c":3,"d":4,"e":5}`)
	r := newRig(t, f, 120, 40)
	r.keys("d")
	r.shows("mark a run with space")
	r.keys("j j space d")
	r.shows("Compare two runs", "- ord-81ee02aa", "+ ord-7f3a9c1e", `-   "amount": 3544790567247868103,`, `+   "amount": 3544790567247868102,`,
		`"token": "***"`, "input: 2 lines apart", "equal lines", "result: equal")
	r.lacks("s3cret")
	exact(t, "comparison", r.frame(), 120, 40)
	r.keys("esc space space d")
	r.shows("two runs are compared, 3 are marked")
	r.keys(`ctrl+\ d`)
	r.shows("mark a run with space")
}

func TestComparisonThatCannotBeRead(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	r.keys("space")
	r.f.mu.Lock()
	r.f.runs = r.f.runs[:len(r.f.runs)-1]
	r.f.mu.Unlock()
	r.pass(time.Second)
	r.f.fail = flow.ErrClosed
	r.keys("d")
	r.shows("compare ")
	if r.m.modal.top != nil {
		t.Error("something was opened")
	}
}

func TestFollowing(t *testing.T) {
	f := owing()
	ref := f.ref(ordRow)
	r := newRig(t, f, 80, 24)
	r.play("j j j wait F")
	r.shows("following "+ordRow[:20], "FOLLOWS")
	f.set(ref, flow.Completed)
	r.pass(time.Second)
	r.shows("[4 Term", "> C ord-7f3a9c1e", "followed to 4 Terminal")
	r.keys("j")
	r.shows("no longer following")
	r.lacks("FOLLOWS")
	r.keys("2")
	other := f.ref("ord-81ee02aa-cccc-4a5e-9f0e-2d0c6f5a9d04")
	f.set(other, flow.Suspended)
	r.pass(time.Second)
	r.shows("[2 Run")
}

// TestFollowingIntoAFilteredList: a list that does not show the run is not where
// it is followed to.
func TestFollowingIntoAFilteredList(t *testing.T) {
	f := owing()
	ref := f.ref(ordRow)
	r := newRig(t, f, 80, 24)
	r.play("4 / 'box' enter 2 j j j wait F")
	f.set(ref, flow.Failed)
	r.pass(time.Second)
	r.shows(ordRow, "F FAILED")
}

// TestTextIsFollowedToItsEnd: the last line is in sight, and stays so as the
// text grows, until somebody scrolls.
func TestTextIsFollowedToItsEnd(t *testing.T) {
	f := owing()
	ref := f.ref(ordRow)
	grow := func(n int) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for range n {
			i := len(f.steps[ref]) + 1
			f.steps[ref] = append(f.steps[ref], flow.Step{Path: flow.StepPath(strings.Repeat("9", 1)), Kind: flow.StepActivity, Name: "step" + strings.Repeat("i", i%7) + string(rune('A'+i%26)), State: flow.StepDone})
		}
		f.tell(flow.Notice{Kind: flow.NoticeStep, Ref: ref})
	}
	last := func() string { s := f.steps[ref]; return s[len(s)-1].Name }
	grow(40)
	r := newRig(t, f, 80, 24)
	r.play("j j j enter ] wait G")
	r.shows(last())
	grow(5)
	r.pass(time.Second)
	r.lacks(last() + " ")
	r.keys("F")
	r.shows(last(), "FOLLOWS")
	grow(5)
	r.pass(time.Second)
	r.shows(last())
	r.keys("w")
	r.shows(last())
	r.keys("w k")
	r.lacks("FOLLOWS")
}
