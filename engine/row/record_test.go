package row_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

var failure = &flow.Failure{Code: "no-stock", Category: flow.Application, Message: "none left", Permanent: true,
	Stack: "main.go:1", Cause: &flow.Failure{Category: flow.System, Message: "disk"}}

// record is one kind of record: an example with every field set, the zero
// value, and the bytes both have in version 1.
type record struct {
	full, zero         any
	fullBytes, noBytes string
	encode             func(any) []byte
	decode             func([]byte) (any, error)
}

func of[T any](full T, fullBytes, noBytes string, encode func(T) []byte, decode func([]byte) (T, error)) record {
	var zero T
	return record{full, zero, fullBytes, noBytes,
		func(v any) []byte { return encode(v.(T)) },
		func(b []byte) (any, error) { return decode(b) }}
}

// records pins what is stored. A change here breaks every store there is.
var records = map[string]record{
	"run head": of(row.Head{Run: "01ARZ3NDEKTSV4RRFFQ69G5FAV", Type: "order", Version: "2", Status: flow.Suspended,
		CreatedAt: 1, StartedAt: 2, ClosedAt: 3, Deadline: 4, Reason: "why", Cause: flow.ByOperator,
		Tags: []string{"eu", "big"}, ChangedAt: 5},
		"01ac01781a303141525a334e44454b5453563452524646513639473546415602656f72646572036132040305010602070308"+
			"0409637768790a686f70657261746f720b82626575636269670c05", "01a40160026004000500",
		row.EncodeHead, row.DecodeHead),
	"ready row": of(row.Ready{Generation: 1 << 40, Last: 7, Recoveries: 2}, "01a3011b000001000000000002070302", "01a10100",
		row.EncodeReady, row.DecodeReady),
	"signal": of(row.Signal{Name: "go", ID: "x", Payload: []byte(`{"n":1}`), At: 9},
		"01a40162676f02617803477b226e223a317d0409", "01a201600400",
		row.EncodeSignal, row.DecodeSignal),
	"run address": of(flow.Ref{ID: "a:b", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
		"01a20163613a6202781a303141525a334e44454b54535634525246465136394735464156", "01a201600260",
		row.EncodeRef, row.DecodeRef),
	"journal entry": of(flow.Event{Seq: 7, Kind: flow.EventStep, At: 1_772_366_400_000, Step: "4.1.2", StepKind: flow.StepActivity,
		Name: "charge", Digest: 1 << 63, StartedAt: 1, Attempt: 3, Output: flow.Payload("9007199254740993"), Failure: failure,
		TimedOut: true, Status: flow.Failed, Reason: "why", Summary: "half way"},
		"01ae0102021b0000019ca9450a000365342e312e3204010566636861726765061b8000000000000000070108030950393030"+
			"373139393235343734303939330aa601686e6f2d73746f636b026b6170706c69636174696f6e03696e6f6e65206c65667404"+
			"f505696d61696e2e676f3a3106a2026673797374656d03646469736b0bf50c050d637768790e6868616c6620776179", "01a201000200",
		row.EncodeEvent, func(b []byte) (flow.Event, error) { return row.DecodeEvent(7, b) }),
	"answer from outside": of(row.Answer{Token: "T", At: 9, Output: []byte("1"), Failure: failure}, "01a4016154020903413104a601686e6f2d73746f636b026b6170706c69636174696f6e03696e6f6e65206c6566740"+
		"4f505696d61696e2e676f3a3106a2026673797374656d03646469736b", "01a201600200",
		row.EncodeAnswer, row.DecodeAnswer),
	"wait": of(row.Wait{Kind: flow.StepSignal, Name: "go", Digest: 2, StartedAt: 3, Due: 4, Timed: true, Attempt: 5,
		LastError: failure, Details: []byte{0, 255}, Summary: "half way", Handlers: 2,
		Later: &row.Later{Token: "T", Handed: true, End: 6, Beat: 7, BeatAt: 8}},
		"01ac01030262676f03020403050406f5070508a601686e6f2d73746f636b026b6170706c69636174696f6e03696e6f6e6520"+
			"6c65667404f505696d61696e2e676f3a3106a2026673797374656d03646469736b094200ff0a6868616c66207761790b020ca501615402f503060407"+
			"0508", "01a201000400",
		row.EncodeWait, row.DecodeWait),
	"audit record": of(flow.Audit{Number: 3, At: 1, Actor: "ana", Why: "stuck", Verb: "resume",
		Target: flow.Ref{ID: "a", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, Text: "resumed"},
		"01a701010263616e610365737475636b0466726573756d6505616106781a303141525a334e44454b54535634525246465136"+
			"3947354641560767726573756d6564", "01a3010002600460",
		row.EncodeAudit, func(b []byte) (flow.Audit, error) { return row.DecodeAudit(3, b) }),
}

func TestRecordBytes(t *testing.T) {
	for name, r := range records {
		t.Run(name, func(t *testing.T) {
			if got := hex.EncodeToString(r.encode(r.full)); got != r.fullBytes {
				t.Errorf("%+v is written as\n%s, want\n%s", r.full, got, r.fullBytes)
			}
			if got := hex.EncodeToString(r.encode(r.zero)); got != r.noBytes {
				t.Errorf("the zero value is written as\n%s, want\n%s", got, r.noBytes)
			}
			stored, err := hex.DecodeString(r.fullBytes)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.decode(stored)
			if d := cmp.Diff(r.full, got); err != nil || d != "" {
				t.Errorf("read back: %v (-want +got):\n%s", err, d)
			}
		})
	}
}

// TestRecordRefused: empty, damaged, truncated and newer are told apart.
func TestRecordRefused(t *testing.T) {
	for name, r := range records {
		full := r.encode(r.full)
		at := func(i int, c byte) []byte { b := append([]byte{}, full...); b[i] = c; return b }
		tests := map[string]struct {
			stored []byte
			want   error
			text   string
		}{
			"nothing":               {nil, store.ErrCorrupt, "empty record"},
			"only a version":        {full[:1], store.ErrCorrupt, "EOF"},
			"the next version":      {at(0, 2), store.ErrNewer, "record version 2, this program knows 1"},
			"a version far ahead":   {at(0, 255), store.ErrNewer, "record version 255"},
			"version 0":             {at(0, 0), store.ErrCorrupt, "record version 0"},
			"a list, not a record":  {[]byte{1, 0x80}, store.ErrCorrupt, ""},
			"bytes behind the end":  {append(at(0, 1), 0), store.ErrCorrupt, "extraneous"},
			"a field given twice":   {[]byte{1, 0xa2, 1, 0x61, 'a', 1, 0x61, 'b'}, store.ErrCorrupt, ""},
			"a number for a record": {[]byte{1, 7}, store.ErrCorrupt, ""},
		}
		for how, tc := range tests {
			t.Run(name+"/"+how, func(t *testing.T) {
				_, err := r.decode(tc.stored)
				if !errors.Is(err, tc.want) || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), tc.text) {
					t.Errorf("%x: %v; want %v that says %q", tc.stored, err, tc.want, tc.text)
				}
			})
		}
		t.Run(name+"/truncated anywhere", func(t *testing.T) {
			for n := range full {
				if _, err := r.decode(full[:n]); !errors.Is(err, store.ErrCorrupt) {
					t.Errorf("%d of %d bytes: %v", n, len(full), err)
				}
			}
		})
	}
}

