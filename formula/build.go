package formula

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// value builds an expression that stands for numbers.
func (b *builder) value(e *expr) *node {
	switch {
	case b.rules != nil:
		return b.rules.number(b, e, b.build(e))
	case e.kind == compareExpr || e.kind == logicExpr:
		return b.fail(e, "%s is a comparison, which can stand only in where(…) and as a constraint", b.excerpt(e))
	}
	return b.build(e)
}

// values builds all of them; it is false when one has no meaning.
func (b *builder) values(all []*expr) (nodes []*node, ok bool) {
	ok = true
	for _, e := range all {
		n := b.value(e)
		nodes = append(nodes, n)
		ok = ok && n != nil
	}
	return nodes, ok
}

func (b *builder) build(e *expr) *node {
	if b.full {
		return nil
	}
	if b.built++; b.built > maxBuilt {
		b.full = true
		return b.fail(e, "the formulas have more than %d parts once sums over an index are written out", maxBuilt)
	}
	if b.rules != nil {
		if n, own := b.rules.build(b, e); own {
			return n
		}
	}
	switch e.kind {
	case numberExpr:
		return b.number(e.number)
	case nameExpr:
		return b.lookUp(e)
	case compareExpr:
		return b.condition(e)
	case logicExpr:
		return b.logic(e)
	case textExpr:
		return b.fail(e, "%q is a text; texts stand only beside == and != in formulas of a table's columns", e.name)
	case callExpr:
		return b.call(e)
	case listExpr:
		return b.list(e)
	case sliceExpr:
		return b.slice(e)
	case eachExpr:
		return b.series(e)
	}
	args, ok := b.values(e.args)
	if !ok {
		return nil
	}
	switch e.kind {
	case negateExpr:
		return b.negate(e, args[0])
	case transposeExpr:
		return b.transpose(e, args[0])
	}
	return b.binary(e, args[0], args[1])
}

func (b *builder) call(e *expr) *node {
	f, ok := functions[e.name]
	if !ok {
		return b.unknownFunction(e)
	}
	if len(e.args) < f.least || len(e.args) > f.most {
		return b.fail(e, "%s: %d arguments, want %s", b.excerpt(e), len(e.args), f.count())
	}
	switch {
	case e.name == "where":
		return b.choose(e)
	case e.name == "sum" && e.args[0].kind == eachExpr:
		return b.total(e, e.args[0])
	}
	args, ok := b.values(e.args)
	if !ok {
		return nil
	}
	return f.build(b, e, args)
}

func (b *builder) unknownFunction(e *expr) *node {
	if n := b.names[e.name]; n != nil {
		return b.fail(e, "%s is no function; a product is written %s * (…), an entry %s[…]", e.name, e.name, e.name)
	}
	known := slices.Collect(maps.Keys(functions))
	if b.rules != nil {
		known = append(known, b.rules.functions()...)
	}
	slices.Sort(known)
	if hint := cmp.Or(elsewhere[e.name], phrase.Nearest(e.name, known)); hint != "" {
		return b.fail(e, "unknown function %s; did you mean %s?", e.name, hint)
	}
	return b.fail(e, "unknown function %s, want one of %s", e.name, strings.Join(known, ", "))
}

// elsewhere is what functions of other languages are called here.
var elsewhere = map[string]string{
	"ln": "log", "log2": "log(x)/log(2)", "log10": "log(x)/log(10)", "pow": "x^y", "power": "x^y", "sqr": "x^2", "square": "x^2",
	"if": "where(condition, x, y)", "ifelse": "where(condition, x, y)", "iif": "where(condition, x, y)", "select": "where(condition, x, y)",
	"clamp": "clip", "ceil": "-floor(-x)", "ceiling": "-floor(-x)", "trunc": "where(x > 0, floor(x), -floor(-x))", "mod": "x - n*floor(x/n)",
	"sign": "where(x > 0, 1, -1)", "sgn": "where(x > 0, 1, -1)", "relu": "max(x, 0)", "logistic": "sigmoid", "expit": "sigmoid",
	"average": "mean", "avg": "mean", "inner": "dot", "matmul": "A @ B", "normalise": "normalize", "length": "norm", "total": "sum",
	"sinh": "(exp(x) - exp(-x))/2", "cosh": "(exp(x) + exp(-x))/2", "minimum": "min", "maximum": "max", "absolute": "abs",
}

// truth builds a condition: a comparison, or several with and, or and not. It is 1 where it holds and 0 where it does not.
func (b *builder) truth(e *expr) *node {
	if e.kind != compareExpr && e.kind != logicExpr && (b.rules == nil || !b.rules.isCondition(e)) {
		return b.fail(e, "%s is no comparison, want one such as p > 0", b.excerpt(e))
	}
	return b.build(e)
}

func (b *builder) logic(e *expr) *node {
	var args []*node
	for _, a := range e.args {
		n := b.truth(a)
		if n == nil {
			return nil
		}
		args = append(args, n)
	}
	switch e.name {
	case "not":
		return b.deny(e, args[0])
	case "or":
		return b.deny(e, b.both(e, b.deny(e, args[0]), b.deny(e, args[1])))
	}
	return b.both(e, args[0], args[1])
}

