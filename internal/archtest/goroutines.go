package archtest

import (
	"go/ast"
	"slices"
	"strings"
)

// architectureDoc describes each package and has the table of goroutines.
const architectureDoc = "docs/ARCHITECTURE.md"

// testBenches are packages whose goroutines live within one test.
var testBenches = []string{"store/storetest"}

// checkGoroutines demands a row for each package that starts goroutines, so that
// somebody has said what ends them, and no row for one that does not.
func checkGoroutines(t *Tree) []Finding {
	rows := goroutineRows(t)
	var found []Finding
	starts := map[string]bool{}
	for _, s := range t.Source {
		if s.Test() || slices.Contains(testBenches, s.Dir()) || starts[s.Dir()] {
			continue
		}
		if line := t.startLine(s); line > 0 {
			starts[s.Dir()] = true
			if _, ok := rows[s.Dir()]; !ok {
				found = append(found, Finding{s.Path, line, "starts a goroutine, but " + architectureDoc + " has no row for " + s.Dir()})
			}
		}
	}
	for dir, line := range rows {
		if !starts[dir] {
			found = append(found, Finding{architectureDoc, line, dir + " starts no goroutine"})
		}
	}
	return found
}

// startLine is the first line of s that starts a goroutine, by a go statement
// or a method called Go as of a wait group; 0 if there is none.
func (t *Tree) startLine(s Source) int {
	var lines []int
	ast.Inspect(s.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			lines = append(lines, t.Line(n.Pos()))
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" {
				lines = append(lines, t.Line(n.Pos()))
			}
		}
		return true
	})
	if len(lines) == 0 {
		return 0
	}
	return slices.Min(lines)
}

// goroutineRows maps the packages of the table to the line of their first row;
// the first column of a row is the folder of the package.
func goroutineRows(t *Tree) map[string]int {
	rows := map[string]int{}
	doc, _ := t.text(architectureDoc)
	inTable := false
	for n, line := range strings.Split(doc, "\n") {
		cells := strings.Split(line, "|")
		switch {
		case strings.HasPrefix(line, "#"):
			inTable = strings.Contains(line, "Goroutines")
		case !inTable || len(cells) < 3 || strings.Contains(line, "---"):
		default:
			dir := strings.TrimSpace(cells[1])
			if _, seen := rows[dir]; !seen && dir != "package" {
				rows[dir] = n + 1
			}
		}
	}
	return rows
}
