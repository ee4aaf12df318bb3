package tui

import (
	"strings"

	"weft/keymap"
	"weft/views"
)

// commandState is the command line.
type commandState struct {
	field   *views.Field
	history []string // the latest first
	at      int      // in the history, -1 for what is typed
}

// HistoryKeeps is how many commands are remembered.
const HistoryKeeps = 100

func (m *model) openCommand() {
	f := views.NewField("", false)
	m.line.field, m.line.at = &f, -1
}

// pressCommand edits the command line.
func (m *model) pressCommand(p views.Press) {
	text := m.line.field.Text()
	switch p.Action {
	case keymap.Back:
		m.line.field = nil
		m.refresh()
	case keymap.Submit:
		m.line.field = nil
		m.recordCommand(text)
		m.command(text)
	case keymap.NextField:
		m.writeCommand(complete(text))
	case keymap.LineUp:
		m.recallCommand(m.line.at + 1)
	case keymap.LineDown:
		m.recallCommand(m.line.at - 1)
	default:
		if f, ok := m.line.field.Press(p); ok {
			m.line.field = &f
		}
	}
}

func (m *model) writeCommand(text string) {
	f := views.NewField(text, false)
	m.line.field = &f
}

func (m *model) recordCommand(text string) {
	text = strings.TrimSpace(text)
	if text == "" || len(m.line.history) > 0 && m.line.history[0] == text {
		return
	}
	m.line.history = append([]string{text}, m.line.history...)
	m.line.history = m.line.history[:min(len(m.line.history), HistoryKeeps)]
	m.keepMemory()
}

func (m *model) recallCommand(i int) {
	switch {
	case i >= len(m.line.history):
	case i < 0:
		m.line.at = -1
		m.writeCommand("")
	default:
		m.line.at = i
		m.writeCommand(m.line.history[i])
	}
}

// reserved are words that nothing else may mean.
var reserved = map[string]string{"schedules": "schedules", "reviews": "reviews", "scan": "looking at the store's keys"}

// hint is what the word that is typed does.
func (m *model) hint() string {
	if m.line.field == nil {
		return ""
	}
	word, _, _ := strings.Cut(strings.TrimSpace(m.line.field.Text()), " ")
	if w, ok := words[word]; ok {
		return strings.TrimSpace(w.takes + "  " + w.does)
	}
	if found := startingWith(word); word != "" && len(found) > 0 {
		return strings.Join(found, " ")
	}
	return m.keyOf(keymap.CommandLine, keymap.NextField, "tab") + " completes, " + m.keyOf(keymap.CommandLine, keymap.LineUp, "up") + " earlier commands"
}

// complete writes out the word as far as it is certain.
func complete(text string) string {
	if strings.Contains(text, " ") {
		return text
	}
	found := startingWith(text)
	switch len(found) {
	case 0:
		return text
	case 1:
		return found[0] + " "
	}
	common := found[0]
	for _, w := range found[1:] {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	return common
}

// command does what was typed. A prefix may open a place; an act must be written
// out.
func (m *model) command(text string) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if name == "" {
		return
	}
	w, ok := words[name]
	if what, later := reserved[name]; later {
		m.say(views.Warn, "nothing was done: :"+name+" is kept for "+what+", which this console does not have")
		return
	}
	if !ok {
		var why string
		if w, why = byPrefix(name); why != "" {
			m.say(views.Warn, why)
			return
		}
	}
	w.do(m, strings.TrimSpace(rest))
}
