package flow_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"weft/flow"
)

func TestInstantJSON(t *testing.T) {
	tests := map[string]struct {
		text string
		want flow.Instant
		back string // what is written again; "" when the text is refused
	}{
		"none":                    {`null`, 0, `null`},
		"milliseconds":            {`"2026-03-01T12:00:00.007Z"`, 1_772_366_400_007, `"2026-03-01T12:00:00.007Z"`},
		"whole seconds":           {`"2026-03-01T12:00:00Z"`, 1_772_366_400_000, `"2026-03-01T12:00:00.000Z"`},
		"nanoseconds are cut":     {`"2026-03-01T12:00:00.007999999Z"`, 1_772_366_400_007, `"2026-03-01T12:00:00.007Z"`},
		"another zone":            {`"2026-03-01T14:00:00+02:00"`, 1_772_366_400_000, `"2026-03-01T12:00:00.000Z"`},
		"before 1970":             {`"1969-12-31T23:59:59.999Z"`, -1, `"1969-12-31T23:59:59.999Z"`},
		"the last year":           {`"9999-12-31T23:59:59.999Z"`, 253_402_300_799_999, `"9999-12-31T23:59:59.999Z"`},
		"the first year":          {`"0000-01-01T00:00:00.000Z"`, -62_167_219_200_000, `"0000-01-01T00:00:00.000Z"`},
		"a year before the first": {`"0000-01-01T00:00:00+00:01"`, 0, ""},
		"a year behind the last":  {`"9999-12-31T23:59:59-00:01"`, 0, ""},
		"a number":                {`1772366400007`, 0, ""},
		"a date":                  {`"2026-03-01"`, 0, ""},
		"without a zone":          {`"2026-03-01T12:00:00"`, 0, ""},
		"the dash people read":    {`"-"`, 0, ""},
		"a thirteenth month":      {`"2026-13-01T12:00:00Z"`, 0, ""},
		"an instant in an object": {`{}`, 0, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := flow.Instant(77)
			err := json.Unmarshal([]byte(tc.text), &got)
			if tc.back == "" {
				if err == nil {
					t.Errorf("%s is taken as %s", tc.text, got)
				}
				return
			}
			if err != nil || got != tc.want {
				t.Fatalf("%s reads %d, %v; want %d", tc.text, got, err, tc.want)
			}
			if back, err := json.Marshal(got); err != nil || string(back) != tc.back {
				t.Errorf("%d is written %s, %v; want %s", got, back, err, tc.back)
			}
		})
	}
}

func TestInstantOfTime(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 7_000_001, time.FixedZone("", 3600))
	tests := map[string]struct{ got, want flow.Instant }{
		"cut to milliseconds":            {flow.InstantOf(at), 1_772_362_800_007},
		"no time is no instant":          {flow.InstantOf(time.Time{}), 0},
		"a timer is never early":         {flow.InstantAfter(at), 1_772_362_800_008},
		"a timer on the millisecond":     {flow.InstantAfter(at.Add(-1)), 1_772_362_800_007},
		"a timer of a far year":          {flow.InstantAfter(time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)), 32_472_144_000_000},
		"moved by a day":                 {flow.Instant(5).Add(24 * time.Hour), 86_400_005},
		"moved by less than is recorded": {flow.Instant(5).Add(time.Microsecond), 5},
		"moved back":                     {flow.Instant(5).Add(-5 * time.Millisecond), 0},
	}
	for name, tc := range tests {
		if tc.got != tc.want {
			t.Errorf("%s: %d, want %d", name, tc.got, tc.want)
		}
	}
	if got := flow.Instant(1_772_362_800_007).Time(); !got.Equal(at.Truncate(time.Millisecond)) || got.Location() != time.UTC {
		t.Errorf("as a time %v", got)
	}
	if !flow.Instant(0).Time().IsZero() || flow.Instant(0).String() != "-" {
		t.Errorf("none is %v and reads %q", flow.Instant(0).Time(), flow.Instant(0))
	}
	if got := flow.Instant(1500).Sub(500); got != time.Second {
		t.Errorf("from 500 to 1500: %v", got)
	}
}

func FuzzInstant(f *testing.F) {
	f.Add([]byte(`"2026-03-01T12:00:00.007Z"`))
	f.Add([]byte(`null`))
	f.Add([]byte(`"0001-01-01T00:00:00Z"`))
	f.Add([]byte(`"0000-01-01T00:00:00+23:59"`))
	f.Add([]byte(`"9999-12-31T23:59:59-23:59"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var i, back flow.Instant
		if i.UnmarshalJSON(text) != nil {
			return
		}
		b, err := i.MarshalJSON()
		if err != nil || back.UnmarshalJSON(b) != nil || back != i {
			t.Errorf("%s reads %d, is written %s, %v, and reads %d", text, i, b, err, back)
		}
	})
}

// TestInstantFarAway: an instant that RFC 3339 cannot write, as a damaged row
// may hold, is written as the nearest that it can.
func TestInstantFarAway(t *testing.T) {
	for i, want := range map[flow.Instant]string{
		math.MaxInt64:           `"9999-12-31T23:59:59.999Z"`,
		253_402_300_800_000:     `"9999-12-31T23:59:59.999Z"`,
		math.MinInt64:           `"0000-01-01T00:00:00.000Z"`,
		-62_167_219_200_000 - 1: `"0000-01-01T00:00:00.000Z"`,
	} {
		if got, err := json.Marshal(i); err != nil || string(got) != want {
			t.Errorf("%d is written %s, %v; want %s", i, got, err, want)
		}
	}
}
