package views

import (
	"fmt"

	"weft/flow"
	"weft/keymap"
)

// Refuses says why an act does not fit the run; "" when it does.
func (s Subject) Refuses(a keymap.Action, now flow.Instant) string {
	r := s.Run
	switch {
	case s.Gone != "":
		return s.Gone
	case r.ID == "":
		return "no run selected"
	}
	switch a {
	case keymap.Retry:
		return s.refusesRetry(now)
	case keymap.Discard:
		if s.Dead == nil {
			return "discard is for dead letters: " + orElse(s.ended(), "this run is live")
		}
		return ""
	case keymap.Again, keymap.Purge:
		return s.refusesRemoval(a)
	case keymap.Cancel, keymap.Pause, keymap.Signal:
		return s.refusesLive(a)
	case keymap.Relabel:
		return s.unread()
	case keymap.Update, keymap.AskQuery:
		return s.refusesMessage(a)
	}
	return ""
}

// ended is how the run ended; "" while it is live or nothing is known.
func (s Subject) ended() string {
	if !s.Run.Status.Terminal() {
		return ""
	}
	return fmt.Sprintf("already %s at %s", s.Run.Status, s.Run.ClosedAt)
}

func (s Subject) unread() string {
	if s.Run.Status == 0 {
		return "the run itself was not read: open it first"
	}
	return ""
}

func (s Subject) refusesLive(a keymap.Action) string {
	r := s.Run
	if why := orElse(s.ended(), s.unread()); why != "" || a != keymap.Pause {
		return why
	}
	switch {
	case r.Held:
		return "held, not suspended: " + orElse(r.HeldBecause, "unknown") + "; it goes on where its type is registered"
	case r.Status == flow.Pending:
		return "not started yet: nothing to suspend"
	}
	return ""
}

// refusesRemoval: what takes the run away is blocked by an owed teardown.
func (s Subject) refusesRemoval(a keymap.Action) string {
	verb := map[keymap.Action]string{keymap.Again: "start again", keymap.Purge: "purge"}[a]
	switch {
	case s.Owed != nil:
		return fmt.Sprintf("%s is blocked by owed teardown %s, %d/%d attempts", verb, orElse(s.Owed.Finalizer, "unknown"),
			s.Owed.Attempts, flow.MaxTeardownAttempts)
	case s.unread() != "":
		return s.unread()
	case !s.Run.Status.Terminal():
		return verb + " is for runs that have ended; this run is " + Word(s.Run)
	}
	return ""
}

func (s Subject) refusesRetry(now flow.Instant) string {
	switch {
	case s.Dead != nil && len(s.Dead.Input) == 0:
		return "no recorded input: the clean-up cannot be rebuilt"
	case s.Dead != nil:
		return ""
	case s.Owed != nil:
		return refusesAttempt(*s.Owed, now)
	case s.Run.Status.Terminal() && s.Sought:
		return "nothing owed"
	case s.Run.Status.Terminal():
		return "nothing owed, as far as is known: pane 5 lists what is"
	case s.Run.Status == 0:
		return "nothing is owed for it any more"
	}
	return "retry is for teardowns; this run is live"
}

// refusesAttempt: a second attempt never begins beside a fresh one.
func refusesAttempt(t flow.Teardown, now flow.Instant) string {
	switch TeardownState(t, now) {
	case runningState:
		return fmt.Sprintf("attempt %d running since %s, claim goes stale at %s", t.Attempts+1, clock(t.ClaimedAt), clock(t.StaleAt))
	case heldState:
		return "finalizer for type " + t.Type + " is not registered here; another build may own it"
	case owedState, staleState:
		return ""
	}
	return "the claim cannot be read: " + t.LastError
}
