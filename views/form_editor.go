package views

import "slices"

// json is the entry that holds JSON, -1 when none does.
func (f Form) json() int {
	return slices.IndexFunc(f.entries, func(e entry) bool { return e.kind == jsonEntry })
}

// editing asks for an editor for the JSON.
func (f Form) editing() Intent {
	i := f.json()
	if i < 0 {
		return Say{"nothing here is for an editor: it has no JSON"}
	}
	return EditText{f.entries[i].text()}
}

// Edited is the form with its JSON as the editor left it. What cannot be read is
// kept as well, with the cursor where it is wrong.
func (f Form) Edited(text string) Form {
	i := f.json()
	if i < 0 || f.busy || text == f.entries[i].text() {
		return f
	}
	f.entries = slices.Clone(f.entries)
	f.entries[i].field = NewField(text, true)
	f.focus, f.dirty, f.fail = i, true, ""
	if err := CheckJSON(f.entries[i].label, text); err != nil {
		return f.Failed(err)
	}
	return f
}
