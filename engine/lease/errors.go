package lease

import (
	"errors"
	"fmt"
	"time"

	"weft/flow"
)

// ErrCorrupt: the lease's records contradict each other, so that nobody can
// tell which epochs were given out. If no other program uses the store, remove
// lease:epoch and lease:holder, or set the epoch above its last value.
var ErrCorrupt = errors.New("lease records are corrupted")

// TimeoutError says who held the lease while Acquire waited.
type TimeoutError struct {
	Waited time.Duration
	Holder string
	Epoch  flow.Epoch
}

func (e *TimeoutError) Error() string {
	s := fmt.Sprintf("the lease is held by %s at epoch %d", e.Holder, e.Epoch)
	if e.Waited > 0 {
		s += fmt.Sprintf(" and was not given up within %v", e.Waited.Round(time.Millisecond))
	}
	return s
}

// Unwrap is [flow.ErrLeaseNotHeld].
func (e *TimeoutError) Unwrap() error { return flow.ErrLeaseNotHeld }
