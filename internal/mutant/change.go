// Package mutant changes code in one small place at a time and asks the tests whether they notice.
package mutant

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Key names a change by what is written there, so that it stays the same when lines move.
type Key struct {
	File     string // from the root of the module, with slashes
	Text     string // the line, without its margins
	Was, Now string // the changed piece of it, in one line
}

// Mutation is a place in the code and what is planted there.
type Mutation struct {
	Key
	Line int

	from, to int // in the file
	now      string
	body     span // of the function that it is in
}

// span is where the body of a function is in a file, with its braces.
type span struct {
	from, to int
	line     int
	results  bool // it returns something
	labels   bool // it has labels, and cannot be written twice in one function
}

func (s Mutation) String() string {
	return fmt.Sprintf("%s:%d: %s → %s", s.File, s.Line, s.Was, s.Now)
}

// Package is the folder of the file.
func (s Mutation) Package() string { return filepath.ToSlash(filepath.Dir(s.File)) }

// DropsError tells whether the change makes the code go on where there is an error.
func (s Mutation) DropsError() bool { return s.Now == dropped+s.Was }

// dropped stands before a condition that asks for an error.
const dropped = "false && "

// Plant returns the file with the change in it.
func (s Mutation) Plant(text []byte) []byte {
	return slices.Concat(text[:s.from], []byte(s.now), text[s.to:])
}

// Mutations are all changes of a file that can be changed, in the order of the file.
func Mutations(root, file string) ([]Mutation, error) {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(tree) {
		return nil, nil
	}
	f := &finder{file: file, text: text, set: set, moot: map[ast.Node]bool{}}
	for _, d := range tree.Decls {
		f.body = f.bodyOf(d)
		ast.Inspect(d, f.visit)
	}
	slices.SortStableFunc(f.sites, func(a, b Mutation) int { return a.from - b.from })
	return f.sites, nil
}

// finder goes through a file.
type finder struct {
	file  string
	text  []byte
	set   *token.FileSet
	body  span // where it is now; none beside functions
	sites []Mutation
	moot  map[ast.Node]bool // values that nobody looks at: those beside an error, numbers of which only the sign counts, and room that is taken ahead
}

func (f *finder) bodyOf(d ast.Decl) (b span) {
	is, isFunc := d.(*ast.FuncDecl)
	if !isFunc || is.Body == nil {
		return b
	}
	from := f.set.Position(is.Body.Pos())
	b = span{from: from.Offset, to: f.set.Position(is.Body.End()).Offset, line: from.Line, results: is.Type.Results != nil}
	ast.Inspect(is.Body, func(n ast.Node) bool {
		_, isLabel := n.(*ast.LabeledStmt)
		b.labels = b.labels || isLabel
		return true
	})
	return b
}

// turned are operators and what stands in their place.
var turned = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR}, token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.AND: {token.OR}, token.OR: {token.AND}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN}, token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

func (f *finder) visit(n ast.Node) bool {
	if f.moot[n] {
		return false
	}
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.Field:
		return false
	case *ast.GenDecl:
		return n.Tok != token.IMPORT && n.Tok != token.TYPE
	case *ast.BinaryExpr:
		f.operator(n.OpPos, n.Op)
		if n.Op == token.LAND || n.Op == token.LOR { // half of it is dropped
			f.add(n.Pos(), n.End(), f.of(n.X))
			f.add(n.Pos(), n.End(), f.of(n.Y))
		}
	case *ast.IncDecStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		f.operator(n.TokPos, n.Tok)
		if n.Tok == token.ASSIGN && len(n.Lhs) == 1 && f.of(n.Lhs[0]) != "_" {
			f.add(n.Lhs[0].Pos(), n.Lhs[0].End(), "_")
		}
	case *ast.ExprStmt:
		if _, isCall := n.X.(*ast.CallExpr); isCall {
			f.add(n.Pos(), n.End(), "{}")
		}
	case *ast.IfStmt:
		if isError(n.Cond) { // the error is dropped
			f.add(n.Cond.Pos(), n.Cond.End(), dropped+f.of(n.Cond))
			f.beside(n.Body)
		} else {
			f.add(n.Cond.Pos(), n.Cond.End(), "!("+f.of(n.Cond)+")")
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			f.add(n.Pos(), n.End(), f.of(n.X))
		}
	case *ast.BranchStmt:
		if n.Label == nil && (n.Tok == token.BREAK || n.Tok == token.CONTINUE) {
			f.add(n.Pos(), n.End(), "{}")
		}
	case *ast.CallExpr:
		f.signs(n)
		f.room(n)
	case *ast.ReturnStmt:
		if len(n.Results) > 1 && isNewError(n.Results[len(n.Results)-1]) {
			f.forget(n)
		}
	case *ast.BasicLit:
		f.literal(n)
	case *ast.Ident:
		if n.Name == "true" || n.Name == "false" {
			f.add(n.Pos(), n.End(), strconv.FormatBool(n.Name == "false"))
		}
	}
	return true
}

