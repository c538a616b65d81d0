package formula

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
)

// node is a value of the model: an operation on earlier values. Values never change.
type node struct {
	id    int
	op    op
	shape shape
	args  []*node
	attrs [4]int    // of slices, powers and the like
	data  []float64 // of a constant
	level level
	deps  deps
	// Degrees as polynomials of the state and of the decision: 0 does not depend on them, 1 is affine, 2 quadratic, and 3 anything else.
	degP, degU int
}

func (n *node) isConst() bool { return n.op == opConst }

// number returns the value of a constant scalar.
func (n *node) number() (v float64, ok bool) {
	if !n.isConst() || !n.shape.single() {
		return 0, false
	}
	return n.data[0], true
}

func (n *node) is(v float64) bool {
	x, ok := n.number()
	return ok && x == v
}

// level says when a value is computed.
type level int

const (
	once   level = iota // for a decision, before the individuals
	perRow              // for every individual
	after               // behind all individuals, from sums over them
)

// deps are the inputs a value depends on.
type deps uint8

const (
	onState deps = 1 << iota
	onDecision
	onTrait
	onCotangent // the vector v of products with a transposed Jacobian
	onCrowd
	onNoise
)

// graph holds values, each made once, in an order in which arguments come first.
type graph struct {
	nodes   []*node
	known   map[string]*node
	key     []byte
	numbers int // entries of all constants
	row     int // entries of all other values
	folding int // operations spent on constants
	cost    int // operations of an individual
	built   int // parts of formulas, each as often as an index repeats it
	// strict makes a constant that is not finite a fault.
	strict  bool
	trouble string // why the last value asked for is not to be had
	full    bool   // a limit is reached
}

func newGraph() *graph { return &graph{known: map[string]*node{}, strict: true} }

// literal returns a constant. It keeps data.
func (g *graph) literal(s shape, data []float64) *node {
	return g.intern(&node{op: opConst, shape: s, data: data})
}

func (g *graph) number(v float64) *node { return g.literal(scalar(), []float64{v}) }

// input returns one of the inputs.
func (g *graph) input(o op, s shape) *node {
	n := &node{op: o, shape: s, level: perRow, deps: inputs[o]}
	switch o {
	case opState:
		n.degP = 1
	case opDecision:
		n.degU, n.level = 1, once
	}
	return g.intern(n)
}

// inputs are the operations that make one.
var inputs = [opCount]deps{opState: onState, opDecision: onDecision, opTrait: onTrait, opCotangent: onCotangent, opCrowd: onCrowd, opNoise: onNoise}

// crowd returns the mean state of all as an input, which stands behind so many entries of the decision.
func (g *graph) crowd(s shape, behind int) *node {
	return g.intern(&node{op: opCrowd, shape: s, level: once, deps: inputs[opCrowd], degU: 1, attrs: [4]int{behind}})
}

// apply returns an operation on values.
func (g *graph) apply(o op, s shape, attrs [4]int, args ...*node) *node {
	n := &node{op: o, shape: s, attrs: attrs, args: args}
	for _, a := range args {
		n.deps |= a.deps
		n.level = max(n.level, a.level)
	}
	if o == opRowSum {
		n.level = after
	}
	n.degP = degree(n, func(a *node) int { return a.degP })
	n.degU = degree(n, func(a *node) int { return a.degU })
	return g.intern(n)
}

// degree is that of a value as a polynomial of what its arguments have the given degrees in.
func degree(n *node, of func(*node) int) int {
	most, sum := 0, 0
	for _, a := range n.args {
		most, sum = max(most, of(a)), sum+of(a)
	}
	switch natures[n.op].kind {
	case linear:
		return most
	case bilinear:
		return min(sum, 3)
	case firstLinear: // as x/y and where(c, x, y): linear while the other is fixed
		if fixed := n.args[natures[n.op].fixed]; of(fixed) == 0 {
			return most
		}
	}
	if n.op == opPower && n.attrs[0] == 2 {
		return min(2*most, 3)
	}
	return min(3*most, 3)
}

