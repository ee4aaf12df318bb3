package views

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"weft/flow"
)

// LinkState is how fresh what is shown is.
type LinkState uint8

const (
	Loading LinkState = iota
	Live              // changes are pushed
	Poll              // read again every so often
	Stale             // not read for too long
	Lost              // reading fails
	Still             // a picture: read once
)

var linkWords = [...]string{"..", "LIVE", "POLL", "STALE", "LOST", "STILL"}

func (s LinkState) String() string { return linkWords[s] }

// Link is how the console hears of changes.
type Link struct {
	State LinkState
	// Every is how often it asks when it polls, Read when it last got an
	// answer, Why what went wrong.
	Every time.Duration
	Read  time.Time
	Why   string
}

// text is the state with its age, where that is not live.
func (k Link) text(look Look) (string, Tone) {
	switch k.State {
	case Live:
		return "LIVE", Good
	case Still:
		return "STILL", Plain
	case Poll:
		return fmt.Sprintf("POLL %ds", k.Every/time.Second), Warn
	case Stale:
		return "STALE " + k.age(look), Warn
	case Lost:
		return "LOST " + k.age(look), Bad
	}
	return "..", Dim
}

// age is how old what is shown is.
func (k Link) age(look Look) string {
	if k.Read.IsZero() {
		return "unread"
	}
	return Age(look.Now.Sub(k.Read))
}

// Header is the state of engine and store.
type Header struct {
	Info flow.Info
	// Badge marks the store.
	Badge Badge
	// Own are the standing conditions that the console itself knows.
	Own      []flow.Problem
	Known    bool
	Link     Link
	ReadOnly bool
	// Frozen: nothing is read again; Changes were noticed since.
	Frozen  bool
	Changes int
	// Rate is how many changes there were lately.
	Rate Rate
	// OwedSince is since when the oldest teardown is owed, 0 when not all were
	// read; OwedLost: an attempt was lost.
	OwedSince flow.Instant
	OwedLost  bool
}

// mode is what can be done here.
func (h Header) mode() (string, Tone) {
	switch {
	case !h.Known && !h.ReadOnly:
		return "..", Dim
	case h.ReadOnly || h.Info.Mode == flow.ModeLook:
		return "RO", Warn
	case h.Info.Mode == flow.ModeOperate:
		return "RW runs no code", Warn
	}
	return "RW", Plain
}

var leaseWords = map[flow.LeaseState]string{
	flow.LeaseHeld: "HELD", flow.LeaseOther: "OTHER", flow.LeaseNone: "NO LEASE", flow.LeaseDoubt: "DOUBT",
	flow.LeaseDeposed: "DEPOSED", flow.LeaseReleased: "RELEASED", flow.LeaseCorrupt: "CORRUPT",
}

// leaseWord is the word for a state, with its tone.
func leaseWord(s flow.LeaseState) (string, Tone) {
	word, ok := leaseWords[s]
	switch {
	case !ok:
		return "UNKNOWN", Warn
	case s == flow.LeaseHeld:
		return word, Good
	case s == flow.LeaseDoubt, s == flow.LeaseOther:
		return word, Warn
	}
	return word, Bad
}

// lease is who owns the store, shortly or at length. What is not known is
// called unknown.
func (h Header) lease(look Look, long bool) string {
	l := h.Info.Lease
	if _, ok := leaseWords[l.State]; !h.Known || !ok {
		return "lease " + look.paint(Warn, "unknown")
	}
	word, tone := leaseWord(l.State)
	s := "lease " + look.paint(tone, word)
	left := look.left(l.ExpiresAt)
	if l.State != flow.LeaseHeld && l.State != flow.LeaseDoubt && l.State != flow.LeaseOther {
		left = "" // nobody's time runs
	}
	if !long {
		return s + fmt.Sprintf(" e%d", cmp.Or(l.Lost, l.Epoch)) + ifAny(" ", left)
	}
	who := " by " + look.clean(holderOf(l))
	if l.Mine {
		who = " me=" + look.clean(l.Holder)
	}
	s += fmt.Sprintf(" %s  epoch %s", who, epochOf(l))
	switch {
	case l.RenewedAt != 0 && l.ExpiresAt != 0:
		s += "  renewed " + look.since(l.RenewedAt) + " ago"
	case l.RenewedAt != 0: // a lease that does not run out is not renewed either
		s += "  for " + look.since(l.RenewedAt)
	}
	return s + ifAny(", ", left) + ifAny(" ", leftWord(left))
}

// left is what remains until i by our clock, "" when nothing does.
func (l Look) left(i flow.Instant) string {
	if d := i.Time().Sub(l.Now); i != 0 && d > 0 {
		return Age(d)
	}
	return ""
}

func leftWord(left string) string {
	if left == "" {
		return ""
	}
	return "left"
}

