package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// Settings are what operators choose about how the console looks and answers.
// They may change while it is on the screen (see [Options].Changes). The zero
// value is a sound default.
type Settings struct {
	// Theme is one of views.ThemeNames or the name of one of Themes; "" means
	// dark.
	Theme  string
	Themes []views.Theme
	// Plain is for screen readers: one pane at a time, ASCII, no escape sequences
	// for colours, and the terminal's cursor on the chosen row. It is stronger than
	// Theme and ASCII.
	Plain bool
	// ASCII shows stored text as ASCII only.
	ASCII bool
	// NoMouse leaves the mouse to the terminal. Times is how lists show instants.
	NoMouse bool
	Times   views.Times
	// Keys are the keys of every place.
	Keys keymap.Map
	// Badge marks the store.
	Badge views.Badge
	// OwedLong is how long a teardown may be owed before it is an alarm. Zero
	// means an hour.
	OwedLong time.Duration
	// Secrets says which values are masked; nil are the usual ones.
	Secrets []string
	// RetryAtOnce retries a teardown without a question.
	RetryAtOnce bool
}

// ThemeNamed finds a theme by its name; "" is the usual one.
func (s Settings) ThemeNamed(name string) (views.Theme, error) {
	for _, t := range s.Themes {
		if t.Name() == name {
			return t, nil
		}
	}
	t, ok := views.ThemeNamed(name)
	if !ok {
		return t, fmt.Errorf("there is no theme %q: %v", name, s.ThemeNames())
	}
	return t, nil
}

// ThemeNames are the names ThemeNamed knows.
func (s Settings) ThemeNames() []string {
	names := views.ThemeNames()
	for _, t := range s.Themes {
		if !slices.Contains(names, t.Name()) {
			names = append(names, t.Name())
		}
	}
	return names
}

// resolve reports what makes no sense.
func (s Settings) resolve() (theme views.Theme, err error) {
	if s.Plain {
		s.Theme = "plain"
	}
	theme, err = s.ThemeNamed(s.Theme)
	if s.OwedLong < 0 {
		err = errors.Join(err, fmt.Errorf("OwedLong %v: is negative", s.OwedLong))
	}
	return theme, err
}

// awaitSettings waits for the operator to change the settings.
type awaitSettings struct {
	changes func(context.Context) (Settings, error)
}

func (m *model) awaitSettings() {
	if m.opts.Changes != nil {
		m.do(awaitSettings{m.opts.Changes})
	}
}

type settingsMsg struct {
	set Settings
	err error
}

func (e awaitSettings) run(ctx context.Context, _ Console) tea.Msg {
	set, err := e.changes(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return settingsMsg{set, err}
}

// settingsTrouble is the problem that the settings are not what was written.
const settingsTrouble = "configuration"

// onSettings takes in changed settings; those that cannot be used change
// nothing.
func (m *model) onSettings(msg settingsMsg) {
	m.awaitSettings()
	theme, err := msg.set.resolve()
	if err = errors.Join(msg.err, err); err != nil {
		m.distrust(err)
		m.say(views.Bad, "the configuration is kept as it was: "+err.Error())
		return
	}
	m.clear(settingsTrouble)
	m.apply(msg.set, theme)
	m.say(views.Plain, "the configuration was read again")
}

// apply puts settings in force. What was chosen on the screen stays unless the
// settings changed in that point.
func (m *model) apply(s Settings, theme views.Theme) {
	was := m.set
	m.set = s
	if s.Theme != was.Theme || s.Plain != was.Plain || !slices.Equal(s.Themes, was.Themes) {
		m.theme = theme
	}
	if s.NoMouse != was.NoMouse {
		m.mouse.off = s.NoMouse
	}
	if s.Times != was.Times {
		m.times = s.Times
	}
	m.secrets = views.NewSecrets(s.Secrets)
	m.header.Badge = s.Badge
	if h, ok := m.modal.top.(views.Help); ok {
		h.Keys = s.Keys
		m.modal.top = h
	}
}

// distrust raises the problem that what the operator wrote is not in force.
func (m *model) distrust(err error) {
	m.raise(settingsTrouble, flow.Problem{Text: "the configuration cannot be used, what was in force before is: " + err.Error(),
		Advice: "weft-tui config check tells what is wrong; the file is read again when it changes"})
}
