package list

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// maxWaits is how many waits of a run are read to describe it.
const maxWaits = 16

// waits are the registered waits of a run.
type waits struct {
	// chief is the one to show: a retry before anything else, then the first
	// step. Nil when there is none.
	chief *wait
	// latest is the one registered last.
	latest *wait
	seen   int
	broken string
}

type wait struct {
	row.Wait
	step flow.StepPath
}

func readWaits(r store.Reader, ref flow.Ref) (waits, error) {
	var all waits
	for kv, err := range r.Scan(store.Prefix(row.WaitPrefix(ref))) {
		if err != nil {
			return waits{}, err
		}
		if all.seen++; all.seen > maxWaits {
			break
		}
		w, err := readWait(kv)
		if err != nil {
			all.broken = err.Error()
			continue
		}
		if all.chief == nil || w.before(all.chief) {
			all.chief = &w
		}
		if all.latest == nil || w.StartedAt > all.latest.StartedAt {
			all.latest = &w
		}
	}
	return all, nil
}

// readWait reads a wait row. With an error the wait has its step at most.
func readWait(kv store.Row) (wait, error) {
	_, step, ok := row.ParseWait(kv.Key)
	if !ok {
		return wait{}, fmt.Errorf("wait key %q unreadable: %w", kv.Key, store.ErrCorrupt)
	}
	w, err := row.DecodeWait(kv.Value)
	if err != nil {
		return wait{step: step}, fmt.Errorf("wait of step %s unreadable: %w", step, err)
	}
	return wait{w, step}, nil
}

func (w *wait) before(other *wait) bool {
	if w.retrying() != other.retrying() {
		return w.retrying()
	}
	return comparePaths(w.step, other.step) < 0
}

// retrying reports whether an attempt has failed and another follows.
func (w *wait) retrying() bool { return (w.LastError != nil || w.Attempt > 1) && !w.outside() }

// outside reports whether the outcome comes from outside.
func (w *wait) outside() bool { return w.Later != nil && w.Later.Handed }

// text says in words what is waited for.
func (w *wait) text() string {
	s := w.Kind.String()
	if w.Name != "" {
		s += " " + w.Name
	}
	if w.outside() {
		s += ", waiting for completion from outside"
	}
	switch {
	case w.retrying() && w.Due == 0:
		return fmt.Sprintf("%s, attempt %d", s, w.Attempt)
	case w.retrying():
		return fmt.Sprintf("%s, attempt %d, next try at %s", s, w.Attempt, w.Due)
	case w.Due != 0:
		return s + " until " + w.Due.String()
	}
	return s
}

// text says in words what all the waits are for; "" when there are none.
func (w *waits) text() string {
	switch {
	case w.chief == nil:
		return ""
	case w.seen > maxWaits:
		return fmt.Sprintf("%s and more than %d others", w.chief.text(), maxWaits-1)
	case w.seen == 2:
		return w.chief.text() + " and 1 other"
	case w.seen > 2:
		return fmt.Sprintf("%s and %d others", w.chief.text(), w.seen-1)
	}
	return w.chief.text()
}

// await adds to the run what it waits for. At is the time of its last event:
// the newer of event and wait tells the summary, the wait when in doubt.
func await(run flow.Run, w waits, at flow.Instant) flow.Run {
	run.Waiting = w.text()
	switch {
	case run.Status == flow.Suspended && run.Waiting != "":
		run.Waiting = "resume, then " + run.Waiting
	case run.Status == flow.Suspended:
		run.Waiting = "resume"
	case run.Status == flow.Pending && run.Waiting == "":
		run.Waiting = "start"
	}
	if w.chief != nil {
		run.Step, run.Due = w.chief.step, w.chief.Due
	}
	if w.latest != nil {
		run.UpdatedAt = max(run.UpdatedAt, w.latest.StartedAt)
		if w.latest.Summary != "" && (run.Summary == "" || w.latest.StartedAt >= at) {
			run.Summary = w.latest.Summary
		}
	}
	return remark(run, w.broken)
}

// comparePaths orders steps as their numbers do: 2 before 10, 4 before 4.1.
func comparePaths(a, b flow.StepPath) int {
	for a != "" && b != "" {
		var x, y string
		x, a = cut(a)
		y, b = cut(b)
		n, errN := strconv.ParseUint(x, 10, 64)
		m, errM := strconv.ParseUint(y, 10, 64)
		c := cmp.Compare(n, m)
		if errN != nil || errM != nil {
			c = strings.Compare(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func cut(p flow.StepPath) (string, flow.StepPath) {
	head, rest, _ := strings.Cut(string(p), ".")
	return head, flow.StepPath(rest)
}
