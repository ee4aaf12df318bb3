package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// openMessage opens the form of an update or a query to the run in question.
func (m *model) openMessage(a keymap.Action, r flow.Run) {
	t, _ := m.types.Named(r.Type)
	if a == keymap.Update {
		m.openModal(views.NewUpdate(r, t.Updates))
		return
	}
	m.openModal(views.NewQuery(r, t.Queries))
}

// undeclared says that the type of the run takes no updates or answers no
// queries; "" when it does.
func (m *model) undeclared(a keymap.Action, typ string) string {
	t, known := m.types.Named(typ)
	switch {
	case !known || !t.Registered:
		return "type " + typ + " is not registered here"
	case a == keymap.Update && len(t.Updates) == 0:
		return "type " + typ + " declares no updates"
	case a == keymap.AskQuery && len(t.Queries) == 0:
		return "type " + typ + " declares no queries"
	}
	return ""
}

// askRun puts a query to a run.
type askRun struct {
	n   uint64
	ask flow.Ask
}

type answeredMsg struct {
	askRun
	answer flow.Answer
	err    error
}

func (e askRun) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	msg := answeredMsg{askRun: e}
	msg.answer, msg.err = c.Ask(ctx, e.ask)
	return msg
}

// query asks; the form, if one is open, waits for the answer.
func (m *model) query(ask flow.Ask) {
	if m.leave.closing {
		m.refuse(errors.New("the console is leaving"))
		return
	}
	m.asked.acts++
	if _, ok := m.modal.top.(views.Form); ok {
		m.modal.form = m.asked.acts
	} else {
		m.say(views.Plain, fmt.Sprintf("query %s of %s ..", ask.Name, ask.Target.ID))
	}
	m.do(askRun{m.asked.acts, ask})
}

// onAnswered shows an answer, in place of its form if that is still open.
func (m *model) onAnswered(msg answeredMsg) {
	form, ours := m.modal.top.(views.Form)
	ours = ours && m.modal.form == msg.n
	title := fmt.Sprintf("query %s of %s", msg.ask.Name, msg.ask.Target.ID)
	switch {
	case msg.err != nil && ours:
		m.modal.top = form.Failed(msg.err)
	case msg.err != nil:
		m.say(views.Bad, title+" failed: "+msg.err.Error())
	case ours || m.idle():
		m.openModal(views.NewReply("Answer", title+"  "+msg.answer.At.String(), msg.answer.Payload))
	default:
		m.say(views.Good, title+": "+views.Brief(msg.answer.Payload))
	}
}

// onReplied tells of an update: the reply in place of its form, if that is
// still open, or that there is none yet.
func (m *model) onReplied(r flow.Receipt, ours bool) {
	if r.Output == nil {
		m.say(views.Warn, r.Text)
		return
	}
	said := result("update", r)
	if r.Unchanged {
		said = fmt.Sprintf("OK update %s: had been accepted before", r.Ref.ID)
	}
	if ours || m.idle() {
		m.openModal(views.NewReply("Reply", r.Text+"  "+string(r.Ref.ID)+"  id "+r.UpdateID, r.Output))
		m.say(views.Good, said)
		return
	}
	m.say(views.Good, said+"  reply "+views.Brief(r.Output))
}

// idle reports that nobody types and no dialog is open.
func (m *model) idle() bool {
	return m.modal.top == nil && m.typed.field == nil && m.line.field == nil
}

// commandMessage sends at once what is written out, else opens the form.
func (m *model) commandMessage(a keymap.Action, rest string) {
	if why := m.refusal(a); why != "" {
		m.say(views.Warn, why)
		return
	}
	name, input, _ := strings.Cut(rest, " ")
	if name == "" {
		m.invoke(views.Press{Action: a})
		return
	}
	if input = strings.TrimSpace(input); input == "" {
		input = "null"
	}
	if err := views.CheckJSON("input", input); err != nil {
		m.say(views.Warn, err.Error())
		return
	}
	r, _ := m.run()
	if a == keymap.AskQuery {
		m.query(flow.Ask{Target: r.Ref, Name: name, Input: flow.Payload(input)})
		return
	}
	m.perform(views.Perform{Deed: flow.CallUpdate{Target: r.Ref, Name: name, Input: flow.Payload(input)}})
}
