package state

import (
	"maps"
	"reflect"
	"slices"

	"weft/tui"
)

// merge brings what mine changed since base into theirs.
func merge(base, mine, theirs tui.Memory) tui.Memory {
	out := theirs
	if mine.Pane != base.Pane {
		out.Pane = mine.Pane
	}
	out.Filters = mergeMaps(base.Filters, mine.Filters, theirs.Filters)
	out.Lists = mergeMaps(base.Lists, mine.Lists, theirs.Lists)
	out.Commands = mergeHistory(base.Commands, mine.Commands, theirs.Commands)
	return out
}

// mergeMaps takes theirs with what mine added, changed or removed.
func mergeMaps[V any](base, mine, theirs map[string]V) map[string]V {
	out := maps.Clone(theirs)
	if out == nil {
		out = map[string]V{}
	}
	for name, v := range mine {
		if was, had := base[name]; !had || !reflect.DeepEqual(was, v) {
			out[name] = v
		}
	}
	for name := range base {
		if _, has := mine[name]; !has {
			delete(out, name)
		}
	}
	return out
}

// mergeHistory puts what mine has on top of base, the latest first, over theirs.
func mergeHistory(base, mine, theirs []string) []string {
	fresh := mine
	for n := range mine {
		if rest := mine[n:]; slices.Equal(rest, base[:min(len(base), len(rest))]) {
			fresh = mine[:n]
			break
		}
	}
	out := slices.Clone(fresh)
	for _, c := range theirs {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out[:min(len(out), tui.HistoryKeeps)]
}

// cloned shares nothing with m that its owner may change.
func cloned(m tui.Memory) tui.Memory {
	m.Filters, m.Lists, m.Commands = maps.Clone(m.Filters), maps.Clone(m.Lists), slices.Clone(m.Commands)
	return m
}
