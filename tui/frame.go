package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/views"
)

// Picture is one frame without a terminal.
type Picture struct {
	Pane          views.Pane
	Width, Height int
	// Now is what ages are counted to.
	Now time.Time
	// Theme is one of views.ThemeNames or the name of one of Themes; "" means
	// plain, without any escape sequence.
	Theme  string
	Themes []views.Theme
	ASCII  bool
	// Secrets says which values are masked; nil are the usual ones.
	Secrets []string
}

// Frame draws a pane of c in plain text.
func Frame(ctx context.Context, c Console, pane views.Pane, width, height int, now time.Time) (string, error) {
	return Picture{Pane: pane, Width: width, Height: height, Now: now}.Draw(ctx, c)
}

// Draw reads what the pane shows from c and draws it. It does not close c.
func (p Picture) Draw(ctx context.Context, c Console) (string, error) {
	if p.Width < 1 || p.Height < 1 {
		return "", fmt.Errorf("a frame of %dx%d has no cells", p.Width, p.Height)
	}
	if p.Theme == "" {
		p.Theme = "plain"
	}
	o := Options{Now: func() time.Time { return p.Now }, Settings: Settings{Theme: p.Theme, Themes: p.Themes, ASCII: p.ASCII, Secrets: p.Secrets}}
	o, err := o.resolve()
	if err != nil {
		return "", err
	}
	m := newModel(ctx, c, o)
	m.open = p.Pane
	if p.Pane.Side() {
		m.side = p.Pane
	}
	m.width, m.height = p.Width, p.Height
	m.link.read = p.Now
	if err := m.load(); err != nil {
		return "", err
	}
	return m.screen().Frame(), nil
}

// load asks and answers until nothing is left to ask. The inspector shows the
// first run of the list beside it.
func (m *model) load() error {
	m.refresh()
	if m.open == views.PaneInspector {
		m.readList(m.current(), views.Anew)
	}
	m.settle()
	for range 100 {
		todo := m.todo
		m.todo = nil
		if len(todo) == 0 {
			return m.loaded()
		}
		for _, e := range todo {
			if _, waits := e.(gather); waits {
				continue
			}
			m.take(tea.Msg(e.run(m.ctx, m.console)))
		}
		if m.open == views.PaneInspector && m.inspector.Ref.ID == "" {
			m.follow()
		}
		m.settle()
	}
	return errors.New("the console did not come to rest")
}

// loaded is why nothing could be read; nil when something could.
func (m *model) loaded() error {
	if m.link.trouble != nil {
		return m.link.trouble
	}
	m.header.Link = views.Link{State: views.Still, Read: m.now}
	m.feed = m.feed.Deaf("a picture is read once, and is told of nothing that happens")
	return nil
}
