package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// changes reports where a file changes a package-level variable, its own or another package's, or hands one out for others
// to change.
func (p resolved) changes(m *module, f *ast.File) (found []string) {
	var stack []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && p.isGlobal(id) {
			if wrong := p.misused(id, stack); wrong != "" {
				found = append(found, m.at(id, "package-level variable %s is %s", id.Name, wrong))
			}
		}
		stack = append(stack, n)
		return true
	})
	return found
}

// isGlobal tells whether an identifier uses a package-level variable, or an imported package through which one is reached.
func (p resolved) isGlobal(id *ast.Ident) bool {
	switch obj := p.info.Uses[id].(type) {
	case *types.Var:
		return obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope()
	case *types.PkgName:
		return true
	}
	return false
}

// misused says how the use of a global that ends the stack of nodes changes it, "" if it only reads.
func (p resolved) misused(id *ast.Ident, stack []ast.Node) string {
	_, imported := p.info.Uses[id].(*types.PkgName)
	steady := imported || p.fixed[p.info.Uses[id]]
	var whole ast.Expr = id
	i := len(stack) - 1
	for ; i > 0 && extends(stack[i], whole); i-- {
		whole = stack[i].(ast.Expr)
		if !steady && p.mayChange(whole, stack[i-1]) {
			return "changed by a method, or may be; make it a field of what uses it"
		}
	}
	if writes(stack[i], whole) {
		return "changed; pass the value, or keep it in a struct"
	}
	if p.aliases(whole) && !reads(stack[i], whole) {
		return "handed out for others to change; hand out a copy (slices.Clone, maps.Clone)"
	}
	return ""
}

// extends tells whether parent reaches into whole: x.f, x[i], x[i:j], *x, (x).
func extends(parent ast.Node, whole ast.Expr) bool {
	switch e := parent.(type) {
	case *ast.SelectorExpr:
		return e.X == whole
	case *ast.IndexExpr:
		return e.X == whole
	case *ast.SliceExpr:
		return e.X == whole
	case *ast.StarExpr:
		return e.X == whole
	case *ast.ParenExpr:
		return true
	}
	return false
}

// mayChange tells whether e names a method that can change the variable it is called on: one with a pointer receiver, or
// one of an imported type, which could have.
func (p resolved) mayChange(e ast.Expr, call ast.Node) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if s := p.info.Selections[sel]; s != nil {
		f, ok := s.Obj().(*types.Func)
		return ok && isPointer(f.Signature().Recv().Type())
	}
	c, called := call.(*ast.CallExpr)
	return called && c.Fun == e && p.info.TypeOf(sel.X) == types.Typ[types.Invalid]
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// writes tells whether parent assigns to whole, or takes its address.
func writes(parent ast.Node, whole ast.Expr) bool {
	switch s := parent.(type) {
	case *ast.AssignStmt:
		return slices.Contains(s.Lhs, whole)
	case *ast.IncDecStmt:
		return true
	case *ast.RangeStmt:
		return s.Key == whole || s.Value == whole
	case *ast.UnaryExpr:
		return s.Op == token.AND
	case *ast.CallExpr:
		f, ok := s.Fun.(*ast.Ident)
		return ok && len(s.Args) > 0 && s.Args[0] == whole && slices.Contains([]string{"clear", "copy", "delete", "append"}, f.Name)
	}
	return false
}

// aliases tells whether an expression is a reference to contents that others share.
func (p resolved) aliases(e ast.Expr) bool {
	t := p.info.TypeOf(e)
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Pointer:
		return true
	}
	return false
}

// reads tells whether parent only looks at the contents of whole.
func reads(parent ast.Node, whole ast.Expr) bool {
	switch s := parent.(type) {
	case *ast.RangeStmt:
		return s.X == whole
	case *ast.BinaryExpr:
		return true
	case *ast.CallExpr:
		if f, ok := s.Fun.(*ast.Ident); ok {
			return slices.Contains([]string{"len", "cap", "copy"}, f.Name)
		}
		return slices.Contains([]string{"slices.Contains", "slices.Index", "slices.Clone", "slices.Values", "slices.All",
			"slices.BinarySearch", "maps.Clone", "maps.Keys", "maps.Values", "maps.All", "strings.Join"}, qualified(s.Fun))
	}
	return false
}
