package flow

// ParentClose says what the end of a run means for a child that it started and
// that still lives then.
type ParentClose string

const (
	// CloseWithParent cancels the child when its parent is cancelled or times
	// out. A parent that completes or fails leaves it alone. The zero value
	// means it.
	CloseWithParent ParentClose = ""
	// Abandon lets the child go on however its parent ends.
	Abandon ParentClose = "abandon"
	// RequestCancel cancels the child however its parent ends, at its next
	// block point: what its code has staged is known to its finalizer.
	RequestCancel ParentClose = "request-cancel"
	// Terminate cancels the child however its parent ends, at once: code that is
	// busy is not waited for, and what it has staged may be unknown.
	Terminate ParentClose = "terminate"
)

// Valid reports whether p is one of the policies.
func (p ParentClose) Valid() bool {
	switch p {
	case CloseWithParent, Abandon, RequestCancel, Terminate:
		return true
	}
	return false
}

// Reached reports whether a parent that ended so takes the child with it.
func (p ParentClose) Reached(end Status) bool {
	switch p {
	case Abandon:
		return false
	case RequestCancel, Terminate:
		return true
	}
	return end == Cancelled || end == TimedOut
}
