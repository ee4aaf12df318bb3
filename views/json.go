package views

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"weft/flow"
)

// Pretty lays a payload out on lines with its keys in order and its numbers
// digit for digit: it moves bytes and decodes nothing. What is not JSON is
// shown as it is.
func Pretty(p flow.Payload) []string {
	if p == nil {
		return nil
	}
	var b bytes.Buffer
	if err := json.Indent(&b, p, "", "  "); err != nil {
		return strings.Split(string(p), "\n")
	}
	return strings.Split(b.String(), "\n")
}

// brief is how much of a payload a single line can show at most.
const brief = 400

// Brief is a payload on one line, cut when it is long.
func Brief(p flow.Payload) string {
	if p == nil {
		return "none"
	}
	if len(p) > brief {
		return string(p[:brief]) + ".."
	}
	var b bytes.Buffer
	if json.Compact(&b, p) != nil {
		return string(p)
	}
	return b.String()
}

// CheckJSON reports where text is not one JSON value, or nil. Line and column
// count from 1, columns in characters.
func CheckJSON(what, text string) error {
	if strings.TrimSpace(text) == "" {
		return &flow.InputError{What: what, Problem: "is empty; write null for no value"}
	}
	dec := json.NewDecoder(strings.NewReader(text))
	var v json.RawMessage
	err := dec.Decode(&v)
	at := dec.InputOffset()
	if err == nil {
		rest := text[at:]
		trimmed := strings.TrimLeft(rest, " \t\r\n")
		if trimmed == "" {
			return nil
		}
		return positioned(what, text, int64(len(text)-len(trimmed)), "something follows the value")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return positioned(what, text, max(0, syntax.Offset-1), syntax.Error())
	}
	return positioned(what, text, int64(len(text)), "unexpected end of JSON input")
}

// positioned is an [flow.InputError] at the byte at of text.
func positioned(what, text string, at int64, problem string) error {
	before := text[:min(int(at), len(text))]
	line := strings.Count(before, "\n")
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	return &flow.InputError{What: what, Line: line + 1, Column: column + 1, Problem: problem}
}
