package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// AttributeValue is what an attribute can be: a string, a number ([json.Number]
// is one, too), a truth or an instant.
type AttributeValue interface {
	~string | ~bool | ~int | ~int32 | ~int64 | ~float64 | time.Time
}

// Attribute is something that runs are found and sorted by. It is set at the
// start, by the run's own code, or by an operator, and stays until the run is
// purged.
//
//	var Amount = engine.Attribute[float64]{Name: "amount"}
//	…
//	err := Amount.Set(ctx, 99.5)
type Attribute[T AttributeValue] struct {
	// Name has at most 64 bytes, none of them = < > ! @ or space.
	Name string
}

// AttributeSetting is an attribute with a value, for [StartOptions].
type AttributeSetting struct {
	name  string
	value flow.Attribute
	err   error
}

// Of is the attribute with a value.
func (a Attribute[T]) Of(v T) AttributeSetting {
	s := AttributeSetting{name: a.Name, err: flow.CheckAttributeName(a.Name)}
	if s.err == nil {
		s.value, s.err = attributeOf(v)
	}
	return s
}

// Set gives the run the value. It is no step: the change rides on the run's next
// commit, once, and is not made again when the code runs again, so what an
// operator has changed since stays. Strings have at most 256 bytes, numbers 40
// digits; of more than 32 attributes the later are dropped and reported.
func (a Attribute[T]) Set(ctx *Context, v T) error {
	s := a.Of(v)
	if s.err != nil {
		return fmt.Errorf("attribute %s: %w", a.Name, s.err)
	}
	ctx.life.label(labelChange{name: a.Name, value: &s.value})
	return nil
}

// Clear takes the attribute away from the run; see [Attribute.Set].
func (a Attribute[T]) Clear(ctx *Context) error {
	if err := flow.CheckAttributeName(a.Name); err != nil {
		return err
	}
	ctx.life.label(labelChange{name: a.Name})
	return nil
}

// AddTags gives the run tags, as [Attribute.Set] does attributes; a tag it has
// changes nothing.
func (c *Context) AddTags(tags ...string) error { return c.tag(tags, true) }

// RemoveTags takes tags away from the run.
func (c *Context) RemoveTags(tags ...string) error { return c.tag(tags, false) }

func (c *Context) tag(tags []string, add bool) error {
	for _, tag := range tags {
		if err := flow.CheckTag(tag); err != nil {
			return err
		}
	}
	for _, tag := range tags {
		c.life.label(labelChange{tag: tag, add: add})
	}
	return nil
}

func attributeOf(v any) (flow.Attribute, error) {
	switch v := v.(type) {
	case time.Time:
		return flow.NewAttribute(flow.TimeAttribute, v.UTC().Format(time.RFC3339Nano))
	case json.Number:
		return flow.NewAttribute(flow.NumberAttribute, string(v))
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Bool:
		return flow.NewAttribute(flow.BoolAttribute, strconv.FormatBool(r.Bool()))
	case reflect.String:
		return flow.NewAttribute(flow.StringAttribute, r.String())
	case reflect.Float64:
		return flow.NewAttribute(flow.NumberAttribute, strconv.FormatFloat(r.Float(), 'f', -1, 64))
	default:
		return flow.NewAttribute(flow.NumberAttribute, strconv.FormatInt(r.Int(), 10))
	}
}

// labelChange is one change of a run's tags or attributes: an attribute, removed
// when value is nil, or a tag.
type labelChange struct {
	at    row.LabelMark
	name  string
	value *flow.Attribute
	tag   string
	add   bool
}

// labels are the changes that the code of a life has asked for and that are not
// durable. Guarded by life.mu.
type labels struct {
	seen   row.LabelMark // the last delivered event, and the changes since
	staged []labelChange
	put    int       // how many of staged are in the commit under way
	next   *row.Head // the head in that commit
}

// label stages a change, unless an earlier life's commit had it.
func (l *life) label(c labelChange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.labels.seen.N++
	if c.at = l.labels.seen; l.head.Labelled.Before(c.at) {
		l.labels.staged = append(l.labels.staged, c)
	}
}

// labelled is the head with all staged changes.
func (l *life) labelled() row.Head {
	next := l.head
	for _, c := range l.labels.staged {
		if !next.Labelled.Before(c.at) {
			continue // it is in the head, which was read again since
		}
		if problem := c.change(&next); problem != "" {
			l.eng.problem(fmt.Sprintf("run %s: %s", l.ref, problem), "remove what is not needed, in the code or by hand")
		}
		next.Labelled = c.at
	}
	return next
}

// putLabels adds the staged changes to a commit that leaves the rest of the head
// as it is.
func (l *life) putLabels(b *store.Batch) {
	if len(l.labels.staged) == 0 {
		return
	}
	next := l.labelled()
	l.labels.put, l.labels.next = len(l.labels.staged), &next
	changeHead(b, l.ref.ID, l.head, next)
}

// labelsStored notes that the batch of putLabels is durable.
func (l *life) labelsStored() {
	if l.labels.put == 0 {
		return
	}
	l.head = *l.labels.next
	l.guard.raw = row.EncodeHead(l.head)
	l.labels.staged, l.labels.put, l.labels.next = l.labels.staged[l.labels.put:], 0, nil
}

// change does what c says to a head whose maps and slices others share. A change
// beyond the limit is not done and answered with the reason.
func (c labelChange) change(h *row.Head) string {
	if c.name != "" {
		return changeAttribute(h, c.name, c.value)
	}
	return changeTag(h, c.tag, c.add)
}

func changeAttribute(h *row.Head, name string, value *flow.Attribute) string {
	old, has := h.Attributes[name]
	switch {
	case value == nil && !has, value != nil && has && old == *value:
		return ""
	case value != nil && !has && len(h.Attributes) >= flow.MaxAttributes:
		return fmt.Sprintf("attribute %s dropped: it has %d", name, flow.MaxAttributes)
	}
	h.Attributes = maps.Clone(h.Attributes)
	if value == nil {
		delete(h.Attributes, name)
		return ""
	}
	if h.Attributes == nil {
		h.Attributes = map[string]flow.Attribute{}
	}
	h.Attributes[name] = *value
	return ""
}

func changeTag(h *row.Head, tag string, add bool) string {
	at := slices.Index(h.Tags, tag)
	switch {
	case add == (at >= 0):
		return ""
	case !add:
		h.Tags = slices.Delete(slices.Clone(h.Tags), at, at+1)
	case len(h.Tags) >= flow.MaxTags:
		return fmt.Sprintf("tag %s dropped: it has %d", tag, flow.MaxTags)
	default:
		h.Tags = append(slices.Clone(h.Tags), tag)
	}
	return ""
}

// putLabelRows puts the index rows by which the tags and attributes of next are
// found, and removes those of old. Either may be the zero head.
func putLabelRows(b *store.Batch, id flow.WorkflowID, old, next *row.Head) {
	was, is := old.Labels(id), next.Labels(id)
	if len(was) == 0 && len(is) == 0 {
		return
	}
	keep := map[string]bool{}
	for _, key := range is {
		keep[string(key)] = true
		b.Put(key, []byte(next.Run))
	}
	for _, key := range was {
		if !keep[string(key)] {
			b.Delete(key)
		}
	}
}
