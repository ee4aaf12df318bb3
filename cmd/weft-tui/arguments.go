package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"weft/flow"
)

// named demands one argument for each name.
func named(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usage("%s: %s is missing", cmd.Name(), names[len(args)])
		case len(args) > len(names):
			return usage("%s: one argument too many: %q", cmd.Name(), args[len(names)])
		}
		return nil
	}
}

// target reads the address of a run: a workflow id, or id/run as the verbs print
// it. When run is not empty it is the run and id is the id, whatever is in it.
func target(id, run string) (flow.Ref, error) {
	if run == "" {
		id, run = splitRun(id)
	}
	ref := flow.Ref{}
	var err error
	if ref.ID, err = flow.ParseWorkflowID(id); err != nil {
		return ref, &usageError{err}
	}
	if run == "" {
		return ref, nil
	}
	if ref.Run, err = flow.ParseRunID(run); err != nil {
		return ref, &usageError{err}
	}
	return ref, nil
}

// splitRun cuts a run id off an address. A slash that no run id follows belongs
// to the workflow id.
func splitRun(address string) (id, run string) {
	at := strings.LastIndexByte(address, '/')
	if at < 0 {
		return address, ""
	}
	if _, err := flow.ParseRunID(address[at+1:]); err != nil {
		return address, ""
	}
	return address[:at], address[at+1:]
}

// name checks a name given as an argument; what says what it names.
func name(what, s string) error {
	if err := flow.CheckName(what, s); err != nil {
		return &usageError{err}
	}
	return nil
}

// maxPayload bounds what is read from a file or standard input, so that a wrong
// file name does not fill the memory.
const maxPayload = 16 << 20

// payload reads a JSON argument: the text itself, @FILE, or - for standard
// input. No text at all is no payload. What names it in an error.
func payload(what, text string, in io.Reader) (flow.Payload, error) {
	var data []byte
	var err error
	switch {
	case text == "":
		return nil, nil
	case text == "-":
		data, err = io.ReadAll(io.LimitReader(in, maxPayload+1))
	case text[0] == '@':
		data, err = readFile(text[1:])
	default:
		data = []byte(text)
	}
	switch {
	case err != nil:
		return nil, usage("read %s: %w", what, err)
	case len(data) > maxPayload:
		return nil, usage("%s: more than %d bytes", what, maxPayload)
	}
	if err := checkJSON(what, data); err != nil {
		return nil, &usageError{err}
	}
	return flow.Payload(bytes.TrimSpace(data)), nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxPayload+1))
}

// checkJSON demands one JSON value in UTF-8, and says where it is wrong.
func checkJSON(what string, data []byte) error {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return inputError(what, data, i, "not valid UTF-8")
		}
		i += n
	}
	// The newline moves the offset of an early end behind the last byte; the
	// offset of a wrong byte stays.
	var v json.RawMessage
	err := json.Unmarshal(append(bytes.Clone(data), '\n'), &v)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return inputError(what, data, int(syntax.Offset)-1, "not JSON: "+syntax.Error())
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// inputError is a problem at byte at of data.
func inputError(what string, data []byte, at int, problem string) error {
	before := string(data[:max(0, min(at, len(data)))])
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])
	return &flow.InputError{What: what, Line: line, Column: column, Problem: problem}
}
