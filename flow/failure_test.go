package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/flow"
)

// declared is an error an author declares by code.
type declared string

func (d declared) Error() string       { return string(d) }
func (d declared) FailureCode() string { return string(d) }

func TestFailureIs(t *testing.T) {
	inner := &flow.Failure{Code: "disk", Message: "disk full"}
	outer := &flow.Failure{Code: "no-stock", Message: "none left", Cause: inner}
	tests := map[string]struct {
		err, target error
		want        bool
	}{
		"its own code":                   {outer, declared("no-stock"), true},
		"the code of its cause":          {outer, declared("disk"), true},
		"another code":                   {outer, declared("late"), false},
		"another failure of the code":    {outer, &flow.Failure{Code: "no-stock", Message: "other"}, true},
		"no code is no identity":         {&flow.Failure{Message: "x"}, &flow.Failure{Message: "x"}, false},
		"no code is not the empty code":  {&flow.Failure{Message: "x"}, declared(""), false},
		"an error without a code":        {outer, errors.New("none left"), false},
		"wrapped in the end of a run":    {&flow.EndedError{Status: flow.Failed, Failure: outer}, declared("disk"), true},
		"an end without a failure":       {&flow.EndedError{Status: flow.Cancelled}, declared("disk"), false},
		"wrapped by the program":         {fmt.Errorf("order 7: %w", outer), declared("no-stock"), true},
		"the same failure without codes": {inner.Unwrap(), declared("disk"), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := errors.Is(tc.err, tc.target); got != tc.want {
				t.Errorf("%v is %v: %t, want %t", tc.err, tc.target, got, tc.want)
			}
		})
	}
	var f *flow.Failure
	if !errors.As(fmt.Errorf("x: %w", outer), &f) || f != outer || f.Error() != "none left" {
		t.Errorf("unwrapped to %v", f)
	}
}

func TestErrorTexts(t *testing.T) {
	ref := flow.Ref{ID: "a", Run: "R"}
	at := flow.Instant(1_772_366_400_000)
	many := strings.Split("b c d e f g h i j k l m", " ")
	tests := map[string]struct {
		err  error
		is   error
		want string
	}{
		"a name":              {&flow.NameError{What: "signal name", Value: "a\n", Problem: "is bad"}, flow.ErrBadName, `signal name "a\n" is bad`},
		"a long name is cut":  {&flow.NameError{What: "id", Value: strings.Repeat("ä", 30), Problem: "is bad"}, flow.ErrBadName, `id "` + strings.Repeat("ä", 20) + `…" is bad`},
		"cut inside a rune":   {&flow.NameError{What: "id", Value: "x" + strings.Repeat("ä", 30), Problem: "is bad"}, flow.ErrBadName, `id "x` + strings.Repeat("ä", 19) + `…" is bad`},
		"not found":           {&flow.NotFoundError{What: "workflow", Name: "a"}, flow.ErrNotFound, `there is no workflow "a"`},
		"exists":              {&flow.ExistsError{Ref: ref, Status: flow.Running}, flow.ErrExists, `workflow "a" already exists and is running`},
		"finished":            {&flow.FinishedError{Ref: ref, Status: flow.Failed, At: at}, flow.ErrFinished, `workflow "a" is already failed since 2026-03-01T12:00:00.000Z`},
		"input at a place":    {&flow.InputError{What: "input of order", Line: 2, Column: 7, Problem: "unknown field"}, flow.ErrBadInput, "input of order: line 2, column 7: unknown field"},
		"input somewhere":     {&flow.InputError{What: "input of order", Problem: "empty"}, flow.ErrBadInput, "input of order: empty"},
		"unknown":             {&flow.UnknownError{What: "type", Name: "a"}, flow.ErrUnknown, `type "a" is not known here`},
		"unknown among few":   {&flow.UnknownError{What: "type", Name: "a", Known: many[:2]}, flow.ErrUnknown, `type "a" is not known here; known: b, c`},
		"unknown among many":  {&flow.UnknownError{What: "type", Name: "a", Known: many}, flow.ErrUnknown, `type "a" is not known here; known: b, c, d, e, f, g, h, i, j, k and 2 more`},
		"a limit":             {&flow.LimitError{Limit: "tags", Got: 33, Max: 32}, nil, "tags: 33, at most 32"},
		"an unknown outcome":  {&flow.OutcomeUnknownError{ID: "a", Cause: flow.ErrClosed}, flow.ErrClosed, `outcome unknown, look at workflow "a" to find out: engine closed`},
		"an end by failure":   {&flow.EndedError{Ref: ref, Status: flow.Failed, Reason: "r", Failure: &flow.Failure{Message: "none left"}}, nil, `workflow "a" failed: none left`},
		"an end for a reason": {&flow.EndedError{Ref: ref, Status: flow.Cancelled, Reason: "not needed"}, nil, `workflow "a" cancelled: not needed`},
		"an end":              {&flow.EndedError{Ref: ref, Status: flow.TimedOut}, nil, `workflow "a" timed-out`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.err.Error() != tc.want {
				t.Errorf("says %q\nwant %q", tc.err, tc.want)
			}
			if tc.is != nil && !errors.Is(tc.err, tc.is) {
				t.Errorf("%v is not %v", tc.err, tc.is)
			}
		})
	}
}

