package flow_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/flow"
)

const when = flow.Instant(1_772_366_400_000)

var (
	aRef     = flow.Ref{ID: "order-7", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAV"}
	aFailure = &flow.Failure{Code: "no-stock", Category: flow.Application, Message: "none left", Permanent: true,
		Stack: "main.go:1", Cause: &flow.Failure{Category: flow.System, Message: "disk"}}
	aRun = flow.Run{Ref: aRef, Type: "order", Version: "3", Status: flow.Suspended, Waiting: "resume", Step: "4.1.2", Due: when + 1, StartAt: when + 7,
		CreatedAt: when + 2, StartedAt: when + 3, UpdatedAt: when + 4, ClosedAt: when + 5, Deadline: when + 6, Failure: aFailure,
		Reason: "operator", Held: true, HeldBecause: "version 3 is not registered", Summary: "half way", Tags: []string{"eu"},
		Attributes: map[string]string{"region": "eu-1"}, Parent: &flow.Ref{ID: "parent", Run: aRef.Run}, Generation: 3, First: aRef.Run, Events: 9, Signals: 2}
	aStep = flow.Step{Path: "4", Kind: flow.StepActivity, Name: "charge", Attempt: 2, MaxAttempts: 3, State: flow.StepRetrying,
		StartedAt: when, EndedAt: when + 1, Due: when + 2, Token: "dG9rZW4", Error: aFailure, Output: flow.Payload("9007199254740993")}
	aCount = flow.Counts{Pending: 1, Running: 2, Suspended: 3, Completed: 4, Failed: 5, Cancelled: 6, TimedOut: 7, Owed: 8, Dead: 9}
	aLease = flow.Lease{State: flow.LeaseHeld, Holder: "host/1", Mine: true, Epoch: 41, Lost: 40, ExpiresAt: when, RenewedAt: when + 1,
		History: []flow.Tenure{{Epoch: 40, Holder: "host/2", Since: when, Until: when + 1, Ended: "released"}}}
	aTeardown = flow.Teardown{Ref: aRef, Type: "order", Finalizer: "destroy-vm", State: "owed", Attempts: 2, NextAt: when,
		ClaimedAt: when + 1, StaleAt: when + 2, LastError: "no route", OwedAt: when - 60_000, Piece: 2, Pieces: 3}
	aDead = flow.Dead{Ref: aRef, Type: "order", Finalizer: "destroy-vm", Attempts: 8, LastError: "no route", DeadLetteredAt: when,
		Input: flow.Payload(`{"vm":7}`), Piece: 2, Pieces: 3}
	aTrouble = flow.Trouble{Code: "not-found", Message: "there is no workflow", Advice: "list what there is"}
	anEvent  = flow.Event{Seq: 7, Kind: flow.EventStep, At: when, Step: "4", StepKind: flow.StepSignal, Name: "go", Digest: 1,
		StartedAt: when + 1, Attempt: 1, Output: flow.Payload(`1`), Failure: aFailure, TimedOut: true, Status: flow.Failed, Reason: "why", Summary: "half way", UpdateID: "u-1", Left: "1 unread go"}
)

// golden are values with every field set, and the same types without any, by
// the file in testdata that pins their JSON. Names there are an interface: they
// may be added to, never changed.
var golden = map[string][2]any{
	"run":      {aRun, flow.Run{}},
	"step":     {aStep, flow.Step{}},
	"counts":   {aCount, flow.Counts{}},
	"lease":    {aLease, flow.Lease{}},
	"teardown": {aTeardown, flow.Teardown{}},
	"dead":     {aDead, flow.Dead{}},
	"trouble":  {aTrouble, flow.Trouble{}},
	"event":    {anEvent, flow.Event{}},
	"journal": {flow.Journal{Format: 1, Ref: aRef, Type: "order", Version: "3", Status: flow.Running, Events: []flow.Event{anEvent},
		Waits: []flow.Wait{{Step: "5", Kind: flow.StepSleep, Name: "x", Digest: 255, StartedAt: when, Due: when + 1}}}, flow.Journal{}},
}

// TestJSONNames compares with the files; UPDATE=1 writes them, which is a change
// of the interface.
func TestJSONNames(t *testing.T) {
	for name, values := range golden {
		t.Run(name, func(t *testing.T) {
			complete(t, reflect.ValueOf(values[0]))
			var got bytes.Buffer
			for _, v := range values {
				text, err := json.MarshalIndent(v, "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				got.Write(append(text, '\n'))
			}
			file := filepath.Join("testdata", name+".json")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got.String()); d != "" {
				t.Errorf("JSON of %s (-want +got):\n%s", name, d)
			}
		})
	}
}

// complete checks that the example has every field, so that a new field cannot
// be forgotten here.
func complete(t *testing.T, v reflect.Value) {
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the example of %s lacks %s", v.Type(), v.Type().Field(i).Name)
		}
	}
}

// TestJSONRoundTrip: another process reads what was written.
func TestJSONRoundTrip(t *testing.T) {
	for name, values := range golden {
		for _, v := range values {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			back := reflect.New(reflect.TypeOf(v))
			if err := json.Unmarshal(text, back.Interface()); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got := back.Elem().Interface()
			if e, ok := got.(flow.Event); ok && e.Seq != 0 {
				e.Digest = 1 // is not shown
				got = e
			}
			if d, ok := got.(flow.Dead); ok && string(d.Input) == "null" {
				d.Input = nil // JSON has one word for both
				got = d
			}
			if d := cmp.Diff(v, got); d != "" {
				t.Errorf("%s (-written +read):\n%s", name, d)
			}
		}
	}
}

func TestPayloadJSON(t *testing.T) {
	tests := map[string]struct {
		payload flow.Payload
		want    string
	}{
		"none":                       {nil, `null`},
		"empty":                      {flow.Payload{}, `null`},
		"a number too big for float": {flow.Payload("9007199254740993"), `9007199254740993`},
		"many digits":                {flow.Payload("1.10000000000000000000001e400"), `1.10000000000000000000001e400`},
		"an object":                  {flow.Payload(`{"a":[1,"b"]}`), `{"a":[1,"b"]}`},
		"what is no JSON is text":    {flow.Payload(`{"a":`), `"{\"a\":"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(tc.payload)
			if err != nil || string(got) != tc.want {
				t.Fatalf("%q is written %s, %v; want %s", tc.payload, got, err, tc.want)
			}
			var back flow.Payload
			if err := json.Unmarshal(got, &back); err != nil || string(back) != tc.want {
				t.Errorf("%s reads %q, %v", got, back, err)
			}
		})
	}
}
