package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// bags are package names that say nothing, so that anything ends up in them.
var bags = []string{"common", "util", "utils", "helper", "helpers", "type", "types", "model", "models", "misc", "base", "shared"}

func checkPackageNames(t *Tree) []Finding {
	var found []Finding
	for dir, files := range t.Packages() {
		name := files[0].Syntax.Name.Name
		if slices.Contains(bags, strings.TrimSuffix(name, "_test")) {
			found = append(found, Finding{dir, 0, fmt.Sprintf("package name %q says nothing", name)})
		}
	}
	return found
}

// checkPackageDocs demands exactly one package doc in each folder, that begins
// the way go doc shows it.
func checkPackageDocs(t *Tree) []Finding {
	var found []Finding
	for dir, files := range t.Packages() {
		var with []Source
		for _, s := range files {
			if s.Syntax.Doc != nil {
				with = append(with, s)
			}
		}
		switch {
		case len(with) == 0:
			found = append(found, Finding{dir, 0, "no package doc"})
		case len(with) > 1:
			for _, s := range with[1:] {
				found = append(found, Finding{s.Path, 0, "second package doc, the first is in " + with[0].Path})
			}
		default:
			found = append(found, checkOpening(with[0])...)
		}
	}
	return found
}

func checkOpening(s Source) []Finding {
	name := s.Syntax.Name.Name
	if name == "main" || strings.HasPrefix(s.Syntax.Doc.Text(), "Package "+name+" ") {
		return nil
	}
	return []Finding{{s.Path, 0, fmt.Sprintf("package doc does not begin with \"Package %s \"", name)}}
}

// checkDescribed demands that each package has its paragraph in the
// architecture document, which begins with the folder in bold.
func checkDescribed(t *Tree) []Finding {
	doc, ok := t.text(architectureDoc)
	if !ok {
		return []Finding{{architectureDoc, 0, "is missing"}}
	}
	var found []Finding
	for dir := range t.Packages() {
		name := dir
		switch {
		case dir == ".":
			name = module
		case strings.HasPrefix(dir, "examples/"):
			name = "examples" // one paragraph for all: each is its own document
		}
		if !strings.Contains(doc, "\n**"+name+"**") {
			found = append(found, Finding{dir, 0, "has no paragraph in " + architectureDoc})
		}
	}
	return found
}
