package formula

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
)

// Table is the columns that formulas of a table's rows can name. Their values are numbers, NaN where one is missing; a text is the number of its
// word.
type Table struct {
	Columns []TableColumn // in the order of a row
	Words   []string      // every text that occurs
}

// TableColumn is a column of a Table.
type TableColumn struct {
	Name   string
	Texts  []int  // of a column of texts: its words, in the order in which they are told; nil: it holds numbers
	Sample string // a text that shows why it is no column of numbers, and where
}

// TableField is a formula of a row.
type TableField struct {
	Name  string // in messages
	Body  string
	Wants FieldKind
}

// FieldKind is what a formula of a row may give.
type FieldKind int

// Numbers are one or several, a scalar is one, a condition one that is 0 or 1, and a label is a scalar or a text.
const (
	GivesNumbers FieldKind = iota
	GivesScalar
	GivesCondition
	GivesLabel
)

// Calculation computes formulas of rows. It is safe for concurrent use.
type Calculation struct {
	Entries []TableEntry // of a result, in order
	Words   []string     // those of the table and of its formulas

	inputs, outputs int
	program         *program
}

// TableEntry is an entry of a result.
type TableEntry struct {
	Field int    // the formula that gives it
	Name  string // the formula as it is written, with what tells its entries apart
	Texts []int  // of a label: the words that it can be; nil: a number
}

// Reference is a name in a formula, at the line and the column where it is first.
type Reference struct {
	Name         string
	Constant     bool // without a column of that name it is a constant
	Line, Column int
}

// References lists the names of a formula of columns; the error is an *Error that says why it is no formula.
func References(field, body string) (list []Reference, err error) {
	t, parts := text{field, body}, 0
	e, wrong := parse(t, &parts)
	if wrong != nil {
		return nil, wrong
	}
	c := &collector{text: t, seen: map[string]bool{}}
	c.visit(e)
	return c.list, nil
}

// collector lists the names of a formula.
type collector struct {
	text
	seen map[string]bool // names that are listed, or stand for an index
	list []Reference
}

func (c *collector) visit(e *expr) {
	switch {
	case e == nil:
		return
	case e.kind == nameExpr && !c.seen[e.name]:
		c.seen[e.name] = true
		_, constant := constants[e.name]
		at := c.fault(e.pos, "")
		c.list = append(c.list, Reference{e.name, constant, at.Line, at.Column})
	case e.kind == eachExpr && !c.seen[e.name]:
		c.seen[e.name] = true
		defer delete(c.seen, e.name)
	}
	for _, a := range e.args {
		c.visit(a)
	}
	for _, cut := range e.cuts {
		c.visit(cut.lo)
		c.visit(cut.hi)
	}
}

// Compile prepares formulas of rows. The error joins one *Error for every mistake.
func (t Table) Compile(fields ...TableField) (*Calculation, error) {
	c := newCompiler()
	of := &table{Table: t, texts: map[*node][]int{}}
	row := c.input(opTrait, vector(max(1, len(t.Columns))))
	for i, column := range t.Columns {
		n := c.apply(opSlice, scalar(), [4]int{i, 1}, row)
		c.names[column.Name] = n
		if column.Texts != nil {
			of.texts[n] = column.Texts
		}
	}
	made := &Calculation{inputs: max(1, len(t.Columns))}
	var results []*node
	for i, f := range fields {
		words := text{f.Name, f.Body}
		b := c.builder(words)
		b.rules = of
		if e := c.tree(words); e != nil {
			if n := of.root(b, e, f.Wants); n != nil {
				results = append(results, n)
				made.Entries = append(made.Entries, of.entries(b, i, e, n)...)
			}
		}
	}
	if err := c.found.joined(); err != nil {
		return nil, err
	}
	made.outputs, made.Words = len(made.Entries), of.Words
	all := c.apply(opConcat, vector(made.outputs), [4]int{}, results...)
	if c.trouble != "" {
		return nil, &Error{Field: fields[0].Name, Line: 1, Column: 1, Message: "the formulas together " + c.trouble}
	}
	made.program = newProgram(output{toDst, all, 0})
	return made, nil
}

