package engine

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"weft/flow"
)

// unknownField is where in p the first field begins that t does not have; 0
// when there is none. The decoder names such a field but not its place.
func unknownField(p flow.Payload, t reflect.Type) int {
	f := fieldFinder{dec: json.NewDecoder(bytes.NewReader(p)), payload: p}
	f.value(t)
	return f.at
}

type fieldFinder struct {
	dec     *json.Decoder
	payload flow.Payload
	at      int
	done    bool
}

// value reads one value of type t; a nil t takes anything.
func (f *fieldFinder) value(t reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	tok, err := f.dec.Token()
	if err != nil {
		f.done = true
		return
	}
	switch tok {
	case json.Delim('{'):
		f.object(t)
	case json.Delim('['):
		for !f.done && f.dec.More() {
			f.value(elementOf(t))
		}
	default:
		return
	}
	if !f.done {
		_, err = f.dec.Token() // the closing one
		f.done = err != nil
	}
}

func (f *fieldFinder) object(t reflect.Type) {
	for !f.done && f.dec.More() {
		before := int(f.dec.InputOffset())
		tok, err := f.dec.Token()
		key, ok := tok.(string)
		if err != nil || !ok {
			f.done = true
			return
		}
		next := elementOf(t)
		if t != nil && t.Kind() == reflect.Struct && !readsItself(t) {
			if next = fieldOf(t, key); next == nil {
				f.at = before + bytes.IndexByte(f.payload[before:], '"')
				f.done = true
				return
			}
		}
		f.value(next)
	}
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func readsItself(t reflect.Type) bool {
	return t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler)
}

// elementOf is the type of what t contains; nil when anything may be in it.
func elementOf(t reflect.Type) reflect.Type {
	if t == nil || readsItself(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array:
		return t.Elem()
	}
	return nil
}

// fieldOf is the type of the field that the decoder would fill for key, nil
// when there is none.
func fieldOf(t reflect.Type, key string) reflect.Type {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		if f.IsExported() && f.Tag.Get("json") != "-" && strings.EqualFold(name, key) {
			return f.Type
		}
	}
	return nil
}
