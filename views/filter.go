package views

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"weft/flow"
)

// ParseFilter reads what is typed behind "/" at an instant:
//
//	text        texts that contain it, in any case unless it has a capital letter
//	~pattern    texts that match it (RE2), with the same rule
//	!text       texts that do not contain it; !~pattern that do not match it
//	type= version= tag=  the whole word
//	id=         the beginning
//	status=     one or several states, with commas
//	older= newer=        by age: 90s 30m 12h 7d
//	@name>=             attributes, see [flow.ParseAttributeTest]
func ParseFilter(text string, now flow.Instant) (flow.Filter, error) {
	var f flow.Filter
	var free, not []string
	for _, word := range strings.Fields(text) {
		if condition, ok := strings.CutPrefix(word, "@"); ok {
			t, err := flow.ParseAttributeTest(condition)
			if err != nil {
				return f, fmt.Errorf("@%w", err)
			}
			f.Attributes = append(f.Attributes, t)
			continue
		}
		if rest, ok := strings.CutPrefix(word, "!"); ok {
			if rest != "" { // nothing behind it yet
				not = append(not, pattern(rest))
			}
			continue
		}
		if rest, ok := strings.CutPrefix(word, "~"); ok {
			if f.Match != "" {
				return f, fmt.Errorf("one ~ pattern is enough: a|b looks for either")
			}
			if _, err := (flow.Filter{Match: rest}).Patterns(); err != nil {
				return f, err
			}
			f.Match = anyCase(rest)
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
		if err := narrow(&f, key, value, now); err != nil {
			return f, err
		}
	}
	f.Not = strings.Join(not, "|")
	if err := contain(&f, strings.Join(free, " ")); err != nil {
		return f, err
	}
	_, err := f.Patterns()
	return f, err
}

// Narrowed is a filter with one more word; an earlier one of the same key gives
// way.
func Narrowed(filter, word string) string {
	key, _, _ := strings.Cut(word, "=")
	kept := slices.DeleteFunc(strings.Fields(filter), func(w string) bool { return strings.HasPrefix(w, key+"=") })
	return strings.Join(append(kept, word), " ")
}

// pattern is a word behind ! as a pattern.
func pattern(word string) string {
	if rest, ok := strings.CutPrefix(word, "~"); ok {
		return anyCase(rest)
	}
	return anyCase(regexp.QuoteMeta(word))
}

// anyCase makes a pattern find any case, unless it has a capital letter.
func anyCase(pattern string) string {
	escaped := false
	for _, r := range pattern {
		if unicode.IsUpper(r) && !escaped {
			return pattern
		}
		escaped = r == '\\' && !escaped
	}
	if pattern == "" {
		return ""
	}
	return "(?i:" + pattern + ")"
}

// contain looks for free text. The store finds any case; a capital letter makes
// it a pattern.
func contain(f *flow.Filter, text string) error {
	switch {
	case strings.IndexFunc(text, unicode.IsUpper) < 0:
		f.Contains = text
	case f.Match != "":
		return fmt.Errorf("free text with a capital letter beside a ~ pattern: put it into the pattern")
	default:
		f.Match = regexp.QuoteMeta(text)
	}
	return nil
}

func narrow(f *flow.Filter, key, value string, now flow.Instant) error {
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
	case "older", "newer":
		d, err := age(value)
		if err != nil {
			return fmt.Errorf("%s=%s: %w", key, value, err)
		}
		if key == "older" {
			f.CreatedTo = now.Add(-d)
		} else {
			f.CreatedFrom = now.Add(-d)
		}
	default:
		return fmt.Errorf("%s= is not known: type= id= status= version= tag= older= newer= @attribute>=", key)
	}
	return nil
}

// age reads 90s, 30m, 12h or 7d.
func age(s string) (time.Duration, error) {
	units := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
	unit, ok := units[s[len(s)-1]]
	n, err := strconv.ParseInt(s[:len(s)-1], 10, 32)
	if !ok || err != nil || n < 0 {
		return 0, fmt.Errorf("is no age: 90s 30m 12h 7d")
	}
	return time.Duration(n) * unit, nil
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
		return fmt.Errorf("status=, version= and tag= are not for this pane, nor is @: type= id= older= newer= ~ ! and free text")
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
