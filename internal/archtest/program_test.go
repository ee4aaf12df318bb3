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

// documents are the Markdown files whose Go blocks are compiled.
func documents(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(found) < 2 {
		t.Fatalf("documents: %q, %v", found, err)
	}
	names := []string{"README.md"}
	for _, f := range found {
		names = append(names, "docs/"+filepath.Base(f))
	}
	return names
}

// TestProgramsInDocs compiles each Go block of the documents in a module that
// requires this one the way the README says, and runs the tests among them. A
// block that is a whole file is alone there, as with a reader who copies it. The
// other blocks of a document are declarations of one package.
func TestProgramsInDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, name := range documents(t) {
		together := map[string]string{}
		for _, b := range archtest.Blocks(readRoot(t, name)) {
			if b.Language != "go" {
				continue
			}
			file := fmt.Sprintf("line%d.go", b.Line)
			if b.HasTests() {
				file = fmt.Sprintf("line%d_test.go", b.Line)
			}
			if b.Whole() {
				t.Run(fmt.Sprintf("%s line %d", name, b.Line), func(t *testing.T) { tryAlone(t, map[string]string{file: b.Text}) })
				continue
			}
			source, err := archtest.Fragment(b)
			if err != nil {
				t.Errorf("%s line %d: %v", name, b.Line, err)
				continue
			}
			together[file] = source
		}
		if len(together) > 0 {
			t.Run(name+" together", func(t *testing.T) { tryAlone(t, together) })
		}
	}
}

// tryAlone vets files in a fresh module and runs their tests, if they have any.
// The versions of all libraries are those of this module, so nothing has to be
// fetched.
func tryAlone(t *testing.T, files map[string]string) {
	t.Helper()
	home, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ := strings.Cut(readRoot(t, "go.mod"), "\n")
	dir := t.TempDir()
	command, all := "vet", ""
	for name, text := range files {
		write(t, dir, name, text)
		if strings.HasSuffix(name, "_test.go") {
			command = "test" // which vets too
		}
		all += "// " + name + "\n" + text + "\n"
	}
	write(t, dir, "go.sum", readRoot(t, "go.sum"))
	write(t, dir, "go.mod", "module example.com/own\n"+requirements+"\nrequire weft v0.0.0\n\nreplace weft => "+home+"\n")
	cmd := exec.Command("go", command, "-mod=mod", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s\n%s", command, err, out, all)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
