package flow

import "encoding/json"

// Payload is JSON exactly as it was produced. Numbers are never forced through
// a float. Nil means there is none, which is not the same as null.
type Payload []byte

// MarshalJSON writes the payload itself. One that is no JSON, which only a
// damaged store holds, is written as text: it must not make what is around it
// unreadable.
func (p Payload) MarshalJSON() ([]byte, error) {
	switch {
	case len(p) == 0:
		return []byte("null"), nil
	case !json.Valid(p):
		return json.Marshal(string(p))
	}
	return p, nil
}

// UnmarshalJSON keeps the bytes.
func (p *Payload) UnmarshalJSON(b []byte) error {
	*p = append((*p)[:0], b...)
	return nil
}

// String is the JSON.
func (p Payload) String() string { return string(p) }
