package tui

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

// rig drives a model without a terminal and in time of its own. Effects run at
// once; timers when time passes.
type rig struct {
	t     *testing.T
	m     *model
	f     *fake
	now   time.Time
	later []timer
	// stalled effects are kept back and answered by release.
	stall   func(effect) bool
	stalled []effect
	done    bool
	exited  []int
}

type timer struct {
	at  time.Time
	msg tea.Msg
}

func newRig(t *testing.T, f *fake, w, h int) *rig {
	t.Helper()
	r := &rig{t: t, f: f, now: noon}
	f.now = func() time.Time { return r.now }
	o, err := Options{Now: f.now, Settings: Settings{Theme: "plain"}, Actor: "kim"}.resolve()
	if err != nil {
		t.Fatal(err)
	}
	r.m = newModel(context.Background(), f, o)
	r.m.exit = func(code int) { r.exited = append(r.exited, code) }
	r.m.do(gather{}, tickAfter())
	r.m.refresh()
	r.send(tea.WindowSizeMsg{Width: w, Height: h})
	r.pass(time.Second)
	return r
}

// send gives the model a message and runs what comes of it.
func (r *rig) send(msg tea.Msg) {
	r.t.Helper()
	r.m.step(msg)
	todo := r.m.todo
	r.m.todo = nil
	for _, e := range todo {
		r.run(e)
	}
}

func (r *rig) run(e effect) {
	r.t.Helper()
	if r.stall != nil && r.stall(e) {
		r.stalled = append(r.stalled, e)
		return
	}
	switch e := e.(type) {
	case putFile: // into a folder of the test, never beside the code
		if !filepath.IsAbs(e.path) {
			r.t.Fatalf("a file %q would be written", e.path)
		}
		if msg := e.run(r.m.ctx, r.f); msg != nil {
			r.send(msg)
		}
	case after:
		r.later = append(r.later, timer{r.now.Add(e.d), e.msg})
	case readSignals: // nobody sends any
	case gather:
		if e.from == 0 {
			r.gather(e)
			return
		}
		r.later = append(r.later, timer{r.now.Add(changesEvery), e})
	case terminalEffect:
		if e.cmd != nil {
			if _, quit := e.cmd().(tea.QuitMsg); quit {
				r.done = true
			}
		}
	default:
		if msg := e.run(r.m.ctx, r.f); msg != nil {
			r.send(msg)
		}
	}
}

// release answers what was kept back, in order.
func (r *rig) release() {
	r.t.Helper()
	r.stall = nil
	todo := r.stalled
	r.stalled = nil
	for _, e := range todo {
		r.run(e)
	}
}

// pass lets time go by.
func (r *rig) pass(d time.Duration) {
	r.t.Helper()
	end := r.now.Add(d)
	for {
		next := -1
		for i, t := range r.later {
			if !t.at.After(end) && (next < 0 || t.at.Before(r.later[next].at)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		t := r.later[next]
		r.later = append(r.later[:next], r.later[next+1:]...)
		if t.at.After(r.now) {
			r.now = t.at
		}
		if g, ok := t.msg.(gather); ok {
			r.gather(g)
			continue
		}
		r.send(t.msg)
	}
	r.now = end
}

// gather brings the notices there are, or asks later when there are none.
func (r *rig) gather(g gather) {
	r.t.Helper()
	news, err := r.f.News(r.m.ctx, g.from, batchKeeps)
	if err == nil && g.from > 0 && len(news.Notices) == 0 {
		r.later = append(r.later, timer{r.now.Add(changesEvery), g})
		return
	}
	r.send(changedMsg{news, err, r.now})
}

// keys presses keys by their names, separated by spaces.
func (r *rig) keys(names string) {
	r.t.Helper()
	for _, name := range strings.Fields(names) {
		r.send(pressOf(name))
	}
}

// types types text.
func (r *rig) types(text string) {
	r.t.Helper()
	for _, c := range text {
		r.send(tea.KeyPressMsg{Code: c, Text: string(c)})
	}
}

var named = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome,
	"end": tea.KeyEnd, "left": tea.KeyLeft, "right": tea.KeyRight, "backspace": tea.KeyBackspace, "space": tea.KeySpace,
	"pgdown": tea.KeyPgDown,
}

func pressOf(name string) tea.KeyPressMsg {
	k := tea.KeyPressMsg{}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		k.Mod, name = tea.ModCtrl, rest
	}
	if rest, ok := strings.CutPrefix(name, "shift+"); ok {
		k.Mod, name = k.Mod|tea.ModShift, rest
	}
	if code, ok := named[name]; ok {
		k.Code = code
		if name == "space" {
			k.Text = " "
		}
		return k
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

func (r *rig) frame() string { return r.m.screen().Frame() }

func (r *rig) cursor() flow.Ref {
	row, _ := r.m.list().Row()
	return row.Run.Ref
}

// shows fails unless the frame has all texts.
func (r *rig) shows(texts ...string) {
	r.t.Helper()
	frame := r.frame()
	for _, s := range texts {
		if !strings.Contains(frame, s) {
			r.t.Errorf("the frame lacks %q:\n%s", s, frame)
		}
	}
}

// lacks fails when the frame has one of the texts.
func (r *rig) lacks(texts ...string) {
	r.t.Helper()
	frame := r.frame()
	for _, s := range texts {
		if strings.Contains(frame, s) {
			r.t.Errorf("the frame has %q:\n%s", s, frame)
		}
	}
}

func (r *rig) status() views.Status { return r.m.status }
