package tui

import (
	"context"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

// Memory is what the console remembers of a store from one time to the next.
// Marks are never part of it. Its zero value is a console nobody has changed;
// what it names and the console does not know is ignored.
type Memory struct {
	// Pane is the word of the pane that was open last.
	Pane string `json:"pane,omitempty"`
	// Filters are the filters that were saved, by name.
	Filters map[string]string `json:"filters,omitempty"`
	// Lists are how lists are shown: running, suspended, held, terminal, owed,
	// dead.
	Lists map[string]ListMemory `json:"lists,omitempty"`
	// Commands are those of the command line, the latest first, without
	// payloads.
	Commands []string `json:"commands,omitempty"`
}

// ListMemory is how a list is shown. The zero value is the usual way.
type ListMemory struct {
	// Columns are the columns that were chosen, in order.
	Columns []string `json:"columns,omitempty"`
	// Sort is the order; Flip turns it round.
	Sort flow.Sort `json:"sort,omitempty"`
	Flip bool      `json:"flip,omitempty"`
}

// listWords are the names of the lists in a [Memory].
var listWords = [listCount]string{"running", "suspended", "held", "terminal", "owed", "dead"}

// recall takes in what was remembered.
func (m *model) recall(mem Memory) {
	m.saved = maps.Clone(mem.Filters)
	m.line.history = slices.Clone(mem.Commands[:min(len(mem.Commands), HistoryKeeps)])
	if m.opts.Forgotten != nil {
		m.say(views.Warn, m.opts.Forgotten.Error())
	}
	for i := range m.lists {
		of := mem.Lists[listWords[i]]
		m.lists[i] = m.lists[i].WithColumns(of.Columns)
		if of.Sort != "" {
			m.lists[i], _ = m.lists[i].WithOrder(of.Sort, of.Flip)
		}
	}
}

// memory is what is to be remembered now.
func (m *model) memory() Memory {
	mem := Memory{Pane: m.open.Word(), Filters: maps.Clone(m.saved), Lists: map[string]ListMemory{}}
	for _, c := range m.line.history {
		if c = withoutPayload(c); !slices.Contains(mem.Commands, c) {
			mem.Commands = append(mem.Commands, c)
		}
	}
	for i, l := range m.lists {
		sort, flip := l.Order()
		if len(l.Columns()) > 0 || !l.Usual() {
			mem.Lists[listWords[i]] = ListMemory{Columns: l.Columns(), Sort: sort, Flip: flip}
		}
	}
	return mem
}

// withoutPayload is a command as it may lie on a disk: what is sent to a run may
// be a secret.
func withoutPayload(command string) string {
	if at := strings.IndexAny(command, "{[\""); at >= 0 {
		command = command[:at]
	}
	return strings.TrimSpace(command)
}

// memoryState is the writing of the memory: one at a time, the last one wins.
type memoryState struct{ busy, again bool }

// keepMemory writes down what has changed.
func (m *model) keepMemory() {
	switch {
	case m.opts.Remember == nil:
	case m.keeps.busy:
		m.keeps.again = true
	default:
		m.keeps.busy = true
		m.do(writeMemory{m.opts.Remember, m.memory()})
	}
}

type writeMemory struct {
	keep func(Memory) error
	mem  Memory
}

type keptMsg struct{ err error }

func (e writeMemory) run(context.Context, Console) tea.Msg { return keptMsg{e.keep(e.mem)} }

func (m *model) onKept(msg keptMsg) {
	again := m.keeps.again
	m.keeps = memoryState{}
	if msg.err != nil {
		m.say(views.Warn, "this will be forgotten when the console is left: "+msg.err.Error())
		return
	}
	if again {
		m.keepMemory()
	}
}
