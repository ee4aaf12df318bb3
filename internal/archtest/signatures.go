package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// checkSignatures looks for exported functions, methods, fields and variables
// whose type is not exported: a caller could hold such a value and neither name
// it nor find its documentation. Programs and what is internal have no callers.
func checkSignatures(t *Tree) []Finding {
	var found []Finding
	for dir, files := range t.Packages() {
		if strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "internal/") || strings.HasPrefix(dir, "examples/") {
			continue
		}
		hidden := hiddenTypes(files)
		for _, s := range files {
			if s.Test() {
				continue
			}
			for _, d := range s.Syntax.Decls {
				for _, sig := range signatures(d) {
					for _, id := range sig.hidden(hidden) {
						found = append(found, Finding{s.Path, t.Line(id.Pos()),
							fmt.Sprintf("%s is exported, its type %s is not", sig.name, id.Name)})
					}
				}
			}
		}
	}
	return found
}

// hiddenTypes are the types of a package that are not exported.
func hiddenTypes(files []Source) map[string]bool {
	hidden := map[string]bool{}
	for _, s := range files {
		if s.Test() {
			continue
		}
		for _, d := range s.Syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				if name := spec.(*ast.TypeSpec).Name; !name.IsExported() {
					hidden[name.Name] = true
				}
			}
		}
	}
	return hidden
}

// signature is the types that belong to an exported name.
type signature struct {
	name   string
	params *ast.FieldList // type parameters, which hide types of the same name
	types  []ast.Node
}

// signatures are those of the exported names of a declaration.
func signatures(d ast.Decl) []signature {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() || d.Recv != nil && !exportedReceiver(d.Recv) {
			return nil
		}
		return []signature{{d.Name.Name, d.Type.TypeParams, []ast.Node{d.Type.Params, results(d.Type)}}}
	case *ast.GenDecl:
		var all []signature
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					all = append(all, parts(spec)...)
				}
			case *ast.ValueSpec:
				if spec.Names[0].IsExported() && spec.Type != nil {
					all = append(all, signature{name: spec.Names[0].Name, types: []ast.Node{spec.Type}})
				}
			}
		}
		return all
	}
	return nil
}

// parts are the exported fields of a struct, or methods of an interface.
func parts(spec *ast.TypeSpec) []signature {
	var list *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return nil
	}
	var all []signature
	for _, f := range list.List {
		for _, name := range f.Names {
			if name.IsExported() {
				all = append(all, signature{spec.Name.Name + "." + name.Name, spec.TypeParams, []ast.Node{f.Type}})
			}
		}
	}
	return all
}

func results(f *ast.FuncType) ast.Node {
	if f.Results == nil {
		return &ast.FieldList{}
	}
	return f.Results
}

func exportedReceiver(recv *ast.FieldList) bool {
	exported := false
	ast.Inspect(recv.List[0].Type, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok && !exported {
			exported = id.IsExported()
			return false
		}
		return !exported
	})
	return exported
}

// hidden are the mentions of types that are not exported.
func (s signature) hidden(hidden map[string]bool) []*ast.Ident {
	own := map[string]bool{}
	if s.params != nil {
		for _, f := range s.params.List {
			for _, name := range f.Names {
				own[name.Name] = true
			}
		}
	}
	var found []*ast.Ident
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return false // of another package
		case *ast.Field:
			ast.Inspect(n.Type, look) // not its names
			return false
		case *ast.Ident:
			if hidden[n.Name] && !own[n.Name] {
				found = append(found, n)
			}
		}
		return true
	}
	for _, node := range s.types {
		ast.Inspect(node, look)
	}
	return found
}