// choose builds where(c, x, y).
func (b *builder) choose(e *expr) *node {
	c := b.truth(e.args[0])
	args, ok := b.values(e.args[1:])
	if c == nil || !ok {
		return nil
	}
	s := scalar()
	for i, n := range []*node{c, args[0], args[1]} {
		switch {
		case s.single():
			s = n.shape
		case !n.shape.single() && n.shape != s:
			return b.fail(e, "%s: %s %v, the rest %v", b.excerpt(e), b.excerpt(e.args[i]), n.shape, s)
		}
	}
	chosen := b.emit(e, opWhere, s, c, args[0], args[1])
	return b.unless(e, chosen, c)
}

func (b *builder) lookUp(e *expr) *node {
	if n, ok := b.names[e.name]; ok {
		return n
	}
	if v, ok := constants[e.name]; ok {
		return b.number(v)
	}
	if _, ok := functions[e.name]; ok {
		return b.fail(e, "%s is a function; write %s(…)", e.name, e.name)
	}
	if e.name == "not" {
		return b.fail(e, "not must have a condition behind it; before a sign, write not (…)")
	}
	return b.fail(e, "unknown name %s; known are %s%s", e.name, b.knownNames(), b.nearest(e.name))
}

var constants = map[string]float64{"pi": math.Pi, "e": math.E}

func (b *builder) binary(e *expr, x, y *node) *node {
	switch e.name {
	case "@":
		return b.product(e, x, y)
	case "^":
		return b.raise(e, x, y)
	}
	return b.pair(e, signs[e.name].op, x, y)
}

// condition builds a comparison, of a chain all of it.
func (b *builder) condition(e *expr) *node {
	args, ok := b.values(e.args)
	if !ok {
		return nil
	}
	var all *node
	for i, sign := range e.ops {
		link := &expr{kind: compareExpr, pos: e.pos, end: e.end, args: e.args[i : i+2]}
		c := b.compare(link, sign, args[i], args[i+1])
		if c == nil {
			return nil
		}
		if all != nil {
			c = b.both(link, all, c)
		}
		all = c
	}
	return all
}

func (b *builder) compare(e *expr, sign string, x, y *node) *node {
	if !x.shape.suits(y.shape) { // told in the order in which it is written
		return b.mismatch(e, x, y)
	}
	if sign[0] == '>' {
		x, y = y, x
	}
	return b.unless(e, b.pair(e, signs[sign].op, x, y), x, y)
}

// list joins scalars and vectors to a vector, or rows in brackets to a matrix.
func (b *builder) list(e *expr) *node {
	if len(e.args) == 1 && e.args[0].kind == eachExpr {
		return b.series(e.args[0])
	}
	args, ok := b.values(e.args)
	switch {
	case !ok:
		return nil
	case len(args) == 0:
		return b.fail(e, "[] has no entries")
	case allLists(e.args):
		return b.stack(e, args)
	}
	length := 0
	for i, a := range args {
		if a.shape.rank == 2 {
			return b.fail(e.args[i], "%s is a matrix, want scalars and vectors between brackets", b.excerpt(e.args[i]))
		}
		length += a.shape.size()
	}
	return b.join(e, vector(length), args)
}

func allLists(all []*expr) bool {
	return !slices.ContainsFunc(all, func(e *expr) bool { return e.kind != listExpr || e.isParen })
}

// stack makes rows a matrix.
func (b *builder) stack(e *expr, rows []*node) *node {
	for i, r := range rows {
		if r.shape.rank != 1 || r.shape != rows[0].shape {
			return b.fail(e.args[i], "row %d %v, the first %v", i, r.shape, rows[0].shape)
		}
	}
	return b.join(e, matrix(len(rows), rows[0].shape.rows), rows)
}

func (b *builder) join(e *expr, s shape, args []*node) *node {
	if s.size() > maxEntries {
		return b.fail(e, "%s has more than %d entries", b.excerpt(e), maxEntries)
	}
	if len(args) == 1 && args[0].shape == s {
		return args[0]
	}
	return b.emit(e, opConcat, s, args...)
}

// slice takes entries, rows and columns: p[3], p[0:5], A[2], A[1, :].
func (b *builder) slice(e *expr) *node {
	x := b.value(e.args[0])
	if x == nil {
		return nil
	}
	if len(e.cuts) > x.shape.rank {
		return b.fail(e, "%s: %s %v, which has no %d axes to cut", b.excerpt(e), b.excerpt(e.args[0]), x.shape, len(e.cuts))
	}
	first, ok := b.span(e, b.labelled(e), x.shape.rows)
	rest := span{0, x.shape.cols, true}
	if len(e.cuts) == 2 && ok {
		rest, ok = b.span(e, e.cuts[1], x.shape.cols)
	}
	if !ok {
		return nil
	}
	rest.isWide = rest.isWide && x.shape.rank == 2
	return b.cutOut(e, x, first, rest)
}

