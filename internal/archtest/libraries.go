package archtest

import (
	"fmt"
	"strconv"
	"strings"
)

// libraries says where a library may be imported outside tests, by the
// beginning of its import path. The reason is what would be lost otherwise.
var libraries = []struct {
	prefix, reason string
	in             []string
}{
	{"github.com/cockroachdb/", "the engine must run on any store", []string{"store/pebble", "internal/bench"}},
	{"charm.land/", "the engine must run without a terminal", []string{"keymap", "views", "tui"}},
	{"github.com/charmbracelet/", "the engine must run without a terminal", []string{"keymap", "views", "tui", "cmd/weft-tui", "internal/picture"}},
	{"github.com/pelletier/go-toml/", "one package knows how the configuration is written", []string{"config"}},
	{"github.com/fsnotify/", "watches are few: whoever needs one asks package config", []string{"config"}},
	{"github.com/gofrs/flock", "the store has locks of its own", []string{"state"}},
	{"github.com/spf13/", "flags belong to the command", []string{"cmd/weft-tui"}},
	{"testing", "testing registers flags in the program that imports it", []string{"store/storetest", "wefttest"}},
	{"github.com/google/go-cmp/", "go-cmp may panic: it is for tests", []string{"store/storetest"}},
	{"pgregory.net/rapid", "rapid is for tests", []string{"store/storetest"}},
	{"github.com/rogpeppe/go-internal/", "testscript is for tests", nil},
}

func checkLibraries(t *Tree) []Finding {
	var found []Finding
	for _, s := range t.Source {
		if s.Test() {
			continue
		}
		for _, spec := range s.Syntax.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			for _, l := range libraries {
				if inLibrary(name, l.prefix) && !matches(l.in, s.Dir()) {
					found = append(found, Finding{s.Path, t.Line(spec.Pos()),
						fmt.Sprintf("%s may not import %s: %s", s.Dir(), name, l.reason)})
				}
			}
		}
	}
	return found
}

func inLibrary(name, prefix string) bool {
	return name == prefix || strings.HasPrefix(name, strings.TrimSuffix(prefix, "/")+"/")
}
