package archtest

import (
	"cmp"
	"fmt"
	"slices"
)

// Rule is one rule of the repository.
type Rule struct {
	Name string
	// Check returns what breaks the rule, in any order.
	Check func(*Tree) []Finding
}

// Rules are all of them. Each has a tree that breaks it in testdata, named
// after it.
var Rules = []Rule{
	{"imports", checkImports},
	{"libraries", checkLibraries},
	{"package-docs", checkPackageDocs},
	{"package-names", checkPackageNames},
	{"described", checkDescribed},
	{"sizes", checkSizes},
	{"interfaces", checkInterfaces},
	{"signatures", checkSignatures},
	{"goroutines", checkGoroutines},
	{"clocks", checkClocks},
	{"colors", checkColors},
	{"output", checkOutput},
	{"todo", checkTodo},
	{"paths", checkPaths},
}

// Finding is one place that breaks a rule. Line 0 means the whole file.
type Finding struct {
	Path string
	Line int
	Text string
}

func (f Finding) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.Path, f.Text)
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Text)
}

// Run applies the rule and returns its findings in the order of the files.
func (r Rule) Run(t *Tree) []Finding {
	found := r.Check(t)
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	return found
}
