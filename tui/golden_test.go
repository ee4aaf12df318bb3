package tui

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weft/flow"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// golden compares a frame with the one that was reviewed.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got+"\n", "\n")); diff != "" {
		t.Errorf("%s: -want +got:\n%s", name, diff)
	}
}

// view is a frame with the keys that lead to it.
type view struct{ name, keys string }

// usual are the sizes that all panes are kept at.
var usual = [][2]int{{80, 24}, {120, 40}}

// panes are the panes with the keys that open them.
var panes = []view{
	{"overview", "1"}, {"audit", "@"}, {"problems", "!"}, {"running", "2"}, {"suspended", "3"}, {"held", "3 ]"}, {"terminal", "4"}, {"owed", "5"}, {"dead", "6"}, {"lease", "7"}, {"feed", "8"}, {"types", "9"}, {"inspector", "0"},
}

// conditions are what a pane may have to show.
var conditions = []struct {
	name  string
	fake  func() *fake
	stall bool
}{
	{"few", owing, false},
	{"empty", newFake, false},
	{"loading", owing, true},
	{"failed", func() *fake {
		f := owing()
		f.fail = errors.New("pebble: file 000012.sst is corrupted")
		return f
	}, false},
	{"wide", wideNames, false},
	{"deposed", func() *fake {
		f := owing()
		depose(f)
		return f
	}, false},
}

func wideNames() *fake {
	f := newFake()
	at := flow.InstantOf(noon)
	for _, id := range []string{"注文-東京-7f3a9c1e-44b0-4a5e-9f0e", "ord-\u26a0\ufe0f-1", "ord-नमस्ते-2", "👍🏽👩‍👩‍👧-3", "e\u0301-4", "ＷＩＤＥ"} {
		r := f.add(id, "注文処理", flow.Running, time.Minute)
		r.Waiting, r.Tags = "支払いを待つ", []string{"東京"}
		f.owed = append(f.owed, flow.Teardown{Ref: r.Ref, Type: "注文処理", Finalizer: "支払いを取消", State: "owed", Attempts: 3, NextAt: at.Add(time.Hour), LastError: "接続が拒否されました 👍🏽"})
		f.dead = append(f.dead, flow.Dead{Ref: r.Ref, Type: "注文処理", Finalizer: "支払いを取消", Attempts: 8, DeadLetteredAt: at.Add(-time.Hour), LastError: "e\u0301 接続が拒否されました"})
	}
	return f
}

func TestGoldenFrames(t *testing.T) {
	for _, size := range usual {
		for _, p := range panes {
			for _, c := range conditions {
				name := fmt.Sprintf("%s-%s-%dx%d", p.name, c.name, size[0], size[1])
				t.Run(name, func(t *testing.T) {
					golden(t, name, openPane(t, p.keys, c.fake(), c.stall, size[0], size[1]).frame())
				})
			}
		}
	}
}

// openPane is a console on f that shows a pane.
func openPane(t *testing.T, keys string, f *fake, stall bool, w, h int) *rig {
	t.Helper()
	r := &rig{t: t}
	if stall {
		fail := f.fail
		defer func() { f.fail = fail }()
		r = stalledRig(t, f, w, h)
	} else {
		r = newRig(t, f, w, h)
	}
	if len(f.runs) > 0 && !stall {
		of := f.runs[max(0, slices.IndexFunc(f.runs, func(r flow.Run) bool { return r.ID == ordRow }))]
		f.mu.Lock()
		f.tell(flow.Notice{Kind: flow.NoticeStep, Ref: of.Ref, Type: of.Type, Text: "chargeCard done"})
		f.tell(flow.Notice{Kind: flow.NoticeAttempt, Ref: of.Ref, Type: of.Type, Text: "reserveStock: 503", Failed: true})
		f.mu.Unlock()
	}
	r.pass(time.Second)
	r.keys(keys)
	r.pass(time.Second)
	return r
}

// stalledRig is a console that gets no answers.
func stalledRig(t *testing.T, f *fake, w, h int) *rig {
	t.Helper()
	r := &rig{t: t, f: f, now: noon, stall: func(e effect) bool { _, ok := e.(after); return !ok }}
	f.now = func() time.Time { return r.now }
	o, _ := Options{Now: f.now, Settings: Settings{Theme: "plain"}}.resolve()
	r.m = newModel(t.Context(), f, o)
	r.m.do(tickAfter())
	r.m.refresh()
	r.m.width, r.m.height = w, h
	r.send(tickMsg{})
	return r
}

// goldenViews keeps the frames of views at sizes, which they must fill.
func goldenViews(t *testing.T, prefix string, sizes [][2]int, views ...view) {
	for _, size := range sizes {
		for _, v := range views {
			name := fmt.Sprintf("%s-%s-%dx%d", prefix, v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				frame := openPane(t, v.keys, lively(), false, size[0], size[1]).frame()
				exact(t, name, frame, size[0], size[1])
				golden(t, name, frame)
			})
		}
	}
}

// TestGoldenShapes keeps one frame of each shape a screen can have.
func TestGoldenShapes(t *testing.T) {
	goldenViews(t, "shape", [][2]int{{40, 10}, {58, 16}, {58, 20}, {72, 50}, {106, 30}, {132, 34}, {160, 45}, {200, 60}},
		view{"running", "2 j j j j"}, view{"owed", "5"}, view{"inspector", "2 j j j j enter ]"}, view{"overview", "1"})
}

// TestGoldenPanes keeps the other panes at the sizes where the shape differs most.
func TestGoldenPanes(t *testing.T) {
	goldenViews(t, "shape", [][2]int{{58, 16}, {72, 50}, {106, 30}, {200, 60}},
		view{"suspended", "3"}, view{"held", "3 ]"}, view{"terminal", "4"}, view{"dead", "6"}, view{"lease", "7"}, view{"feed", "8"},
		view{"types", "9"}, view{"problems", "!"}, view{"audit", "@"})
}

// TestGoldenForms keeps what lies over the panes.
func TestGoldenForms(t *testing.T) {
	goldenViews(t, "over", usual,
		view{"cancel", "2 j j j j c"}, view{"bulk", "2 space j space c"}, view{"discard", "6 D"}, view{"labels", "2 j j j j T"},
		view{"signal", "2 j j j j s"}, view{"start", "N"}, view{"help", "?"}, view{"palette", "ctrl+p"}, view{"columns", ","})
}

// TestGoldenTabs keeps the tabs of the inspector but for the first.
func TestGoldenTabs(t *testing.T) {
	open := "2 j j j j enter"
	goldenViews(t, "tab", usual, view{"timeline", open + " ]"}, view{"events", open + " ] ]"}, view{"payloads", open + " ] ] ]"},
		view{"signals", open + " ] ] ] ]"}, view{"family", open + " ] ] ] ] ]"})
}
