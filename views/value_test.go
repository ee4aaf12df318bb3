package views_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

func TestPrettyKeepsNumbersAndOrder(t *testing.T) {
	in := `{"z":3544790567247868102,"a":1e400,"n":0.10,"big":123456789012345678901234567890,"s":"<&>","dup":1,"dup":2,"l":[]}`
	want := []string{"{", `  "z": 3544790567247868102,`, `  "a": 1e400,`, `  "n": 0.10,`,
		`  "big": 123456789012345678901234567890,`, `  "s": "<&>",`, `  "dup": 1,`, `  "dup": 2,`, `  "l": []`, "}"}
	if diff := cmp.Diff(want, views.Pretty(flow.Payload(in))); diff != "" {
		t.Error(diff)
	}
	if got := views.Brief(flow.Payload("{\n \"a\": 3544790567247868102}")); got != `{"a":3544790567247868102}` {
		t.Errorf("brief %s", got)
	}
	if got := views.Pretty(flow.Payload("no json\nat all")); len(got) != 2 {
		t.Errorf("what is no JSON is shown as %q", got)
	}
	if views.Pretty(nil) != nil || views.Brief(nil) != "none" {
		t.Error("nothing is shown as something")
	}
}

func TestCheckJSON(t *testing.T) {
	tests := map[string]struct {
		text         string
		line, column int // 0 when the text is right
		problem      string
	}{
		"an object":             {"{\"a\": 1}\n", 0, 0, ""},
		"a number":              {" 3544790567247868102 ", 0, 0, ""},
		"nothing":               {"  \n", 0, 0, "is empty"},
		"a comma too much":      {"{\n  \"a\": 1,\n}", 3, 1, "invalid character"},
		"not closed":            {"{\n  \"a\": 1", 2, 9, "unexpected end"},
		"columns in characters": {`{"ü": x}`, 1, 7, "invalid character 'x'"},
		"two values":            {"1\n 2", 2, 2, "something follows"},
		"a bare word":           {"yes", 1, 1, "invalid character 'y'"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := views.CheckJSON("input", tc.text)
			if tc.problem == "" {
				if err != nil {
					t.Errorf("%q is refused: %v", tc.text, err)
				}
				return
			}
			var at *flow.InputError
			if !errors.As(err, &at) || at.Line != tc.line || at.Column != tc.column || !strings.Contains(at.Problem, tc.problem) {
				t.Errorf("%q: %v, want line %d, column %d, %q", tc.text, err, tc.line, tc.column, tc.problem)
			}
		})
	}
}

