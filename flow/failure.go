package flow

// Category says where a failure comes from. The text is stored.
type Category string

const (
	// Application: the program's own code returned it, or panicked.
	Application Category = "application"
	// Timeout: a time limit passed.
	Timeout Category = "timeout"
	// Cancellation: it was called off.
	Cancellation Category = "cancellation"
	// Resource: something was used up.
	Resource Category = "resource"
	// System: the engine could not go on, or was asked for what cannot be.
	System Category = "system"
)

// Failure is an error as it is recorded. What code sees is always decoded from
// the record, live and on replay alike.
type Failure struct {
	// Code is what code branches on; "" when the error declared none.
	Code     string   `json:"code,omitempty"`
	Category Category `json:"category"`
	// Message is for people: the text of the error, cut to 32 KiB.
	Message string `json:"message"`
	// Permanent: no further attempt was or will be made.
	Permanent bool `json:"permanent,omitempty"`
	// Stack is where a panic came from.
	Stack string `json:"stack,omitempty"`
	// Cause is the failure that led to this one.
	Cause *Failure `json:"cause,omitempty"`
}

// Error is the message: a Failure is an error.
func (f *Failure) Error() string { return f.Message }

// Unwrap is the cause.
func (f *Failure) Unwrap() error {
	if f.Cause == nil {
		return nil
	}
	return f.Cause
}

// Is makes errors.Is work against a declared code: two failures are the same
// error when they have the same non-empty code.
func (f *Failure) Is(target error) bool {
	t, ok := target.(interface{ FailureCode() string })
	return ok && f.Code != "" && t.FailureCode() == f.Code
}

// FailureCode is the code.
func (f *Failure) FailureCode() string { return f.Code }
