package archtest

import (
	"go/ast"
	"slices"
	"strings"
)

// noInit reports func init, which runs where no reader looks.
func noInit(m *module) (found []string) {
	for _, f := range m.functions() {
		if f.Recv == nil && f.Name.Name == "init" {
			found = append(found, m.at(f, "func init; do it in a constructor, or write the table as a literal"))
		}
	}
	return found
}

// packagesSayWhatTheyHold reports packages whose name covers anything.
func packagesSayWhatTheyHold(m *module) (found []string) {
	vague := []string{"util", "utils", "common", "helper", "helpers", "type", "types", "pkg", "misc"}
	for _, s := range m.files {
		names := append(strings.Split(s.dir, "/"), strings.TrimSuffix(s.code.Name.Name, "_test"))
		for _, name := range names {
			if slices.Contains(vague, name) {
				found = append(found, m.at(s.code.Name, "package %q says nothing; name it after what it holds", name))
				break
			}
		}
	}
	return found
}

// exportsAreDocumented reports exported names without a doc comment, and packages without one, outside tests, commands and
// internal packages.
func exportsAreDocumented(m *module) (found []string) {
	documented := map[string]bool{}
	first := map[string]*source{}
	for _, s := range m.files {
		if s.test || strings.HasPrefix(s.dir, "cmd/") || strings.HasPrefix(s.dir, "internal/") {
			continue
		}
		if first[s.dir] == nil {
			first[s.dir] = s
		}
		documented[s.dir] = documented[s.dir] || s.code.Doc != nil
		for _, name := range bare(s.code) {
			found = append(found, m.at(name, "%s has no doc comment; say what it is and what holds", name.Name))
		}
	}
	for dir, s := range first {
		if !documented[dir] {
			found = append(found, m.at(s.code.Name, "package %s has no package comment; say what it is for", s.code.Name.Name))
		}
	}
	return found
}

// bare returns the exported names of a file that have no comment of their own or of their group.
func bare(f *ast.File) (names []*ast.Ident) {
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil && d.Name.IsExported() && receiverIsExported(d) && !wellKnown(d) {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			if d.Doc == nil {
				names = append(names, bareSpecs(d)...)
			}
		}
	}
	return names
}

func bareSpecs(d *ast.GenDecl) (names []*ast.Ident) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Doc == nil && s.Comment == nil && s.Name.IsExported() {
				names = append(names, s.Name)
			}
		case *ast.ValueSpec:
			if s.Doc != nil || s.Comment != nil {
				continue
			}
			for _, n := range s.Names {
				if n.IsExported() {
					names = append(names, n)
				}
			}
		}
	}
	return names
}

// wellKnown tells whether a method is one whose meaning the standard library fixes.
func wellKnown(f *ast.FuncDecl) bool {
	return f.Recv != nil && slices.Contains([]string{"Error", "Unwrap", "String", "Len", "Less", "Swap"}, f.Name.Name)
}

func receiverIsExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	base := f.Recv.List[0].Type
	for {
		switch t := base.(type) {
		case *ast.StarExpr:
			base = t.X
		case *ast.IndexExpr:
			base = t.X
		case *ast.IndexListExpr:
			base = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

// functions returns every function and method of the module.
func (m *module) functions() (all []*ast.FuncDecl) {
	for _, s := range m.files {
		for _, decl := range s.code.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				all = append(all, f)
			}
		}
	}
	return all
}
