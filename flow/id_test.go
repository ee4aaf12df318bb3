package flow_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"weft/flow"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("x", flow.MaxName)
	tests := map[string]struct {
		name    string
		problem string // "" when it is taken
	}{
		"a word":                          {"order-42", ""},
		"colons, slashes and percents":    {"a:b/c%2F", ""},
		"a space inside":                  {"a b", ""},
		"other alphabets":                 {"日本語", ""},
		"a mark that combines":            {"a\u0308", ""},
		"an emoji joined of several":      {"👩\u200d🚀", ""},
		"a no-break space inside":         {"a\u00a0b", ""},
		"a replacement character":         {"\ufffd", ""},
		"as long as allowed":              {long, ""},
		"nothing":                         {"", "is empty"},
		"a byte too long":                 {long + "x", "has 201 bytes, at most 200 are allowed"},
		"too long in bytes, not in runes": {strings.Repeat("ä", 101), "has 202 bytes, at most 200 are allowed"},
		"a megabyte":                      {strings.Repeat("x", 1<<20), "has 1048576 bytes, at most 200 are allowed"},
		"invalid UTF-8":                   {"a\xffb", "is not valid UTF-8"},
		"half a rune":                     {"a\xc3", "is not valid UTF-8"},
		"a surrogate":                     {"\xed\xa0\x80", "is not valid UTF-8"},
		"NUL":                             {"\x00", "has a control character at byte 0"},
		"a tab":                           {"a\tb", "has a control character at byte 1"},
		"a newline at the end":            {"a\n", "has a control character at byte 1"},
		"an escape":                       {"a\x1b[31m", "has a control character at byte 1"},
		"delete":                          {"a\x7f", "has a control character at byte 1"},
		"a control character above ASCII": {"ab\u0085", "has a control character at byte 2"},
		"a line separator":                {"a\u2028b", "has a control character at byte 1"},
		"a paragraph separator":           {"a\u2029b", "has a control character at byte 1"},
		"right to left override":          {"a\u202eb", "has a text direction character at byte 1"},
		"left to right isolate":           {"\u2066a", "has a text direction character at byte 0"},
		"pop directional isolate":         {"ab\u2069", "has a text direction character at byte 2"},
		"right to left mark":              {"a\u200fb", "has a text direction character at byte 1"},
		"arabic letter mark":              {"a\u061cb", "has a text direction character at byte 1"},
		"a space before":                  {" a", "begins or ends with a space"},
		"a space behind":                  {"a ", "begins or ends with a space"},
		"only a space":                    {" ", "begins or ends with a space"},
		"a no-break space behind":         {"a\u00a0", "begins or ends with a space"},
		"an ideographic space before":     {"\u3000a", "begins or ends with a space"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			id, err := flow.ParseWorkflowID(tc.name)
			if problem := problemOf(t, err, "workflow id", tc.name); problem != tc.problem {
				t.Errorf("%q: %q, want %q", tc.name, problem, tc.problem)
			}
			if err == nil && string(id) != tc.name {
				t.Errorf("%q became %q", tc.name, id)
			}
			if problem := problemOf(t, flow.CheckName("signal name", tc.name), "signal name", tc.name); problem != tc.problem {
				t.Errorf("as a name %q: %q, want %q", tc.name, problem, tc.problem)
			}
		})
	}
}

// problemOf checks that err is a NameError about value, or nil.
func problemOf(t *testing.T, err error, what, value string) string {
	if err == nil {
		return ""
	}
	var bad *flow.NameError
	if !errors.As(err, &bad) || !errors.Is(err, flow.ErrBadName) || bad.What != what || bad.Value != value {
		t.Fatalf("%q: %v is no NameError about it", value, err)
	}
	return bad.Problem
}

func TestSignalIDs(t *testing.T) {
	most := strings.Repeat("x", flow.MaxSignalID)
	if err := flow.CheckSignalID(most); err != nil {
		t.Errorf("%d bytes: %v", len(most), err)
	}
	for _, id := range []string{"", most + "x", "a\n", "\xff"} {
		if problemOf(t, flow.CheckSignalID(id), "signal id", id) == "" {
			t.Errorf("%q is taken", id)
		}
	}
}

func TestRunIDs(t *testing.T) {
	tests := map[string]struct {
		id    string
		taken bool
	}{
		"a run id":                  {"01ARZ3NDEKTSV4RRFFQ69G5FAV", true},
		"lower case":                {"01arz3ndektsv4rrffq69g5fav", false},
		"a letter left out":         {"01ARZ3NDEKTSV4RRFFQ69G5FAI", false},
		"one character too short":   {"01ARZ3NDEKTSV4RRFFQ69G5FA", false},
		"one character too long":    {"01ARZ3NDEKTSV4RRFFQ69G5FAVV", false},
		"nothing":                   {"", false},
		"a colon":                   {"01ARZ3NDEKTSV4RRFFQ69G5FA:", false},
		"26 bytes, but fewer runes": {"01ARZ3NDEKTSV4RRFFQ69G5Fä", false},
		"a byte that is no rune":    {"01ARZ3NDEKTSV4RRFFQ69G5FA\xff", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			id, err := flow.ParseRunID(tc.id)
			if (err == nil) != tc.taken || tc.taken && string(id) != tc.id || !tc.taken && !errors.Is(err, flow.ErrBadName) {
				t.Errorf("%q: %q, %v; taken is to be %t", tc.id, id, err, tc.taken)
			}
		})
	}
}

func TestRefText(t *testing.T) {
	if got := (flow.Ref{ID: "a/b", Run: "R"}).String(); got != "a/b/R" {
		t.Errorf("a run reads %q", got)
	}
	if got := (flow.Ref{ID: "a"}).String(); got != "a" {
		t.Errorf("a workflow reads %q", got)
	}
}

// FuzzNames: what is taken is safe to show on one line, and what is refused
// says so in valid text of bounded length.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"", "a", "a b", "\xff", "\u202e", strings.Repeat("ä", 120), "a\n", "%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := flow.CheckName("id", s)
		if err != nil {
			if text := err.Error(); !utf8.ValidString(text) || len(text) > 400 {
				t.Errorf("%q is refused with %q", s, text)
			}
			return
		}
		if s == "" || len(s) > flow.MaxName || !utf8.ValidString(s) || strings.TrimSpace(s) != s || strings.ContainsAny(s, "\n\r\t\x00\x1b\u202e\u2066") {
			t.Errorf("%q is taken", s)
		}
	})
}
