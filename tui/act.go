package tui

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// obey does what a view wants.
func (m *model) obey(in views.Intent) {
	switch in := in.(type) {
	case views.OpenRun:
		m.openRun(in.Ref)
	case views.GoTo:
		m.goPane(in.Pane)
	case views.Invoke:
		m.closeModal()
		m.invoke(views.Press{Action: in.Action})
	case views.RunCommand:
		m.closeModal()
		m.command(in.Text)
	case views.ListType:
		m.showType(in.Type)
	case views.Say:
		m.say(views.Warn, in.Text)
	case views.SayKey:
		m.say(views.Warn, in.Text+m.set.Keys.Key(in.At, in.Action, in.Usual)+in.Does)
	case views.Perform:
		m.accepted(in)
	case views.AskRun:
		m.query(in.Ask)
	case views.EditText:
		m.edit(in.Text)
	case views.WriteFile:
		m.writeFile(in)
	case views.Narrow:
		m.narrow(in.Words)
	case views.MarkRuns:
		m.markRuns(in)
	case views.SetColumns:
		m.setColumns(in)
	case views.MarkEverything:
		m.closeModal()
		*m.list() = m.list().MarkedAll()
	case views.CloseModal:
		m.closeModal()
	case views.Leave:
		m.leaveBy(in.Drain)
	}
}

// act begins an act on the run in question or on the marks; the gate let it
// through.
func (m *model) act(a keymap.Action) {
	s := m.subject()
	switch {
	case a == keymap.Start:
		m.openStart("")
	case a == keymap.Copy:
		m.do(terminalEffect{tea.SetClipboard(views.Clean(string(s.Run.ID)))})
		m.say(views.Plain, "copied to the terminal's clipboard: "+string(s.Run.ID))
	case a == keymap.CopyAs:
		m.copyJSON(s)
	case m.marked():
		m.actOnMarks(a)
	case a == keymap.Signal:
		t, known := m.types.Named(s.Run.Type)
		m.openModal(views.NewSignal(s.Run, t.Signals, known && t.Registered))
	case a == keymap.Update, a == keymap.AskQuery:
		m.openMessage(a, s.Run)
	case a == keymap.Relabel:
		m.openModal(views.NewLabels(s.Run))
	case a == keymap.Pause && m.rush.again(s.Run.Ref, m.opts.Now()):
		m.say(views.Warn, "nothing was done: "+m.keyTo(a)+" was pressed twice within a moment, and would undo what it did; press it again")
	case a == keymap.Pause && s.Run.Status == flow.Suspended:
		m.perform(views.Perform{Deed: flow.ResumeRun{Target: s.Run.Ref}})
	case a == keymap.Pause:
		m.perform(views.Perform{Deed: flow.SuspendRun{Target: s.Run.Ref}})
	case a == keymap.Retry && s.Dead == nil && m.set.RetryAtOnce:
		m.perform(views.Perform{Deed: flow.RetryTeardown{Target: s.Run.Ref}})
	default:
		m.confirm(a, s)
	}
}

// openStart opens the form that starts, with a type that was named. Otherwise in
// the list of types it begins with the chosen one, on a run that ended with that
// run's type and input.
func (m *model) openStart(chosen string) {
	var input flow.Payload
	var fills flow.Ref
	if t, ok := m.types.Chosen(); ok && m.open == views.PaneTypes && chosen == "" {
		chosen = t.Name
	}
	if r, ok := m.run(); ok && chosen == "" {
		chosen = r.Type
		if r.Status.Terminal() && m.inspector.Ref == r.Ref {
			if _, read := m.inspector.Detail(); !read {
				fills = r.Ref
			}
			input = m.inspector.Input()
		}
	}
	m.openModal(views.NewStart(m.types.All(), chosen, input))
	if fills.ID != "" {
		m.modal.fills = fills
		m.ask(slotDetail)
	}
}

// fillStart gives the form that starts the input of its run, once that was read and
// as long as nothing was typed.
func (m *model) fillStart() {
	f, form := m.modal.top.(views.Form)
	d, read := m.inspector.Detail()
	if !form || !read || m.modal.fills.ID == "" || d.Run.Ref != m.modal.fills {
		return
	}
	m.modal.fills = flow.Ref{}
	m.modal.top = f.Given(d.Run.Type, d.Input)
}

// accepted does what a dialog or a form was accepted for. A dialog closes, a
// form stays until the answer is there.
func (m *model) accepted(in views.Perform) {
	if _, form := m.modal.top.(views.Form); !form {
		m.remember(in.Why)
		m.modal.top = nil
		if !m.header.Frozen {
			m.refresh()
		}
	}
	m.perform(in)
}

// remember keeps the last three reasons, the latest first.
func (m *model) remember(why string) {
	if why == "" {
		return
	}
	past := []string{why}
	for _, w := range m.why {
		if w != why && len(past) < 3 {
			past = append(past, w)
		}
	}
	m.why = past
}

