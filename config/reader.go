package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"weft/keymap"
	"weft/views"
)

// reader turns a parsed tree into a File and collects what is wrong.
type reader struct {
	file   File
	lines  lines
	faults []Fault
	// changed is where the changes of keys stand.
	changed []string
}

// field takes the value of one key; at is its full name.
type field func(r *reader, at string, v any)

// fields are all keys of a table by name.
type fields map[string]field

var rootFields fields

func init() { // the table refers to itself by way of its functions
	rootFields = fields{
		"theme": text(func(r *reader, s string) error { r.file.settings.Theme = s; return nil }), // known once [themes] is read
		"ascii": flag(func(r *reader, b bool) { r.file.settings.ASCII = b }),
		"mouse": flag(func(r *reader, b bool) { r.file.settings.NoMouse = !b }),
		"times": text((*reader).times),
		"pane": text(func(r *reader, s string) error {
			_, err := views.PaneNamed(s)
			r.file.Pane = s
			return err
		}),
		"secrets": words(func(r *reader, all []string) error { r.file.settings.Secrets = all; return nil }),
		"confirm": fields{"retry_teardown": flag(func(r *reader, b bool) { r.file.settings.RetryAtOnce = !b })}.field,
		"alarm":   fields{"owed_after": text((*reader).owedAfter)}.field,
		"store":   each((*reader).store),
		"themes":  each((*reader).theme),
		"keys":    (*reader).keys,
	}
}

// fault notes what is wrong at a key.
func (r *reader) fault(at, format string, args ...any) {
	r.faults = append(r.faults, Fault{Line: r.lines[at], Problem: shown(at) + ": " + fmt.Sprintf(format, args...)})
}

func (r *reader) root(tree map[string]any) {
	rootFields.field(r, "", tree)
	s := r.file.settings
	if _, err := s.ThemeNamed(s.Theme); err != nil {
		r.fault("theme", "%v", err)
	}
	keys, bad := keymap.Rebound(r.file.changes)
	for _, e := range bad {
		r.fault(r.changed[e.At], "%s", e.Problem)
	}
	r.file.settings.Keys = keys
	slices.SortStableFunc(r.faults, func(a, b Fault) int { return a.Line - b.Line })
}

// field reads a table whose keys are fs.
func (fs fields) field(r *reader, at string, v any) {
	table, ok := r.table(at, v)
	if !ok {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		f, known := fs[key]
		if !known {
			r.unknown(join(at, key), key, slices.Collect(maps.Keys(fs)))
			continue
		}
		f(r, join(at, key), table[key])
	}
}

func (r *reader) unknown(at, key string, known []string) {
	if meant := near(key, known); meant != "" {
		r.fault(at, "there is no such key: did you mean %s?", meant)
		return
	}
	slices.Sort(known)
	r.fault(at, "there is no such key: it may be %s", strings.Join(known, ", "))
}

func (r *reader) table(at string, v any) (map[string]any, bool) {
	table, ok := v.(map[string]any)
	if !ok {
		r.fault(at, "must be a table, is %s", kind(v))
	}
	return table, ok
}

// kind is what TOML calls a value.
func kind(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case []any:
		return "an array"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}

// text is a string.
func text(take func(*reader, string) error) field {
	return func(r *reader, at string, v any) {
		s, ok := v.(string)
		if !ok {
			r.fault(at, "must be a string, is %s", kind(v))
		} else if err := take(r, s); err != nil {
			r.fault(at, "%v", err)
		}
	}
}

// flag is true or false.
func flag(take func(*reader, bool)) field {
	return func(r *reader, at string, v any) {
		b, ok := v.(bool)
		if !ok {
			r.fault(at, "must be true or false, is %s", kind(v))
			return
		}
		take(r, b)
	}
}

// words is an array of strings, or one string.
func words(take func(*reader, []string) error) field {
	return func(r *reader, at string, v any) {
		all, ok := stringsOf(v)
		if !ok {
			r.fault(at, "must be a string or an array of strings")
		} else if err := take(r, all); err != nil {
			r.fault(at, "%v", err)
		}
	}
}

