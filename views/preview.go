package views

import (
	"strings"

	"weft/flow"
)

// PreviewLines is how many lines [Inspector.DrawPreview] fills.
const PreviewLines = 5

// DrawPreview shows the run in a few lines under a list.
func (v Inspector) DrawPreview(look Look, w int) []string {
	if v.Ref.ID == "" {
		return exactly([]string{look.paint(Dim, strings.Repeat("-", w))}, w, PreviewLines)
	}
	id := FitMiddle(look.clean(string(v.Ref.ID)), w-8)
	id = "-- " + strings.TrimRight(id, " ") + " "
	out := []string{look.paint(Dim, id+strings.Repeat("-", max(0, w-width(id))))}
	r, ok := v.Run()
	switch {
	case v.owed != nil || v.dead != nil:
		for _, line := range v.teardownLines() {
			out = append(out, strings.Split(line(look, w), "\n")...)
		}
		return exactly(out, w, PreviewLines)
	case ok:
		out = append(out, v.previewOf(look, r, w)...)
	default:
		out = append(out, look.reading())
	}
	if v.fail != "" {
		out = append(out[:1], look.paint(Bad, look.clean(v.fail)))
	}
	return exactly(out, w, PreviewLines)
}

func (v Inspector) previewOf(look Look, r flow.Run, w int) []string {
	key := func(name string) string { return look.paint(Dim, Fit(name, 8)) }
	why := func(text string) string { // the status stands above it
		return key("why") + look.paint(toneOf(r), look.clean(strings.TrimPrefix(text, Word(r)+": ")))
	}
	about := filled([]string{kindOf(r), tagged(r.Tags)})
	out := []string{key("status") + look.paint(toneOf(r), Word(r)) + "  " + look.clean(strings.Join(about, "  "))}
	switch {
	case r.Status.Terminal():
		out = append(out, key("ended")+look.since(r.ClosedAt)+" ago, took "+Took(r.ClosedAt.Sub(r.CreatedAt)))
		if r.Status != flow.Completed {
			out = append(out, why(ending(r)))
		}
	case r.Held || r.Status != flow.Running:
		out = append(out, why(whatOf(look, PaneInspector, Row{Run: r})))
	default:
		out = append(out, key("at")+look.clean(strings.Join(filled([]string{whereabouts(look, r), r.Summary}), ": ")))
	}
	if step, ok := v.lastTrouble(); ok {
		out = append(out, key("step")+look.clean(string(step.Path)+" "+step.Name)+"  "+stepTime(look, step)+
			"  "+look.paint(errorTone(step), look.clean(step.Error.Message)))
	}
	if v.known {
		if !r.Status.Terminal() && v.detail.Finalizer != "" {
			out = append(out, key("cancel")+look.clean("would owe teardown "+v.detail.Finalizer+
				" (state "+Size(int64(len(v.detail.FinalizerState)))+")"))
		}
		out = append(out, key("input")+Size(int64(len(v.detail.Input)))+"  "+look.clean(look.mask(Brief(v.detail.Input))))
		if v.detail.Output != nil {
			out = append(out, key("result")+look.clean(look.mask(Brief(v.detail.Output))))
		}
	}
	return out
}

func tagged(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "tags " + strings.Join(tags, ",")
}

// lastTrouble is the last step with an error.
func (v Inspector) lastTrouble() (flow.Step, bool) {
	for i := len(v.detail.Steps) - 1; i >= 0; i-- {
		if s := v.detail.Steps[i]; s.Error != nil {
			return s, true
		}
	}
	return flow.Step{}, false
}
