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
	case views.ListType:
		m.showType(in.Type)
	case views.Say:
		m.say(views.Warn, in.Text)
	case views.Perform:
		m.perform(in.Deed)
	case views.CloseModal:
		m.closeModal()
	case views.Leave:
		m.leaveBy(in.Drain)
	}
}

// act begins an act on the run in question; the gate let it through.
func (m *model) act(a keymap.Action) {
	r, _ := m.run()
	switch a {
	case keymap.Start:
		m.openStart()
	case keymap.Signal:
		t, known := m.types.Named(r.Type)
		m.openModal(views.NewSignal(r, t.Signals, known && t.Registered))
	case keymap.Pause:
		m.perform(flow.ResumeRun{Target: r.Ref})
	case keymap.Copy:
		m.do(terminalEffect{tea.SetClipboard(views.Clean(string(r.ID)))})
		m.say(views.Plain, "copied to the terminal's clipboard: "+string(r.ID))
	}
}

// openStart opens the form that starts. In the list of types it begins with the
// chosen one; on a run that ended with that run's type and input.
func (m *model) openStart() {
	chosen := ""
	var input flow.Payload
	if t, ok := m.types.Chosen(); ok && m.open == views.PaneTypes {
		chosen = t.Name
	}
	if r, ok := m.run(); ok {
		chosen = r.Type
		if r.Status.Terminal() && m.inspector.Ref == r.Ref {
			input = m.inspector.Input()
		}
	}
	m.openModal(views.NewStart(m.types.All(), chosen, input))
}

// perform does a deed, if the gate lets it. What was typed stays until the
// answer is there.
func (m *model) perform(d flow.Deed) {
	if why := m.shut(); why != "" {
		m.refuse(errors.New(why))
		return
	}
	m.asked.acts++
	if ref := target(d); ref.ID != "" {
		m.mind(ref, d.Verb()+" ..")
	}
	if _, ok := m.modal.top.(views.Form); ok {
		m.modal.form = m.asked.acts
	}
	m.do(doAct{m.asked.acts, flow.Act{Actor: m.opts.Actor, Deed: d}})
}

// target is the run a deed is done to; none for a start.
func target(d flow.Deed) flow.Ref {
	switch d := d.(type) {
	case flow.SendSignal:
		return d.Target
	case flow.ResumeRun:
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
	default:
		if ours {
			m.closeModal()
		}
		m.say(views.Good, result(verb, msg.receipt))
	}
	if m.listed() && !m.header.Frozen {
		m.readList(m.current(), views.Again)
	}
	m.asked.drop(slotDetail)
	m.ask(slotDetail)
	m.ask(slotInfo)
}

// result is a receipt on one line, with the number of its audit record.
func result(verb string, r flow.Receipt) string {
	if r.Unchanged {
		return fmt.Sprintf("OK %s %s: had been done before, nothing was changed", verb, r.Ref.ID)
	}
	return fmt.Sprintf("OK %s %s  %s  audit %d", verb, r.Ref.ID, r.At.Time().Format("15:04:05Z"), r.Audit)
}
