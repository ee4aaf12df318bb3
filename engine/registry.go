package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"weft/engine/list"
	"weft/flow"
	"weft/store"
)

// registry holds the types this engine runs. It never changes.
type registry map[string]*definition

func newRegistry(defs []Definition) (registry, error) {
	r := registry{}
	var bad []error
	for i, d := range defs {
		if d == nil {
			bad = append(bad, fmt.Errorf("Workflows[%d]: is nil", i))
			continue
		}
		def := d.definition()
		bad = append(bad, def.problem)
		if _, twice := r[def.name]; twice {
			bad = append(bad, fmt.Errorf("workflow %q is registered twice", def.name))
		}
		r[def.name] = def
	}
	return r, errors.Join(bad...)
}

// held says why a run of this type and version may not be touched here, or "".
func (r registry) held(typ, version string) string {
	def, ok := r[typ]
	switch {
	case !ok:
		return "type " + typ + " is not registered here"
	case def.version != version:
		return fmt.Sprintf("started under version %q, registered is %q", version, def.version)
	}
	return ""
}

// names are the registered types in order.
func (r registry) names() []string {
	out := make([]string, 0, len(r))
	for name := range r {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// types describes the registered types, in order of name.
func (r registry) types() []flow.Type {
	out := make([]flow.Type, 0, len(r))
	for _, name := range r.names() {
		def := r[name]
		t := flow.Type{Name: name, Version: def.version, Registered: true, Example: def.example}
		for signal := range def.signals {
			t.Signals = append(t.Signals, signal)
		}
		sort.Strings(t.Signals)
		t.Updates, t.Queries = slices.Sorted(maps.Keys(def.updates)), slices.Sorted(maps.Keys(def.queries))
		if def.finalizer != nil {
			t.Finalizer = def.finalizer.name
		}
		out = append(out, t)
	}
	return out
}

// UnknownTypesError says that the store holds unfinished runs of types that
// are not registered. Register them, or set AcknowledgeUnknownTypes.
type UnknownTypesError struct {
	// Counts is the number of unfinished runs by type.
	Counts map[string]int64
}

// Error implements error.
func (e *UnknownTypesError) Error() string {
	names := make([]string, 0, len(e.Counts))
	for name := range e.Counts {
		names = append(names, name)
	}
	sort.Strings(names)
	more := ""
	if len(names) > 10 {
		names, more = names[:10], fmt.Sprintf(" and %d types more", len(e.Counts)-10)
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%q (%d)", name, e.Counts[name])
	}
	return "the store holds unfinished runs of types that are not registered: " + strings.Join(names, ", ") + more +
		"; register them, or acknowledge unknown types"
}

// checkTypes compares the store's unfinished runs with the registry, by the
// counters alone.
func (r registry) checkTypes(s store.Reader) error {
	types, err := list.Types(s, r.types())
	if err != nil {
		return fmt.Errorf("read type counts: %w", err)
	}
	unknown := map[string]int64{}
	for _, t := range types {
		if t.Registered {
			continue
		}
		for _, v := range t.Versions {
			if n := v.Counts.Pending + v.Counts.Running + v.Counts.Suspended; n > 0 {
				unknown[t.Name] += n
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return &UnknownTypesError{Counts: unknown}
}
