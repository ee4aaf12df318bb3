package tui

import (
	"context"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

// listID is one of the lists of runs. Pane 3 has two of them.
type listID uint8

const (
	listRunning listID = iota
	listSuspended
	listHeld
	listTerminal
	listOwed
	listDead
	listCount
)

// model is the state of the console. It belongs to the loop alone: commands
// capture values, never the model.
type model struct {
	ctx     context.Context // ends with the console; the one stored context
	console Console
	opts    Options
	exit    func(code int) // ends the process at once
	signals <-chan os.Signal

	set     Settings
	theme   views.Theme // of the settings, or what was chosen since
	secrets views.Secrets
	faults  map[string]flow.Problem
	pressed bool // a key, since the last frame

	width, height int
	size          views.Extent // by which the shape is chosen
	now           time.Time

	header views.Header
	open   views.Pane // the pane that has the keys
	side   views.Pane // the list shown beside the inspector
	back   []spot
	last   views.Pane // the pane before
	held   bool       // pane 3 shows held runs
	zoom   bool       // the open pane has the whole screen
	unmask bool       // secrets are shown in this view
	times  views.Times

	lists     [listCount]views.List
	types     views.Types
	inspector views.Inspector
	feed      views.Feed
	lease     views.Sheet
	overview  views.Overview
	problems  views.Sheet
	audit     views.Audit

	modal  modalState
	target views.Subject // what the open question is about
	why    []string      // reasons given before, the latest first
	typed  filterState
	line   commandState
	saved  map[string]string // filters by name
	keeps  memoryState
	file   fileState
	editor editorState
	// trailed is the run that is followed.
	trailed flow.Ref
	mouse   mouseState
	rush    rushState
	blocker blockerState

	status   views.Status
	statusAt time.Time

	asked questions
	link  linkState
	leave leaveState

	todo []effect
}

// filterState is the filter while it is typed.
type filterState struct {
	field  *views.Field
	before views.List // to go back to
	// find: the inspector is searched; found is what it was before.
	find  bool
	found views.Inspector
	count uint64
}

func newModel(ctx context.Context, c Console, o Options) *model {
	m := &model{ctx: ctx, console: c, opts: o, exit: hardExit, now: o.Now(), open: o.pane, side: o.pane, last: o.pane}
	if !m.side.Side() {
		m.side = views.PaneRunning
	}
	held := true
	m.lists = [listCount]views.List{
		listRunning: views.NewList(views.PaneRunning, "Running",
			flow.Filter{Statuses: []flow.Status{flow.Running, flow.Pending}}, flow.ByCreated,
			"nothing runs"),
		listSuspended: views.NewList(views.PaneSuspended, "Suspended",
			flow.Filter{Statuses: []flow.Status{flow.Suspended}}, flow.ByCreated,
			"nothing is suspended"),
		listHeld: views.NewList(views.PaneSuspended, "Held",
			flow.Filter{Held: &held, Statuses: []flow.Status{flow.Pending, flow.Running, flow.Suspended}}, flow.ByCreated,
			"nothing is held: every type and version in the store is registered here"),
		listTerminal: views.NewList(views.PaneTerminal, "Terminal",
			flow.Filter{Statuses: []flow.Status{flow.Completed, flow.Failed, flow.Cancelled, flow.TimedOut}}, flow.ByClosed,
			"nothing has ended yet"),
		listOwed: views.NewList(views.PaneOwed, views.PaneOwed.String(), flow.Filter{}, flow.ByID,
			"nothing is owed: all clean-ups are done"),
		listDead: views.NewList(views.PaneDead, views.PaneDead.String(), flow.Filter{}, flow.ByID,
			"no dead letters: no clean-up was given up"),
	}
	m.header.ReadOnly = o.ReadOnly
	m.theme = o.theme
	m.apply(o.Settings, o.theme)
	if o.Unfit != nil {
		m.distrust(o.Unfit)
		m.say(views.Bad, "the configuration cannot be used: "+o.Unfit.Error())
	}
	m.recall(o.Memory)
	return m
}

// current is the list that is shown, in its pane or beside the inspector.
func (m *model) current() listID {
	p := m.open
	if !p.Lists() {
		p = m.side
	}
	switch {
	case p == views.PaneSuspended && m.held:
		return listHeld
	case p == views.PaneSuspended:
		return listSuspended
	case p == views.PaneTerminal:
		return listTerminal
	case p == views.PaneOwed:
		return listOwed
	case p == views.PaneDead:
		return listDead
	}
	return listRunning
}

// list is the list that is shown.
func (m *model) list() *views.List { return &m.lists[m.current()] }

// listed reports whether a list of runs is on the screen.
func (m *model) listed() bool {
	return m.open.Lists() || m.open == views.PaneInspector && m.side.Lists() && m.shape().Beside()
}

func (m *model) shape() views.Shape {
	z := m.size
	z.W, z.H = m.width, m.height
	return views.ShapeOf(z, m.header.Alarmed(), m.open).Zoomed(m.zoom || m.set.Plain)
}

// look is how frames are drawn now.
func (m *model) look() views.Look {
	return views.Look{Theme: m.theme, Now: m.now, ASCII: m.set.ASCII || m.set.Plain, Unmask: m.unmask, Times: m.times, Keys: m.set.Keys, At: m.paneplace(),
		Frozen: m.header.Frozen && !m.leave.closing, Shut: m.shut() != "",
		Secrets: m.secrets, OwedLong: m.set.OwedLong}
}

// Init implements [tea.Model].
func (m *model) Init() tea.Cmd {
	m.do(gather{}, readSignals{m.signals}, tickAfter())
	m.awaitSettings()
	m.refresh()
	return m.commands()
}

// Update implements [tea.Model]. It does no I/O: what is to be done is
// collected and becomes commands at its end.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.step(msg)
	return m, m.commands()
}

