package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// manyVerb is what an act on the marks of the open list does; "" with the
// reason when it does nothing to many.
func (m *model) manyVerb(a keymap.Action) (verb, what, refused string) {
	live := m.open == views.PaneRunning || m.open == views.PaneSuspended
	what = "runs"
	switch {
	case a == keymap.Cancel && live:
		return "cancel", what, ""
	case a == keymap.Pause && m.open == views.PaneRunning:
		return "suspend", what, ""
	case a == keymap.Pause && m.open == views.PaneSuspended && !m.held:
		return "resume", what, ""
	case a == keymap.Purge && m.open == views.PaneTerminal:
		return "purge", what, ""
	case a == keymap.Again && m.open == views.PaneTerminal:
		return "restart", what, ""
	case a == keymap.Retry && m.open == views.PaneOwed:
		return "retry", "teardowns", ""
	case a == keymap.Retry && m.open == views.PaneDead:
		return "redrive", "dead letters", ""
	case a == keymap.Discard && m.open == views.PaneDead:
		return "discard", "dead letters", ""
	case a == keymap.Signal:
		return "", "", m.oneRunOnly("a signal goes")
	case a == keymap.Update, a == keymap.AskQuery:
		return "", "", m.oneRunOnly("updates and queries go")
	case a == keymap.Relabel:
		return "", "", m.oneRunOnly("a form for tags and attributes belongs")
	}
	return "", "", fmt.Sprintf("not for marks in pane %d %s", m.open, m.open)
}

// marked reports whether an act would be done to marks.
func (m *model) marked() bool {
	if !m.open.Lists() {
		return false
	}
	_, _, ok := m.list().Choice()
	return ok
}

// markAll marks all that the filter chooses, and asks when that is more than
// what can be seen.
func (m *model) markAll() {
	l := m.list()
	shown := int64(m.shape().ListRows())
	if n := l.Total(); n >= 0 && n <= shown {
		*l = l.MarkedAll()
		return
	}
	m.openModal(views.NewMarkAll(l.AtLeast(), l.Filter()))
}

// readPreview asks what an act on the marks would touch.
type readPreview struct {
	n    uint64
	many views.Many
	bulk flow.Bulk
	of   flow.List
}

type previewMsg struct {
	readPreview
	err error
}

// actOnMarks asks for a preview; the dialog opens with the answer.
func (m *model) actOnMarks(a keymap.Action) {
	verb, what, _ := m.manyVerb(a)
	l := m.list()
	only, by, _ := l.Choice()
	many := views.Many{Of: a, Verb: verb, What: what, Chosen: len(only), Hidden: l.Hidden(only), Filter: l.Filter(), At: m.instant()}
	if only == nil {
		many.Chosen = -1
	}
	of := flow.ListRuns
	switch m.open {
	case views.PaneOwed:
		of = flow.ListTeardowns
	case views.PaneDead:
		of = flow.ListDead
	}
	m.say(views.Plain, "counting ..")
	m.do(readPreview{m.asked.next(slotPreview), many, flow.Bulk{Verb: verb, Only: only, Filter: by}, of})
}

func (e readPreview) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	msg := previewMsg{readPreview: e}
	if e.bulk.Verb == "retry" || e.bulk.Verb == "discard" {
		msg.many.Each, msg.many.Preview, msg.err = e.freeze(ctx, c)
	} else {
		msg.many.Preview, msg.err = c.Preview(ctx, e.bulk)
	}
	return msg
}

// freeze lists the deeds of an act that is done one by one.
func (e readPreview) freeze(ctx context.Context, c Console) ([]flow.Deed, flow.Preview, error) {
	refs, sample := e.bulk.Only, []flow.Run(nil)
	if refs == nil {
		q := flow.Query{Of: e.of, Filter: e.bulk.Filter, Limit: flow.MaxLimit}
		for more := true; more; {
			page, err := c.Page(ctx, q)
			if err != nil {
				return nil, flow.Preview{}, err
			}
			for _, t := range page.Teardowns {
				refs = append(refs, t.Ref)
			}
			for _, d := range page.Dead {
				refs = append(refs, d.Ref)
			}
			if len(refs) > flow.MaxBulk {
				return nil, flow.Preview{}, &flow.LimitError{Limit: "runs of a bulk act", Got: len(refs), Max: flow.MaxBulk}
			}
			more, q.After = page.More, page.Next
		}
	}
	deeds := make([]flow.Deed, len(refs))
	for i, ref := range refs {
		deeds[i] = flow.RetryTeardown{Target: ref}
		if e.bulk.Verb == "discard" {
			deeds[i] = flow.Discard{Target: ref}
		}
		if i < 20 {
			sample = append(sample, flow.Run{Ref: ref})
		}
	}
	return deeds, flow.Preview{Count: int64(len(refs)), Sample: sample}, nil
}

// onPreview opens the dialog, unless something else was opened meanwhile.
func (m *model) onPreview(msg previewMsg) {
	if !m.asked.answered(slotPreview, msg.n, nil) || m.modal.top != nil || m.typed.field != nil || m.line.field != nil || m.leave.closing {
		return
	}
	if msg.err != nil {
		m.say(views.Bad, fmt.Sprintf("%s of marks: %v", msg.many.Verb, msg.err))
		return
	}
	m.status = views.Status{}
	m.openModal(msg.many.Confirm().Recalling(m.why))
}

// oneRunOnly refuses to do what is for one run to marks.
func (m *model) oneRunOnly(what string) string {
	return what + " to one run: " + m.keyOf(keymap.Runs, keymap.ClearMarks, `ctrl+\`) + " clears the marks"
}
