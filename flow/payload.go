package flow

// Payload is JSON exactly as it was produced. Numbers are never forced through
// a float. Nil means there is none, which is not the same as null.
type Payload []byte

// MarshalJSON writes the payload itself.
func (p Payload) MarshalJSON() ([]byte, error) {
	if p == nil {
		return []byte("null"), nil
	}
	return p, nil
}

// UnmarshalJSON keeps the bytes.
func (p *Payload) UnmarshalJSON(b []byte) error {
	*p = append((*p)[:0], b...)
	return nil
}

func (p Payload) String() string { return string(p) }
