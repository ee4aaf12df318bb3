package views

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
)

// ParseFilter reads what is typed behind "/": words with a known key narrow by
// it, all other words together are searched for.
func ParseFilter(text string) (flow.Filter, error) {
	var f flow.Filter
	var free []string
	for _, word := range strings.Fields(text) {
		if condition, ok := strings.CutPrefix(word, "@"); ok {
			t, err := flow.ParseAttributeTest(condition)
			if err != nil {
				return f, fmt.Errorf("@%w", err)
			}
			f.Attributes = append(f.Attributes, t)
			continue
		}
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			free = append(free, word)
			continue
		}
		if value == "" {
			return f, fmt.Errorf("%s= wants a value", key)
		}
		if err := narrow(&f, key, value); err != nil {
			return f, err
		}
	}
	f.Contains = strings.Join(free, " ")
	return f, nil
}

func narrow(f *flow.Filter, key, value string) error {
	switch key {
	case "type":
		f.Type = value
	case "version":
		f.Version = value
	case "tag":
		if f.Tag != "" {
			f.Tags = append(f.Tags, value)
		} else {
			f.Tag = value
		}
	case "id":
		f.IDPrefix = strings.TrimSuffix(value, "*")
	case "status":
		return narrowStatus(f, value)
	default:
		return fmt.Errorf("%s= is not known: type= id= status= version= tag= @attribute>=", key)
	}
	return nil
}

func narrowStatus(f *flow.Filter, value string) error {
	for _, name := range strings.Split(value, ",") {
		s, err := flow.ParseStatus(name)
		if err != nil {
			return err
		}
		f.Statuses = append(f.Statuses, s)
	}
	return nil
}

// takes says which words a pane cannot filter by.
func (p Pane) takes(f flow.Filter) error {
	if (p == PaneOwed || p == PaneDead) && (len(f.Statuses) > 0 || f.Version != "" || f.Tag != "" || len(f.Attributes) > 0) {
		return fmt.Errorf("status=, version= and tag= are not for this pane, nor is @: type= id= and free text")
	}
	return nil
}

// within narrows f to what the pane lists at all.
func within(base, f flow.Filter) (flow.Filter, error) {
	f.Held = base.Held
	if len(f.Statuses) == 0 {
		f.Statuses = base.Statuses
		return f, nil
	}
	if len(base.Statuses) == 0 {
		return f, nil
	}
	var both []flow.Status
	for _, s := range f.Statuses {
		if slices.Contains(base.Statuses, s) {
			both = append(both, s)
		}
	}
	if len(both) == 0 {
		return f, fmt.Errorf("status=%s is not in this pane: 2 running, 3 suspended, 4 terminal", f.Statuses[0])
	}
	f.Statuses = both
	return f, nil
}
