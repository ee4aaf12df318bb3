package archtest

import (
	"bytes"
	"fmt"
	"regexp"
)

// machinePath finds a path that exists on one machine only. The word before it
// must not belong to the path: "docs/work" is relative.
var machinePath = regexp.MustCompile(`(?:^|[^\w.~$}/-])(/(?:work|root|home/\w+|Users/\w+)(?:/|\b))`)

func checkPaths(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Files {
		if bytes.IndexByte(f.Data, 0) >= 0 {
			continue
		}
		for i, line := range bytes.Split(f.Data, []byte("\n")) {
			if m := machinePath.FindSubmatch(line); m != nil {
				found = append(found, Finding{f.Path, i + 1, fmt.Sprintf("names a path of one machine: %s", m[1])})
			}
		}
	}
	return found
}

// unfinished finds notes that nobody comes back to.
var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)

func checkTodo(t *Tree) []Finding {
	var found []Finding
	for _, s := range t.Source {
		for _, group := range s.Syntax.Comments {
			for _, c := range group.List {
				if word := unfinished.FindString(c.Text); word != "" {
					found = append(found, Finding{s.Path, t.Line(c.Pos()), "comment leaves a " + word})
				}
			}
		}
	}
	return found
}
