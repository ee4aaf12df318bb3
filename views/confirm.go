package views

import (
	"slices"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// Confirm is the dialog before an act that cannot be undone. What it would act
// on is frozen when it opens; what it says of that may be replaced, see
// [Confirm.Became].
//
// Nothing is accepted by enter where y accepts, and nothing by a letter where
// text is typed.
type Confirm struct {
	// Of is the act, Target the one run it is about; zero for many.
	Of     keymap.Action
	Target flow.Ref

	title string
	about []string // what it is about; the first line is an id in full
	text  []string // what happens
	verb  string   // on the button: "cancel it"
	// phrase must be typed before the act is done; "" asks for y only.
	phrase string
	// off says why it cannot be accepted; "" when it can.
	off string
	// known: the run was read, and was what status says. changed: it became
	// something else while the dialog was open.
	known, changed bool
	status         flow.Status
	act            Perform

	typed, reason Field
	past          []string // reasons given before, the latest first
	pick          int
	onReason      bool
	top           int
}

// Recalling gives the dialog the reasons that were given before.
func (c Confirm) Recalling(past []string) Confirm {
	c.past, c.pick = past, -1
	c.reason, c.typed = NewField("", false), NewField("", false)
	return c
}

// Became is the dialog with a new truth about the same target. What was typed
// stays; ok is false when nothing is different.
func (c Confirm) Became(fresh Confirm) (_ Confirm, ok bool) {
	if c.off == fresh.off && slices.Equal(c.about, fresh.about) && slices.Equal(c.text, fresh.text) {
		return c, false
	}
	fresh.past, fresh.pick, fresh.reason, fresh.typed = c.past, c.pick, c.reason, c.typed
	fresh.onReason = c.onReason
	// What was merely not read yet has not changed.
	fresh.changed = c.changed || c.known || c.status.Valid() && c.status != fresh.status
	return fresh, true
}

// Why is the reason typed so far.
func (c Confirm) Why() string { return strings.TrimSpace(c.reason.Text()) }

// Place implements [Modal].
func (c Confirm) Place() keymap.Place {
	switch {
	case c.onReason:
		return keymap.Reason
	case c.phrase != "":
		return keymap.Phrase
	}
	return keymap.Confirming
}

// Press applies one key or a paste.
func (c Confirm) Press(p Press) (Modal, Intent) {
	switch {
	case c.onReason:
		return c.pressReason(p), nil
	case p.Action == keymap.Stay, p.Action == keymap.Back:
		return c, CloseModal{}
	case p.Action == keymap.NextField:
		c.onReason = true
	case p.Action == keymap.Up, p.Action == keymap.LineUp:
		c.top = max(0, c.top-1)
	case p.Action == keymap.Down, p.Action == keymap.LineDown:
		c.top++
	case p.Action == keymap.Accept, p.Action == keymap.Submit:
		return c.accept()
	case c.phrase != "":
		c.typed, _ = c.typed.Press(p)
	}
	return c, nil
}

// accept asks for the act, unless it is off or the words are not right.
func (c Confirm) accept() (Modal, Intent) {
	switch {
	case c.off != "":
		return c, Say{c.off}
	case !c.matches():
		return c, Say{"nothing was done: type " + c.phrase}
	}
	c.act.Why = c.Why()
	return c, c.act
}

// Ready reports whether the key that accepts would do the act.
func (c Confirm) Ready() bool { return c.off == "" && c.matches() }

func (c Confirm) matches() bool {
	return c.phrase == "" || strings.TrimSpace(c.typed.Text()) == c.phrase
}

// pressReason edits the reason; up and down bring earlier ones.
func (c Confirm) pressReason(p Press) Confirm {
	switch p.Action {
	case keymap.NextField, keymap.Back:
		c.onReason = false
	case keymap.LineUp:
		c = c.recall(c.pick + 1)
	case keymap.LineDown:
		c = c.recall(c.pick - 1)
	default:
		c.reason, _ = c.reason.Press(p)
	}
	return c
}

func (c Confirm) recall(i int) Confirm {
	switch {
	case i >= len(c.past):
		return c
	case i < 0:
		c.pick, c.reason = -1, NewField("", false)
		return c
	}
	c.pick, c.reason = i, NewField(c.past[i], false)
	return c
}

// Question is asked in the footer, for acts that may safely happen twice.
type Question struct {
	Of     keymap.Action
	Target flow.Ref
	text   string
	off    string
	yes    Intent
}

// Place implements [Modal].
func (Question) Place() keymap.Place { return keymap.Asking }

// Became is the question with a new truth; ok is false when nothing differs.
func (q Question) Became(fresh Question) (_ Question, ok bool) {
	return fresh, q.text != fresh.text || q.off != fresh.off
}

// Press applies one key.
func (q Question) Press(p Press) (Modal, Intent) {
	switch p.Action {
	case keymap.Accept:
		if q.off != "" {
			return q, Say{q.off}
		}
		return q, q.yes
	case keymap.Stay:
		return q, CloseModal{}
	}
	return q, nil
}

// Draw implements [Modal]: nothing lies over the panes.
func (Question) Draw(Look, int, int) []string { return nil }

// line is the question in the footer. What is asked is cut before the answers.
func (q Question) line(look Look, w int) string {
	text := look.clean(orElse(q.off, q.text))
	stay := look.key(keymap.Asking, keymap.Stay, "n")
	answers := look.key(keymap.Asking, keymap.Accept, "y") + " / " + stay
	painted := look.paint(Strong, look.key(keymap.Asking, keymap.Accept, "y")) + " / " + look.paint(Strong, stay)
	if q.off != "" {
		answers, painted = stay+" close", look.paint(Strong, stay)+" close"
	}
	room := max(0, w-max(12, width(answers)+2))
	return Fit(look.paint(Warn, strings.TrimRight(Fit(text, min(width(text), room)), " "))+"  "+painted, w)
}
