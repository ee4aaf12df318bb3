package archtest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/internal/archtest"
)

func TestCommands(t *testing.T) {
	markdown := "# Title\n```sh\n# a comment\ngo test ./...   # with a comment\n\nmake\n```\nnot `sh`\n```go\nfmt.Println()\n```\n"
	want := []string{"go test ./...", "make"}
	if diff := cmp.Diff(want, archtest.Commands(markdown)); diff != "" {
		t.Errorf("commands of %q (-want +got):\n%s", markdown, diff)
	}
}

func TestFragment(t *testing.T) {
	got, err := archtest.Fragment(archtest.Block{Text: "func Test(t *testing.T) { time.Sleep(own.time.Second) }\n", Line: 7})
	want := "package own\nimport \"testing\"\nimport \"time\"\nfunc Test(t *testing.T) { time.Sleep(own.time.Second) }\n"
	if err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if _, err := archtest.Fragment(archtest.Block{Text: "x := 1\n", Line: 7}); err == nil {
		t.Error("a statement is no declaration")
	}
}
