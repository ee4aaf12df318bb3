package flow

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is the most bytes an id or a name may have.
const MaxName = 200

// MaxSignalID is the most bytes a signal id may have.
const MaxSignalID = 128

// WorkflowID is the name a caller gave: 1 to [MaxName] bytes of valid UTF-8
// without control or bidirectional characters and without space at its ends.
type WorkflowID string

// ParseWorkflowID checks s, or fails with a [*NameError].
func ParseWorkflowID(s string) (WorkflowID, error) {
	return WorkflowID(s), CheckName("workflow id", s)
}

// RunID is one execution: 26 characters whose order is the order of creation,
// to the millisecond.
type RunID string

// ParseRunID checks s, or fails with a [*NameError].
func ParseRunID(s string) (RunID, error) {
	if len(s) != 26 {
		return "", &NameError{What: "run id", Value: s, Problem: "is not 26 characters long"}
	}
	for i := range len(s) {
		if !strings.ContainsRune("0123456789ABCDEFGHJKMNPQRSTVWXYZ", rune(s[i])) {
			return "", &NameError{What: "run id", Value: s, Problem: fmt.Sprintf("has a wrong character at byte %d", i)}
		}
	}
	return RunID(s), nil
}

// Ref addresses one run.
type Ref struct {
	ID  WorkflowID `json:"id"`
	Run RunID      `json:"run"`
}

// String is the address as people read it.
func (r Ref) String() string {
	if r.Run == "" {
		return string(r.ID)
	}
	return string(r.ID) + "/" + string(r.Run)
}

// CheckName checks an id or name against the one rule that holds at every
// door. What says what it names: "workflow id", "signal name".
func CheckName(what, s string) error { return checkText(what, s, MaxName) }

// CheckSignalID checks a caller's signal id, at most [MaxSignalID] bytes.
func CheckSignalID(s string) error { return checkText("signal id", s, MaxSignalID) }

func checkText(what, s string, most int) error {
	problem := textProblem(s, most)
	if problem == "" {
		return nil
	}
	return &NameError{What: what, Value: s, Problem: problem}
}

func textProblem(s string, most int) string {
	switch {
	case s == "":
		return "is empty"
	case len(s) > most:
		return fmt.Sprintf("has %d bytes, at most %d are allowed", len(s), most)
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	}
	for i, r := range s {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return fmt.Sprintf("has a control character at byte %d", i)
		case unicode.Is(unicode.Bidi_Control, r):
			return fmt.Sprintf("has a text direction character at byte %d", i)
		}
	}
	if strings.TrimSpace(s) != s {
		return "begins or ends with a space"
	}
	return ""
}
