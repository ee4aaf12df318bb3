package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/flow"
)

type form struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	Inner struct {
		Flag bool `json:"flag"`
	} `json:"inner"`
	List []int `json:"list"`
}

func TestWhatAPersonTypesIsReadStrictly(t *testing.T) {
	tests := map[string]struct {
		in           string
		line, column int // 0: it is fine
		problem      string
	}{
		"a fitting value":               {`{"name":"a","count":1,"inner":{"flag":true}}`, 0, 0, ""},
		"space around it":               {"\n {\"name\":\"a\"}\n\n", 0, 0, ""},
		"an unknown field":              {`{"name":"a","nam":"b"}`, 1, 13, `unknown field "nam"`},
		"an unknown field further down": {"{\n  \"name\": \"a\",\n  \"inner\": {\"flags\": true}\n}", 3, 13, `unknown field "flags"`},
		"a word of another kind":        {"{\n\"count\": \"x\"}", 2, 12, "string where int is needed"},
		"a number with a fraction":      {`{"count":1.5}`, 1, 12, "where int is needed"},
		"nothing":                       {``, 1, 1, "is empty"},
		"only space":                    {"  \n", 1, 1, "is empty"},
		"half a value":                  {`{"name":"a"`, 1, 11, "ends in the middle"},
		"text behind the value":         {`{"name":"a"} x`, 1, 14, "more behind"},
		"a second value":                {`{"name":"a"}{"name":"b"}`, 1, 13, "more behind"},
		"no JSON at all":                {`name=a`, 1, 2, "invalid character"},
		"a line end within a text":      {"{\"name\":\"a\nb\"}", 1, 11, "invalid character"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := decodeStrict[form]("input of w", flow.Payload(tc.in))
			if tc.line == 0 {
				if err != nil {
					t.Errorf("%s: %v", tc.in, err)
				}
				return
			}
			var got *flow.InputError
			if !errors.As(err, &got) || !errors.Is(err, flow.ErrBadInput) {
				t.Fatalf("%q: %v, want an input error", tc.in, err)
			}
			if got.Line != tc.line || got.Column != tc.column || !strings.Contains(got.Problem, tc.problem) {
				t.Errorf("%q: line %d, column %d, %q; want %d, %d, %q", tc.in, got.Line, got.Column, got.Problem,
					tc.line, tc.column, tc.problem)
			}
		})
	}
}

func TestVoidTakesAnyValueButOnlyOne(t *testing.T) {
	for in, fine := range map[string]bool{"null": true, "{}": true, `{"a":1}`: true, "": false, "null null": false, "{": false} {
		if err := decodeStrict[Void]("input", flow.Payload(in)); (err == nil) != fine {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestNumbersAreNeverForcedThroughAFloat(t *testing.T) {
	const big = "9007199254740993"
	type nested struct {
		M map[string][]any
		R json.RawMessage
	}
	v, err := decode[nested](flow.Payload(`{"M":{"a":[` + big + `]},"R":{"n":` + big + `}}`))
	if err != nil || v.M["a"][0] != json.Number(big) || string(v.R) != `{"n":`+big+`}` {
		t.Errorf("%#v, %v", v, err)
	}
	a, err := decode[any](flow.Payload(big))
	if err != nil || a != json.Number(big) {
		t.Errorf("%#v, %v", a, err)
	}
	out, err := encode(v)
	if err != nil || strings.Count(string(out), big) != 2 {
		t.Errorf("written again: %s, %v", out, err)
	}
}

func TestDecodeToleratesWhatATypeLost(t *testing.T) {
	v, err := decode[form](flow.Payload(`{"name":"a","gone":{"x":[1]}}`))
	if err != nil || v.Name != "a" {
		t.Errorf("%+v, %v", v, err)
	}
	type loop struct {
		Next *loop
		Any  any
	}
	if l, err := decode[loop](flow.Payload(`{"Next":{"Any":1}}`)); err != nil || l.Next.Any != json.Number("1") {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestWhatIsRememberedOfLargePayloadsIsBounded(t *testing.T) {
	var s larges
	firsts, lasts := 0, 0
	for i := range 3 * maxLarges {
		first, last := s.add(cargo{typ: "w", kind: "memo", name: fmt.Sprint(i)})
		if first {
			firsts++
		}
		if last {
			lasts++
		}
	}
	if firsts != maxLarges || lasts != 1 || len(s.set) != maxLarges {
		t.Errorf("%d told of, %d of them the last, %d remembered", firsts, lasts, len(s.set))
	}
}
