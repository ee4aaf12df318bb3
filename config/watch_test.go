package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// watching is a watcher on a file that holds the dark theme, in a hurry.
func watching(t *testing.T, path string) *Watcher {
	t.Helper()
	put(t, path, `theme = "dark"`)
	f, err := Load(path)
	do(t, err)
	w := Watch(f)
	w.pace = pace{rest: 10 * time.Millisecond, doubt: 300 * time.Millisecond, rescan: time.Hour, poll: 20 * time.Millisecond}
	w.began = true // from here on only events count
	t.Cleanup(func() { w.Close() })
	return w
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func do(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// next waits for one change.
func next(t *testing.T, w *Watcher) (File, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	f, err := w.Next(ctx)
	if ctx.Err() != nil {
		t.Fatal("no change was told of within 10s")
	}
	return f, err
}

// saves are the ways in which programs replace a file.
var saves = map[string]func(t *testing.T, path, text string){
	"in place": put,
	"in place, slowly": func(t *testing.T, path, text string) {
		put(t, path, "")
		for _, part := range []string{text[:8], text[8:10], text[10:]} {
			time.Sleep(30 * time.Millisecond) // longer than a file must rest, shorter than it may be in doubt
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			do(t, err)
			_, err = f.WriteString(part)
			do(t, err, f.Close())
		}
	},
	"a new file under the old name": func(t *testing.T, path, text string) {
		put(t, path+".tmp", text)
		do(t, os.Rename(path+".tmp", path))
	},
	"the old one put aside, as vim does": func(t *testing.T, path, text string) {
		put(t, filepath.Join(filepath.Dir(path), "4913"), "")
		do(t, os.Remove(filepath.Join(filepath.Dir(path), "4913")), os.Rename(path, path+"~"))
		put(t, path, text)
		put(t, filepath.Join(filepath.Dir(path), ".c.toml.swp"), "swap")
		do(t, os.Remove(path+"~"))
	},
	"removed, then written": func(t *testing.T, path, text string) {
		do(t, os.Remove(path))
		put(t, path, text)
	},
	"the directory made anew": func(t *testing.T, path, text string) {
		do(t, os.RemoveAll(filepath.Dir(path)), os.Mkdir(filepath.Dir(path), 0o700))
		put(t, path, text)
	},
}

func TestEveryWayOfSavingIsNoticed(t *testing.T) {
	for name, save := range saves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "weft")
			do(t, os.Mkdir(dir, 0o700))
			path := filepath.Join(dir, "c.toml")
			w := watching(t, path)
			for _, theme := range []string{"light", "mono"} { // a watch may die with the first
				save(t, path, "theme = \""+theme+"\"")
				if f, err := next(t, w); err != nil || f.settings.Theme != theme {
					t.Fatalf("%+v, %v, want theme %s", f, err, theme)
				}
			}
		})
	}
}

func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	first, second, link := filepath.Join(dir, "first"), filepath.Join(dir, "second"), filepath.Join(dir, "conf", "c.toml")
	do(t, os.Mkdir(first, 0o700), os.Mkdir(second, 0o700), os.Mkdir(filepath.Dir(link), 0o700))
	put(t, filepath.Join(second, "c"), `theme = "mono"`)
	put(t, filepath.Join(first, "c"), "")
	do(t, os.Symlink(filepath.Join(first, "c"), link))
	w := watching(t, link)
	saves["a new file under the old name"](t, filepath.Join(first, "c"), `theme = "light"`)
	if f, err := next(t, w); err != nil || f.settings.Theme != "light" {
		t.Fatalf("what the link leads to changed: %+v, %v", f, err)
	}
	do(t, os.Symlink(filepath.Join(second, "c"), link+".new"), os.Rename(link+".new", link))
	if f, err := next(t, w); err != nil || f.settings.Theme != "mono" {
		t.Fatalf("the link leads elsewhere: %+v, %v", f, err)
	}
	put(t, filepath.Join(second, "c"), `theme = "light"`)
	if f, err := next(t, w); err != nil || f.settings.Theme != "light" {
		t.Fatalf("what the new link leads to changed: %+v, %v", f, err)
	}
}

func TestFaultyFileIsToldOnceAndMended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.toml")
	w := watching(t, path)
	put(t, path, "theme = ")
	if _, err := next(t, w); err == nil || !strings.Contains(err.Error(), path+":1") {
		t.Fatalf("a faulty file: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	put(t, path, "theme = ") // saved again, and still faulty
	if _, err := w.Next(ctx); ctx.Err() == nil {
		t.Errorf("the same fault was told again: %v", err)
	}
	put(t, path, `theme = "dark"`) // as it was before the fault
	if f, err := next(t, w); err != nil || f.settings.Theme != "dark" {
		t.Fatalf("mended: %+v, %v", f, err)
	}
	do(t, os.Remove(path))
	if f, err := next(t, w); err != nil || f.Exists {
		t.Fatalf("removed: %+v, %v", f, err)
	}
}

// TestWithoutWatchesItPolls: neither a directory that does not exist yet nor a
// system without watches keeps a change from being seen.
func TestWithoutWatchesItPolls(t *testing.T) {
	dir := t.TempDir()
	for name, blind := range map[string]bool{"no directory yet": false, "no watches": true} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name, "c.toml")
			f, err := Load(path)
			do(t, err)
			w := Watch(f)
			defer w.Close()
			w.pace = pace{rest: 10 * time.Millisecond, doubt: 10 * time.Millisecond, rescan: time.Hour, poll: 20 * time.Millisecond}
			if blind {
				do(t, w.events.Close())
				w.events = nil
			}
			do(t, os.Mkdir(filepath.Dir(path), 0o700))
			put(t, path, `theme = "light"`)
			if f, err = next(t, w); err != nil || f.settings.Theme != "light" {
				t.Fatalf("%+v, %v", f, err)
			}
		})
	}
}

func TestChangeBeforeTheWatchIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.toml")
	put(t, path, `theme = "dark"`)
	f, err := Load(path)
	do(t, err)
	put(t, path, `theme = "light"`)
	w := Watch(f)
	defer w.Close()
	if f, err = next(t, w); err != nil || f.settings.Theme != "light" {
		t.Fatalf("%+v, %v", f, err)
	}
}
