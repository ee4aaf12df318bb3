package views

import (
	"fmt"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// Many is an act on several runs, frozen by a preview.
type Many struct {
	Of keymap.Action
	// Verb is the word of the act, What names what it is done to in the plural.
	Verb, What string
	Preview    flow.Preview
	// Chosen are how many were marked, -1 for all that Filter chooses; Hidden
	// of them are not in the list.
	Chosen, Hidden int
	Filter         string
	At             flow.Instant
	// Each, when set, is done one by one instead of by the token.
	Each []flow.Deed
}

// manyText says what happens to each.
var manyText = map[string]string{
	"cancel":  "Each is committed at once; running steps get an abort; recorded teardowns become owed. No resume.",
	"suspend": "Each stops until somebody resumes it.",
	"resume":  "Each goes on where it was suspended.",
	"purge":   "The runs and everything recorded of them are removed, but dead letters and the audit. No undo.",
	"restart": "The ended runs and their journals are removed; new runs begin under the same ids with the same types and inputs. No undo.",
	"redrive": "Each teardown becomes owed again with all its attempts. Letters without recorded input are reported and stay.",
	"discard": "Their clean-up will never run. No undo. What was recorded goes into the audit.",
	"retry":   "Each becomes due now; attempts stay counted; a fresh attempt is left alone and reported.",
}

// sampleLines is how many targets a dialog names.
const sampleLines = 6

// Confirm is the dialog before an act on many. It says how many there are,
// names some, those first that are not seen, and wants words typed.
func (m Many) Confirm() Confirm {
	n := m.Preview.Count
	c := Confirm{Of: m.Of, title: fmt.Sprintf("%s %s   counted %s", capital(m.Verb), plural(int(n), strings.TrimSuffix(m.What, "s")), clock(m.At)),
		verb: m.Verb + " " + fmt.Sprint(n), phrase: m.Verb + " " + fmt.Sprint(n)}
	c.act = Perform{Deed: flow.BulkAct{Token: m.Preview.Token}, Each: m.Each}
	about := fmt.Sprintf("%d marked, %d hidden, frozen now", m.Chosen, m.Hidden)
	if m.Chosen < 0 {
		about = "all of the list, frozen now"
		if m.Filter != "" {
			about = fmt.Sprintf("all in the filter /%s, frozen now", m.Filter)
		}
	}
	c.about = []string{about}
	if left := int64(m.Chosen) - n; m.Chosen >= 0 && left > 0 {
		c.about = append(c.about, fmt.Sprintf("%d of them are left out: they have changed or cannot be %s", left, past(m.Verb)))
	}
	for i, r := range m.Preview.Sample {
		if i == sampleLines {
			break
		}
		line := "  " + FitMiddle(Clean(string(r.ID)), 40) + "  " + r.Type
		if r.Status.Valid() {
			line += "  " + Word(r)
		}
		c.text = append(c.text, line)
	}
	if more := n - int64(min(len(m.Preview.Sample), sampleLines)); more > 0 {
		c.text = append(c.text, fmt.Sprintf("  and %d more", more))
	}
	c.text = append(c.text, "", manyText[m.Verb])
	if n == 0 {
		c.off = "none of them can be " + past(m.Verb) + " now"
	}
	return c
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// past is the participle of a verb.
func past(verb string) string {
	switch verb {
	case "cancel":
		return "cancelled"
	case "retry":
		return "retried"
	case "suspend", "restart", "discard":
		return verb + "ed"
	}
	return verb + "d"
}

// NewMarkAll is the question before more than a screen is marked.
func NewMarkAll(n int64, filter string) Question {
	text := fmt.Sprintf("mark all %d", n)
	if filter != "" {
		text += " that match /" + filter
	}
	return Question{Of: keymap.MarkAll, text: text + "?", yes: MarkEverything{}}
}
