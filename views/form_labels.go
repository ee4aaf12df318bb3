package views

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/flow"
)

const (
	labelTags = iota
	labelAttributes
)

// NewLabels is the form that changes the tags and the attributes of r: what is
// taken out of it is removed from the run.
func NewLabels(r flow.Run) Form {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(r.Attributes)) {
		lines = append(lines, name+"="+r.Attributes[name])
	}
	f := Form{title: "Tags, and attributes as NAME=VALUE", about: fmt.Sprintf("of %s  %s", r.ID, kindOf(r)), entries: []entry{
		{label: "tags", kind: lineEntry, field: NewField(strings.Join(r.Tags, ", "), false), note: "commas between"},
		{label: "attrs", kind: jsonEntry, field: NewField(strings.Join(lines, "\n"), true)},
	}}
	f.deeds = func(f Form) ([]flow.Deed, error) {
		tags, err := f.tagDeed(r)
		if err != nil {
			return nil, err
		}
		attributes, err := f.attributeDeed(r)
		if err != nil {
			return nil, err
		}
		all := slices.Concat(tags, attributes)
		if len(all) == 0 {
			return nil, errors.New("nothing is different: change a tag, or an attribute as NAME=VALUE, one on a line")
		}
		return all, nil
	}
	return f
}

// tagDeed is what makes the tags of r those of the form; none when they are.
func (f Form) tagDeed(r flow.Run) ([]flow.Deed, error) {
	var want []string
	for _, tag := range strings.Split(f.entries[labelTags].text(), ",") {
		if tag = strings.TrimSpace(tag); tag == "" {
			continue
		}
		if err := flow.CheckTag(tag); err != nil {
			return nil, err
		}
		want = append(want, tag)
	}
	lacks := func(tags []string) func(string) bool {
		return func(tag string) bool { return slices.Contains(tags, tag) }
	}
	d := flow.TagRun{Target: r.Ref, Add: slices.DeleteFunc(slices.Clone(want), lacks(r.Tags)),
		Remove: slices.DeleteFunc(slices.Clone(r.Tags), lacks(want))}
	if len(d.Add)+len(d.Remove) == 0 {
		return nil, nil
	}
	return []flow.Deed{d}, nil
}

// attributeDeed is what makes the attributes of r those of the form; none when they
// are. A value that was not touched keeps its kind.
func (f Form) attributeDeed(r flow.Run) ([]flow.Deed, error) {
	d := flow.SetAttributes{Target: r.Ref, Set: map[string]flow.Attribute{}}
	there := map[string]bool{}
	for i, line := range strings.Split(f.entries[labelAttributes].text(), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch err := flow.CheckAttributeName(name); {
		case !ok:
			return nil, fmt.Errorf("line %d of the attributes, %q, is not NAME=VALUE", i+1, line)
		case err != nil:
			return nil, err
		case there[name]:
			return nil, fmt.Errorf("attribute %s is there twice: leave one of them", name)
		}
		there[name] = true
		if is, known := r.Attributes[name]; known && is == value {
			continue
		}
		a, err := flow.GuessAttribute(value)
		if err != nil {
			return nil, err
		}
		d.Set[name] = a
	}
	for _, name := range slices.Sorted(maps.Keys(r.Attributes)) {
		if !there[name] {
			d.Remove = append(d.Remove, name)
		}
	}
	if len(d.Set)+len(d.Remove) == 0 {
		return nil, nil
	}
	return []flow.Deed{d}, nil
}
