package archtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const module = "weft"

// mayImport is the whole import diagram: which packages of this module a
// package may import. "." is the root package, "x/..." is every package below
// x. A package that is not listed fails: it has no place yet.
var mayImport = map[string][]string{
	"flow":              {},
	"store":             {},
	"store/memory":      {"store"},
	"store/pebble":      {"store"},
	"store/storetest":   {"store"},
	"engine":            {"engine/...", "flow", "store"},
	"engine/...":        {"engine/...", "flow", "store"},
	"engine/torture":    {"engine", "engine/...", "flow", "store"},
	"wefttest":          {"engine", "engine/check", "engine/row", "flow", "store", "store/memory"},
	"keymap":            {},
	"views":             {"flow", "keymap"},
	"tui":               {"flow", "keymap", "views"},
	"config":            {"keymap", "tui", "views"},
	"state":             {"tui"},
	"control":           {"flow"},
	".":                 {"control", "engine", "flow", "store", "store/memory", "store/pebble", "tui"},
	"demo":              {".", "engine", "flow"},
	"examples/...":      {".", "engine", "flow"},
	"cmd/weft-tui":      {".", "config", "control", "state", "demo", "engine", "flow", "store", "store/pebble", "tui", "views"},
	"internal/archtest": {},
	"internal/bench":    {"engine", "flow", "store", "store/pebble"},

	"internal/bench/console": {".", "engine", "flow", "tui"},
	"internal/picture":       {},
}

// testsMayAlsoImport is what only the tests of a package may import besides.
var testsMayAlsoImport = map[string][]string{
	"store/memory": {"store/storetest"},
	"store/pebble": {"store/storetest"},
	"engine":       {"store/memory", "store/pebble"},
	"engine/...":   {"store/memory", "store/pebble"},
	"control":      {"engine", "store/memory", "tui"},
	".":            {"demo"},
	"demo":         {"store/memory", "store"},
	"examples/...": {"store/memory"},
	"cmd/weft-tui": {"store/memory"},
}

func checkImports(t *Tree) []Finding {
	var found []Finding
	unplaced := map[string]bool{}
	for _, s := range t.Source {
		allowed, placed := lookUp(mayImport, s.Dir())
		if !placed && !unplaced[s.Dir()] {
			unplaced[s.Dir()] = true
			found = append(found, Finding{s.Dir(), 0, "package has no place in the import diagram"})
		}
		if s.Test() {
			more, _ := lookUp(testsMayAlsoImport, s.Dir())
			// An external test imports the package it tests.
			allowed = slices.Concat(allowed, more, []string{s.Dir()})
		}
		for _, spec := range s.Syntax.Imports {
			dir, ours := ownPackage(spec.Path.Value)
			if ours && !matches(allowed, dir) {
				found = append(found, Finding{s.Path, t.Line(spec.Pos()),
					fmt.Sprintf("%s may not import %s", s.Dir(), dir)})
			}
		}
	}
	return found
}

// ownPackage turns a quoted import path into a folder of this module.
func ownPackage(quoted string) (dir string, ours bool) {
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return "", false
	}
	if name == module {
		return ".", true
	}
	return strings.CutPrefix(name, module+"/")
}

// lookUp finds the entry of dir: its own, or that of the nearest folder above
// which speaks for all below it.
func lookUp(table map[string][]string, dir string) ([]string, bool) {
	if row, ok := table[dir]; ok {
		return row, true
	}
	for above := dir; strings.Contains(above, "/"); {
		above = above[:strings.LastIndex(above, "/")]
		if row, ok := table[above+"/..."]; ok {
			return row, true
		}
	}
	return nil, false
}

func matches(patterns []string, dir string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		above, all := strings.CutSuffix(p, "/...")
		return p == dir || all && strings.HasPrefix(dir, above+"/")
	})
}
