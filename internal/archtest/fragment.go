package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// fragmentImports are the packages that a fragment in a document may use
// without an import, by the name it uses.
var fragmentImports = map[string]string{
	"context": "context", "errors": "errors", "fmt": "fmt", "os": "os", "slices": "slices", "strings": "strings",
	"testing": "testing", "time": "time",
	"engine": "weft/engine", "flow": "weft/flow", "weft": "weft", "wefttest": "weft/wefttest",
}

// Whole reports whether the block is a file of its own, and not declarations
// that belong together with those of the other blocks of its document.
func (b Block) Whole() bool { return strings.HasPrefix(b.Text, "package ") }

// HasTests reports whether the block declares tests.
func (b Block) HasTests() bool {
	return strings.HasPrefix(b.Text, "func Test") || strings.Contains(b.Text, "\nfunc Test")
}

// Fragment turns a block of declarations into a file of package own: it adds the
// clause and the imports that a document leaves out.
func Fragment(b Block) (string, error) {
	const clause = "package own\n"
	file, err := parser.ParseFile(token.NewFileSet(), fmt.Sprintf("line %d", b.Line), clause+b.Text, parser.SkipObjectResolution)
	if err != nil {
		return "", fmt.Errorf("a block must hold declarations, or be a whole file: %w", err)
	}
	var imports []string
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && fragmentImports[id.Name] != "" {
			imports = append(imports, fmt.Sprintf("import %q\n", fragmentImports[id.Name]))
		}
		return true
	})
	slices.Sort(imports)
	return clause + strings.Join(slices.Compact(imports), "") + b.Text, nil
}
