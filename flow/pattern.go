package flow

import (
	"regexp"
	"regexp/syntax"
	"slices"
)

// Patterns are the compiled patterns of a filter. The zero Patterns let all
// texts through.
type Patterns struct{ match, not *regexp.Regexp }

// Patterns compiles Match and Not. A pattern that cannot be read is a
// [*InputError] that says where.
func (f Filter) Patterns() (p Patterns, err error) {
	if p.match, err = compiled("match", f.Match); err != nil {
		return p, err
	}
	p.not, err = compiled("not", f.Not)
	return p, err
}

func compiled(what, pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil
	}
	re, err := regexp.Compile(pattern)
	if err == nil {
		return re, nil
	}
	problem := err.Error()
	if bad, ok := err.(*syntax.Error); ok {
		problem = bad.Code.String() + " at " + bad.Expr
	}
	return nil, &InputError{What: "pattern of " + what, Problem: problem}
}

// Any reports whether there is a pattern at all.
func (p Patterns) Any() bool { return p.match != nil || p.not != nil }

// Let reports whether one of the texts matches and none does that must not.
func (p Patterns) Let(texts ...string) bool {
	return (p.match == nil || slices.ContainsFunc(texts, p.match.MatchString)) &&
		(p.not == nil || !slices.ContainsFunc(texts, p.not.MatchString))
}
