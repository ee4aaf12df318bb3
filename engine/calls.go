package engine

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// calls are the activity functions under way, also those whose attempt is over
// but which have not returned: the strays.
type calls struct {
	mu  sync.Mutex
	set map[*attempt]struct{}
}

func (c *calls) add(a *attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set == nil {
		c.set = map[*attempt]struct{}{}
	}
	c.set[a] = struct{}{}
}

func (c *calls) remove(a *attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.set, a)
}

// names says what is under way, in order.
func (c *calls) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]string, 0, len(c.set))
	for a := range c.set {
		out = append(out, fmt.Sprintf("activity %s of run %s, step %s, attempt %d", a.op.name, a.life.ref, a.op.step, a.number))
	}
	sort.Strings(out)
	return out
}

// StuckError says what still ran when Close stopped waiting.
type StuckError struct {
	// Attempts and Runs count what would not end.
	Attempts, Runs int
	// Names says which it is, a line each.
	Names []string
}

// maxStuckNames bounds what the text lists.
const maxStuckNames = 10

func (e *StuckError) Error() string {
	names := e.Names
	more := ""
	if len(names) > maxStuckNames {
		names, more = names[:maxStuckNames], fmt.Sprintf(" and %d more", len(names)-maxStuckNames)
	}
	return fmt.Sprintf("engine closed while %d activity attempts and %d runs would not end: %s%s",
		e.Attempts, e.Runs, strings.Join(names, "; "), more)
}

// stuck is the error about what is under way now.
func (e *Engine) stuck() *StuckError {
	names := e.calls.names()
	err := &StuckError{Attempts: len(names), Names: names}
	for _, l := range e.lives.all() {
		err.Runs++
		err.Names = append(err.Names, "run "+l.ref.String())
	}
	return err
}
