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

// evil is everything a stored text could try on a terminal.
const evil = "a\x1b[2J\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b]8;;http://x\x07\x1bPq\x1b\\\x9b31m\u009b31m\r\b\x1b[201~\u202e\u2028\x00\xff\u200bz"

// hostile is a store whose every text is [evil].
func hostile() *fake {
	f := newFake()
	fail := &flow.Failure{Message: evil, Code: evil, Category: evil, Stack: evil + "\n" + evil, Cause: &flow.Failure{Message: evil}}
	for i, s := range flow.Statuses() {
		r := f.add(evil+string(rune('0'+i)), evil, s, time.Minute)
		r.Version, r.Waiting, r.Summary, r.Reason = evil, evil, evil, evil
		r.Tags, r.Attributes, r.Failure = []string{evil}, map[string]string{evil: evil}, fail
		r.Parent = &flow.Ref{ID: evil, Run: evil}
		r.Held, r.HeldBecause = i == 1, evil
		r.Step = evil
		f.inputs[r.Ref] = flow.Payload(`{"k":"` + evil + `"}`)
		f.steps[r.Ref] = []flow.Step{{Path: evil, Name: evil, State: evil, Error: fail, Kind: flow.StepActivity, Attempt: 1}}
		f.signal[r.Ref] = []flow.BufferedSignal{{Name: evil, ID: evil, Payload: flow.Payload(evil)}}
	}
	for i, s := range []string{"owed", "running", "stale", "held", evil} {
		f.owed = append(f.owed, flow.Teardown{Ref: f.runs[i].Ref, Type: evil, Finalizer: evil, State: s, LastError: evil, ClaimedAt: 1, StaleAt: 2})
	}
	f.dead = []flow.Dead{{Ref: f.runs[6].Ref, Type: evil, Finalizer: evil, LastError: evil, Input: flow.Payload(evil)}}
	f.audit = []flow.Audit{{Number: 1, Actor: evil, Verb: evil, Why: evil, Text: evil, Target: f.runs[0].Ref}}
	f.types = append(f.types, flow.Type{Name: evil, Version: evil, Registered: true, Signals: []string{evil}, Queries: []string{evil},
		Updates: []string{evil}, Finalizer: evil, Example: flow.Payload(evil), Versions: []flow.VersionCounts{{Version: evil}}})
	f.info.Store, f.info.Lease.Holder, f.info.Trouble, f.info.Health = evil, evil, evil, evil
	f.info.Lease.History = []flow.Tenure{{Holder: evil, Ended: evil}, {Holder: evil, Since: 1, Until: 2, Ended: "deposed"}}
	f.info.Problems = []flow.Problem{{Text: evil, Advice: evil}}
	return f
}

// TestStoredTextNeverReachesTheTerminalRaw is case F017: every pane, form,
// notice, message and title with hostile texts.
func TestStoredTextNeverReachesTheTerminalRaw(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {70, 50}} {
		for _, p := range panes {
			for _, over := range []string{"", "enter", "] ]", "]", "] ] ]", "] ] ] ]", "?", "N", "s", "/", "y", "p", "N ctrl+s", "s ctrl+s", "c", "R", "D", "P", "A", "space c", "space R", ":", "ctrl+p", "ctrl+p o p e n", "] ] ] w", "0 / a"} {
				r := newRig(t, hostile(), size[0], size[1])
				r.f.mu.Lock()
				for _, n := range []flow.Notice{{Kind: evil, Type: evil, Step: evil, Text: evil, Ref: flow.Ref{ID: evil, Run: evil}, Missed: 2}} {
					r.f.tell(n)
				}
				r.f.mu.Unlock()
				r.pass(time.Second)
				r.keys(p.keys)
				r.keys(over)
				if r.m.place().OwnsText() {
					r.send(tea.PasteMsg{Content: evil})
				}
				exact(t, p.name+" "+over, r.frame(), size[0], size[1])
			}
		}
	}
}

func TestHostileErrorsAreShownCleaned(t *testing.T) {
	r := newRig(t, populated(), 80, 24)
	r.f.refuse = errors.New(evil)
	r.keys("3 p")
	exact(t, "failed act", r.frame(), 80, 24)
	r.shows(`resume failed: a\x1b[2J`)
	r.f.fail = errors.New(evil)
	r.pass(3 * time.Second)
	exact(t, "lost", r.frame(), 80, 24)
	title := r.m.View().WindowTitle
	if strings.ContainsAny(title, "\x1b\x07") {
		t.Errorf("title %q", title)
	}
}

func TestTitleAndFarewellAreCleaned(t *testing.T) {
	r := newRig(t, hostile(), 80, 24)
	for what, s := range map[string]string{
		"title":    r.m.View().WindowTitle,
		"farewell": Ending{How: "left", Err: errors.New(evil), Info: r.m.header.Info}.Line(),
	} {
		if bad := controls(s); bad != "" {
			t.Errorf("%s has %s: %q", what, bad, s)
		}
	}
}

// TestClipboardIsClean: what is copied is pasted elsewhere, so it must not drive
// a terminal there either.
func TestClipboardIsClean(t *testing.T) {
	for _, keys := range []string{"y", "Y", "0 y", "0 Y"} {
		r := newRig(t, hostile(), 120, 40)
		var copied []string
		r.stall = func(e effect) bool {
			if e, ok := e.(terminalEffect); ok && e.cmd != nil {
				copied = append(copied, fmt.Sprint(e.cmd()))
			}
			return false
		}
		r.keys("4 " + keys)
		if len(copied) == 0 {
			t.Errorf("%s copied nothing: %s", keys, r.status().Text)
		}
		for _, text := range copied {
			for _, line := range strings.Split(text, "\n") {
				if bad := controls(line); bad != "" {
					t.Errorf("%s: %s is on the clipboard: %q", keys, bad, line)
				}
			}
		}
	}
}
