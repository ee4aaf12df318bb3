package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// relabel changes tags and attributes of a run for an operator, whatever its
// status: one batch with its audit record, on condition of the head as it was
// read. A life that has the run in memory finds the head changed at its next
// commit, and reads it again.
func (e *Engine) relabel(ctx context.Context, target flow.Ref, deed flow.Deed, a *flow.Audit) (flow.Receipt, error) {
	changes, err := labelChanges(deed)
	if err != nil {
		return flow.Receipt{}, err
	}
	for {
		head, g, err := e.readHead(target.ID)
		if err != nil {
			return flow.Receipt{}, err
		}
		ref := flow.Ref{ID: target.ID, Run: head.Run}
		switch {
		case g.raw == nil:
			return flow.Receipt{}, &flow.NotFoundError{What: "workflow", Name: string(target.ID)}
		case target.Run != "" && target.Run != head.Run:
			return flow.Receipt{}, &flow.NotFoundError{What: "run", Name: target.String()}
		}
		next := head
		var done []string
		for _, c := range changes {
			if problem := c.change(&next); problem != "" {
				return flow.Receipt{}, c.limit()
			}
			done = append(done, c.String())
		}
		if slices.Equal(head.Tags, next.Tags) && sameAttributes(head, next) {
			return flow.Receipt{Ref: ref, Unchanged: true, Text: "had these labels before"}, nil
		}
		next.ChangedAt = flow.InstantOf(e.now())
		a.Target, a.Text = ref, strings.Join(done, " ")
		var b store.Batch
		changeHead(&b, ref.ID, head, next)
		putAudit(&b, a)
		applied, err := e.commitNow(ctx, &g, &b)
		if err != nil {
			return flow.Receipt{}, e.unsure(ref.ID, err)
		}
		if applied {
			e.tell(flow.Notice{Kind: flow.NoticeLabels, Ref: ref, Type: head.Type, Text: a.Text})
			return flow.Receipt{Ref: ref, Audit: a.Number, Text: a.Text}, nil
		}
	}
}

func sameAttributes(a, b row.Head) bool {
	if len(a.Attributes) != len(b.Attributes) {
		return false
	}
	for name, v := range a.Attributes {
		if w, ok := b.Attributes[name]; !ok || v != w {
			return false
		}
	}
	return true
}

// labelChanges are the changes of a deed, checked: removals first, each kind in
// order, so that equal deeds have equal texts.
func labelChanges(deed flow.Deed) (out []labelChange, err error) {
	var bad []error
	switch d := deed.(type) {
	case flow.TagRun:
		for _, tag := range d.Remove {
			out, bad = append(out, labelChange{tag: tag}), append(bad, flow.CheckTag(tag))
		}
		for _, tag := range d.Add {
			out, bad = append(out, labelChange{tag: tag, add: true}), append(bad, flow.CheckTag(tag))
		}
	case flow.SetAttributes:
		for _, name := range d.Remove {
			out, bad = append(out, labelChange{name: name}), append(bad, flow.CheckAttributeName(name))
		}
		for _, name := range slices.Sorted(maps.Keys(d.Set)) {
			v, err := flow.NewAttribute(d.Set[name].Kind, d.Set[name].Text)
			out = append(out, labelChange{name: name, value: &v})
			bad = append(bad, flow.CheckAttributeName(name), err)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("names nothing to add or to remove")
	}
	return out, errors.Join(bad...)
}

// limit is the refusal of a change beyond the limit.
func (c labelChange) limit() error {
	if c.name != "" {
		return &flow.LimitError{Limit: "attributes of a run", Got: flow.MaxAttributes + 1, Max: flow.MaxAttributes}
	}
	return &flow.LimitError{Limit: "tags of a run", Got: flow.MaxTags + 1, Max: flow.MaxTags}
}

// String is the change in the audit.
func (c labelChange) String() string {
	switch {
	case c.name != "" && c.value == nil:
		return "-@" + c.name
	case c.name != "":
		return fmt.Sprintf("@%s=%s", c.name, c.value.Text)
	case c.add:
		return "+" + c.tag
	}
	return "-" + c.tag
}
