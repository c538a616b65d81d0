package archtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// module is a parsed Go module.
type module struct {
	path  string // the module path of go.mod
	fset  *token.FileSet
	files []*source
	texts map[string]string // every text file by path, Go or not

	climbs map[string]int // what climbing has counted
}

// source is one Go file of a module.
type source struct {
	name string // path of the file within the module
	dir  string // import path of its package within the module, "." for the root
	test bool
	code *ast.File
}

// load parses the module rooted in fsys. Ignored files and .git, which is a file in a worktree, are left out; testdata and
// hidden folders hold no Go.
func load(fsys fs.FS) (*module, error) {
	m := &module{fset: token.NewFileSet(), texts: map[string]string{}}
	skip, err := ignored(fsys)
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name != ".": // tests of other packages make folders and remove them
			return fs.SkipDir
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || skip(name+"/")):
			return fs.SkipDir
		case e.IsDir() || e.Name() == ".git" || !e.Type().IsRegular() || skip(name):
			return nil
		}
		return m.add(fsys, name)
	})
	if err != nil {
		return nil, err
	}
	m.path = modulePath(m.texts["go.mod"])
	return m, nil
}

func (m *module) add(fsys fs.FS, name string) error {
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !utf8.Valid(data) {
		return err
	}
	m.texts[name] = string(data)
	if !strings.HasSuffix(name, ".go") || outsideBuild(path.Dir(name)) || inOtherModule(fsys, path.Dir(name)) {
		return nil
	}
	code, err := parser.ParseFile(m.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", name, err)
	}
	m.files = append(m.files, &source{
		name: name,
		dir:  path.Dir(name),
		test: strings.HasSuffix(name, "_test.go"),
		code: code,
	})
	return nil
}

// outsideBuild tells whether the go command leaves a folder out of the module's packages.
func outsideBuild(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "testdata" || part != "." && strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}

// inOtherModule tells whether a folder belongs to a module within the module, as tools that users do not need do.
func inOtherModule(fsys fs.FS, dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, err := fs.Stat(fsys, dir+"/go.mod"); err == nil {
			return true
		}
	}
	return false
}

// ignored returns the predicate of .gitignore over paths; folders end in a slash. It knows names and rooted paths, with
// wildcards, and refuses what it does not know.
func ignored(fsys fs.FS) (func(string) bool, error) {
	data, err := fs.ReadFile(fsys, ".gitignore")
	if err != nil {
		return func(string) bool { return false }, nil
	}
	patterns := strings.Fields(string(data))
	for _, p := range patterns {
		if strings.ContainsAny(p, "!#") || strings.Contains(p, "**") {
			return nil, fmt.Errorf(".gitignore: archtest does not understand %q", p)
		}
	}
	return func(name string) bool {
		for _, p := range patterns {
			if matchIgnore(p, name) {
				return true
			}
		}
		return false
	}, nil
}

func matchIgnore(pattern, name string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/"); ok {
		pattern = folder
		if !strings.HasSuffix(name, "/") {
			return false
		}
	}
	name = strings.TrimSuffix(name, "/")
	if rooted, ok := strings.CutPrefix(pattern, "/"); ok {
		pattern = rooted
	} else {
		name = path.Base(name)
	}
	match, err := path.Match(pattern, name)
	return err == nil && match
}

func modulePath(gomod string) string {
	for line := range strings.Lines(gomod) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "module" {
			return f[1]
		}
	}
	return ""
}

// imports calls visit with every import of the files that keep accepts.
func (m *module) imports(keep func(*source) bool, visit func(s *source, spec *ast.ImportSpec, path string)) {
	for _, s := range m.files {
		if !keep(s) {
			continue
		}
		for _, spec := range s.code.Imports {
			if target, err := strconv.Unquote(spec.Path.Value); err == nil {
				visit(s, spec, target)
			}
		}
	}
}

// inside returns the path of an imported package within the module, "." for its root.
func (m *module) inside(target string) (dir string, ok bool) {
	if target == m.path {
		return ".", true
	}
	return strings.CutPrefix(target, m.path+"/")
}

// at writes a finding: where it is, what it is and what to do.
func (m *module) at(n ast.Node, format string, args ...any) string {
	p := m.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, fmt.Sprintf(format, args...))
}

func anyFile(*source) bool     { return true }
func notTest(s *source) bool   { return !s.test }
func generated(s *source) bool { return ast.IsGenerated(s.code) }
