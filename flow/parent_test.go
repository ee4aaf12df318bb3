package flow_test

import (
	"testing"

	"weft/flow"
)

func TestParentCloseReached(t *testing.T) {
	tests := map[string]struct {
		policy flow.ParentClose
		end    flow.Status
		want   bool
	}{
		"by default a cancel takes the child":        {flow.CloseWithParent, flow.Cancelled, true},
		"by default a time-out takes the child":      {flow.CloseWithParent, flow.TimedOut, true},
		"by default a completion leaves it alone":    {flow.CloseWithParent, flow.Completed, false},
		"by default a failure leaves it alone":       {flow.CloseWithParent, flow.Failed, false},
		"an abandoned child stays after a cancel":    {flow.Abandon, flow.Cancelled, false},
		"a completion takes a child to be cancelled": {flow.RequestCancel, flow.Completed, true},
		"a failure takes a child to be terminated":   {flow.Terminate, flow.Failed, true},
	}
	for name, tc := range tests {
		if got := tc.policy.Reached(tc.end); got != tc.want {
			t.Errorf("%s: %q after %s: %t", name, tc.policy, tc.end, got)
		}
	}
	if flow.ParentClose("frob").Valid() || !flow.Terminate.Valid() {
		t.Error("validity of the policies is wrong")
	}
}
