package views

import (
	"fmt"

	"weft/flow"
)

// LeaseLost says at which epoch a deposed engine lost the lease, and who holds it
// at which epoch now, as far as the store tells.
func LeaseLost(l flow.Lease) string {
	lost := "at epoch " + numberOf(l.Lost) + ", "
	switch {
	case l.Epoch == 0 && l.Holder == "":
		return lost + "who holds it now is unknown"
	case l.Holder == "":
		return lost + fmt.Sprintf("now %d, holder %s", l.Epoch, holderOf(l))
	}
	return lost + fmt.Sprintf("now %s held by %s", numberOf(l.Epoch), l.Holder)
}

// epochOf is the epoch of who owns the store, with the one that was lost.
func epochOf(l flow.Lease) string {
	if l.State != flow.LeaseDeposed {
		return fmt.Sprint(l.Epoch)
	}
	return numberOf(l.Epoch) + ", lost at " + numberOf(l.Lost)
}

func numberOf(e flow.Epoch) string {
	if e == 0 {
		return "unknown"
	}
	return fmt.Sprint(e)
}

// holderOf is who owns the store. After a deposition nobody does only when the
// history says that the new owner has given it back.
func holderOf(l flow.Lease) string {
	ended := len(l.History) > 0 && l.History[0].Epoch == l.Epoch && l.History[0].Ended != ""
	if l.State == flow.LeaseDeposed && !ended {
		return orElse(l.Holder, "unknown")
	}
	return orElse(l.Holder, "nobody")
}
