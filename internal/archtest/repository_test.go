package archtest_test

import (
	"path/filepath"
	"testing"

	"weft/internal/archtest"
)

const root = "../.."

func TestRepository(t *testing.T) {
	tree, err := archtest.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Source) == 0 {
		t.Fatalf("no Go file below %s", root)
	}
	for _, rule := range archtest.Rules {
		t.Run(rule.Name, func(t *testing.T) {
			for _, f := range rule.Run(tree) {
				t.Error(f)
			}
		})
	}
	report(t, tree)
}

// report counts the exemptions, so that their number is read with each run.
func report(t *testing.T, tree *archtest.Tree) {
	exempt := 0
	for _, f := range archtest.Functions(tree) {
		if f.Marked {
			exempt++
			t.Logf("%s:%d: %s has %d lines: %s", f.Path, f.Line, f.Name, f.Lines, f.Exempt)
		}
	}
	t.Logf("%d Go files, %d functions exempt from the length rule", len(tree.Source), exempt)
}

// TestLoadFindsTheRoot fails when the package moves and root no longer leads to
// the repository, which would let every rule pass on an empty tree.
func TestLoadFindsTheRoot(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(root, "go.mod"))
	if err != nil || len(found) != 1 {
		t.Fatalf("no go.mod in %s: %v", root, err)
	}
}
