package engine

import (
	"context"
	"fmt"
	"maps"

	"weft/flow"
)

// Limits on headers.
const (
	maxHeaders     = 32
	maxHeaderBytes = 4096
)

// Header is a value that the start of a run handed on to all it does: the code
// of the run, of its activities and of its children, and the runs that continue
// it (see [StartOptions].Headers). It takes a [*Context] or the context of an
// activity, and is "" when there is none.
func Header(ctx context.Context, name string) string {
	switch c := ctx.(type) {
	case *Context:
		return c.life.headers()[name]
	default:
		if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
			return a.life.headers()[name]
		}
	}
	return ""
}

// headers never change during a life.
func (l *life) headers() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head.Headers
}

// checkHeaders refuses what would make every head long.
func checkHeaders(h map[string]string) error {
	if len(h) > maxHeaders {
		return &flow.LimitError{Limit: "headers of a run", Got: len(h), Max: maxHeaders}
	}
	bytes := 0
	for name, value := range h {
		if err := flow.CheckName("header", name); err != nil {
			return err
		}
		bytes += len(name) + len(value)
	}
	if bytes > maxHeaderBytes {
		return fmt.Errorf("headers: %w", &flow.LimitError{Limit: "bytes of headers", Got: bytes, Max: maxHeaderBytes})
	}
	return nil
}

// handOn are the headers of a child.
func handOn(parent, own map[string]string) map[string]string {
	if len(own) == 0 {
		return parent
	}
	all := maps.Clone(own)
	for name, value := range parent {
		if _, ok := all[name]; !ok {
			all[name] = value
		}
	}
	return all
}
