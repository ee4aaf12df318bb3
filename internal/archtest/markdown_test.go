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
