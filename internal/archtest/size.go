package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// Limits in lines. The aim is far below: 120 a file, 10 a function.
const (
	maxFile = 400
	maxFunc = 60
)

// exemption marks a function that may be long. What follows it is the reason.
const exemption = "//weft:long"

// Function is one function that was measured.
type Function struct {
	Path, Name string
	Line       int
	// Lines is its length; composite literals count as one line each, but the
	// function literals inside them count.
	Lines int
	// Exempt is the reason given for its length; Marked tells whether the mark
	// is there at all.
	Exempt string
	Marked bool
}

func checkSizes(t *Tree) []Finding {
	var found []Finding
	for _, s := range t.Source {
		if n := s.Lines(); n > maxFile {
			found = append(found, Finding{s.Path, 0, fmt.Sprintf("%d lines, at most %d", n, maxFile)})
		}
	}
	for _, f := range Functions(t) {
		if text := f.complaint(); text != "" {
			found = append(found, Finding{f.Path, f.Line, f.Name + ": " + text})
		}
	}
	return found
}

func (f Function) complaint() string {
	switch {
	case f.Marked && f.Exempt == "":
		return exemption + " without a reason"
	case f.Marked && f.Lines <= maxFunc:
		return exemption + " is not needed"
	case !f.Marked && f.Lines > maxFunc:
		return fmt.Sprintf("%d lines, at most %d", f.Lines, maxFunc)
	}
	return ""
}

// Functions measures every function outside tests, also literals that are
// values of package variables.
func Functions(t *Tree) []Function {
	var all []Function
	for _, s := range t.Source {
		if s.Test() {
			continue
		}
		for _, d := range s.Syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				f := measure(t, s, d.Name.Name, d)
				f.readMark(d.Doc)
				all = append(all, f)
			case *ast.GenDecl:
				ast.Inspect(d, func(n ast.Node) bool {
					lit, ok := n.(*ast.FuncLit)
					if ok {
						all = append(all, measure(t, s, "function literal", lit))
					}
					return !ok
				})
			}
		}
	}
	return all
}

func (f *Function) readMark(doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	for _, c := range doc.List {
		if why, ok := strings.CutPrefix(c.Text, exemption); ok {
			f.Marked, f.Exempt = true, strings.TrimSpace(why)
		}
	}
}

func measure(t *Tree, s Source, name string, fn ast.Node) Function {
	first, last := t.Line(fn.Pos()), t.Line(fn.End())
	skip := make([]bool, last-first+1)
	mark := func(from, to token.Pos, value bool) {
		for line := t.Line(from) + 1; line <= t.Line(to); line++ {
			skip[line-first] = value
		}
	}
	// The walk goes from outer to inner nodes, so the innermost one decides.
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			mark(n.Lbrace, n.Rbrace, true)
		case *ast.FuncLit:
			mark(n.Pos(), n.Body.Rbrace, false)
		}
		return true
	})
	lines := 0
	for _, skipped := range skip {
		if !skipped {
			lines++
		}
	}
	return Function{Path: s.Path, Name: name, Line: first, Lines: lines}
}
