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
	"weft/store"
)

// Void is the input or output of what has none. It is null in JSON.
type Void struct{}

// MarshalJSON writes null.
func (Void) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// UnmarshalJSON accepts anything.
func (*Void) UnmarshalJSON([]byte) error { return nil }

// maxPayload is the most bytes of one payload: what a batch can hold, less what
// else is in it. A payload beyond it could never be recorded. Options.MaxPayload
// may allow less, see [Engine.weigh].
const maxPayload = store.MaxBytes - 1<<20

func tooLarge(bytes, most int) error {
	return &flow.LimitError{Limit: "bytes of a payload", Got: bytes, Max: most}
}

// encode is the payload of v, or a [*flow.LimitError].
func encode(v any) (flow.Payload, error) {
	if _, none := v.(Void); none {
		return flow.Payload("null"), nil
	}
	p, err := json.Marshal(v)
	if len(p) > maxPayload {
		return nil, tooLarge(len(p), maxPayload)
	}
	return p, err
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

// decodeStrict reads a payload that a person typed: an unknown field, one
// that is there twice and anything behind the value are errors, with their
// position.
func decodeStrict[T any](what string, p flow.Payload) error {
	var v T
	if _, none := any(v).(Void); none {
		return checkJSON(what, p)
	}
	return decodeOne(what, p, &v)
}

// checkJSON demands exactly one JSON value.
func checkJSON(what string, p flow.Payload) error {
	var raw json.RawMessage
	return decodeOne(what, p, &raw)
}

func decodeOne(what string, p flow.Payload, v any) error {
	dec := json.NewDecoder(bytes.NewReader(p))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return inputError(what, p, v, err)
	}
	end := int(dec.InputOffset())
	if rest := bytes.TrimLeft(p[end:], " \t\r\n"); len(rest) > 0 {
		return positioned(what, p, len(p)-len(rest), "there is more behind the value")
	}
	return noDuplicates(what, p[:end])
}

// inputError says what is wrong with p, and where.
func inputError(what string, p flow.Payload, v any, err error) error {
	at, problem := 0, strings.TrimPrefix(err.Error(), "json: ")
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		problem = "is empty, JSON is needed"
	case errors.Is(err, io.ErrUnexpectedEOF):
		at, problem = len(p)-1, "ends in the middle of a value"
	case errors.As(err, &syntax):
		at = int(syntax.Offset) - 1
	case errors.As(err, &kind):
		at, problem = int(kind.Offset)-1, fmt.Sprintf("%s where %s is needed", kind.Value, kind.Type)
		if kind.Field != "" {
			problem = fmt.Sprintf("field %s is %s", kind.Field, problem)
		}
	default:
		at = unknownField(p, reflect.TypeOf(v).Elem())
	}
	return positioned(what, p, at, problem)
}

// positioned is the error for a problem at byte at, from 0.
func positioned(what string, p flow.Payload, at int, problem string) error {
	at = max(min(at, len(p)-1), 0)
	line := 1 + bytes.Count(p[:at], []byte("\n"))
	return &flow.InputError{What: what, Line: line, Column: at - bytes.LastIndexByte(p[:at], '\n'), Problem: problem}
}
