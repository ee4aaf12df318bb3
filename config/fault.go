package config

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong in a file.
type Fault struct {
	// Line and Column are from 1; 0 when the fault is not in one line.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Problem is what is wrong and what to do.
	Problem string `json:"problem"`
}

// FileError means that a file cannot be used.
type FileError struct {
	Path   string
	Faults []Fault
}

// Error lists all faults, as a compiler does.
func (e *FileError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = e.Path + ": " + f.Problem
		switch {
		case f.Line > 0 && f.Column > 0:
			lines[i] = fmt.Sprintf("%s:%d:%d: %s", e.Path, f.Line, f.Column, f.Problem)
		case f.Line > 0:
			lines[i] = fmt.Sprintf("%s:%d: %s", e.Path, f.Line, f.Problem)
		}
	}
	return strings.Join(lines, "; ")
}
