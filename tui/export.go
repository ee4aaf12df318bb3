package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// exported is a run with all that is recorded of it, as a file has it.
type exported struct {
	flow.Detail
	Owed *flow.Teardown `json:"owed,omitempty"`
	Dead *flow.Dead     `json:"dead,omitempty"`
}

// maxExport is how many runs one file takes; more are for the verbs.
const maxExport = 1000

// export asks where to write the run, or the marked runs.
func (m *model) export() { m.askFile(m.exportName()) }

func (m *model) exportName() (views.FileName, content) {
	x := runsFile{look: m.look()}
	name, about := "", ""
	if only, _, ok := m.list().Choice(); ok && m.marked() {
		x.refs = only
		name, about = fmt.Sprintf("weft-%d-runs.jsonl", len(only)), fmt.Sprintf("%d marked runs with all that is recorded of them, one line of JSON each", len(only))
	} else {
		r, _ := m.run()
		x.refs, x.pretty = []flow.Ref{r.Ref}, true
		name, about = plainName(string(r.ID))+".json", "The run with its steps, events, signals and payloads, as JSON"
	}
	note := "Secrets are masked: " + m.keyOf(keymap.Inspector, keymap.Unmask, "V") + " in the inspector shows them, and then they are written too."
	if x.look.Unmask {
		note = "Secrets are written as they are: they are shown in this view."
	}
	return views.NewFileName("Export", about, name, note), x
}

// exportRefusal says why there is nothing to export.
func (m *model) exportRefusal() string {
	only, _, marked := m.list().Choice()
	_, ok := m.run()
	switch {
	case m.marked() && marked && only == nil:
		return "everything is marked: weft-tui ls --json writes lists; mark runs one by one to export them"
	case len(only) > maxExport && m.marked():
		return fmt.Sprintf("%d runs are marked; a file takes %d", len(only), maxExport)
	case !ok && !m.marked():
		return "no run selected"
	}
	return ""
}

// plainName is an id as a file name that no shell trips over.
func plainName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, strings.TrimLeft(id, ".-"))
}

// runsFile is a file of runs.
type runsFile struct {
	refs   []flow.Ref
	pretty bool
	look   views.Look // says what is masked
}

func (f runsFile) make(ctx context.Context, c Console) (map[string][]byte, error) {
	var out bytes.Buffer
	for _, ref := range f.refs {
		x, err := whole(ctx, c, ref)
		if err != nil {
			return nil, fmt.Errorf("export %s: %w", ref.ID, err)
		}
		text, err := json.Marshal(x)
		if f.pretty {
			text, err = json.MarshalIndent(x, "", "  ")
		}
		if err != nil {
			return nil, fmt.Errorf("export %s: %w", ref.ID, err)
		}
		out.WriteString(views.SafeJSON(f.look.Masked(string(text))) + "\n")
	}
	return map[string][]byte{"": out.Bytes()}, nil
}

// whole reads all that is recorded of a run. The parts are read one after the
// other: a run that goes on meanwhile may be further in the later ones.
func whole(ctx context.Context, c Console, ref flow.Ref) (x exported, err error) {
	for _, part := range []flow.Part{flow.PartSignals, flow.PartSteps, flow.PartEvents} {
		d, err := c.Detail(ctx, ref, part)
		if err != nil {
			return x, err
		}
		d.Signals, d.Steps, d.Events = or(d.Signals, x.Signals), or(d.Steps, x.Steps), or(d.Events, x.Events)
		x.Detail = d
	}
	left := whatLeft(ctx, c, ref)
	x.Owed, x.Dead = left.owed, left.dead
	return x, nil
}

func or[T any](a, b []T) []T {
	if a != nil {
		return a
	}
	return b
}

// commandExport writes to the file that is named, or asks for the name.
func (m *model) commandExport(path string) {
	if why := m.refusal(keymap.Export); why != "" {
		m.say(views.Warn, why)
		return
	}
	if path == "" {
		m.export()
		return
	}
	_, m.file.what = m.exportName()
	m.writeFile(views.WriteFile{Path: path})
}

// frameFile is a frame, as text and with its colours.
type frameFile struct{ plain, painted string }

func (f frameFile) make(context.Context, Console) (map[string][]byte, error) {
	return map[string][]byte{".txt": []byte(f.plain + "\n"), ".ansi": []byte(f.painted + "\n")}, nil
}

// frameFile takes the frame that is shown now.
func (m *model) takeFrame() frameFile {
	s := m.screen()
	f := frameFile{painted: s.Frame()}
	s.Look.Theme = views.Theme{}
	f.plain = s.Frame()
	return f
}

// saveFrame asks where to write what is on the screen.
func (m *model) saveFrame() {
	name := "weft-" + m.open.Word() + "-" + m.now.UTC().Format("20060102-150405")
	m.askFile(views.NewFileName("Save the frame", "What is on the screen: NAME.txt as plain text, NAME.ansi with colours", name), m.takeFrame())
}

// commandFrame writes the frame to the files that are named, or asks for the
// name.
func (m *model) commandFrame(path string) {
	if path == "" {
		m.saveFrame()
		return
	}
	m.file.what = m.takeFrame()
	m.writeFile(views.WriteFile{Path: path})
}