func ifAny(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// alarms are the two numbers that are never cut.
func (h Header) alarms(look Look, long bool) string {
	if !h.Known {
		return look.paint(Dim, "owed ?  dead ?")
	}
	oldest := ""
	if long {
		oldest = h.oldest(look)
	}
	return look.alarm("owed", h.Info.Counts.Owed, h.owedTone(look)) + oldest + "  " + look.alarm("dead", h.Info.Counts.Dead, Bad)
}

// owedLong is how long a teardown may be owed before it is an alarm.
func (l Look) owedLong() time.Duration {
	if l.OwedLong <= 0 {
		return time.Hour
	}
	return l.OwedLong
}

// owedTone: what is owed is no fault, unless it is for long or an attempt was
// lost.
func (h Header) owedTone(look Look) Tone {
	if h.OwedLost || look.OwedTooLong(h.OwedSince) > 0 {
		return Bad
	}
	return Warn
}

// OwedTooLong is how long a teardown is owed since then, 0 while that is no
// alarm.
func (l Look) OwedTooLong(since flow.Instant) time.Duration {
	if d := l.Now.Sub(since.Time()); since != 0 && d > l.owedLong() {
		return d
	}
	return 0
}

// oldest is the age of the oldest owed teardown, where that is known.
func (h Header) oldest(look Look) string {
	if h.OwedSince == 0 || h.Info.Counts.Owed == 0 {
		return ""
	}
	return " (oldest " + look.since(h.OwedSince) + ")"
}

func (l Look) alarm(name string, n int64, t Tone) string {
	if n == 0 {
		return l.paint(Dim, name+" 0")
	}
	return l.paint(t, fmt.Sprintf("%s %s!", name, Count(n)))
}

// store is the name of the store.
func (h Header) store(look Look) string {
	if h.Info.Store == "" {
		return "?"
	}
	return look.clean(filepath.Base(h.Info.Store))
}

// first is the first line of the screen.
func (h Header) first(look Look, w int) string {
	mode, tone := h.mode()
	long := w >= 106
	gap := "  "
	store := h.store(look)
	if !long && width(store) > 16 {
		store = FitMiddle(store, 16)
	}
	left := look.paint(Accent, "weft") + " "
	if h.Badge.Text != "" {
		left += look.badge(h.Badge) + " "
	}
	left += look.paint(Strong, store) + gap + look.paint(tone, mode) + gap + h.lease(look, long)
	link, ltone := h.Link.text(look)
	if h.Frozen {
		link, ltone = "FROZEN", Warn
	}
	right := look.paint(ltone, link)
	if !long {
		right = h.alarms(look, false) + gap + right
	}
	if time := gap + look.clock(); width(left)+1+width(right)+width(time) <= w {
		right += time
	}
	return Beside(left, right, w)
}

// second is the line of panes, or of counts where there is room.
func (h Header) second(look Look, w int, open Pane) string {
	if w < 106 {
		return h.panes(look, w, open)
	}
	left := h.counts(look, w >= 160)
	if !h.Known {
		return Beside(left, h.alarms(look, true), w)
	}
	flight := fmt.Sprintf("in memory %d  attempts %d", h.Info.Live, h.Info.Attempts)
	if h.Info.Finalizers > 0 {
		flight += fmt.Sprintf("  teardowns %d", h.Info.Finalizers)
	}
	right := filled([]string{h.alarms(look, true), flight, look.sync(h.Info), h.rate()})
	for len(right) > 1 && width(left)+2+width(strings.Join(right, "  ")) > w {
		right = right[:len(right)-1]
	}
	return Beside(left, strings.Join(right, "  "), w)
}

// counts are the runs by status; those there are none of step back.
func (h Header) counts(look Look, long bool) string {
	if !h.Known {
		return "counts unknown"
	}
	c := h.Info.Counts
	names := []string{"run", "susp", "pend", "done", "fail", "canc", "t/o"}
	if long {
		names = []string{"running", "suspended", "pending", "completed", "failed", "cancelled", "timed out"}
	}
	var parts []string
	for i, n := range []int64{c.Running, c.Suspended, c.Pending, c.Completed, c.Failed, c.Cancelled, c.TimedOut} {
		part := fmt.Sprintf("%s %d", names[i], n)
		if n == 0 {
			part = look.paint(Dim, part)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "  ")
}

// rate is how many changes there were in the latest seconds.
func (h Header) rate() string {
	if len(h.Rate.samples) == 0 {
		return ""
	}
	return fmt.Sprintf("changes %d/s %s", h.Rate.Last(), h.Rate.Line(16))
}

func (l Look) sync(i flow.Info) string {
	if i.SyncP99Micros == 0 {
		return ""
	}
	return fmt.Sprintf("sync p99 %s", Took(time.Duration(i.SyncP99Micros)*time.Microsecond))
}

// banner is a standing alarm; "" when there is none.
func (h Header) banner(look Look) string {
	l := h.Info.Lease
	switch {
	case h.Link.State == Lost:
		if h.Link.Read.IsZero() {
			return "LOST: " + look.clean(h.Link.Why) + "; nothing was read yet"
		}
		return "LOST: " + look.clean(h.Link.Why) + "; what is shown was read " + h.Link.age(look) + " ago"
	case !h.Known:
		return ""
	case l.State == flow.LeaseDeposed:
		return look.clean("DEPOSED " + LeaseLost(l) + ": nothing can be changed here")
	case l.State == flow.LeaseCorrupt:
		return "LEASE CORRUPTED: its records cannot be read; nothing can be changed here"
	case h.Info.Health != "" && h.Info.Health != "healthy":
		return look.clean(strings.ToUpper(h.Info.Health) + ifAny(": ", h.Info.Trouble))
	}
	return ""
}

// Alarmed reports whether a banner is shown.
func (h Header) Alarmed() bool { return h.banner(Look{}) != "" }
