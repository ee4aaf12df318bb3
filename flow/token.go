package flow

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// ErrToken: the token does not, or no longer, stand for an outcome that is
// waited for. Nothing was changed, and nothing will: give it up.
var ErrToken = errors.New("token not valid")

// Token stands for the outcome of one attempt of an activity that somebody
// outside will tell. Whoever has it may tell it, once: it is a secret. It names
// the run and the step, so nothing has to be kept beside it.
type Token string

// NewToken is the token of a step's attempt. The secret makes it unguessable.
func NewToken(ref Ref, step StepPath, secret string) Token {
	text := strings.Join([]string{string(ref.ID), string(ref.Run), string(step), secret}, "\x00")
	return Token(base64.RawURLEncoding.EncodeToString([]byte(text)))
}

// Parse reads what the token names. A text that NewToken did not make is a
// [*TokenError].
func (t Token) Parse() (ref Ref, step StepPath, secret string, err error) {
	malformed := &TokenError{Problem: "this is no token, or not the whole of one"}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(string(t))
	if err != nil {
		return ref, "", "", malformed
	}
	parts := strings.Split(string(raw), "\x00")
	if len(parts) != 4 || parts[2] == "" || parts[3] == "" {
		return ref, "", "", malformed
	}
	if ref.ID, err = ParseWorkflowID(parts[0]); err != nil {
		return Ref{}, "", "", malformed
	}
	if ref.Run, err = ParseRunID(parts[1]); err != nil {
		return Ref{}, "", "", malformed
	}
	return ref, StepPath(parts[2]), parts[3], nil
}

// TokenError says why a token is refused. It unwraps to [ErrToken] and, when
// there is one, to the cause.
type TokenError struct {
	// Ref and Step are what the token names; zero when it names nothing.
	Ref     Ref
	Step    StepPath
	Problem string
	Cause   error
}

// Error implements error.
func (e *TokenError) Error() string {
	text := e.Problem
	if e.Cause != nil {
		text = e.Cause.Error()
	}
	if e.Ref == (Ref{}) {
		return "token: " + text
	}
	return fmt.Sprintf("token of step %s of run %s: %s", e.Step, e.Ref, text)
}

// Unwrap gives [ErrToken] and the cause.
func (e *TokenError) Unwrap() []error { return []error{ErrToken, e.Cause} }