// labelled is the first cut of a slice with the names of entries made into their numbers.
func (b *builder) labelled(e *expr) cut {
	c := e.cuts[0]
	labels := b.labels[e.args[0].name]
	if e.args[0].kind != nameExpr {
		return c
	}
	number := func(end *expr) *expr {
		if end == nil || end.kind != nameExpr || !slices.Contains(labels, end.name) {
			return end
		}
		return &expr{kind: numberExpr, pos: end.pos, end: end.end, number: float64(slices.Index(labels, end.name))}
	}
	return cut{number(c.lo), number(c.hi), c.isWide}
}

// span is the entries lo … hi−1 of an axis, or just one.
type span struct {
	lo, hi int
	isWide bool
}

func (b *builder) cutOut(e *expr, x *node, first, rest span) *node {
	cols := x.shape.cols
	attrs := [4]int{first.lo*cols + rest.lo, cols}
	s := matrix(first.hi-first.lo, rest.hi-rest.lo)
	switch {
	case first.isWide && !rest.isWide:
		s = vector(s.rows)
	case rest.isWide && !first.isWide:
		s, attrs[1] = vector(s.cols), 1
	case !first.isWide:
		s = scalar()
	}
	if s == x.shape {
		return x
	}
	return b.emitWith(e, opSlice, s, attrs, x)
}

// span reads a cut of an axis of n entries.
func (b *builder) span(e *expr, c cut, n int) (span, bool) {
	s, ok := span{0, n, c.isWide}, true
	if c.lo != nil {
		s.lo, ok = b.index(c.lo)
	}
	switch {
	case ok && !c.isWide:
		s.hi = s.lo + 1
	case ok && c.hi != nil:
		s.hi, ok = b.index(c.hi)
	}
	if ok && (s.lo < 0 || s.hi > n || s.lo >= s.hi) {
		b.fail(e, "%s: entries %d to %d are asked for, there are 0 to %d", b.excerpt(e), s.lo, s.hi-1, n-1)
		return s, false
	}
	return s, ok
}

// index reads a constant whole number.
func (b *builder) index(e *expr) (int, bool) {
	n := b.value(e)
	if n == nil {
		return 0, false
	}
	v, ok := n.number()
	if !ok || v != math.Trunc(v) || math.Abs(v) > maxEntries {
		b.fail(e, "%s is no index, want a constant whole number", b.excerpt(e))
		return 0, false
	}
	return int(v), true
}

// nearest asks whether a known name was meant.
func (b *builder) nearest(name string) string {
	if len([]rune(name)) < 3 { // every short name is near another
		return ""
	}
	if near := phrase.Nearest(name, slices.Sorted(maps.Keys(b.names))); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// knownNames lists what a name may be, the first twenty of it.
func (b *builder) knownNames() string {
	names := slices.Sorted(maps.Keys(b.names))
	if len(names) > 20 {
		names = append(names[:20], "…")
	}
	return strings.Join(names, ", ")
}

// repeated builds a body for every index of a range, nil if one has no meaning.
func (b *builder) repeated(e *expr) (all []*node) {
	from, ok := b.index(e.args[1])
	to, okTo := b.index(e.args[2])
	if !ok || !okTo {
		return nil
	}
	if to <= from {
		b.fail(e.args[1], "%s: the range from %d to below %d is empty", b.excerpt(e), from, to)
		return nil
	}
	if b.isTaken(e.name) {
		b.fail(e, "%s is there already; take another name for the index", e.name)
		return nil
	}
	defer delete(b.names, e.name)
	for i := from; i < to; i++ {
		b.names[e.name] = b.number(float64(i))
		n := b.value(e.args[0])
		if n == nil {
			return nil
		}
		if all = append(all, n); n.shape != all[0].shape {
			b.fail(e.args[0], "%s %v for %s = %d, and %v for %s = %d", b.excerpt(e.args[0]), n.shape, e.name, i, all[0].shape, e.name, from)
			return nil
		}
	}
	return all
}

// isTaken tells whether a name means something already.
func (b *builder) isTaken(name string) bool {
	_, isFunction := functions[name]
	_, isConstant := constants[name]
	_, isKnown := b.names[name]
	return isFunction || isConstant || isKnown
}

// series makes numbers a vector and vectors the rows of a matrix.
func (b *builder) series(e *expr) *node {
	all := b.repeated(e)
	switch {
	case all == nil:
		return nil
	case all[0].shape.rank == 2:
		return b.fail(e.args[0], "%s is a matrix, want numbers or vectors for every %s", b.excerpt(e.args[0]), e.name)
	case all[0].shape.rank == 1:
		return b.join(e, matrix(len(all), all[0].shape.rows), all)
	}
	return b.join(e, vector(len(all)), all)
}

// total adds up a body over its index: numbers, or vectors and matrices entry by entry.
func (b *builder) total(e, each *expr) *node {
	all := b.repeated(each)
	if all == nil {
		return nil
	}
	if all[0].shape.single() {
		return b.reduce(e, opSum, b.join(each, vector(len(all)), all))
	}
	sum := all[0]
	for _, n := range all[1:] {
		sum = b.emit(e, opAdd, n.shape, sum, n)
	}
	return sum
}
