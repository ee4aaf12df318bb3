package views

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"weft/flow"
)

const (
	startType = iota
	startID
	startInput
)

// NewStart is the form that starts a workflow of one of types. Chosen is the
// type to begin with; input, when there is one, comes from a run.
func NewStart(types []flow.Type, chosen string, input flow.Payload) Form {
	var names []string
	for _, t := range types {
		if t.Registered {
			names = append(names, t.Name)
		}
	}
	at := max(0, slices.Index(names, chosen))
	f := Form{title: "Start a workflow", focus: startInput, entries: []entry{
		{label: "type", kind: choiceEntry, choices: names, choice: at, note: "no type is registered here"},
		{label: "id", kind: lineEntry, note: "empty: chosen for you"},
		{label: "input", kind: jsonEntry, field: NewField("", true)},
	}}
	f.entries[startID].field = NewField("", false)
	example := func(name string) string {
		for _, t := range types {
			if t.Name == name {
				return formatted(t.Example)
			}
		}
		return ""
	}
	f.given = example(f.entries[startType].text())
	if input != nil {
		f.given = formatted(input)
	}
	f.entries[startInput].field = NewField(f.given, true)
	f.changed = func(f Form, i int) Form {
		// Another type brings its own example, unless the input was edited.
		if i == startType && f.entries[startInput].text() == f.given {
			f.given = example(f.entries[startType].text())
			f.entries[startInput].field = NewField(f.given, true)
		}
		return f
	}
	f.deed = startDeed
	return f
}

// Given puts the input of a run in, unless another type was chosen meanwhile or the
// input was edited.
func (f Form) Given(kind string, input flow.Payload) Form {
	if f.busy || f.entries[startType].text() != kind || f.entries[startInput].text() != f.given {
		return f
	}
	f.given = formatted(input)
	f.entries = slices.Clone(f.entries)
	f.entries[startInput].field = NewField(f.given, true)
	return f
}

func startDeed(f Form) (flow.Deed, error) {
	kind := f.entries[startType].text()
	if kind == "" {
		return nil, &flow.UnknownError{What: "workflow type", Name: ""}
	}
	d := flow.Start{Type: kind}
	if id := strings.TrimSpace(f.entries[startID].text()); id != "" {
		parsed, err := flow.ParseWorkflowID(id)
		if err != nil {
			return nil, err
		}
		d.ID = parsed
	}
	text := f.entries[startInput].text()
	if err := CheckJSON("input", text); err != nil {
		return nil, err
	}
	d.Input = flow.Payload(strings.TrimSpace(text))
	return d, nil
}

const (
	signalName = iota
	signalPayload
	signalForce
)

// NewSignal is the form that sends a signal to r. Declared are the names its
// type declares; known is false when the type was not read.
func NewSignal(r flow.Run, declared []string, known bool) Form {
	note := "up/down: " + strings.Join(declared, ", ")
	switch {
	case !known:
		note = "type not registered here"
	case len(declared) == 0:
		note = "the type declares none"
	}
	first := ""
	if len(declared) > 0 {
		first = declared[0]
	}
	about := fmt.Sprintf("to %s  %s", r.ID, r.Type)
	if r.Status == flow.Suspended {
		about += "  suspended: buffered until it resumes"
	}
	f := Form{title: "Send a signal", about: about, entries: []entry{
		{label: "name", kind: lineEntry, field: NewField(first, false), choices: declared, note: note},
		{label: "payload", kind: jsonEntry, field: NewField("null", true)},
		{label: "force", kind: tickEntry, note: "send a name the type does not declare"},
	}}
	ref := r.Ref
	f.deed = func(f Form) (flow.Deed, error) {
		name := f.entries[signalName].text()
		if err := flow.CheckName("signal name", name); err != nil {
			return nil, err
		}
		force := f.entries[signalForce].on
		if !force && !slices.Contains(declared, name) {
			return nil, fmt.Errorf("%w; tick force to send it all the same",
				&flow.UnknownError{What: "signal", Name: name, Known: declared})
		}
		text := f.entries[signalPayload].text()
		if err := CheckJSON("payload", text); err != nil {
			return nil, err
		}
		return flow.SendSignal{Target: ref, Name: name, Payload: flow.Payload(strings.TrimSpace(text)), Force: force}, nil
	}
	return f
}

// formatted lays a payload out for editing; nothing becomes null.
func formatted(p flow.Payload) string {
	if p == nil {
		return "null"
	}
	var b bytes.Buffer
	if json.Indent(&b, p, "", "  ") != nil {
		return string(p)
	}
	return b.String()
}
