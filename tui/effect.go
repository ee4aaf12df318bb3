package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

// effect is something to be done outside the loop. It holds all it needs, so
// that its goroutine shares nothing with the model.
type effect interface {
	run(ctx context.Context, c Console) tea.Msg
}

// callLimit bounds every read and act: an engine that does not answer must not
// keep a question open for ever.
const callLimit = 30 * time.Second

// commands turns what is to be done into commands. It is the only place that
// does.
func (m *model) commands() tea.Cmd {
	todo := m.todo
	m.todo = nil
	ctx, c := m.ctx, m.console
	var cmds []tea.Cmd
	for _, e := range todo {
		switch e := e.(type) {
		case terminalEffect:
			cmds = append(cmds, e.cmd)
		case after:
			cmds = append(cmds, tea.Tick(e.d, func(time.Time) tea.Msg { return e.msg }))
		default:
			cmds = append(cmds, func() tea.Msg { return e.run(ctx, c) })
		}
	}
	return tea.Batch(cmds...)
}

// terminalEffect is for the terminal library itself.
type terminalEffect struct{ cmd tea.Cmd }

func (terminalEffect) run(context.Context, Console) tea.Msg { return nil }

// after sends a message later.
type after struct {
	d   time.Duration
	msg tea.Msg
}

func (a after) run(context.Context, Console) tea.Msg { return a.msg }

type (
	readInfo   struct{ n uint64 }
	readTypes  struct{ n uint64 }
	readDetail struct {
		n    uint64
		ref  flow.Ref
		part flow.Part
	}
	readPage struct {
		n     uint64
		list  listID
		part  views.Part
		query flow.Query
	}
	doAct struct {
		n   uint64
		act flow.Act
		// each, when set, is done instead of the act's own deed.
		each []flow.Deed
	}
)

type (
	infoMsg struct {
		n    uint64
		info flow.Info
		err  error
	}
	typesMsg struct {
		n     uint64
		types []flow.Type
		err   error
	}
	detailMsg struct {
		readDetail
		detail flow.Detail
		left   leftBehind
		kin    views.Kin
		err    error
	}
	pageMsg struct {
		readPage
		page flow.Page
		err  error
	}
	actedMsg struct {
		doAct
		receipt flow.Receipt
		err     error
	}
	lookMsg  struct{ n uint64 } // the cursor rests
	typedMsg struct{ n uint64 } // the filter rests
	tickMsg  struct{}
)

func (e readInfo) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	info, err := c.Info(ctx)
	return infoMsg{e.n, info, err}
}

func (e readTypes) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	page, err := c.Page(ctx, flow.Query{Of: flow.ListTypes, Limit: flow.MaxLimit})
	return typesMsg{e.n, page.Types, err}
}

func (e readDetail) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	msg := detailMsg{readDetail: e}
	if msg.detail, msg.err = c.Detail(ctx, e.ref, e.part); msg.err == nil && msg.detail.Run.Status.Terminal() {
		msg.left = whatLeft(ctx, c, msg.detail.Run.Ref)
	}
	if e.part == flow.PartFamily && msg.err == nil {
		msg.kin = kinOf(ctx, c, e.ref.ID)
	}
	return msg
}

func (e readPage) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	page, err := c.Page(ctx, e.query)
	return pageMsg{e, page, err}
}
