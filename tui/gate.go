package tui

import (
	"fmt"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// notYet are the actions with a key and nothing behind it.
var notYet = map[keymap.Action]string{
	keymap.ForceTimeout: "force-timeout is not offered by this engine: a deadline times a run out",
}

// refusal says why an action would be refused now; "" when it would not.
func (m *model) refusal(a keymap.Action) string {
	if why, ok := notYet[a]; ok {
		return why
	}
	switch a {
	case keymap.Filter, keymap.SortNext, keymap.SortPrev, keymap.SortFlip:
		if m.header.Frozen && m.open != views.PaneInspector {
			return "frozen: " + m.keyTo(keymap.Freeze) + " lets it go on first"
		}
	case keymap.Follow:
		if _, ok := m.run(); !ok && m.open != views.PaneFeed {
			return "no run selected"
		}
	case keymap.Export:
		return m.exportRefusal()
	case keymap.Diff:
		_, why := m.pair()
		return why
	case keymap.Open, keymap.Mark, keymap.MarkRange:
		if _, ok := m.types.Chosen(); !ok && m.open == views.PaneTypes {
			return "no type selected"
		}
		if _, ok := m.list().Row(); !ok && m.open.Lists() {
			return "no row selected"
		}
		if m.open == views.PaneFeed && m.feed.Empty() || m.open == views.PaneAudit && m.audit.Empty() {
			return "nothing to open"
		}
	case keymap.MarkAll:
		if _, ok := m.list().Row(); !ok {
			return "nothing to mark"
		}
	case keymap.AskQuery:
		return m.unfit(a)
	case keymap.Start, keymap.Signal, keymap.Update, keymap.Pause, keymap.Cancel, keymap.Retry, keymap.Discard, keymap.Again, keymap.Purge, keymap.Relabel:
		if why := m.shut(); why != "" {
			return why
		}
		return m.unfit(a)
	case keymap.Copy, keymap.CopyAs:
		if _, ok := m.run(); !ok {
			return "no run selected"
		}
	}
	return ""
}

// shut is the one gate of all acts: it says why nothing can be changed here at
// all; "" when it can.
func (m *model) shut() string {
	l := m.header.Info.Lease
	switch {
	case m.opts.ReadOnly || m.header.Info.Mode == flow.ModeLook:
		return flow.ErrReadOnly.Error()
	case m.leave.closing:
		return "the console is leaving"
	case m.link.trouble != nil:
		return "nothing can be changed: " + m.link.trouble.Error()
	case !m.header.Known, m.leave.recheck:
		return "the lease was not read yet"
	case l.State == flow.LeaseDeposed:
		return "lease lost " + views.LeaseLost(l)
	case l.State == flow.LeaseHeld:
		return ""
	case l.State == flow.LeaseDoubt:
		return "the renewal of the lease is overdue: wait until it is certain"
	case l.State == flow.LeaseOther && m.opts.Attached:
		return ""
	}
	return fmt.Sprintf("this console does not hold the lease (%s): nothing can be changed", l.State)
}

// unfit says why an act does not fit what it would be done to.
func (m *model) unfit(a keymap.Action) string {
	if a == keymap.Start {
		for _, t := range m.types.All() {
			if t.Registered {
				return ""
			}
		}
		return "nothing to start: no workflow type is registered here"
	}
	if m.marked() {
		_, _, refused := m.manyVerb(a)
		return refused
	}
	s := m.subject()
	if row, ok := m.list().Row(); a == keymap.Pause && ok && row.Gone && m.open.Lists() {
		return fmt.Sprintf("it has changed and is %s now: open it to suspend or resume it", row.Run.Status)
	}
	if a == keymap.Discard && s.Dead != nil && m.open != views.PaneDead {
		return "discard is for pane 6 only"
	}
	if why := s.Refuses(a, m.instant()); why != "" || a != keymap.Update && a != keymap.AskQuery {
		return m.withLead(why, blockedBy(a, s))
	}
	return m.undeclared(a, s.Run.Type)
}

// refusals are the reasons for all keys that would be refused now.
func (m *model) refusals() map[keymap.Action]string {
	out := map[keymap.Action]string{}
	for _, b := range m.set.Keys.At(m.paneplace()) {
		if why := m.refusal(b.Action); why != "" {
			out[b.Action] = why
		}
	}
	return out
}

// words are what keys are called for the run in question.
func (m *model) keywords() map[keymap.Action]string {
	words := map[keymap.Action]string{}
	s := m.subject()
	if s.Run.Status == flow.Suspended || m.marked() && m.open == views.PaneSuspended {
		words[keymap.Pause] = "resume"
	}
	if s.Dead != nil {
		words[keymap.Retry] = "redrive"
	}
	for _, a := range []keymap.Action{keymap.Open, keymap.Mark, keymap.Signal, keymap.Pause, keymap.Start, keymap.Copy, keymap.Cancel, keymap.Retry,
		keymap.Discard, keymap.Again} {
		if m.refusal(a) != "" {
			words[a] = ""
		}
	}
	if c, ok := m.modal.top.(views.Confirm); ok && !c.Ready() {
		words[keymap.Accept], words[keymap.Submit] = "", ""
	}
	if m.open == views.PaneRunning {
		words[keymap.Again], words[keymap.Retry] = "", ""
	}
	if m.width < 160 { // there are likelier keys
		words[keymap.Columns] = ""
	}
	if m.header.Frozen {
		words[keymap.Freeze] = "go on"
	}
	return words
}