// intern returns the value as it is already known, folded to a constant, or new.
func (g *graph) intern(n *node) *node {
	key, short := g.keyOf(n)
	if old := g.known[key]; short && old != nil {
		return old
	}
	if m := g.fold(n); m != nil {
		if short {
			g.known[key] = m
		}
		return m
	}
	g.admit(n)
	if short {
		g.known[key] = n
	}
	return n
}

// keyOf spells what a value is. Long constants go without: each is one of its own.
func (g *graph) keyOf(n *node) (key string, short bool) {
	if len(n.data) > 16 {
		return "", false
	}
	k := append(g.key[:0], byte(n.op), byte(n.shape.rank))
	for _, v := range []int{n.shape.rows, n.shape.cols, n.attrs[0], n.attrs[1], n.attrs[2], n.attrs[3]} {
		k = binary.AppendVarint(k, int64(v))
	}
	for _, a := range n.args {
		k = binary.AppendVarint(k, int64(a.id))
	}
	for _, v := range n.data {
		k = binary.LittleEndian.AppendUint64(k, math.Float64bits(v))
	}
	g.key = k
	return string(k), true
}

// admit numbers a new value and counts what it costs.
func (g *graph) admit(n *node) {
	n.id = len(g.nodes)
	g.nodes = append(g.nodes, n)
	if n.isConst() {
		g.numbers += n.shape.size()
	} else {
		g.row += n.shape.size()
		g.cost += n.cost()
	}
	switch {
	case n.shape.size() > maxEntries:
		g.exceed("has more than %d entries", maxEntries)
	case len(g.nodes) > maxNodes:
		g.exceed("makes more than %d operations", maxNodes)
	case g.numbers > maxNumbers:
		g.exceed("makes more than %d constants", maxNumbers)
	case g.row > maxRow:
		g.exceed("makes more than %d entries of an individual", maxRow)
	case g.cost > maxCost:
		g.exceed("costs more than %d operations of an individual", maxCost)
	}
}

// exceed says which limit is reached.
func (g *graph) exceed(format string, limit int) {
	g.full = true
	g.blame(format, limit)
}

func (g *graph) blame(format string, what any) {
	if g.trouble == "" {
		g.trouble = fmt.Sprintf(format, what)
	}
}

// cost estimates the operations a value takes.
func (n *node) cost() int {
	size := n.shape.size()
	switch n.op {
	case opMatVec, opVecMat, opMatMat:
		return n.args[0].shape.size() * n.args[1].shape.cols
	}
	for _, a := range n.args {
		size = max(size, a.shape.size())
	}
	return size * natures[n.op].weight
}

// fold computes a value whose arguments are constants; nil means it must be computed later.
func (g *graph) fold(n *node) *node {
	varies := func(a *node) bool { return !a.isConst() }
	if len(n.args) == 0 || g.trouble != "" || n.level == after || slices.ContainsFunc(n.args, varies) {
		return nil
	}
	if n.shape.size() > maxEntries || g.numbers+n.shape.size() > maxNumbers || g.folding+n.cost() > maxFolding {
		g.exceed("takes more than %d operations on constants", maxFolding)
		return nil
	}
	g.folding += n.cost()
	data := compute(n)
	if !rows.Finite(data) {
		if g.strict {
			g.blame("is %v, want a finite number", data[firstBad(data)])
		}
		return nil
	}
	return g.literal(n.shape, data)
}

// firstBad returns where the first number that is not finite stands.
func firstBad(x []float64) int {
	return slices.IndexFunc(x, func(v float64) bool { return v-v != 0 })
}

// compute runs the kernel of a value on constants.
func compute(n *node) []float64 {
	values := []operand{{x: make([]float64, n.shape.size()), width: n.shape.size()}}
	in := instr{node: n, op: n.op}
	for i, a := range n.args {
		values = append(values, operand{x: a.data, width: a.shape.size()})
		in.args = append(in.args, i+1)
	}
	in.run(1, values)
	return values[0].x
}

// neutral returns the other operand of 1·x, x·1 and x/1, which has the shape of the result, as 1 is a scalar.
func neutral(o op, x, y *node) *node {
	switch {
	case (o == opMul || o == opDiv) && y.is(1):
		return x
	case o == opMul && x.is(1):
		return y
	}
	return nil
}