func TestTroubleOf(t *testing.T) {
	tests := map[string]struct {
		err    error
		code   string
		advice bool
	}{
		"not found":         {&flow.NotFoundError{What: "workflow", Name: "a"}, "not-found", true},
		"exists":            {&flow.ExistsError{}, "exists", true},
		"finished":          {&flow.FinishedError{}, "finished", false},
		"a bad name":        {&flow.NameError{}, "bad-name", true},
		"bad input":         {&flow.InputError{}, "bad-input", false},
		"an unknown name":   {&flow.UnknownError{}, "unknown-name", false},
		"no lease":          {flow.ErrLeaseNotHeld, "lease-not-held", false},
		"deposed":           {fmt.Errorf("commit: %w", flow.ErrDeposed), "deposed", true},
		"read only":         {flow.ErrReadOnly, "read-only", true},
		"not offered":       {flow.ErrNotOffered, "not-offered", false},
		"closed":            {flow.ErrClosed, "closed", false},
		"a conflict":        {flow.ErrConflict, "conflict", true},
		"the first of two":  {errors.Join(flow.ErrClosed, flow.ErrNotFound), "not-found", true},
		"an unknown result": {&flow.OutcomeUnknownError{Cause: flow.ErrDeposed}, "deposed", true},
		"anything else":     {errors.New("no route"), "error", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := flow.TroubleOf(tc.err)
			if got.Code != tc.code || got.Message != tc.err.Error() || (got.Advice != "") != tc.advice {
				t.Errorf("%v: %+v; want code %s, advice: %t", tc.err, got, tc.code, tc.advice)
			}
		})
	}
}

func TestDigestOf(t *testing.T) {
	parts := func(s ...string) [][]byte {
		var out [][]byte
		for _, p := range s {
			out = append(out, []byte(p))
		}
		return out
	}
	seen := map[flow.Digest][]string{}
	for _, p := range [][]string{{}, {""}, {"", ""}, {"ab", "c"}, {"a", "bc"}, {"abc"}, {"abc", ""}, {"", "abc"}, {"a", "b", "c"},
		{"\x00"}, {"\x00\x00"}, {"\x00", "\x00"}, {"\x00\x00\x00\x00\x00\x00\x00\x01a"}, {"acb"}} {
		d := flow.DigestOf(parts(p...)...)
		if other, taken := seen[d]; taken {
			t.Errorf("%q and %q have the digest %x", p, other, d)
		}
		seen[d] = p
	}
	// Digests are stored: the function never changes.
	for want, p := range map[flow.Digest][]string{0xcbf29ce484222325: {}, 0xd05831623d89685d: {"charge", `{"n":1}`}} {
		if got := flow.DigestOf(parts(p...)...); got != want {
			t.Errorf("digest of %q is %#x, want %#x", p, got, want)
		}
	}
}
