package views

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
)

const (
	messageName = iota
	messageInput
	updateID
)

// NewUpdate is the form that sends an update to r. Declared are the names its
// type declares.
func NewUpdate(r flow.Run, declared []string) Form {
	f := messageForm("Send an update", r, declared)
	f.entries = append(f.entries, entry{label: "id", kind: lineEntry, field: NewField("", false),
		note: "empty: chosen for you; the same id, the same reply"})
	f.deed = func(f Form) (flow.Deed, error) {
		name, input, err := f.message("update", declared)
		if err != nil {
			return nil, err
		}
		id := strings.TrimSpace(f.entries[updateID].text())
		if id != "" {
			if err := flow.CheckUpdateID(id); err != nil {
				return nil, err
			}
		}
		return flow.CallUpdate{Target: r.Ref, Name: name, Input: input, UpdateID: id}, nil
	}
	return f
}

// NewQuery is the form that asks r. Declared are the names its type declares.
func NewQuery(r flow.Run, declared []string) Form {
	f := messageForm("Query a run", r, declared)
	f.query = func(f Form) (flow.Ask, error) {
		name, input, err := f.message("query", declared)
		return flow.Ask{Target: r.Ref, Name: name, Input: input}, err
	}
	return f
}

func messageForm(title string, r flow.Run, declared []string) Form {
	first := ""
	if len(declared) > 0 {
		first = declared[0]
	}
	return Form{title: title, about: fmt.Sprintf("to %s  %s", r.ID, r.Type), entries: []entry{
		{label: "name", kind: lineEntry, field: NewField(first, false), choices: declared,
			note: "up/down: " + strings.Join(declared, ", ")},
		{label: "input", kind: jsonEntry, field: NewField("null", true)},
	}}
}

// message is what the form says, checked.
func (f Form) message(what string, declared []string) (name string, input flow.Payload, err error) {
	name = f.entries[messageName].text()
	if err := flow.CheckName(what+" name", name); err != nil {
		return "", nil, err
	}
	if !slices.Contains(declared, name) {
		return "", nil, &flow.UnknownError{What: what, Name: name, Known: declared}
	}
	text := f.entries[messageInput].text()
	if err := CheckJSON("input", text); err != nil {
		return "", nil, err
	}
	return name, flow.Payload(strings.TrimSpace(text)), nil
}
