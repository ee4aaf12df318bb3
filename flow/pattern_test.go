package flow_test

import (
	"errors"
	"strings"
	"testing"

	"weft/flow"
)

func TestPatterns(t *testing.T) {
	for name, tc := range map[string]struct {
		filter flow.Filter
		texts  []string
		want   bool
	}{
		"no pattern":                         {flow.Filter{}, []string{"a"}, true},
		"one text matches":                   {flow.Filter{Match: "^b.d$"}, []string{"abc", "bcd"}, true},
		"none matches":                       {flow.Filter{Match: "^b$"}, []string{"abc", "bcd"}, false},
		"one that must not":                  {flow.Filter{Not: "(?i)C$"}, []string{"abc", "bcd"}, false},
		"none that must not":                 {flow.Filter{Not: "x"}, []string{"abc", ""}, true},
		"one matches, another is not wanted": {flow.Filter{Match: "a", Not: "b"}, []string{"a", "b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := tc.filter.Patterns()
			if got := p.Let(tc.texts...); err != nil || got != tc.want {
				t.Errorf("%+v lets %q: %t, %v; want %t", tc.filter, tc.texts, got, err, tc.want)
			}
		})
	}
	_, err := flow.Filter{Match: "a(b"}.Patterns()
	if !errors.Is(err, flow.ErrBadInput) || !strings.Contains(err.Error(), "missing closing ) at a(b") {
		t.Errorf("a bad pattern: %v", err)
	}
}
