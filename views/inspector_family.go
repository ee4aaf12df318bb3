package views

import (
	"fmt"

	"weft/flow"
	"weft/keymap"
)

// Kin is what is known of a run's id beside the run itself.
type Kin struct {
	// Audit are the acts on the id among the latest records, Of how many.
	Audit []flow.Audit
	Of    int
	// Owed and Dead are what earlier runs of the id left behind.
	Owed []flow.Teardown
	Dead []flow.Dead
}

// WithKin takes in the kin of the run.
func (v Inspector) WithKin(k Kin) Inspector {
	v.kin = k
	return v.rebuilt()
}

// link is a line that leads to another run.
type link struct {
	line int
	ref  flow.Ref
}

// familyLines are the parent, the children and the earlier runs, and which of
// the lines lead somewhere.
func (v Inspector) familyLines() (lines []docLine, links []link) {
	add := func(l docLine, to flow.Ref) {
		if to.ID != "" {
			links = append(links, link{len(lines), to})
		}
		lines = append(lines, l)
	}
	head := func(text string) { add(fixed(Strong, text), flow.Ref{}) }
	head("parent")
	if p := v.run.Parent; p != nil {
		add(fixed(Plain, "  "+string(p.ID)), *p)
	} else {
		add(fixed(Dim, "  none: it was started by itself"), flow.Ref{})
	}
	kids := v.detail.Children
	title := "children  none"
	if n := len(kids); n > 0 {
		title = fmt.Sprintf("children  %d", n)
	}
	if v.detail.MoreChildren {
		title += " and more"
	}
	head(title)
	for _, c := range kids {
		to := c.Ref
		if c.Status == 0 {
			to = flow.Ref{}
		}
		add(childLine(c), to)
	}
	v.earlier(head, func(tone Tone, text string) { add(fixed(tone, text), flow.Ref{}) })
	return lines, links
}

func childLine(c flow.Child) docLine {
	return func(look Look, w int) string {
		r := flow.Run{Ref: c.Ref, Status: c.Status}
		state, tone := Letter(r)+" "+Word(r), toneOf(r)
		when, note := look.since(c.CreatedAt), ""
		switch {
		case c.Status == 0:
			state, tone, when = "- gone", Dim, "-"
		case c.ClosedAt != 0:
			when = "took " + Took(c.ClosedAt.Sub(c.CreatedAt))
		}
		if c.Abandoned {
			note = "  outlives it"
		}
		id := FitMiddle(look.clean(string(c.ID)), max(10, min(38, w-58)))
		return Fit("  "+Fit(look.clean(string(c.Step)), 5)+" "+id+" "+look.paint(tone, Fit(state, 11))+" "+
			Fit(when, 11)+" "+look.clean(c.Type)+look.paint(Dim, note), w)
	}
}

// earlier are the runs that had the id before: a new run takes the place of the
// one before, and what is left of that is what it owes and what was audited.
func (v Inspector) earlier(head func(string), add func(Tone, string)) {
	head("earlier runs of the id")
	n := len(v.detail.Past)
	for _, p := range v.detail.Past {
		add(Plain, fmt.Sprintf("  %s  continued as new at %s, %s  %s", p.Run, p.ClosedAt, plural(int(p.Events), "event"), p.Summary))
	}
	for _, t := range v.kin.Owed {
		if t.ID == v.Ref.ID && t.Run != v.Ref.Run {
			n++
			add(Warn, fmt.Sprintf("  %s  owes %s, %d/%d attempts: pane 5", t.Run, orElse(t.Finalizer, "a teardown"), t.Attempts, flow.MaxTeardownAttempts))
		}
	}
	for _, d := range v.kin.Dead {
		if d.ID == v.Ref.ID && d.Run != v.Ref.Run {
			n++
			add(Bad, fmt.Sprintf("  %s  dead letter of %s: pane 6", d.Run, orElse(d.Finalizer, "a teardown")))
		}
	}
	for _, a := range v.kin.Audit {
		if a.Target.ID == v.Ref.ID && a.Target.Run != v.Ref.Run {
			n++
			add(Plain, fmt.Sprintf("  %s  %s by %s at %s, audit %d", a.Target.Run, a.Verb, a.Actor, a.At, a.Number))
		}
	}
	if n == 0 {
		add(Dim, "  none known: a new run takes the place of the one before")
		add(Dim, fmt.Sprintf("  (the audit was searched %d records back)", v.kin.Of))
	}
}

// picked is the link the cursor is on, -1 without any.
func (v Inspector) picked() int {
	for i, l := range v.links {
		if l.ref == v.pick {
			return i
		}
	}
	return min(0, len(v.links)-1)
}

// pressFamily moves among the relatives and opens one; ok is false for keys
// that mean what they mean in any tab.
func (v Inspector) pressFamily(p Press) (_ Inspector, in Intent, ok bool) {
	at := v.picked()
	switch {
	case p.Action == keymap.Open && at < 0:
		return v, Say{"it has no relative to open"}, true
	case p.Action == keymap.Open:
		return v, OpenRun{v.links[at].ref}, true
	case at < 0:
		return v, nil, false
	}
	n, moves := stride(p.Action, v.height)
	if !moves {
		return v, nil, false
	}
	to := max(0, min(at+n, len(v.links)-1))
	v.pick = v.links[to].ref
	line := v.links[to].line
	switch {
	case to == 0:
		v.top = 0
	case line < v.top:
		v.top = line
	case line > v.top+v.height-2:
		v.top = line - v.height + 2
	}
	return v.Sized(v.height), nil, true
}

// pickLine is the line of the cursor, -1 where there is none.
func (v Inspector) pickLine() int {
	if at := v.picked(); v.Tab == TabFamily && at >= 0 {
		return v.links[at].line
	}
	return -1
}
