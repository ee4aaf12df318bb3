package flow

import (
	"strings"
	"time"
)

// Limits on what a run can be found by.
const (
	// MaxTags is the most tags of a run, MaxTag the most bytes of one.
	MaxTags = 32
	MaxTag  = 128
	// MaxAttributes is the most attributes of a run, MaxAttributeName and
	// MaxAttributeText the most bytes of a name and of a string.
	MaxAttributes    = 32
	MaxAttributeName = 64
	MaxAttributeText = 256
)

// AttributeKind is what an attribute's value is.
type AttributeKind string

const (
	// The kinds of attributes. Text of a time is RFC 3339.
	StringAttribute AttributeKind = "string"
	NumberAttribute AttributeKind = "number"
	BoolAttribute   AttributeKind = "bool"
	TimeAttribute   AttributeKind = "time"
)

// Attribute is a value that runs are found and sorted by. Text is its one form:
// a number has no needless digits, a time is in UTC with milliseconds. Make one
// with [NewAttribute].
type Attribute struct {
	Kind AttributeKind `json:"kind" cbor:"1,keyasint"`
	Text string        `json:"text" cbor:"2,keyasint"`
}

// NewAttribute reads text as a value of the kind, or fails with a [*NameError]
// or a [*LimitError].
func NewAttribute(kind AttributeKind, text string) (Attribute, error) {
	a := Attribute{Kind: kind, Text: text}
	wrong := func(problem string) (Attribute, error) {
		return Attribute{}, &NameError{What: string(kind) + " attribute", Value: text, Problem: problem}
	}
	switch kind {
	case StringAttribute:
		if len(text) > MaxAttributeText {
			return Attribute{}, &LimitError{Limit: "bytes of an attribute", Got: len(text), Max: MaxAttributeText}
		}
		if text == "" {
			return a, nil
		}
		if err := checkText("string attribute", text, MaxAttributeText); err != nil {
			return Attribute{}, err
		}
	case NumberAttribute:
		d, problem := parseDecimal(text)
		if problem != "" {
			return wrong(problem)
		}
		a.Text = d.text()
	case BoolAttribute:
		if text != "true" && text != "false" {
			return wrong("is neither true nor false")
		}
	case TimeAttribute:
		at, err := parseTime(text)
		if err != nil {
			return wrong("is no time such as 2026-11-30T12:00:00Z, nor a date")
		}
		a.Text = InstantOf(at).String()
	default:
		return Attribute{}, &NameError{What: "kind of attribute", Value: string(kind), Problem: "is none of string, number, bool, time"}
	}
	return a, nil
}

func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil && at.Year() >= 1970 {
			return at, nil
		}
	}
	return time.Time{}, ErrBadName
}

// GuessAttribute reads what a person typed: true and false, a number, a time or
// a date, otherwise a string. "string:", "number:", "bool:" or "time:" before it
// says which is meant.
func GuessAttribute(text string) (Attribute, error) {
	if kind, rest, ok := strings.Cut(text, ":"); ok {
		switch AttributeKind(kind) {
		case StringAttribute, NumberAttribute, BoolAttribute, TimeAttribute:
			return NewAttribute(AttributeKind(kind), rest)
		}
	}
	for _, kind := range []AttributeKind{BoolAttribute, NumberAttribute, TimeAttribute} {
		if a, err := NewAttribute(kind, text); err == nil {
			return a, nil
		}
	}
	return NewAttribute(StringAttribute, text)
}

// CheckAttributeName checks the name of an attribute: as [CheckName], with fewer
// bytes, and without what the language of filters uses.
func CheckAttributeName(s string) error {
	if err := checkText("attribute name", s, MaxAttributeName); err != nil {
		return err
	}
	if strings.ContainsAny(s, "=<>!@ ") {
		return &NameError{What: "attribute name", Value: s, Problem: "contains one of = < > ! @ or a space"}
	}
	return nil
}

// CheckTag checks a tag.
func CheckTag(s string) error {
	if len(s) > MaxTag {
		return &LimitError{Limit: "bytes of a tag", Got: len(s), Max: MaxTag}
	}
	return CheckName("tag", s)
}

// Order is a text that sorts as the values of one kind do: strings by their
// bytes, false before true.
func (a Attribute) Order() string {
	if a.Kind != NumberAttribute {
		return a.Text
	}
	d, _ := parseDecimal(a.Text)
	return d.order()
}
