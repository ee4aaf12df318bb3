package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/flow"
)

// labelVerb is a verb that changes what runs are found by.
type labelVerb struct {
	name, label, short string
	// read checks what is to be added and removed, into a deed of one run and of
	// many.
	read func(ref flow.Ref, add, remove []string, m *many) (flow.Deed, error)
}

func (p *program) labelVerbs() []*cobra.Command {
	return []*cobra.Command{
		p.labelCommand(labelVerb{"tag", "TAG", "Add tags to a run, or remove some; also when it has ended",
			func(ref flow.Ref, add, remove []string, m *many) (flow.Deed, error) {
				d, err := tagDeed(ref, add, remove)
				m.add, m.remove = d.Add, d.Remove
				return d, err
			}}),
		p.labelCommand(labelVerb{"attr", "NAME=VALUE", "Set attributes of a run, or remove some; also when it has ended",
			func(ref flow.Ref, add, remove []string, m *many) (flow.Deed, error) {
				d, err := attributeDeed(ref, add, remove)
				m.set, m.remove = d.Set, d.Remove
				return d, err
			}}),
	}
}

func (p *program) labelCommand(v labelVerb) *cobra.Command {
	var run, reason string
	var remove []string
	var s selection
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   v.name + " ID",
		Short: v.short,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.given(cmd) {
				m, err := s.many(cmd)
				if err != nil {
					return err
				}
				m.reason = reason
				if _, err := v.read(flow.Ref{}, args, remove, &m); err != nil {
					return &usageError{err}
				}
				return p.many(cmd.Context(), m, out)
			}
			ref, err := target(args[0], run)
			if err != nil {
				return err
			}
			d, err := v.read(ref, args[1:], remove, &many{})
			if err != nil {
				return &usageError{err}
			}
			return p.do(cmd.Context(), reason, d, out)
		},
	}
	cmd.Flags().StringSliceVar(&remove, "remove", nil, "remove `these`, with commas between; may be repeated")
	runFlag(cmd, &run)
	actFlags(cmd, &reason, &out)
	s.flags(cmd, []string{"run"})
	cmd.Use = strings.ReplaceAll(cmd.Use, " ID", " ID ["+v.label+" ...]") + " [" + v.label + " ...]"
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		ids := 1
		if s.given(cmd) {
			ids = 0
		}
		switch {
		case len(args) < ids:
			return usage("%s: ID is missing", cmd.Name())
		case len(args) == ids && len(remove) == 0:
			return usage("%s: nothing to add, and no --remove", cmd.Name())
		}
		return nil
	}
	return cmd
}

func tagDeed(ref flow.Ref, add, remove []string) (flow.TagRun, error) {
	for _, tag := range slices.Concat(add, remove) {
		if err := flow.CheckTag(tag); err != nil {
			return flow.TagRun{}, err
		}
	}
	return flow.TagRun{Target: ref, Add: add, Remove: remove}, nil
}

func attributeDeed(ref flow.Ref, set, remove []string) (flow.SetAttributes, error) {
	d := flow.SetAttributes{Target: ref, Remove: remove}
	var err error
	if d.Set, err = attributes(set); err != nil {
		return d, err
	}
	for _, name := range remove {
		if err := flow.CheckAttributeName(name); err != nil {
			return d, err
		}
	}
	return d, nil
}

// attributes reads NAME=VALUE arguments.
func attributes(args []string) (map[string]flow.Attribute, error) {
	var out map[string]flow.Attribute
	for _, arg := range args {
		name, text, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, usage("attribute %q: is not NAME=VALUE", arg)
		}
		if err := flow.CheckAttributeName(name); err != nil {
			return nil, err
		}
		value, err := flow.GuessAttribute(text)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = map[string]flow.Attribute{}
		}
		out[name] = value
	}
	return out, nil
}

// attributeWords are a run's attributes as they are typed.
func attributeWords(r flow.Run) string { return words(r.Attributes) }

// words are names with their values, in order.
func words(values map[string]string) string {
	out := make([]string, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, name+"="+values[name])
	}
	return strings.Join(out, " ")
}
