package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// place is where a key is pressed now.
func (m *model) place() keymap.Place {
	small := m.shape().Small()
	switch {
	case m.modal.top != nil && (!small || m.modal.top.Place().Leaves()):
		return m.modal.top.Place()
	case small:
		return keymap.Small
	case m.line.field != nil:
		return keymap.CommandLine
	case m.typed.field != nil:
		return keymap.FilterLine
	}
	return m.paneplace()
}

// paneplace is the place of the open pane, whatever lies over it.
func (m *model) paneplace() keymap.Place {
	switch m.open {
	case views.PaneOwed:
		return keymap.Owed
	case views.PaneDead:
		return keymap.Dead
	case views.PaneLease:
		return keymap.Lease
	case views.PaneOverview:
		return keymap.Overview
	case views.PaneProblems:
		return keymap.Problems
	case views.PaneAudit:
		return keymap.Audit
	case views.PaneTypes:
		return keymap.Types
	case views.PaneInspector:
		return keymap.Inspector
	case views.PaneFeed:
		return keymap.Feed
	}
	return keymap.Runs
}

// stays is how long a result is shown at least, through key presses.
const stays = 4 * time.Second

// key finds what a key means in its place and does it.
func (m *model) key(k tea.KeyPressMsg) {
	place := m.place()
	a := m.set.Keys.Find(place, k.String())
	if m.dropsKey(place, k) || m.ignoresHeld(place, a, k.IsRepeat) {
		return
	}
	if m.opts.Now().Sub(m.statusAt) > stays {
		m.status = views.Status{}
	}
	p := views.Press{Action: a}
	if place.OwnsText() && p.Action == keymap.None {
		p.Text = k.Text
	}
	m.press(place, p, k)
}

func (m *model) press(place keymap.Place, p views.Press, k tea.KeyPressMsg) {
	switch {
	case p.Action == keymap.Interrupt:
		m.interrupt()
	case p.Action == keymap.Background:
		m.background()
	case p.Action == keymap.Repaint:
		m.do(terminalEffect{tea.ClearScreen})
	case place == keymap.Small:
		m.pressSmall(p.Action)
	case m.modal.top != nil:
		m.pressModal(p, k.IsRepeat)
	case m.line.field != nil:
		m.pressCommand(p)
	case m.typed.field != nil:
		m.pressFilter(p)
	case p.Action == keymap.GoPane:
		m.goPane(views.Pane(k.String()[0] - '0'))
	default:
		m.invoke(p)
	}
}

// invoke does what an action means in the open pane, if the gate lets it. Keys,
// the palette and commands all come by here.
func (m *model) invoke(p views.Press) {
	m.forgetBlocker(p.Action)
	switch why := m.refusal(p.Action); {
	case why != "":
		m.blocker.ref = blockedBy(p.Action, m.subject())
		m.say(views.Warn, why)
	case m.pressAnywhere(p.Action):
	default:
		m.pressPane(p)
	}
}

func (m *model) pressSmall(a keymap.Action) {
	switch a {
	case keymap.Quit:
		m.quit()
	case keymap.Help:
		m.say(views.Plain, "make the terminal larger")
	}
}

// paste gives pasted text to a text field. Elsewhere it would be keys nobody
// pressed.
func (m *model) paste(text string) {
	p := views.Press{Text: text}
	switch place := m.place(); {
	case place == keymap.Phrase:
		m.say(views.Warn, "pasted text is ignored here: type the words")
	case !place.OwnsText():
		m.say(views.Warn, "pasted text is ignored here: no text field is open")
	case m.modal.top != nil:
		m.pressModal(p, false)
	case place == keymap.CommandLine:
		m.pressCommand(p)
	case place == keymap.FilterLine:
		m.pressFilter(p)
	}
}

