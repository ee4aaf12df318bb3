package views

import (
	"fmt"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// Subject is what is known of the one run an act would be done to.
type Subject struct {
	Run flow.Run
	// Known: the run was read; then Finalizer and State are what a cancel would
	// owe.
	Known     bool
	Finalizer string
	State     int64
	// Owed and Dead are what the run left behind; Sought: it was looked for.
	Owed   *flow.Teardown
	Dead   *flow.Dead
	Sought bool
	// Gone says that the run is no longer there, and why.
	Gone string
	// Now cancels with what is durable, where the code does not run.
	Now bool
}

// Question is the question in the footer before a teardown is retried.
func (s Subject) Question(a keymap.Action, now flow.Instant) Question {
	q := Question{Of: a, Target: s.Run.Ref, off: s.Refuses(a, now), yes: Perform{Deed: flow.RetryTeardown{Target: s.Run.Ref}}}
	if s.Owed == nil {
		return q
	}
	q.text = fmt.Sprintf("retry %s for %s now?", orElse(s.Owed.Finalizer, "the teardown"), s.Run.ID)
	if TeardownState(*s.Owed, now) == staleState {
		q.text = fmt.Sprintf("take over %s for %s, whose attempt %d was lost?", s.Owed.Finalizer, s.Run.ID, s.Owed.Attempts+1)
	}
	return q
}

// Confirm is the dialog before an act on the run.
func (s Subject) Confirm(a keymap.Action, now flow.Instant) Confirm {
	ref := s.Run.Ref
	c := Confirm{Of: a, Target: ref, off: s.Refuses(a, now), about: s.about(), known: s.Known || s.Gone != "", status: s.Run.Status}
	switch a {
	case keymap.Cancel:
		c.title, c.verb, c.text = "Cancel 1 workflow", "cancel it", s.cancelText()
		c.act.Deed = flow.CancelRun{Target: ref, Now: s.Now}
	case keymap.Again:
		c.title, c.verb = "Start 1 workflow again", "start it again"
		c.text = []string{"The ended run and its journal are removed, and a new run begins under the same id with the same type and input. No undo."}
		c.act.Deed = flow.RestartRun{Target: ref}
	case keymap.Purge:
		c.title, c.verb, c.phrase = "Purge 1 run", "purge it", "purge 1"
		c.text = []string{"The run and everything recorded of it are removed, but a dead letter and the audit. No undo."}
		c.act.Deed = flow.PurgeRun{Target: ref}
	case keymap.Retry:
		c.title, c.verb, c.text = "Redrive 1 dead letter", "redrive it", s.redriveText()
		c.act.Deed = flow.Redrive{Target: ref}
	case keymap.Discard:
		c.title, c.verb, c.phrase = "Discard 1 dead letter", "discard it", "discard 1"
		c.text = append(s.lastError(), "Its clean-up will never run. No undo. What was recorded goes into the audit record.")
		c.act.Deed = flow.Discard{Target: ref}
	}
	return c
}

// about names the run: the id in full, then what it is.
func (s Subject) about() []string {
	what := kindOf(s.Run)
	if s.Run.Status.Valid() {
		what += "   " + Word(s.Run)
	}
	out := []string{string(s.Run.ID), what}
	switch {
	case s.Dead != nil:
		out = append(out, "dead letter of "+orElse(s.Dead.Finalizer, "unknown")+", since "+s.Dead.DeadLetteredAt.String()+
			", "+plural(s.Dead.Attempts, "attempt"))
	case s.Owed != nil:
		out = append(out, "teardown "+orElse(s.Owed.Finalizer, "unknown")+", "+s.Owed.State)
	}
	return append(out, "run "+string(s.Run.Run))
}

func (s Subject) cancelText() []string {
	text := []string{"Committed at once; the running step gets an abort. No resume."}
	switch {
	case s.Now:
		text = []string{"Its code does not run here. It is cancelled with what is durable: work that was begun and not recorded is unknown, " +
			"and so is teardown state that its code has not committed. No resume."}
	case s.Run.Held:
		text = []string{"Committed at once. Its code is not registered here (" + orElse(s.Run.HeldBecause, "type or version") + "). No resume."}
	case s.Run.Status == flow.Suspended:
		text = []string{"Committed at once; it ends where it is suspended. No resume."}
	case s.Run.Status == flow.Pending:
		text = []string{"Committed at once; it never begins."}
	}
	switch {
	case s.Known && s.Finalizer != "":
		return append(text, fmt.Sprintf("Teardown %s becomes owed (state %s recorded).", s.Finalizer, Size(s.State)))
	case s.Known:
		return append(text, "No teardown becomes owed: the run has recorded nothing for one.")
	}
	return append(text, "What it would owe is not read yet.")
}

func (s Subject) redriveText() []string {
	if s.Dead == nil {
		return nil
	}
	return append(s.lastError(), fmt.Sprintf("The teardown becomes owed again with %d attempts, the first one now, on the recorded input (%s).",
		flow.MaxTeardownAttempts, Size(int64(len(s.Dead.Input)))))
}

func (s Subject) lastError() []string {
	if s.Dead == nil || s.Dead.LastError == "" {
		return nil
	}
	return []string{"Last error: " + strings.TrimSpace(Fit(Clean(s.Dead.LastError), 300))}
}
