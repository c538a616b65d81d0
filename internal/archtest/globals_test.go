package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// globalsAreTables reports package-level variables that can change. Allowed are tables that are only read, values made once
// by a constructor whose result never changes (errors, regular expressions, templates), embedded files and var _ I = T{}.
// Tests may do as they like.
//
// Types are resolved within a package only, which is enough to tell a global from a local of the same name. Contents
// behind two levels of reference (a slice taken out of a map while ranging over it) are not followed.
func globalsAreTables(m *module) (found []string) {
	for _, files := range m.packages() {
		p := resolve(m.fset, files)
		for name, spec := range p.globals {
			if wrong := p.misdeclared(name, spec); wrong != "" {
				found = append(found, m.at(name, "variable %s %s", name.Name, wrong))
			}
		}
		for _, f := range files {
			found = append(found, p.changes(m, f)...)
		}
	}
	return found
}

// packages groups the files that are not tests by folder.
func (m *module) packages() map[string][]*ast.File {
	all := map[string][]*ast.File{}
	for _, s := range m.files {
		if !s.test {
			all[s.dir] = append(all[s.dir], s.code)
		}
	}
	return all
}

// resolved is one package with its names resolved.
type resolved struct {
	info    types.Info
	globals map[*ast.Ident]*ast.ValueSpec
	fixed   map[types.Object]bool // globals whose methods do not change them
}

func resolve(fset *token.FileSet, files []*ast.File) resolved {
	p := resolved{
		info: types.Info{
			Defs:       map[*ast.Ident]types.Object{},
			Uses:       map[*ast.Ident]types.Object{},
			Types:      map[ast.Expr]types.TypeAndValue{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
		},
		globals: map[*ast.Ident]*ast.ValueSpec{},
		fixed:   map[types.Object]bool{},
	}
	// Imports are left unresolved, so the checker sees errors that the compiler would not; names resolve all the same.
	config := types.Config{Error: func(error) {}, Importer: noImports{}}
	_, _ = config.Check("p", fset, files, &p.info)
	for _, f := range files {
		for _, decl := range f.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
				p.declare(d)
			}
		}
	}
	return p
}

func (p resolved) declare(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		for _, name := range spec.(*ast.ValueSpec).Names {
			p.globals[name] = spec.(*ast.ValueSpec)
			p.fixed[p.info.Defs[name]] = isFixed(spec.(*ast.ValueSpec))
		}
	}
}

// noImports gives every import as an empty package.
type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	pkg := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
	pkg.MarkComplete()
	return pkg, nil
}

// misdeclared says what is wrong with a variable's declaration.
func (p resolved) misdeclared(name *ast.Ident, spec *ast.ValueSpec) string {
	switch {
	case name.Name == "_" || isFixed(spec):
		return ""
	case name.IsExported():
		return "is exported, so anyone can change it; make it a constant or a function that returns it"
	case !p.isTable(name, spec):
		return "can change behind its name; make it a field of what uses it, or a function that returns it"
	}
	return ""
}

// isFixed tells whether a variable is an embedded file system or made by a constructor whose result never changes.
func isFixed(spec *ast.ValueSpec) bool {
	if t, ok := spec.Type.(*ast.SelectorExpr); ok && len(spec.Values) == 0 {
		return qualified(t) == "embed.FS"
	}
	constructors := []string{"errors.New", "fmt.Errorf", "regexp.MustCompile", "template.Must", "strings.NewReplacer",
		"sync.OnceValue", "sync.OnceValues"}
	return len(spec.Values) > 0 && !slices.ContainsFunc(spec.Values, func(v ast.Expr) bool {
		call, ok := v.(*ast.CallExpr)
		return !ok || !slices.Contains(constructors, qualified(call.Fun))
	})
}

// isTable tells whether a variable holds its contents itself or in a slice or map, whose every use is looked at. A value of
// an imported type counts if it is written as a literal or made by a function of this package.
func (p resolved) isTable(name *ast.Ident, spec *ast.ValueSpec) bool {
	def := p.info.Defs[name]
	if def == nil {
		return true // declared a second time, for another target
	}
	switch u := def.Type().Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.Invalid || len(spec.Values) > 0 && !slices.ContainsFunc(spec.Values, p.isForeign)
	case *types.Struct, *types.Array, *types.Slice, *types.Map, *types.Signature, *types.Interface:
		return true
	}
	return false
}

// isForeign tells whether a value comes out of another package.
func (p resolved) isForeign(value ast.Expr) bool {
	switch v := value.(type) {
	case *ast.CompositeLit:
		return false
	case *ast.CallExpr:
		f, ok := v.Fun.(*ast.Ident)
		return !ok || p.info.Uses[f] == nil
	}
	return true
}

// qualified returns "pkg.Name" for a selector and "" for anything else.
func qualified(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}
