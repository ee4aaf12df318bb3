package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// word is one command.
type word struct {
	takes, does string
	// place: a prefix is enough. Acts are not.
	place bool
	do    func(m *model, rest string)
}

// words are all commands.
var words = map[string]word{}

func opens(does string, p views.Pane) word {
	return word{does: does, place: true, do: func(m *model, _ string) { m.goPane(p) }}
}

// acts is a command that is what a key is, by the same gate and with the same
// dialog; rest is no part of it.
func acts(does string, a keymap.Action) word {
	return word{does: does, do: func(m *model, rest string) {
		if rest != "" {
			m.say(views.Warn, "nothing was done: the run under the cursor or the marks are meant, not "+rest)
			return
		}
		m.invoke(views.Press{Action: a})
	}}
}

// pauses is an act of which the key has two; the command wants the one it names.
func pauses(does string, of flow.Status) word {
	return word{does: does, do: func(m *model, _ string) {
		if r, ok := m.run(); ok && !m.marked() && r.Status.Valid() && r.Status != of && !r.Status.Terminal() {
			m.say(views.Warn, fmt.Sprintf("nothing was done: %s is %s", r.ID, r.Status))
			return
		}
		m.invoke(views.Press{Action: keymap.Pause})
	}}
}

func init() {
	maps.Copy(words, keyWords())
	maps.Copy(words, map[string]word{
		"overview": opens("everything at a glance", views.PaneOverview),
		"runs":     opens("running runs", views.PaneRunning),
		"susp":     opens("suspended and held runs", views.PaneSuspended),
		"term":     opens("runs that have ended", views.PaneTerminal),
		"owed":     opens("owed teardowns", views.PaneOwed),
		"dead":     opens("dead letters", views.PaneDead),
		"lease":    opens("the lease and its past", views.PaneLease),
		"feed":     opens("what happens", views.PaneFeed),
		"types":    opens("workflow types", views.PaneTypes),
		"problems": opens("standing problems", views.PaneProblems),
		"audit":    opens("what operators did", views.PaneAudit),
		"go":       {"ID", "open a run", true, (*model).commandGo},
		"save":     {"NAME", "keep the filter under a name", false, (*model).commandSave},
		"load":     {"NAME", "filter by what was kept under a name", false, (*model).commandLoad},
		"theme":    {"NAME", "colours: " + strings.Join(views.ThemeNames(), " "), false, (*model).commandTheme},
		"forget":   {"NAME", "forget a filter that was kept", false, (*model).commandForget},
		"sort":     {"[ORDER] [flip]", "an order by name, the next one, or turned round", false, (*model).commandSort},
		"cols":     {"[NAMES]", "columns: names with commas, +name -name, or auto", false, (*model).commandColumns},
		"filter":   {"[TEXT]", "filter the list, or search in the text, as / does", false, (*model).commandFilter},
		"group":    {"BY", "count the rows: by status, type, version, tag or error", false, (*model).commandGroup},
		"export":   {"[FILE]", "write the run or the marked runs to a file", false, (*model).commandExport},
		"diff":     {"", "compare two marked runs", false, func(m *model, _ string) { m.invoke(views.Press{Action: keymap.Diff}) }},
		"follow":   {"", "follow the run wherever it goes", false, func(m *model, _ string) { m.invoke(views.Press{Action: keymap.Follow}) }},
		"frame":    {"[FILE]", "write what is on the screen to a file", false, (*model).commandFrame},
		"time":     {"", "times in lists as ages, in UTC or local", false, func(m *model, _ string) { m.invoke(views.Press{Action: keymap.TimeMode}) }},
		"mouse":    {"", "give the mouse to the terminal, or take it", false, (*model).toggleMouse},
		"ro":       {"", "refuse every act from now on", false, (*model).commandReadOnly},
		"q":        {"", "quit", false, func(m *model, _ string) { m.quit() }},
		"cancel":   acts("cancel the run or the marked ones", keymap.Cancel),
		"suspend":  pauses("suspend the run or the marked ones", flow.Running),
		"resume":   pauses("resume the run or the marked ones", flow.Suspended),
		"retry":    acts("retry the owed teardown now", keymap.Retry),
		"redrive":  acts("redrive the dead letter", keymap.Retry),
		"discard":  acts("discard the dead letter", keymap.Discard),
		"again":    acts("start the ended run again", keymap.Again),
		"purge":    acts("remove the ended run", keymap.Purge),
		"signal":   {"NAME JSON", "send a signal to the run", false, (*model).commandSignal},
		"update":   {"NAME JSON", "send an update to the run", false, func(m *model, rest string) { m.commandMessage(keymap.Update, rest) }},
		"query":    {"NAME JSON", "query the run", false, func(m *model, rest string) { m.commandMessage(keymap.AskQuery, rest) }},
		"start":    {"TYPE", "start a workflow", false, (*model).commandStart},
	})
}