// isError tells whether a condition asks for an error and nothing else.
func isError(c ast.Expr) bool {
	b, isBinary := c.(*ast.BinaryExpr)
	if !isBinary || b.Op != token.NEQ {
		return false
	}
	x, isName := b.X.(*ast.Ident)
	y, isNil := b.Y.(*ast.Ident)
	return isName && isNil && y.Name == "nil" && strings.HasSuffix(strings.ToLower(x.Name), "err")
}

// isNewError tells whether an expression makes an error and never nil, as problem and refuse do where they are functions of the package.
func isNewError(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		if named(e.Fun, "problem") || named(e.Fun, "refuse") {
			return true
		}
		s, isOf := e.Fun.(*ast.SelectorExpr)
		return isOf && (s.Sel.Name == "Errorf" || s.Sel.Name == "New" && named(s.X, "errors"))
	case *ast.UnaryExpr:
		made, isMade := e.X.(*ast.CompositeLit)
		if !isMade {
			return false
		}
		if s, isOf := made.Type.(*ast.SelectorExpr); isOf {
			return strings.HasSuffix(s.Sel.Name, "Error")
		}
		x, isName := made.Type.(*ast.Ident)
		return isName && strings.HasSuffix(x.Name, "Error")
	}
	return false
}

// signs leaves numbers alone of which a function of the standard library only reads the sign.
func (f *finder) signs(c *ast.CallExpr) {
	s, isOf := c.Fun.(*ast.SelectorExpr)
	if isOf && named(s.X, "math") && s.Sel.Name == "IsInf" && len(c.Args) == 2 {
		switch sign := c.Args[1].(type) {
		case *ast.UnaryExpr:
			f.moot[sign.X] = true
		case *ast.BasicLit:
			f.moot[sign] = sign.Value != "0"
		}
		return
	}
	if !isOf || !(named(s.X, "math") && s.Sel.Name == "Inf" || named(s.X, "strconv") && s.Sel.Name == "FormatFloat") {
		return
	}
	for _, arg := range c.Args {
		if minus, isSigned := arg.(*ast.UnaryExpr); isSigned && minus.Op == token.SUB {
			f.moot[minus.X] = true
		} else if s.Sel.Name == "Inf" {
			f.moot[arg] = true
		}
	}
}

// room leaves alone how much of it is taken ahead, for an empty list or a map: either grows as it must.
func (f *finder) room(c *ast.CallExpr) {
	if !named(c.Fun, "make") || len(c.Args) < 2 {
		return
	}
	if length, isLiteral := c.Args[1].(*ast.BasicLit); len(c.Args) == 3 && isLiteral && length.Value == "0" {
		f.moot[c.Args[2]] = true
	}
	if _, isMap := c.Args[0].(*ast.MapType); isMap {
		f.moot[c.Args[1]] = true
	}
}

func named(e ast.Expr, name string) bool {
	x, isName := e.(*ast.Ident)
	return isName && x.Name == name
}

// beside forgets what is returned beside err where that is known to be an error.
func (f *finder) beside(body *ast.BlockStmt) {
	if len(body.List) == 1 {
		if r, isReturn := body.List[0].(*ast.ReturnStmt); isReturn && len(r.Results) > 1 && named(r.Results[len(r.Results)-1], "err") {
			f.forget(r)
		}
	}
}

// forget leaves literals alone that are returned beside an error.
func (f *finder) forget(r *ast.ReturnStmt) {
	for _, x := range r.Results[:len(r.Results)-1] {
		switch x.(type) {
		case *ast.BasicLit, *ast.Ident:
			f.moot[x] = true
		}
	}
}

func (f *finder) operator(at token.Pos, op token.Token) {
	for _, other := range turned[op] {
		f.add(at, at+token.Pos(len(op.String())), other.String())
	}
}

// nothing is above numbers that only stand for not being 0, as those that nothing is divided below.
const nothing = 1e-290

// literal changes a number by one.
func (f *finder) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			f.add(n.Pos(), n.End(), fmt.Sprint(v+1))
		}
	case token.FLOAT:
		other := "(2*" + n.Value + ")"
		switch v, err := strconv.ParseFloat(n.Value, 64); {
		case err == nil && v == 0:
			other = "1.0"
		case err == nil && v < nothing:
			return
		}
		f.add(n.Pos(), n.End(), other)
	}
}

// of is a node as it is written.
func (f *finder) of(n ast.Node) string {
	return string(f.text[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset])
}

func (f *finder) add(from, to token.Pos, now string) {
	a, b := f.set.Position(from), f.set.Position(to)
	line, _, _ := bytes.Cut(f.text[a.Offset-a.Column+1:], []byte("\n"))
	key := Key{f.file, inALine(string(line)), inALine(string(f.text[a.Offset:b.Offset])), inALine(now)}
	f.sites = append(f.sites, Mutation{Key: key, Line: a.Line, from: a.Offset, to: b.Offset, now: now, body: f.body})
}

func inALine(s string) string { return strings.Join(strings.Fields(s), " ") }
