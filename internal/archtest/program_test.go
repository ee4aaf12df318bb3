package archtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/archtest"
)

// TestProgramsInDocs builds each Go block of the documents in a module of its
// own that requires this one the way the README says. A reader copies whole
// programs, so a block that is a fragment fails.
func TestProgramsInDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, name := range []string{"README.md", "docs/ARCHITECTURE.md"} {
		for _, b := range archtest.Blocks(readRoot(t, name)) {
			if b.Language != "go" {
				continue
			}
			t.Run(fmt.Sprintf("%s line %d", name, b.Line), func(t *testing.T) { buildAlone(t, b.Text) })
		}
	}
}

// buildAlone vets source in a fresh module. The versions of all libraries are
// those of this module, so nothing has to be fetched.
func buildAlone(t *testing.T, source string) {
	t.Helper()
	home, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ := strings.Cut(readRoot(t, "go.mod"), "\n")
	dir := t.TempDir()
	write(t, dir, "main.go", source)
	write(t, dir, "go.sum", readRoot(t, "go.sum"))
	write(t, dir, "go.mod", "module example.com/own\n"+requirements+"\nrequire weft v0.0.0\n\nreplace weft => "+home+"\n")
	cmd := exec.Command("go", "vet", "-mod=mod", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s\n%s", err, out, source)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