// Rows computes the results of rows, both row by row.
func (c *Calculation) Rows(dst, rows []float64) {
	c.program.run(len(rows)/c.inputs, frame{d: rows, dst: dst[:len(rows)/c.inputs*c.outputs]})
}

// table is what a builder knows of the columns.
type table struct {
	Table
	texts map[*node][]int // values that are texts, with the words that they can be
}

// root builds a formula that gives what is wanted.
func (t *table) root(b *builder, e *expr, wants FieldKind) (n *node) {
	want := "a number"
	switch wants {
	case GivesCondition:
		n, want = b.truth(e), "one condition"
	case GivesLabel:
		n, want = b.build(e), "one value"
	default:
		n = b.value(e)
	}
	if n != nil && !n.shape.single() && (wants != GivesNumbers || n.shape.rank == 2) {
		return b.fail(e, "%s %v, want %s", b.excerpt(e), n.shape, want)
	}
	return n
}

// entries names what a formula gives.
func (t *table) entries(b *builder, field int, e *expr, n *node) (list []TableEntry) {
	name := b.excerpt(e)
	if n.shape.single() {
		return []TableEntry{{field, name, t.texts[n]}}
	}
	for i := range n.shape.size() {
		list = append(list, TableEntry{Field: field, Name: fmt.Sprintf("%s[%d]", name, i)})
	}
	if e.kind == callExpr && e.name == "onehot" {
		for i, word := range t.texts[b.build(e.args[0])] {
			list[i].Name = b.excerpt(e.args[0]) + " = " + t.Words[word]
		}
	}
	return list
}

// number refuses a text where a number is wanted.
func (t *table) number(b *builder, e *expr, n *node) *node {
	if words := t.texts[n]; n != nil && words != nil {
		of := b.excerpt(e)
		return b.fail(e, "%s holds texts%s; want a number: %s == %s, or onehot(%s) for all of them", of, t.sample(of), of, strconv.Quote(t.first(words)), of)
	}
	return n
}

// sample shows a text of a column.
func (t *table) sample(name string) string {
	i := slices.IndexFunc(t.Columns, func(c TableColumn) bool { return c.Name == strings.Trim(name, "`") })
	if i < 0 || t.Columns[i].Sample == "" {
		return ""
	}
	return " (" + t.Columns[i].Sample + ")"
}

func (t *table) first(words []int) string {
	if len(words) == 0 {
		return ""
	}
	return t.Words[words[0]]
}

// build implements rules.
func (t *table) build(b *builder, e *expr) (n *node, own bool) {
	switch {
	case e.kind == compareExpr:
		return t.compareTexts(b, e)
	case e.kind == callExpr && tableFunctions[e.name] > 0:
		return t.call(b, e), true
	case e.kind == callExpr && e.name == "log" && len(e.args) == 1:
		return t.log(b, e, b.value(e.args[0])), true
	}
	return nil, false
}

func (t *table) functions() []string { return slices.Collect(maps.Keys(tableFunctions)) }

// log is unknown where there is none.
func (t *table) log(b *builder, e *expr, x *node) *node {
	if x == nil || x.isConst() {
		return b.emit(e, opLog, scalar(), x)
	}
	zero := b.pair(e, opMul, x, b.number(0))
	none := b.pair(e, opDiv, zero, zero)
	above := b.pair(e, opLess, b.number(0), x)
	return b.emit(e, opWhere, x.shape, above, b.emit(e, opLog, x.shape, x), none)
}

// isCondition tells whether a call is one.
func (t *table) isCondition(e *expr) bool {
	return e.kind == callExpr && e.name == "missing"
}