// step takes one message in.
func (m *model) step(msg tea.Msg) {
	now := m.opts.Now()
	if !m.header.Frozen {
		m.now = now
	}
	m.rush.begin(now)
	m.take(msg)
	m.settle()
}

// View implements [tea.Model].
func (m *model) View() tea.View {
	v := m.rush.view
	if !m.rush.dropped {
		v = m.draw()
	}
	if m.pressed && m.opts.Drawn != nil {
		m.opts.Drawn()
	}
	m.pressed = false
	now := m.opts.Now()
	m.modal.shown(now)
	m.rush.end(now, v)
	return v
}

func (m *model) draw() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.ReportFocus = true
	// Terminals that can tell a held key from one that is pressed again.
	v.KeyboardEnhancements = tea.KeyboardEnhancements{ReportEventTypes: true, ReportAlternateKeys: true}
	if !m.mouse.off {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.WindowTitle = "weft " + views.Clean(strings.TrimSpace(m.set.Badge.Text+" "+m.header.Info.Store))
	if m.width > 0 && m.height > 0 {
		s := m.screen()
		v.SetContent(s.Frame())
		v.Cursor = m.pointer(s, v.Content)
	}
	return v
}

func (m *model) screen() views.Screen {
	return views.Screen{
		Width: m.width, Height: m.height, As: m.size, Look: m.look(), Header: m.header, Open: m.open, Side: m.side, Zoom: m.zoom || m.set.Plain,
		List: *m.list(), Owed: m.lists[listOwed], Dead: m.lists[listDead], Lease: m.lease, Overview: m.overview, Problems: m.problems, Audit: m.audit, Types: m.types, Inspector: m.inspector, Feed: m.feed,
		Modal: m.modal.top, Typing: m.filtering(), Command: m.line.field, Hint: m.hint(), Status: m.status,
		Place: m.place(), Words: m.keywords(), Follows: m.trailed.ID != "",
	}
}

// needs are what a person should look at.
func (m *model) needs() []views.Need {
	return views.Needs(m.look(), m.header, m.lists[listOwed], m.lists[listDead])
}

// filtering is the filter of the list that is typed, nil when none is.
func (m *model) filtering() *views.Field {
	if m.typed.find {
		return nil
	}
	return m.typed.field
}

// do adds what is to be done after this message.
func (m *model) do(es ...effect) { m.todo = append(m.todo, es...) }

// say puts a line into the status line.
func (m *model) say(tone views.Tone, text string) {
	m.status, m.statusAt = views.Status{Text: text, Tone: tone}, m.opts.Now()
}
