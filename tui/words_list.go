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

// onList says that a command is for lists, when none is open.
func (m *model) onList(what string) bool {
	if !m.open.Lists() {
		m.say(views.Warn, what+" for lists: go to 2, 3, 4, 5 or 6 first")
		return false
	}
	return true
}

func (m *model) commandSave(name string) {
	if name == "" || m.list().Filter() == "" {
		m.say(views.Warn, "save wants a name and a filter in force")
		return
	}
	m.saved = maps.Clone(m.saved)
	if m.saved == nil {
		m.saved = map[string]string{}
	}
	m.saved[name] = m.list().Filter()
	how := "kept: "
	if m.opts.Remember == nil {
		how = "kept for this session: "
	}
	m.say(views.Plain, how+name+" is /"+m.saved[name])
	m.keepMemory()
}

// savedNames are the names of the filters that were kept.
func (m *model) savedNames() string {
	names := slices.Sorted(maps.Keys(m.saved))
	if len(names) == 0 {
		return "none is kept; :save NAME keeps the one in force"
	}
	return strings.Join(names, " ")
}

func (m *model) commandLoad(name string) {
	text, ok := m.saved[name]
	switch {
	case !ok:
		m.say(views.Warn, fmt.Sprintf("no filter %q: %s", name, m.savedNames()))
	case m.onList("a filter is"):
		m.refilter(text)
	}
}

func (m *model) commandForget(name string) {
	if _, ok := m.saved[name]; !ok {
		m.say(views.Warn, fmt.Sprintf("no filter %q: %s", name, m.savedNames()))
		return
	}
	m.saved = maps.Clone(m.saved)
	delete(m.saved, name)
	m.say(views.Plain, "forgotten: "+name)
	m.keepMemory()
}

// commandSort takes the name of an order, "flip", both or nothing.
func (m *model) commandSort(how string) {
	if !m.onList("an order is") {
		return
	}
	a := keymap.SortNext
	switch how {
	case "":
	case "flip":
		a = keymap.SortFlip
	default:
		m.sortBy(how)
		return
	}
	m.invoke(views.Press{Action: a})
}

func (m *model) sortBy(how string) {
	if why := m.refusal(keymap.SortNext); why != "" {
		m.say(views.Warn, why)
		return
	}
	name, flip, _ := strings.Cut(how, " ")
	l, ok := m.list().WithOrder(flow.Sort(name), flip == "flip")
	if !ok || flip != "" && flip != "flip" {
		m.say(views.Warn, fmt.Sprintf("no order %q here: %s, with flip behind it turned round", how, strings.Join(m.list().Orders(), " ")))
		return
	}
	*m.list() = l
	m.readList(m.current(), views.Anew)
	m.keepMemory()
}

// commandColumns chooses columns by name, or opens the dialog.
func (m *model) commandColumns(names string) {
	if !m.onList("columns are") {
		return
	}
	if names == "" {
		m.invoke(views.Press{Action: keymap.Columns})
		return
	}
	cols, err := m.list().NameColumns(names, m.shape().ListWidth())
	if err != nil {
		m.say(views.Warn, err.Error())
		return
	}
	m.setColumns(views.SetColumns{Names: cols})
}

// commandFilter filters by a text, or opens the line it is typed in.
func (m *model) commandFilter(text string) {
	why := m.refusal(keymap.Filter)
	switch {
	case why != "":
		m.say(views.Warn, why)
	case m.open != views.PaneInspector && !m.onList("a filter is"):
	case text == "":
		m.invoke(views.Press{Action: keymap.Filter})
	case m.open == views.PaneInspector:
		m.inspector = m.inspector.Search(text)
	default:
		m.refilter(text)
	}
}
