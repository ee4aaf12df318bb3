package views

import (
	"fmt"

	"weft/flow"
)

// leaseLines are who owns the store, until when, and who did before.
func (h Header) leaseLines(look Look, w int) []string {
	l := h.Info.Lease
	if !h.Known {
		return []string{look.paint(Warn, "unknown: not read yet")}
	}
	key := func(name, value string) string { return look.paint(Dim, Fit(name, 9)) + Fit(value, w-9) }
	word, tone := leaseWord(l.State)
	whose := "not this console's engine"
	if l.Mine {
		whose = "this console's engine"
	}
	var out []string
	for i, means := range wrap(leaseMeans[l.State], max(16, w-9-width(word)-2)) {
		if i == 0 {
			out = append(out, key("state", look.paint(tone, word)+"  "+means))
			continue
		}
		out = append(out, key("", Fit("", width(word))+"  "+means))
	}
	out = append(out,
		key("holder", look.clean(holderOf(l))),
		key("mine", whose),
		key("epoch", epochOf(l)))
	out = append(out, h.leaseTimes(look, key, w < 48)...)
	out = append(out, key("losses", h.losses()))
	out = append(out, "", look.paint(Strong, Fit(fmt.Sprintf("history (%d)", len(l.History)), w)))
	if len(l.History) == 0 {
		return append(out, look.paint(Dim, "nobody owned it before"))
	}
	head := tenureRow("EPOCH", "HOLDER", "SINCE", "LASTED", "ENDED", w)
	if w < 60 {
		head = Fit(Fit("EPOCH", 6)+" "+Fit("ENDED", 13)+" HOLDER", w)
	}
	out = append(out, look.paint(Dim, head))
	for _, t := range l.History {
		out = append(out, look.tenure(t, w))
	}
	return out
}

// losses is how many tenures did not end by being given back.
func (h Header) losses() string {
	lost, ended := 0, 0
	for _, t := range h.Info.Lease.History {
		if t.Ended != "" {
			ended++
		}
		if t.Ended != "" && t.Ended != "released" {
			lost++
		}
	}
	if ended == 0 {
		return "none: there was no tenure before"
	}
	return fmt.Sprintf("%d of %s", lost, plural(ended, "earlier tenure"))
}

// leaseMeans says what a state of the lease means for who reads it.
var leaseMeans = map[flow.LeaseState]string{
	flow.LeaseHeld: "acts are possible", flow.LeaseOther: "another engine owns the store",
	flow.LeaseNone: "nobody owns the store", flow.LeaseDoubt: "the renewal is overdue: nothing is started or finished",
	flow.LeaseDeposed: "another engine took over: nothing can be changed here", flow.LeaseReleased: "given back",
	flow.LeaseCorrupt: "its records cannot be read",
}

// leaseTimes are the instants of the lease. What is left is counted by this
// machine's clock, and says so: others count by theirs.
func (h Header) leaseTimes(look Look, key func(string, string) string, short bool) []string {
	l := h.Info.Lease
	if l.ExpiresAt == 0 && l.State == flow.LeaseDeposed { // what is not known of its owner does not last for ever
		return nil
	}
	if l.ExpiresAt == 0 {
		since := key("held", "for "+look.since(l.RenewedAt))
		if l.RenewedAt == 0 {
			since = key("held", "-")
		}
		return []string{since, key("expires", "never: the lock of the directory ends it")}
	}
	left := orElse(look.left(l.ExpiresAt), "over by "+look.since(l.ExpiresAt))
	note := " by our clock, expires " + clock(l.ExpiresAt)
	if short {
		note = " by our clock"
	}
	out := []string{key("left", left+look.paint(Dim, note))}
	if l.RenewedAt != 0 {
		out = append(out, key("renewed", look.since(l.RenewedAt)+" ago"),
			key("ttl", Age(l.ExpiresAt.Sub(l.RenewedAt))))
	}
	return out
}

func tenureRow(epoch, holder, since, lasted, ended string, w int) string {
	room := max(8, w-8-21-9-14)
	return Fit(Fit(epoch, 7)+" "+Fit(holder, min(room, 40))+" "+Fit(since, 20)+" "+Fit(lasted, 8)+" "+ended, w)
}

// tenure is one ownership. Where there is little room its instants give way.
func (l Look) tenure(t flow.Tenure, w int) string {
	ended, tone := orElse(t.Ended, "lasts"), Plain
	switch t.Ended {
	case "":
		tone = Good
	case "deposed", "expired":
		tone = Bad
	case "process gone":
		tone = Warn
	}
	epoch := fmt.Sprintf("e%d", t.Epoch)
	if w < 60 {
		return Fit(Fit(epoch, 6)+" "+l.paint(tone, Fit(l.clean(ended), 13))+" "+l.clean(t.Holder), w)
	}
	since, lasted := "-", "-"
	if t.Since != 0 {
		since = t.Since.Time().Format("2006-01-02 15:04:05Z")
	}
	switch {
	case t.Since != 0 && t.Until != 0:
		lasted = Age(t.Until.Sub(t.Since))
	case t.Since != 0 && t.Ended == "":
		lasted = l.since(t.Since)
	}
	return Fit(tenureRow(epoch, FitMiddle(l.clean(t.Holder), max(8, min(40, w-52))), since, lasted, l.paint(tone, l.clean(ended)), w), w)
}