// pressAnywhere does what means the same in all panes; false when a is none of
// that.
func (m *model) pressAnywhere(a keymap.Action) bool {
	switch a {
	case keymap.Help:
		m.openModal(views.Help{Of: m.paneplace(), Keys: m.set.Keys, Refused: m.refusals()})
	case keymap.NextPane:
		m.goPane(m.open.Next(1))
	case keymap.PrevPane:
		m.goPane(m.open.Next(-1))
	case keymap.GoLast:
		m.goPane(m.last)
	case keymap.GoProblems:
		m.goPane(views.PaneProblems)
	case keymap.GoAudit:
		m.goPane(views.PaneAudit)
	case keymap.Freeze:
		m.freeze()
	case keymap.Refresh:
		m.reload()
	case keymap.Back:
		m.goBack()
	case keymap.Quit:
		if !m.unwind() {
			m.quit()
		}
	case keymap.Filter:
		m.openFilter()
	case keymap.Command:
		m.openCommand()
	case keymap.Palette:
		m.openModal(views.NewPalette(m.choices()))
	case keymap.FindPrev:
		if m.inspector.Find() != "" {
			return false
		}
		m.invoke(views.Press{Action: keymap.Start})
	case keymap.Unmask:
		m.unmask = !m.unmask
		m.say(views.Plain, map[bool]string{true: "secrets are shown until this view is left", false: "secrets are masked"}[m.unmask])
	case keymap.TimeMode:
		m.times = m.times.Next()
		m.say(views.Plain, "times in lists: "+m.times.String())
	case keymap.Zoom, keymap.Unzoom:
		m.zoom = a == keymap.Zoom
	case keymap.MarkAll:
		m.markAll()
	case keymap.SortNext, keymap.SortPrev, keymap.SortFlip, keymap.Columns:
		m.reshape(a)
	case keymap.Update, keymap.AskQuery, keymap.Start, keymap.Signal, keymap.Pause, keymap.Copy, keymap.CopyAs, keymap.Cancel, keymap.Retry, keymap.Discard, keymap.Again, keymap.Purge, keymap.Relabel:
		m.act(a)
	default:
		return m.pressTool(a)
	}
	return true
}

// pressTool does what takes something out of what is shown.
func (m *model) pressTool(a keymap.Action) bool {
	switch a {
	case keymap.Follow:
		m.trail()
	case keymap.Diff:
		m.openDiff()
	case keymap.Export:
		m.export()
	case keymap.SaveFrame:
		m.saveFrame()
	default:
		return false
	}
	return true
}

// reshape changes how the list is shown.
func (m *model) reshape(a keymap.Action) {
	switch a {
	case keymap.SortNext:
		m.resort(1)
	case keymap.SortPrev:
		m.resort(-1)
	case keymap.SortFlip:
		*m.list() = m.list().Flipped()
		m.readList(m.current(), views.Anew)
		m.keepMemory()
	case keymap.Columns:
		m.openModal(views.NewColumns(*m.list(), m.shape().ListWidth()))
	}
}

// pressPane gives a key to the open pane.
func (m *model) pressPane(p views.Press) {
	var in views.Intent
	switch m.open {
	case views.PaneTypes:
		m.types, in = m.types.Press(p)
	case views.PaneFeed:
		m.feed, in = m.feed.Press(p)
	case views.PaneLease:
		m.lease = m.lease.Press(p, m.shape().WholeRows(), m.screen().Lines())
	case views.PaneOverview:
		m.overview, in = m.overview.Press(p, m.header, m.needs())
	case views.PaneProblems:
		m.problems = m.problems.Press(p, m.shape().WholeRows(), m.screen().Lines())
	case views.PaneAudit:
		m.audit, in = m.audit.Press(p)
	case views.PaneInspector:
		tab := m.inspector.Tab
		m.inspector, in = m.inspector.Press(p)
		if m.inspector.Tab != tab {
			m.ask(slotDetail)
		}
	default:
		in = m.pressList(p)
	}
	m.obey(in)
}

func (m *model) pressList(p views.Press) (in views.Intent) {
	switch p.Action {
	case keymap.NextTab, keymap.PrevTab:
		if m.open == views.PaneSuspended {
			m.held = !m.held
		}
		return nil
	case keymap.Bottom:
		m.trailed = flow.Ref{}
		m.readList(m.current(), views.Last)
		return nil
	}
	l := m.list()
	*l, in = l.Press(p)
	m.strayed()
	return in
}

// keyOf is one key of an action in a place, for texts that name it.
func (m *model) keyOf(p keymap.Place, a keymap.Action, usual string) string {
	return m.set.Keys.Key(p, a, usual)
}

// keyTo is how the keys of an action are shown here, for texts that name them.
func (m *model) keyTo(a keymap.Action) string {
	if label := m.set.Keys.Label(m.paneplace(), a); label != "" {
		return label
	}
	return a.String()
}
