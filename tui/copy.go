package tui

import (
	"encoding/json"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"weft/views"
)

// maxCopy is the most that is put on the clipboard: terminals drop more.
const maxCopy = 64 << 10

// copyJSON puts a run on the terminal's clipboard: all that was read of it in
// the inspector, else what its list knows. JSON escapes what could drive a
// terminal, and the sequence carries it encoded.
func (m *model) copyJSON(s views.Subject) {
	var what any = s.Run
	if d, ok := m.inspector.Detail(); ok && m.inspector.Ref == s.Run.Ref {
		what = d
	}
	text, err := json.MarshalIndent(what, "", "  ")
	if err != nil {
		m.say(views.Bad, "copy as JSON: "+err.Error())
		return
	}
	out := string(text)
	out = views.SafeJSON(m.look().Masked(out))
	if len(out) > maxCopy {
		m.say(views.Warn, fmt.Sprintf("%s is too much for a clipboard: weft-tui show ID --json writes it", views.Size(int64(len(out)))))
		return
	}
	m.do(terminalEffect{tea.SetClipboard(out)})
	m.say(views.Plain, fmt.Sprintf("copied to the terminal's clipboard: %s as JSON, %s", s.Run.ID, views.Size(int64(len(out)))))
}
