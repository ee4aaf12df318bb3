package engine

import (
	"bytes"
	"encoding/json"
	"fmt"

	"weft/flow"
)

// duplicateKey finds the first key that an object of p has twice, and where the
// second one begins. p is one JSON value, known to be sound.
func duplicateKey(p flow.Payload) (key string, at int, found bool) {
	dec := json.NewDecoder(bytes.NewReader(p))
	dec.UseNumber()
	type level struct {
		keys  map[string]bool // nil: an array
		value bool            // a value comes next
	}
	var open []level
	for {
		before := int(dec.InputOffset())
		tok, err := dec.Token()
		if err != nil {
			return "", 0, false // the end
		}
		top := len(open) - 1
		if name, ok := tok.(string); ok && top >= 0 && open[top].keys != nil && !open[top].value {
			if open[top].keys[name] {
				// The separator was not read yet when the token was asked for.
				return name, before + bytes.IndexByte(p[before:], '"'), true
			}
			open[top].keys[name], open[top].value = true, true
			continue
		}
		switch tok {
		case json.Delim('{'):
			open = append(open, level{keys: map[string]bool{}})
		case json.Delim('['):
			open = append(open, level{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:top]
			top--
			fallthrough
		default:
			if top >= 0 {
				open[top].value = false
			}
		}
	}
}

// noDuplicates refuses an object that says a thing twice: which of the two would
// count is nothing a person can be expected to know.
func noDuplicates(what string, p flow.Payload) error {
	key, at, found := duplicateKey(p)
	if !found {
		return nil
	}
	return positioned(what, p, at, fmt.Sprintf("field %q is there twice", key))
}
