package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/flow"
)

// labelVerbs are the verbs that change what a run is found by.
func (p *program) labelVerbs() []*cobra.Command {
	return []*cobra.Command{
		p.labelCommand("tag ID [TAG ...]", "Add tags to a run, or remove some; also when it has ended", "tag",
			func(ref flow.Ref, add, remove []string) (flow.Deed, error) { return tagDeed(ref, add, remove) }),
		p.labelCommand("attr ID [NAME=VALUE ...]", "Set attributes of a run, or remove some; also when it has ended", "name",
			func(ref flow.Ref, set, remove []string) (flow.Deed, error) { return attributeDeed(ref, set, remove) }),
	}
}

func (p *program) labelCommand(use, short, what string, deed func(flow.Ref, []string, []string) (flow.Deed, error)) *cobra.Command {
	var run, reason string
	var remove []string
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("%s: ID is missing", cmd.Name())
			case len(args) == 1 && len(remove) == 0:
				return usage("%s: nothing to add, and no --remove", cmd.Name())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := target(args[0], run)
			if err != nil {
				return err
			}
			d, err := deed(ref, args[1:], remove)
			if err != nil {
				return &usageError{err}
			}
			return p.do(cmd.Context(), reason, d, out)
		},
	}
	cmd.Flags().StringSliceVar(&remove, "remove", nil, "remove these `"+what+"s`, with commas between; may be repeated")
	runFlag(cmd, &run)
	actFlags(cmd, &reason, &out)
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
