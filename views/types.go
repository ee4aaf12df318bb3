package views

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// Types is the list of workflow types, the place to start from.
type Types struct {
	types  []flow.Type
	at     string
	top    int
	height int
	loaded bool
	fail   string
}

// Take puts an answer in.
func (v Types) Take(types []flow.Type) Types {
	v.types, v.loaded, v.fail = types, true, ""
	return v.to(v.index())
}

// Failed keeps what is shown and remembers why reading failed.
func (v Types) Failed(err error) Types {
	v.fail = err.Error()
	return v
}

// All are the types as they were read.
func (v Types) All() []flow.Type { return v.types }

// Named finds a type.
func (v Types) Named(name string) (flow.Type, bool) {
	i := slices.IndexFunc(v.types, func(t flow.Type) bool { return t.Name == name })
	if i < 0 {
		return flow.Type{}, false
	}
	return v.types[i], true
}

// Chosen is the type under the cursor.
func (v Types) Chosen() (flow.Type, bool) {
	if len(v.types) == 0 {
		return flow.Type{}, false
	}
	return v.types[v.index()], true
}

func (v Types) index() int {
	return max(0, slices.IndexFunc(v.types, func(t flow.Type) bool { return t.Name == v.at }))
}

// Sized tells how many types are visible.
func (v Types) Sized(h int) Types {
	v.height = max(1, h)
	return v.to(v.index())
}

func (v Types) to(i int) Types {
	i = max(0, min(i, len(v.types)-1))
	if i < len(v.types) {
		v.at = v.types[i].Name
	}
	v.top = max(0, min(v.top, i), i-v.height+1)
	return v
}

// Press applies one key.
func (v Types) Press(p Press) (Types, Intent) {
	switch p.Action {
	case keymap.Top:
		return v.to(0), nil
	case keymap.Bottom:
		return v.to(len(v.types)), nil
	case keymap.Open:
		t, ok := v.Chosen()
		if !ok {
			return v, Say{"no type selected"}
		}
		return v, ListType{t.Name}
	}
	n, _ := stride(p.Action, v.height)
	return v.to(v.index() + n), nil
}

// typeLines is the room for the chosen type under the list, with a rule above it.
const typeLines = 9

// Draw shows the list.
func (v Types) Draw(look Look, w, h int) []string {
	amount := ""
	if v.loaded && v.fail == "" {
		amount = plural(len(v.types), "type")
	}
	out := []string{Beside(look.paint(Dim, "all types"), amount, w),
		look.paint(Dim, Fit("  "+typeRow("TYPE", "VERSION", "RUN", "SUSP", "DONE", "FAIL", w-2), w))}
	here := v.index()
	for i := v.top; i < len(v.types) && len(out) < h; i++ {
		t := v.types[i]
		version := look.clean(t.Version)
		if !t.Registered {
			version = "not here"
		}
		c := sums(t)
		row := typeRow(look.clean(t.Name), version, Count(c.Running+c.Pending), Count(c.Suspended),
			Count(c.Completed), Count(c.Failed), w-2)
		switch {
		case i == here:
			row = look.paint(Chosen, Fit("> "+row, w))
		case !t.Registered:
			row = "  " + look.paint(Dim, row)
		default:
			row = "  " + row
		}
		out = append(out, row)
	}
	if len(v.types) == 0 {
		out = append(out, "", "  "+v.nothing(look))
	}
	return exactly(out, w, h)
}

func (v Types) nothing(look Look) string {
	switch {
	case v.fail != "":
		return look.paint(Bad, look.clean("cannot read the types: "+v.fail))
	case !v.loaded:
		return look.reading()
	}
	return look.paint(Dim, "no workflow types are registered here")
}

func typeRow(name, version, run, susp, done, fail string, w int) string {
	return Fit(Fit(name, max(12, min(32, w-38)))+" "+Fit(version, 10)+" "+
		FitRight(run, 6)+" "+FitRight(susp, 5)+" "+FitRight(done, 6)+" "+FitRight(fail, 6), w)
}

func sums(t flow.Type) (c flow.Counts) {
	for _, v := range t.Versions {
		for _, s := range flow.Statuses() {
			c.Add(s, v.Counts.Of(s))
		}
	}
	return c
}

// DrawType shows what is known of the chosen type.
func (v Types) DrawType(look Look, w, h int) []string {
	t, ok := v.Chosen()
	if !ok {
		return exactly(nil, w, h)
	}
	list := func(name string, values []string) string {
		return look.paint(Dim, Fit(name, 10)) + look.clean(orElse(strings.Join(values, ", "), "none"))
	}
	out := []string{
		look.paint(Strong, look.clean(t.Name)),
		list("version", filled([]string{t.Version})),
		list("signals", t.Signals), list("queries", t.Queries), list("updates", t.Updates),
		list("finalizer", filled([]string{t.Finalizer})),
	}
	if !t.Registered {
		out[1] = look.paint(Warn, "not registered here: its runs are held")
	}
	for _, vc := range t.Versions {
		out = append(out, look.paint(Dim, Fit("runs", 10))+look.clean(vc.Version)+
			fmt.Sprintf("  %d running, %d suspended, %d ended", vc.Counts.Running, vc.Counts.Suspended, vc.Counts.Terminal()))
	}
	switch {
	case t.Example == nil:
	case len(out)+4 > h: // no room to lay it out
		out = append(out, look.paint(Dim, Fit("example", 10))+look.clean(Brief(t.Example)))
	default:
		out = append(out, "", look.paint(Dim, "example input"))
		for _, line := range Pretty(t.Example) {
			out = append(out, look.clean(line))
		}
	}
	return exactly(out, w, h)
}
