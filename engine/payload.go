package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"weft/flow"
)

// Void is the input or output of what has none. It is null in JSON.
type Void struct{}

// MarshalJSON writes null.
func (Void) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// UnmarshalJSON accepts anything.
func (*Void) UnmarshalJSON([]byte) error { return nil }

// encode is the payload of v.
func encode(v any) (flow.Payload, error) {
	if _, none := v.(Void); none {
		return flow.Payload("null"), nil
	}
	return json.Marshal(v)
}

// decode reads a recorded payload. Numbers that land in an interface stay
// exact ([json.Number]); unknown fields are fine, so that a type may shrink.
func decode[T any](p flow.Payload) (T, error) {
	var v T
	if _, none := any(v).(Void); none || len(p) == 0 {
		return v, nil
	}
	if !holdsInterface(reflect.TypeFor[T]()) {
		return v, json.Unmarshal(p, &v)
	}
	dec := json.NewDecoder(bytes.NewReader(p))
	dec.UseNumber()
	return v, dec.Decode(&v)
}

// interfaces remembers which types can hold an interface and so need the
// slower decoder that keeps numbers exact.
var interfaces sync.Map // reflect.Type → bool

func holdsInterface(t reflect.Type) bool {
	if known, ok := interfaces.Load(t); ok {
		return known.(bool)
	}
	holds := findInterface(t, map[reflect.Type]bool{})
	interfaces.Store(t, holds)
	return holds
}

func findInterface(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Map:
		return findInterface(t.Key(), seen) || findInterface(t.Elem(), seen)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return findInterface(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if findInterface(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// decodeStrict reads a payload that a person typed: an unknown field and
// anything behind the value are errors, with their position.
func decodeStrict[T any](what string, p flow.Payload) error {
	var v T
	if _, none := any(v).(Void); none {
		return checkJSON(what, p)
	}
	dec := json.NewDecoder(bytes.NewReader(p))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return inputError(what, p, dec.InputOffset(), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return inputError(what, p, dec.InputOffset(), errors.New("there is more behind the value"))
	}
	return nil
}

// checkJSON demands exactly one JSON value.
func checkJSON(what string, p flow.Payload) error {
	var raw json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(p))
	if err := dec.Decode(&raw); err != nil {
		return inputError(what, p, dec.InputOffset(), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return inputError(what, p, dec.InputOffset(), errors.New("there is more behind the value"))
	}
	return nil
}

func inputError(what string, p flow.Payload, at int64, err error) error {
	problem := strings.TrimPrefix(err.Error(), "json: ")
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		problem = "is empty, JSON is needed"
	case errors.Is(err, io.ErrUnexpectedEOF):
		at, problem = int64(len(p)), "ends in the middle of a value"
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
		problem = fmt.Sprintf("%s where %s is needed", kind.Value, kind.Type)
		if kind.Field != "" {
			problem = fmt.Sprintf("field %s is %s", kind.Field, problem)
		}
	}
	at = min(max(at, 0), int64(len(p)))
	line := 1 + bytes.Count(p[:at], []byte("\n"))
	column := int(at) - (bytes.LastIndexByte(p[:at], '\n') + 1)
	return &flow.InputError{What: what, Line: line, Column: max(column, 1), Problem: problem}
}
