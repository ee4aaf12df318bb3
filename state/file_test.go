package state_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/state"
	"weft/tui"
)

func open(t *testing.T, dir string) (*state.File, tui.Memory) {
	t.Helper()
	f, mem, err := state.Open(dir, "store-1")
	if err != nil {
		t.Fatal(err)
	}
	return f, mem
}

func keep(t *testing.T, f *state.File, mem tui.Memory) {
	t.Helper()
	if err := f.Keep(mem); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsKeptIsThereAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "dir")
	f, mem := open(t, dir)
	if diff := cmp.Diff(tui.Memory{}, mem); diff != "" {
		t.Errorf("a store nobody has seen: %s", diff)
	}
	want := tui.Memory{Pane: "owed", Filters: map[string]string{"eu": "tag=eu"}, Commands: []string{"b", "a"},
		Lists: map[string]tui.ListMemory{"running": {Columns: []string{"id"}, Flip: true}}}
	keep(t, f, want)
	if _, got := open(t, dir); cmp.Diff(want, got) != "" {
		t.Error(cmp.Diff(want, got))
	}
	if _, other, err := state.Open(dir, "store-2"); err != nil || other.Pane != "" {
		t.Errorf("another store remembers %+v, %v", other, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "store-1.json"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

// TestTwoConsolesKeepWhatEachChanged: neither writes over what the other did
// elsewhere, and removals count.
func TestTwoConsolesKeepWhatEachChanged(t *testing.T) {
	dir := t.TempDir()
	first, _ := open(t, dir)
	keep(t, first, tui.Memory{Pane: "owed", Filters: map[string]string{"old": "x", "both": "x"}, Commands: []string{"one"}})
	a, inA := open(t, dir)
	b, inB := open(t, dir)
	inA.Filters = map[string]string{"both": "x", "a": "y"} // old is gone
	inA.Commands = []string{"from a", "one"}
	inB.Pane = "dead"
	inB.Filters = map[string]string{"old": "x", "both": "b", "b": "z"}
	inB.Commands = []string{"from b", "one"}
	inB.Lists = map[string]tui.ListMemory{"dead": {Flip: true}}
	keep(t, a, inA)
	keep(t, b, inB)
	inA.Commands = []string{"again", "from a", "one"}
	keep(t, a, inA)
	want := tui.Memory{Pane: "dead", Filters: map[string]string{"both": "b", "a": "y", "b": "z"},
		Lists: map[string]tui.ListMemory{"dead": {Flip: true}}, Commands: []string{"again", "from b", "from a", "one"}}
	if _, got := open(t, dir); cmp.Diff(want, got) != "" {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestManyConsolesAtOnceLoseNothing(t *testing.T) {
	dir := t.TempDir()
	const consoles, times = 6, 5
	var wg sync.WaitGroup
	errs := make(chan error, consoles*(times+1))
	for i := range consoles {
		wg.Go(func() {
			f, mem, err := state.Open(dir, "store-1")
			errs <- err
			if mem.Filters == nil { // else what others kept by then
				mem.Filters = map[string]string{}
			}
			for j := range times {
				mem.Filters[fmt.Sprint(i, "-", j)] = "x"
				errs <- f.Keep(mem)
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, got := open(t, dir); len(got.Filters) != consoles*times {
		t.Errorf("%d filters are kept, want %d: %v", len(got.Filters), consoles*times, got.Filters)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".weft-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestWhatCannotBeUsedIsPutAside(t *testing.T) {
	for name, text := range map[string]string{"no JSON": "{", "empty": "", "another thing": `{"a": 1}`, "wrong kinds": `{"version": 1, "memory": {"pane": 3}}`} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "store-1.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			f, mem, err := state.Open(dir, "store-1")
			if err == nil || !strings.Contains(err.Error(), path) || mem.Pane != "" {
				t.Errorf("%+v, %v", mem, err)
			}
			keep(t, f, tui.Memory{Pane: "owed"})
			if _, got := open(t, dir); got.Pane != "owed" {
				t.Errorf("%+v", got)
			}
			if bad, err := os.ReadFile(path + ".bad"); err != nil || string(bad) != text {
				t.Errorf("put aside: %q, %v", bad, err)
			}
		})
	}
}

func TestFileOfANewerProgramIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store-1.json")
	text := `{"version": 2, "memory": []}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, _, err := state.Open(dir, "store-1")
	if !errors.Is(err, state.ErrNewer) || !errors.Is(f.Keep(tui.Memory{Pane: "owed"}), state.ErrNewer) {
		t.Errorf("open: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("it holds %q, %v", got, err)
	}
}

// TestLinksAreReplaced: what somebody planted leads nowhere.
func TestLinksAreReplaced(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, "store-1.json")); err != nil {
		t.Skip(err)
	}
	f, _, _ := state.Open(dir, "store-1")
	_ = f.Keep(tui.Memory{Pane: "owed"})
	if got, err := os.ReadFile(victim); err != nil || string(got) != "mine" {
		t.Errorf("the victim holds %q, %v", got, err)
	}
}

func TestIdsAreNoPaths(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"../../x", "/etc/x", "", "CON.", "a\x00b", strings.Repeat("x", 300)} {
		f, _, err := state.Open(filepath.Join(dir, "in"), id)
		if err != nil {
			t.Fatal(err)
		}
		keep(t, f, tui.Memory{Pane: "owed"})
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 1 {
		t.Errorf("outside: %v, %v", names, err)
	}
}