func stringsOf(v any) (all []string, ok bool) {
	if s, single := v.(string); single {
		return []string{s}, true
	}
	list, ok := v.([]any)
	for _, e := range list {
		s, isString := e.(string)
		if !isString {
			return nil, false
		}
		all = append(all, s)
	}
	return all, ok
}

// each is a table of tables, named as people like.
func each(take func(r *reader, at, name string, t map[string]any)) field {
	return func(r *reader, at string, v any) {
		table, _ := r.table(at, v)
		for _, name := range slices.Sorted(maps.Keys(table)) {
			if t, ok := r.table(join(at, name), table[name]); ok {
				take(r, join(at, name), name, t)
			}
		}
	}
}

func (r *reader) times(s string) error {
	at := slices.Index([]string{"ages", "utc", "local"}, s)
	if at < 0 {
		return fmt.Errorf("%q is none of ages, utc, local", s)
	}
	r.file.settings.Times = []views.Times{views.Relative, views.UTC, views.Local}[at]
	return nil
}

func (r *reader) owedAfter(s string) error {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return fmt.Errorf("%q is no time like 90m or 2h", s)
	case d <= 0:
		return errors.New("must be more than 0")
	}
	r.file.settings.OwedLong = d
	return nil
}

func (r *reader) store(at, name string, t map[string]any) {
	st := Store{Name: name}
	fields{
		"label": text(func(_ *reader, s string) error {
			st.Badge.Text = s
			if len([]rune(s)) > maxLabel {
				return fmt.Errorf("has more than %d characters", maxLabel)
			}
			return nil
		}),
		"color": text(func(_ *reader, s string) (err error) {
			st.Badge.Style, err = views.ParseStyle(s)
			return err
		}),
	}.field(r, at, t)
	r.file.Stores = append(r.file.Stores, st)
}

// maxLabel keeps a label from pushing the lease off the first line.
const maxLabel = 16

func (r *reader) theme(at, name string, t map[string]any) {
	base := ""
	if b, ok := t["base"].(string); ok {
		base = b
	}
	theme, known := views.ThemeNamed(base)
	if !known {
		r.fault(join(at, "base"), "%q is none of %s", base, strings.Join(views.ThemeNames(), ", "))
	}
	if slices.Contains(views.ThemeNames(), name) {
		r.fault(at, "there is a theme %s already: choose another name", name)
	}
	parts := fields{"base": text(func(*reader, string) error { return nil })}
	for _, tone := range views.ToneNames() {
		parts[tone] = text(func(_ *reader, s string) error {
			style, err := views.ParseStyle(s)
			theme, _ = theme.WithStyle(tone, style)
			return err
		})
	}
	parts.field(r, at, t)
	r.file.settings.Themes = append(r.file.settings.Themes, theme.Named(name))
}

// keys reads [keys]: an action with its keys, or a place with such actions.
func (r *reader) keys(at string, v any) {
	table, _ := r.table(at, v)
	for _, name := range slices.Sorted(maps.Keys(table)) { // actions first: those of a place stand over them
		if _, ok := table[name].(map[string]any); !ok {
			r.rebind(join(at, name), name, table[name], keymap.Change{Everyplace: true})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		actions, ok := table[name].(map[string]any)
		if !ok {
			continue
		}
		place, known := keymap.PlaceNamed(name)
		if !known {
			r.unknown(join(at, name), name, keymap.PlaceWords())
			continue
		}
		for _, action := range slices.Sorted(maps.Keys(actions)) {
			r.rebind(join(join(at, name), action), action, actions[action], keymap.Change{Place: place})
		}
	}
}

func (r *reader) rebind(at, name string, v any, c keymap.Change) {
	action, known := keymap.ActionNamed(name)
	if !known {
		r.unknown(at, name, keymap.ActionNames())
		return
	}
	keys, ok := stringsOf(v)
	if !ok {
		r.fault(at, "must be a key or an array of keys, is %s", kind(v))
		return
	}
	c.Action, c.Keys = action, keys
	r.file.changes, r.changed = append(r.file.changes, c), append(r.changed, at)
}