// startingWith are the words that begin with a prefix.
func startingWith(prefix string) []string {
	var out []string
	for _, w := range slices.Sorted(maps.Keys(words)) {
		if strings.HasPrefix(w, prefix) {
			out = append(out, w)
		}
	}
	return out
}

// byPrefix finds the one place a prefix means, or says why none.
func byPrefix(name string) (_ word, why string) {
	var places, others []string
	for _, w := range startingWith(name) {
		if words[w].place {
			places = append(places, w)
		} else {
			others = append(others, w)
		}
	}
	switch {
	case len(places) == 1:
		return words[places[0]], ""
	case len(places) > 1:
		return word{}, ":" + name + " may be " + strings.Join(places, ", ")
	case len(others) > 0:
		return word{}, "nothing was done: write it out, :" + strings.Join(others, " or :")
	}
	return word{}, fmt.Sprintf(":%s is not known; nearest is :%s", name, nearest(name))
}

// nearest is the word with the fewest letters to change.
func nearest(name string) string {
	best, least := "", 1<<16
	for _, w := range slices.Sorted(maps.Keys(words)) {
		if d := distance(name, w); d < least {
			best, least = w, d
		}
	}
	return best
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

func (m *model) commandGo(id string) {
	parsed, err := flow.ParseWorkflowID(id)
	if err != nil {
		m.say(views.Warn, err.Error())
		return
	}
	m.openRun(flow.Ref{ID: parsed})
}

func (m *model) commandTheme(name string) {
	t, err := m.set.ThemeNamed(name)
	if err != nil || name == "" {
		m.say(views.Warn, fmt.Sprintf("no theme %q: %s", name, strings.Join(m.set.ThemeNames(), " ")))
		return
	}
	m.theme = t
}

func (m *model) commandReadOnly(string) {
	m.opts.ReadOnly, m.header.ReadOnly = true, true
	m.say(views.Plain, "read-only from now on; only a new start changes that")
}

func (m *model) commandStart(typ string) {
	if _, known := m.types.Named(typ); typ != "" && !known {
		m.say(views.Warn, (&flow.UnknownError{What: "workflow type", Name: typ}).Error())
		return
	}
	if why := m.refusal(keymap.Start); why != "" {
		m.say(views.Warn, why)
		return
	}
	m.openStart(typ)
}

// commandSignal sends at once what is written out, else opens the form.
func (m *model) commandSignal(rest string) {
	if why := m.refusal(keymap.Signal); why != "" {
		m.say(views.Warn, why)
		return
	}
	name, payload, _ := strings.Cut(rest, " ")
	if name == "" {
		m.invoke(views.Press{Action: keymap.Signal})
		return
	}
	if m.marked() {
		m.say(views.Warn, m.oneRunOnly("a signal goes"))
		return
	}
	if payload = strings.TrimSpace(payload); payload == "" {
		payload = "null"
	}
	if err := views.CheckJSON("payload", payload); err != nil {
		m.say(views.Warn, err.Error())
		return
	}
	r, _ := m.run()
	m.perform(views.Perform{Deed: flow.SendSignal{Target: r.Ref, Name: name, Payload: flow.Payload(payload)}})
}