// perform does a deed, if the gate lets it. What was typed stays until the
// answer is there.
func (m *model) perform(in views.Perform) {
	if why := m.shut(); why != "" {
		m.refuse(errors.New(why))
		return
	}
	m.asked.acts++
	switch ref := target(in.Deed); {
	case ref.ID != "":
		m.mind(ref, in.Deed.Verb()+" ..")
	case len(in.Each) > 0:
		m.say(views.Plain, fmt.Sprintf("%s of %d ..", in.Each[0].Verb(), len(in.Each)))
	}
	if _, ok := m.modal.top.(views.Form); ok {
		m.modal.form = m.asked.acts
	}
	m.do(doAct{m.asked.acts, flow.Act{Actor: m.opts.Actor, Why: in.Why, Deed: in.Deed}, in.Each})
}

// target is the run a deed is done to; none for a start or a bulk act.
func target(d flow.Deed) flow.Ref {
	switch d := d.(type) {
	case flow.SendSignal:
		return d.Target
	case flow.CallUpdate:
		return d.Target
	case flow.ResumeRun:
		return d.Target
	case flow.SuspendRun:
		return d.Target
	case flow.CancelRun:
		return d.Target
	case flow.PurgeRun:
		return d.Target
	case flow.RestartRun:
		return d.Target
	case flow.RetryTeardown:
		return d.Target
	case flow.Redrive:
		return d.Target
	case flow.Discard:
		return d.Target
	case flow.TagRun:
		return d.Target
	case flow.SetAttributes:
		return d.Target
	}
	return flow.Ref{}
}

func (m *model) mind(ref flow.Ref, what string) {
	for i := range m.lists {
		m.lists[i] = m.lists[i].Mind(ref, what)
	}
}

// refuse shows an error where the act was asked for.
func (m *model) refuse(err error) {
	if f, ok := m.modal.top.(views.Form); ok {
		m.modal.top = f.Failed(err)
		return
	}
	m.say(views.Bad, err.Error())
}

// onActed takes in how an act ended. Its form, if it is still the same, closes
// or shows why not. What is shown is read again, before anything asked earlier.
func (m *model) onActed(msg actedMsg) {
	verb := msg.act.Deed.Verb()
	msg.err = m.noteBlocker(msg.err)
	if ref := target(msg.act.Deed); ref.ID != "" {
		m.mind(ref, "")
	}
	form, ours := m.modal.top.(views.Form)
	ours = ours && m.modal.form == msg.n
	switch {
	case msg.err != nil && ours:
		m.modal.top = form.Failed(msg.err)
	case msg.err != nil:
		m.say(views.Bad, fmt.Sprintf("%s failed: %v", verb, msg.err))
		m.offerNow(msg)
	case len(msg.receipt.Results) > 0:
		if ours {
			m.closeModal()
		}
		m.onMany(msg)
	default:
		if ours {
			m.closeModal()
		}
		if msg.receipt.UpdateID != "" {
			m.onReplied(msg.receipt, ours)
			break
		}
		m.say(views.Good, result(verb, msg.receipt))
	}
	m.reread()
}

// reread reads what an act may have changed, before anything asked earlier.
func (m *model) reread() {
	if m.listed() && !m.header.Frozen {
		m.readList(m.current(), views.Again)
	}
	m.readTeardowns(true)
	m.asked.drop(slotDetail)
	m.ask(slotDetail)
	m.ask(slotInfo)
}

// offerNow asks again when a run could not be brought to its block point: it
// can be cancelled with what is durable.
func (m *model) offerNow(msg actedMsg) {
	d, cancel := msg.act.Deed.(flow.CancelRun)
	if !cancel || d.Now || !errors.Is(msg.err, flow.ErrNotOffered) || m.modal.top != nil || m.target.Run.Ref != d.Target {
		return
	}
	s := m.target
	s.Now = true
	m.confirm(keymap.Cancel, s)
}

// onMany shows what became of each run of a bulk act. Its marks are used up.
func (m *model) onMany(msg actedMsg) {
	var n tally
	for _, r := range msg.receipt.Results {
		n.count(r)
	}
	tone := views.Good
	if n.skipped+n.failed > 0 {
		tone = views.Warn
	}
	if m.open.Lists() {
		*m.list() = m.list().Unmarked()
	}
	m.say(tone, msg.receipt.Text+n.audits())
	if m.modal.top == nil && m.typed.field == nil && m.line.field == nil {
		m.openModal(views.NewOutcome(msg.receipt.Text, msg.receipt.Results))
	}
}

// result is a receipt on one line, with the number of its audit record.
func result(verb string, r flow.Receipt) string {
	if r.Unchanged {
		return fmt.Sprintf("OK %s %s: had been done before, nothing was changed", verb, r.Ref.ID)
	}
	return fmt.Sprintf("OK %s %s  %s  audit %d", verb, r.Ref.ID, r.At.Time().Format("15:04:05Z"), r.Audit)
}
