package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// pair are the two runs to compare: the two that are marked, or the marked one
// and the one under the cursor, or why there are not two.
func (m *model) pair() (refs [2]flow.Ref, why string) {
	only, _, ok := m.list().Choice()
	here := m.subject().Run.Ref
	switch {
	case ok && only == nil:
		return refs, "two runs are compared, and all are marked"
	case len(only) == 2:
		return [2]flow.Ref{only[0], only[1]}, ""
	case len(only) == 1 && here.ID != "" && here != only[0]:
		return [2]flow.Ref{only[0], here}, ""
	case len(only) > 2:
		return refs, fmt.Sprintf("two runs are compared, %d are marked", len(only))
	}
	return refs, "mark a run with " + m.keyOf(keymap.Runs, keymap.Mark, "space") + ", then compare it with another one"
}

type readDiff struct {
	n    uint64
	refs [2]flow.Ref
}

type diffMsg struct {
	readDiff
	runs [2]flow.Detail
	err  error
}

// openDiff reads both runs; the comparison opens with the answer.
func (m *model) openDiff() {
	refs, _ := m.pair()
	m.say(views.Plain, "comparing ..")
	m.do(readDiff{m.asked.next(slotDiff), refs})
}

func (e readDiff) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	msg := diffMsg{readDiff: e}
	for i, ref := range e.refs {
		if msg.runs[i], msg.err = c.Detail(ctx, ref, flow.PartSteps); msg.err != nil {
			msg.err = fmt.Errorf("compare %s: %w", ref.ID, msg.err)
			break
		}
	}
	return msg
}

func (m *model) onDiff(msg diffMsg) {
	switch {
	case !m.asked.answered(slotDiff, msg.n, nil) || m.leave.closing:
	case msg.err != nil:
		m.say(views.Bad, msg.err.Error())
	case m.modal.top == nil && m.typed.field == nil && m.line.field == nil:
		m.status = views.Status{}
		m.openModal(views.NewDiff(msg.runs[0], msg.runs[1]))
	}
}
