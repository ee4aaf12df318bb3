package keymap

import (
	"fmt"
	"slices"
	"strings"
)

// Change gives an action other keys.
type Change struct {
	// Everyplace changes the action in every place that has it; else only in
	// Place.
	Everyplace bool
	Place      Place
	Action     Action
	// Keys replace all keys of the action; none leaves it to the palette and the
	// command line.
	Keys []string
}

// ChangeError is a change that cannot be made.
type ChangeError struct {
	// At is the index of the change.
	At int
	// Problem is what is wrong and what to do.
	Problem string
}

func (e *ChangeError) Error() string { return e.Problem }

// steady are the actions whose keys stay: the way out that must work whatever
// else is wrong, and digits that say which pane they mean.
var steady = []Action{Interrupt, GoPane}

// waysOut cannot lose their last key: nobody may be locked into a place.
var waysOut = []Action{Back, Stay, Quit, Keep, Submit, Accept, Abandon}

// Rebound is the table with changes, the later ones over the earlier. A place in
// which a key would mean two things is a fault of the last change that made it
// so. When there are faults the Map is the table without changes.
func Rebound(changes []Change) (Map, []*ChangeError) {
	m := Map{rows: map[Place][]Binding{}}
	for _, p := range Places() {
		m.rows[p] = slices.Clone(table[p])
	}
	by := map[Place]map[Action]int{} // the change that gave an action its keys
	var bad []*ChangeError
	for i, c := range changes {
		if problem := m.change(c, i, by); problem != "" {
			bad = append(bad, &ChangeError{i, problem})
		}
	}
	bad = append(bad, m.collisions(by)...)
	if bad = append(bad, m.hasty(by)...); len(bad) > 0 {
		return Map{}, bad
	}
	return m, nil
}

// change makes one change, or says why not.
func (m Map) change(c Change, n int, by map[Place]map[Action]int) string {
	if slices.Contains(steady, c.Action) {
		return fmt.Sprintf("the keys of %s cannot be changed", c.Action)
	}
	keys, problem := spelled(c)
	if problem != "" {
		return problem
	}
	places := []Place{c.Place}
	if c.Everyplace {
		places = Places()
	}
	found := false
	for _, p := range places {
		i := slices.IndexFunc(m.rows[p], func(b Binding) bool { return b.Action == c.Action })
		if i < 0 {
			continue
		}
		found = true
		if problem := unfit(p, c.Action, keys); problem != "" {
			return problem
		}
		b := &m.rows[p][i]
		if !slices.Equal(b.Keys, keys) {
			b.Keys, b.Label = keys, strings.Join(keys, " ")
		}
		if by[p] == nil {
			by[p] = map[Action]int{}
		}
		by[p][c.Action] = n
	}
	if !found {
		return fmt.Sprintf("%s has no action %s", c.Place.Word(), c.Action)
	}
	return ""
}

func spelled(c Change) (keys []string, problem string) {
	for _, k := range c.Keys {
		key, err := Spell(k)
		if err != nil {
			return nil, err.Error()
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 && slices.Contains(waysOut, c.Action) {
		return nil, fmt.Sprintf("%s needs a key: nobody could leave without it", c.Action)
	}
	return keys, ""
}

// unfit says why keys cannot mean a in p.
func unfit(p Place, a Action, keys []string) string {
	for _, k := range keys {
		switch {
		case k == "ctrl+c":
			return "ctrl+c leaves, everywhere: take another key"
		case p.OwnsText() && printable(k):
			return fmt.Sprintf("%s is text in the %s: take a key with ctrl or alt, or a named one", k, p)
		case (a == Accept || a == Drain || a == Abandon) && (k == "enter" || k == "esc" || k == "space"):
			return k + " never accepts: it would do it by habit"
		case slices.Contains(deleting, k) && !p.OwnsText():
			return k + " is for text only: nothing outside a text field is done by it"
		}
	}
	return ""
}

// asking are the actions that ask, answers what does what was asked, and where.
var (
	asking  = []Action{Cancel, Retry, Discard, Again, Purge, ForceTimeout, Pause, MarkAll, Quit}
	answers = map[Place][]Action{Asking: {Accept}, Confirming: {Accept}, Quitting: {Drain, Abandon}, Draining: {Abandon}}
)

// hasty finds keys that both ask and answer: pressed twice by a slip, or held,
// they would do what nobody read.
func (m Map) hasty(by map[Place]map[Action]int) []*ChangeError {
	asks := map[string]Action{}
	last := map[string]int{}
	for _, p := range Places() {
		for _, b := range m.own(p) {
			if !slices.Contains(asking, b.Action) || p.alone() && p != Everywhere {
				continue
			}
			for _, k := range b.Keys {
				asks[k], last[k] = b.Action, max(last[k], by[p][b.Action])
			}
		}
	}
	var bad []*ChangeError
	for _, p := range Places() {
		for _, b := range m.own(p) {
			for _, k := range b.Keys {
				if a, ok := asks[k]; ok && slices.Contains(answers[p], b.Action) {
					bad = append(bad, &ChangeError{max(last[k], by[p][b.Action]),
						fmt.Sprintf("%s would both ask, as %s, and answer, as %s in the place %s: give one of them another key", k, a, b.Action, p.Word())})
				}
			}
		}
	}
	return bad
}

// deleting are the keys that people press to correct what they typed.
var deleting = []string{"backspace", "delete"}

// collisions finds keys with two meanings in one place.
func (m Map) collisions(by map[Place]map[Action]int) []*ChangeError {
	blame := func(p Place, a Action) int {
		if n, ok := by[p][a]; ok {
			return n
		}
		if n, ok := by[Everywhere][a]; ok && !p.alone() {
			return n
		}
		return -1
	}
	var bad []*ChangeError
	told := map[string]bool{}
	for _, p := range Places() {
		seen := map[string]Action{}
		for _, b := range m.At(p) {
			for _, k := range b.Keys {
				other, twice := seen[k]
				seen[k] = b.Action
				at := max(blame(p, b.Action), blame(p, other))
				problem := fmt.Sprintf("in the place %s %s would mean both %s and %s: give one of them another key", p.Word(), k, other, b.Action)
				if same := fmt.Sprint(k, at); twice && !told[same] {
					told[same] = true
					bad = append(bad, &ChangeError{max(at, 0), problem})
				}
			}
		}
	}
	return bad
}