// TestRecordKeepsWhatItIsGiven: what an activity's error says is not ours to
// choose, yet the record must be readable.
func TestRecordKeepsWhatItIsGiven(t *testing.T) {
	deep := func(n int) *flow.Failure {
		var f *flow.Failure
		for range n {
			f = &flow.Failure{Category: flow.System, Message: "m", Cause: f}
		}
		return f
	}
	tests := map[string]struct{ put, want flow.Event }{
		"a message that is not UTF-8":    {flow.Event{Failure: &flow.Failure{Message: "\xff\x00"}}, flow.Event{Failure: &flow.Failure{Message: "\xff\x00"}}},
		"a name that is not UTF-8":       {flow.Event{Name: "\xc3"}, flow.Event{Name: "\xc3"}},
		"as many causes as are kept":     {flow.Event{Failure: deep(33)}, flow.Event{Failure: deep(33)}},
		"more causes lose the deepest":   {flow.Event{Failure: deep(1000)}, flow.Event{Failure: deep(33)}},
		"an empty output is none":        {flow.Event{Output: flow.Payload{}}, flow.Event{}},
		"a time before 1970":             {flow.Event{At: -1}, flow.Event{At: -1}},
		"a digest with all its bits set": {flow.Event{Digest: ^flow.Digest(0)}, flow.Event{Digest: ^flow.Digest(0)}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := row.DecodeEvent(0, row.EncodeEvent(tc.put))
			if d := cmp.Diff(tc.want, got); err != nil || d != "" {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		})
	}
}

// TestRecordsOwnTheirMemory: a decoded value does not change with the bytes it
// was read from, which a Scan only lends.
func TestRecordsOwnTheirMemory(t *testing.T) {
	for name, r := range records {
		stored := r.encode(r.full)
		got, err := r.decode(stored)
		if err != nil {
			t.Fatal(err)
		}
		for i := range stored {
			stored[i] = 0xee
		}
		if d := cmp.Diff(r.full, got); d != "" {
			t.Errorf("%s changed with its bytes (-want +got):\n%s", name, d)
		}
	}
}

// FuzzRecords reads arbitrary bytes as every record: an error is one of the
// two, and what can be read has one encoding that reads the same again.
func FuzzRecords(f *testing.F) {
	for _, r := range records {
		f.Add(r.encode(r.full))
		f.Add(r.encode(r.zero))
	}
	f.Add([]byte{})
	f.Add([]byte{2})
	f.Add([]byte{1, 0xbf, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, r := range records {
			v, err := r.decode(b)
			if err != nil {
				if errors.Is(err, store.ErrCorrupt) == errors.Is(err, store.ErrNewer) {
					t.Errorf("%s of %x: %v", name, b, err)
				}
				continue
			}
			once := r.encode(v)
			again, err := r.decode(once)
			if err != nil || string(r.encode(again)) != string(once) {
				t.Errorf("%s of %x: %+v is written as %x and read as %+v, %v", name, b, v, once, again, err)
			}
		}
	})
}
