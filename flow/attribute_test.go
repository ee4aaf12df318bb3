package flow_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/flow"
)

func TestNewAttribute(t *testing.T) {
	tests := map[string]struct {
		kind       flow.AttributeKind
		text, want string // want "" is a refusal
	}{
		"needless digits go":              {flow.NumberAttribute, "007.500", "7.5"},
		"a large number keeps its digits": {flow.NumberAttribute, "9007199254740993", "9007199254740993"},
		"an exponent is the same number":  {flow.NumberAttribute, "1.25e3", "1250"},
		"a tiny number keeps an exponent": {flow.NumberAttribute, "-0.00000001", "-1e-8"},
		"zero has no sign":                {flow.NumberAttribute, "-0.0", "0"},
		"words are no number":             {flow.NumberAttribute, "ten", ""},
		"a lone point is no number":       {flow.NumberAttribute, "1.", ""},
		"infinity is no number":           {flow.NumberAttribute, "Inf", ""},
		"too many digits are refused":     {flow.NumberAttribute, strings.Repeat("7", 41), ""},
		"too large a number is refused":   {flow.NumberAttribute, "1e1000", ""},
		"a truth":                         {flow.BoolAttribute, "true", "true"},
		"yes is no truth":                 {flow.BoolAttribute, "yes", ""},
		"a time is in UTC":                {flow.TimeAttribute, "2026-11-30T13:00:00+01:00", "2026-11-30T12:00:00.000Z"},
		"a date is its first instant":     {flow.TimeAttribute, "2026-11-30", "2026-11-30T00:00:00.000Z"},
		"noon is no time":                 {flow.TimeAttribute, "noon", ""},
		"a string stays as it is":         {flow.StringAttribute, "007", "007"},
		"control characters are refused":  {flow.StringAttribute, "a\x1bb", ""},
		"a kind that is none is refused":  {"frob", "1", ""},
	}
	for name, tc := range tests {
		a, err := flow.NewAttribute(tc.kind, tc.text)
		if a.Text != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: %q is %q, %v; want %q", name, tc.text, a.Text, err, tc.want)
		}
	}
}

func TestGuessAttribute(t *testing.T) {
	for text, want := range map[string]flow.AttributeKind{"true": flow.BoolAttribute, "12": flow.NumberAttribute,
		"2026-11-30": flow.TimeAttribute, "eu-1": flow.StringAttribute, "string:12": flow.StringAttribute, "a:b": flow.StringAttribute} {
		if a, err := flow.GuessAttribute(text); err != nil || a.Kind != want {
			t.Errorf("%q is a %s, %v; want %s", text, a.Kind, err, want)
		}
	}
	if _, err := flow.GuessAttribute("number:x"); err == nil {
		t.Error("a number that is none was taken")
	}
}

// TestOrderOfNumbers: their texts sort as they do, exactly.
func TestOrderOfNumbers(t *testing.T) {
	number := rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,12})?(e-?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		x, y := number.Draw(t, "x"), number.Draw(t, "y")
		a, err := flow.NewAttribute(flow.NumberAttribute, x)
		if err != nil {
			t.Fatal(err)
		}
		b, err := flow.NewAttribute(flow.NumberAttribute, y)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := new(big.Rat).SetString(x)
		q, _ := new(big.Rat).SetString(y)
		if got, want := strings.Compare(a.Order(), b.Order()), p.Cmp(q); got != want {
			t.Fatalf("%s (%s) and %s (%s): %d, want %d", x, a.Order(), y, b.Order(), got, want)
		}
		if back, ok := new(big.Rat).SetString(a.Text); !ok || back.Cmp(p) != 0 {
			t.Fatalf("%s became %s", x, a.Text)
		}
	})
}

func TestAttributeTestsPass(t *testing.T) {
	number := flow.Attribute{Kind: flow.NumberAttribute, Text: "9"}
	for text, want := range map[string]bool{"n>=9": true, "n>10": false, "n<10": true, "n!=9": false, "n=9.0": true, "n<=8": false, "n=x": false} {
		test, err := flow.ParseAttributeTest(text)
		if err != nil || test.Passes(number) != want || test.String() != text {
			t.Errorf("%s of 9: %t, %v", text, test.Passes(number), err)
		}
	}
	for _, text := range []string{"n", "=1", "a b=1", "@n=1"} {
		if _, err := flow.ParseAttributeTest(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
