package engine

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// calls are the activity functions under way, also those whose attempt is over
// but which have not returned: the strays. They are a list through the attempts
// themselves.
type calls struct {
	mu    sync.Mutex
	first *attempt
}

func (c *calls) add(a *attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a.call.next = c.first
	if c.first != nil {
		c.first.call.prev = a
	}
	c.first = a
}

func (c *calls) remove(a *attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.call.prev == nil {
		c.first = a.call.next
	} else {
		a.call.prev.call.next = a.call.next
	}
	if a.call.next != nil {
		a.call.next.call.prev = a.call.prev
	}
	a.call.next, a.call.prev = nil, nil
}

// names says what is under way, in order.
func (c *calls) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for a := c.first; a != nil; a = a.call.next {
		out = append(out, a.String())
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

// Error implements error.
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
	for _, name := range e.asks.names() {
		err.Runs++
		err.Names = append(err.Names, name)
	}
	for _, l := range e.lives.all() {
		err.Runs++
		err.Names = append(err.Names, "run "+l.ref.String())
	}
	return err
}