// compareTexts builds a comparison in which there are texts; done is false where there are none.
func (t *table) compareTexts(b *builder, e *expr) (c *node, done bool) {
	sides, words := make([]*node, len(e.args)), make([][]int, len(e.args))
	for i, a := range e.args {
		if a.kind == textExpr {
			done = true
			continue
		}
		if sides[i] = b.build(a); sides[i] == nil {
			return nil, true
		}
		words[i] = t.texts[sides[i]]
		done = done || words[i] != nil
	}
	if !done {
		return nil, false
	}
	if len(sides) != 2 || e.ops[0] != "==" && e.ops[0] != "!=" {
		return b.fail(e, "%s: texts are compared two at a time, by == or !=", b.excerpt(e)), true
	}
	for i, a := range e.args {
		other, known, isText := e.args[1-i], words[1-i], a.kind == textExpr
		switch {
		case !isText && words[i] == nil:
			return b.fail(a, "%s holds numbers, %s is a text", b.excerpt(a), b.excerpt(other)), true
		case isText && other.kind == textExpr:
			return b.fail(e, "%s compares two texts, want a column beside one", b.excerpt(e)), true
		case isText && known != nil:
			at := slices.IndexFunc(known, func(w int) bool { return t.Words[w] == a.name })
			if at < 0 {
				return b.fail(a, "no %s is %q; there are %s", b.excerpt(other), a.name, t.list(known)), true
			}
			sides[i] = b.number(float64(known[at]))
		}
	}
	return b.compare(e, e.ops[0], sides[0], sides[1]), true
}

// list tells the first of some words.
func (t *table) list(words []int) string {
	all := lists.Of(words[:min(len(words), 12)], func(w int) string { return strconv.Quote(t.Words[w]) })
	if len(words) > len(all) {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

// tableFunctions are the functions of columns alone: how many arguments they have.
var tableFunctions = map[string]int{"missing": 1, "fill": 2, "onehot": 1}

func (t *table) call(b *builder, e *expr) *node {
	if want := tableFunctions[e.name]; len(e.args) != want {
		return b.fail(e, "%s: %d arguments, want %d", b.excerpt(e), len(e.args), want)
	}
	x := b.build(e.args[0])
	switch {
	case x == nil:
		return nil
	case e.name == "fill":
		return t.fill(b, e, x)
	case e.name == "onehot":
		return t.onehot(b, e, x)
	}
	return t.missing(b, e, x)
}

func (t *table) missing(b *builder, e *expr, x *node) *node {
	return b.emit(e, opUnequal, x.shape, x, x)
}

// fill takes another value where one is missing. Of texts that is one that the column has, or a word of its own.
func (t *table) fill(b *builder, e *expr, x *node) *node {
	gap := t.missing(b, e, x)
	words := t.texts[x]
	if words == nil {
		with := b.value(e.args[1])
		if with != nil && !with.shape.single() {
			return b.fail(e, "%s: %s %v, want a number", b.excerpt(e), b.excerpt(e.args[1]), with.shape)
		}
		return b.emit(e, opWhere, x.shape, gap, with, x)
	}
	with := e.args[1]
	if with.kind != textExpr {
		return b.fail(e, "%s: %s holds texts, want a text in double quotes to fill it with", b.excerpt(e), b.excerpt(e.args[0]))
	}
	word := slices.Index(t.Words, with.name)
	if word < 0 {
		word, t.Words = len(t.Words), append(slices.Clip(t.Words), with.name)
	}
	if !slices.Contains(words, word) {
		words = append(slices.Clone(words), word)
	}
	n := b.emit(e, opWhere, scalar(), gap, b.number(float64(word)), x)
	if n != nil {
		t.texts[n] = words
	}
	return n
}

// mostKinds is how many entries onehot makes at most.
const mostKinds = 1000

// onehot has an entry for every text of a column, 1 at that of the row and 0 elsewhere.
func (t *table) onehot(b *builder, e *expr, x *node) *node {
	words := t.texts[x]
	switch {
	case words == nil:
		return b.fail(e, "%s: %s holds numbers; onehot is of texts", b.excerpt(e), b.excerpt(e.args[0]))
	case len(words) == 0 || len(words) > mostKinds:
		return b.fail(e, "%s: %s has %d different texts, want 1 to %d", b.excerpt(e), b.excerpt(e.args[0]), len(words), mostKinds)
	}
	marks := lists.Of(words, func(w int) *node { return b.compare(e, "==", x, b.number(float64(w))) })
	if slices.Contains(marks, nil) {
		return nil
	}
	return b.join(e, vector(len(marks)), marks)
}