func TestParseFilter(t *testing.T) {
	tests := map[string]struct {
		text string
		want flow.Filter
		bad  string
	}{
		"nothing":                {"", flow.Filter{}, ""},
		"free text":              {"acme  eu", flow.Filter{Contains: "acme eu"}, ""},
		"all at once":            {"type=order version=v3 id=ord-* tag=eu x", flow.Filter{Type: "order", Version: "v3", IDPrefix: "ord-", Tag: "eu", Contains: "x"}, ""},
		"statuses":               {"status=failed,timed-out", flow.Filter{Statuses: []flow.Status{flow.Failed, flow.TimedOut}}, ""},
		"half a word":            {"type=", flow.Filter{}, "type= wants a value"},
		"unknown word":           {"colour=red", flow.Filter{}, "colour= is not known"},
		"a capital letter":       {"Acme (eu)", flow.Filter{Match: `Acme \(eu\)`}, ""},
		"a pattern":              {`~^ord-\S+$`, flow.Filter{Match: `(?i:^ord-\S+$)`}, ""},
		"its capitals":           {`~Ord x`, flow.Filter{Match: `Ord`, Contains: "x"}, ""},
		"not":                    {"!eu !~b$ !Ab. !", flow.Filter{Not: `(?i:eu)|(?i:b$)|Ab\.`}, ""},
		"ages":                   {"older=7m newer=10m", flow.Filter{CreatedTo: 1_000_000 - 420_000, CreatedFrom: 1_000_000 - 600_000}, ""},
		"bad age":                {"older=7", flow.Filter{}, "older=7: is no age"},
		"bad pattern":            {"~a(b", flow.Filter{}, "missing closing )"},
		"two patterns":           {"~a ~b", flow.Filter{}, "one ~ pattern is enough"},
		"a pattern and capitals": {"~a Bc", flow.Filter{}, "put it into the pattern"},
		"bad status":             {"status=ill", flow.Filter{}, "is none of pending"},
		"attributes":             {"@n>=1 @n!=2 tag=a tag=b", flow.Filter{Tag: "a", Tags: []string{"b"}, Attributes: []flow.AttributeTest{{Name: "n", Op: ">=", Value: "1"}, {Name: "n", Op: "!=", Value: "2"}}}, ""},
		"no condition":           {"@n", flow.Filter{}, "is none such as"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := views.ParseFilter(tc.text, 1_000_000)
			if tc.bad != "" {
				if err == nil || !strings.Contains(err.Error(), tc.bad) {
					t.Errorf("error %v, want %q", err, tc.bad)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestDurationsAndSizes(t *testing.T) {
	for in, want := range map[time.Duration]string{
		-5 * time.Second: "0s", 0: "0s", 59 * time.Second: "59s", 133 * time.Second: "2m13s", 58 * time.Minute: "58m00s",
		3*time.Hour + 12*time.Minute: "3h12m", 50 * time.Hour: "2d02h", 400 * 24 * time.Hour: "400d",
	} {
		if got := views.Age(in); got != want || len(got) > 6 {
			t.Errorf("Age(%v) = %s, want %s", in, got, want)
		}
	}
	for in, want := range map[time.Duration]string{0: "0ms", 400 * time.Millisecond: "400ms", 1100 * time.Millisecond: "1.1s", 42 * time.Second: "42s"} {
		if got := views.Took(in); got != want {
			t.Errorf("Took(%v) = %s, want %s", in, got, want)
		}
	}
	for in, want := range map[int64]string{0: "0 B", 999: "999 B", 1234: "1.2 KB", 2500000: "2.5 MB"} {
		if got := views.Size(in); got != want {
			t.Errorf("Size(%d) = %s, want %s", in, got, want)
		}
	}
	for in, want := range map[int64]string{0: "0", 9999: "9999", 12345: "12k", 2500000: "2.5M"} {
		if got := views.Count(in); got != want {
			t.Errorf("Count(%d) = %s, want %s", in, got, want)
		}
	}
}

func TestFitMiddleKeepsTheTail(t *testing.T) {
	if got := views.FitMiddle("ord-7f3a9c1e-44b0-4a5e-9f0e-2d0c6f5a1b2c", 20); got != "ord-7f3a9c1e..5a1b2c" {
		t.Errorf("got %q", got)
	}
	if got := views.FitMiddle("short", 9); got != "short    " {
		t.Errorf("got %q", got)
	}
}

func TestField(t *testing.T) {
	type step = views.Press
	text := func(s string) step { return step{Text: s} }
	key := func(a keymap.Action) step { return step{Action: a} }
	tests := map[string]struct {
		lines bool
		from  string
		steps []step
		want  string
	}{
		"typing goes to the end":         {false, "ab", []step{text("c")}, "abc"},
		"a line takes line ends as room": {false, "", []step{text("a\r\nb\rc")}, "a b c"},
		"lines keep them":                {true, "", []step{text("a\r\nb\rc")}, "a\nb\nc"},
		"lines begin at their start":     {true, "ab", []step{text("c")}, "cab"},
		"enter splits a line":            {true, "ab", []step{key(keymap.CharRight), key(keymap.Enter)}, "a\nb"},
		"rubout joins lines":             {true, "a\nb", []step{key(keymap.LineDown), key(keymap.Rubout)}, "ab"},
		"delete joins lines":             {true, "a\nb", []step{key(keymap.LineEnd), key(keymap.Delete)}, "ab"},
		"rubout takes whole characters":  {false, "注文", []step{key(keymap.Rubout)}, "注"},
		"a word":                         {false, "one two  ", []step{key(keymap.RubWord)}, "one "},
		"to the start":                   {false, "one two", []step{key(keymap.CharLeft), key(keymap.RubLine)}, "o"},
		"left over the edge":             {true, "a\nb", []step{key(keymap.LineDown), key(keymap.CharLeft), text("x")}, "ax\nb"},
		"right over the edge":            {true, "a\nb", []step{key(keymap.LineEnd), key(keymap.CharRight), text("x")}, "a\nxb"},
		"a shorter line cuts the column": {true, "abc\nd", []step{key(keymap.LineEnd), key(keymap.LineDown), text("x")}, "abc\ndx"},
		"nothing to rub":                 {false, "", []step{key(keymap.Rubout), key(keymap.Delete), key(keymap.RubWord)}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := views.NewField(tc.from, tc.lines)
			for _, s := range tc.steps {
				f, _ = f.Press(s)
			}
			if got := f.Text(); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestFieldsAreValues(t *testing.T) {
	a := views.NewField("abc", false)
	b, _ := a.Press(views.Press{Text: "d"})
	c, _ := a.Press(views.Press{Action: keymap.Rubout})
	if a.Text() != "abc" || b.Text() != "abcd" || c.Text() != "ab" {
		t.Errorf("a %q, b %q, c %q", a.Text(), b.Text(), c.Text())
	}
}

func TestPanesByWordAndDigit(t *testing.T) {
	for _, s := range []string{"running", "2", "types", "0"} {
		if p, err := views.PaneNamed(s); err != nil || p.Title() == "" {
			t.Errorf("%s: %v, %v", s, p, err)
		}
	}
	if _, err := views.PaneNamed("nonsense"); err == nil {
		t.Error("nonsense is a pane")
	}
}
