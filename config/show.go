package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"weft/keymap"
	"weft/views"
)

// Text is all that is in force, as a file that says it: also what the file leaves
// out. It can be edited and used.
func (f File) Text() (string, error) {
	s := f.settings
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("theme = %s", quoted(orElse(s.Theme, "dark")))
	line("ascii = %t", s.ASCII)
	line("mouse = %t", !s.NoMouse)
	line("times = %s", quoted(map[views.Times]string{views.Relative: "ages", views.UTC: "utc", views.Local: "local"}[s.Times]))
	line("pane = %s", quoted(orElse(f.Pane, "running")))
	line("secrets = %s", array(s.Secrets))
	line("\n[confirm]\nretry_teardown = %t", !s.RetryAtOnce)
	owed := s.OwedLong
	if owed == 0 {
		owed = time.Hour
	}
	line("\n[alarm]\nowed_after = %s", quoted(owed.String()))
	rest := map[string]any{}
	for _, name := range []string{"store", "themes"} {
		if t, there := f.tree[name]; there {
			rest[name] = t
		}
	}
	tables, err := toml.Marshal(rest)
	if err != nil {
		return "", fmt.Errorf("show the configuration: %w", err)
	}
	if len(tables) > 0 {
		line("\n%s", strings.TrimSpace(string(tables)))
	}
	for _, p := range keymap.Places() {
		line("\n[keys.%s]", p.Word())
		for _, r := range s.Keys.Own(p) {
			line("%s = %s", r.Action, array(r.Keys))
		}
	}
	return b.String(), nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// quoted is a string of TOML.
func quoted(s string) string {
	text, err := toml.Marshal(map[string]string{"x": s})
	if err != nil { // not UTF-8, which no file can hold
		return `""`
	}
	return strings.TrimSpace(strings.TrimPrefix(string(text), "x = "))
}

func array(all []string) string {
	parts := make([]string, len(all))
	for i, s := range all {
		parts[i] = quoted(s)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
