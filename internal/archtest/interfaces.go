package archtest

import (
	"fmt"
	"go/ast"
)

// maxMethods bounds an interface: a wider one describes an implementation, not
// a need.
const maxMethods = 8

func checkInterfaces(t *Tree) []Finding {
	var found []Finding
	for _, s := range t.Source {
		ast.Inspect(s.Syntax, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			face, ok := spec.Type.(*ast.InterfaceType)
			if ok && face.Methods.NumFields() > maxMethods {
				found = append(found, Finding{s.Path, t.Line(spec.Pos()),
					fmt.Sprintf("interface %s has %d methods, at most %d", spec.Name.Name, face.Methods.NumFields(), maxMethods)})
			}
			return true
		})
	}
	return found
}
