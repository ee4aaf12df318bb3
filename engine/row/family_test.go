package row_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestF104FamiliesAreDisjoint: no family's prefix begins another's, so that no
// range of one holds a row of another. It reads the constants from the source:
// nobody can forget to list a new one.
func TestF104FamiliesAreDisjoint(t *testing.T) {
	families := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != len(spec.Names) {
				return true
			}
			for i, name := range spec.Names {
				lit, ok := spec.Values[i].(*ast.BasicLit)
				if !strings.HasPrefix(name.Name, "Family") || !ok {
					continue
				}
				if families[name.Name], err = strconv.Unquote(lit.Value); err != nil {
					t.Error(err)
				}
			}
			return true
		})
	}
	if len(families) < 19 {
		t.Errorf("only %d families were found: %v", len(families), families)
	}
	families["the lease"] = "lease:"
	for name, prefix := range families {
		if !strings.HasSuffix(prefix, ":") || prefix[0] == 0 {
			t.Errorf("%s is %q: a prefix ends with a colon and begins with no zero byte", name, prefix)
		}
		for other, begins := range families {
			if name != other && strings.HasPrefix(prefix, begins) {
				t.Errorf("%s (%q) begins as %s does (%q)", name, prefix, other, begins)
			}
		}
	}
}
