package formula

import (
	"math"
	"sync"

	"github.com/kedge-opt/kedge/internal/rows"
)

// frame is what a program reads and writes: the inputs, and destinations that may be nil.
type frame struct {
	p, u, d, v  []float64
	e           []float64 // noise
	dst, gp, gu []float64
}

// place is where a result goes.
type place int

const (
	toDst place = iota // a row for every individual
	toGP               // added to a row for every individual
	toGU               // added to one row
	toValue
	toColumns // a column for every entry, behind at others, over all individuals
)

// output is a result of a program.
type output struct {
	to   place
	node *node
	at   int // behind how many entries of the destination
}

// program computes values of a graph: what the decision decides, then block by block what individuals do, then sums.
type program struct {
	stages  [3][]instr
	woven   []*woven // runs of what individuals do that one pass does, by where they begin; nil for none
	values  []slot
	outputs []result
	sums    []int // values that collect over individuals
	bound   []int // values in the caller's memory

	decision int // entries that are read of the decision, the crowd's mean behind it among them
	shared   int // entries that all individuals share
	room     int // entries of one individual
	block    int // individuals at a time
	pool     sync.Pool
}

// slot is where a value is kept.
type slot struct {
	node  *node
	width int
	at    int  // in the shared memory, or in that of an individual
	isDst bool // the rows of the destination themselves
}

// result hands a value to a destination.
type result struct {
	to    place
	value int
	at    int
}

// workspace is the memory of one call.
type workspace struct {
	values []operand
	u      []float64 // the decision of the values that stand here
	isSet  bool
}

func (p *program) borrow() *workspace {
	if w, ok := p.pool.Get().(*workspace); ok {
		return w
	}
	w := &workspace{values: make([]operand, len(p.values)), u: make([]float64, p.decision)}
	shared, room := make([]float64, p.shared), make([]float64, p.room*p.block)
	for i, s := range p.values {
		v := operand{width: s.width}
		switch {
		case s.node.op == opConst:
			v.x = s.node.data
		case s.node.op == opDecision || s.node.op == opCrowd:
			v.x = w.u[s.node.attrs[0] : s.node.attrs[0]+s.width]
		case s.node.level != perRow:
			v.x = shared[s.at : s.at+s.width]
		case p.isRoom(i):
			v.step, v.x = s.width, room[s.at*p.block:(s.at+s.width)*p.block]
		default: // bound to the caller's memory
			v.step = s.width
		}
		w.values[i] = v
	}
	return w
}

// run computes for n individuals and returns the value, if one is asked for.
func (p *program) run(n int, f frame) (value float64) {
	w := p.borrow()
	p.start(w, f.u)
	for lo := 0; lo < n; lo += p.block {
		hi := min(lo+p.block, n)
		p.bind(w, f, lo, hi)
		p.runRows(hi-lo, w.values)
		p.deliver(w, f, n, lo, hi)
	}
	value = p.finish(w, f)
	p.release(w)
	return value
}

// runRows computes what n individuals do.
func (p *program) runRows(n int, values []operand) {
	list := p.stages[perRow]
	for i := 0; i < len(list); i++ {
		if p.woven != nil && p.woven[i] != nil && p.woven[i].run(n, values) {
			i += p.woven[i].length - 1
			continue
		}
		list[i].run(n, values)
	}
}

// start computes what depends on the decision, unless it stands there from the last call, and clears the sums.
func (p *program) start(w *workspace, u []float64) {
	for _, k := range p.sums {
		clear(w.values[k].x)
	}
	if w.isSet && sameBits(w.u, u) {
		return
	}
	copy(w.u, u)
	for i := range p.stages[once] {
		p.stages[once][i].run(1, w.values)
	}
	w.isSet = true
}

func sameBits(x, y []float64) bool {
	for i, v := range x {
		if math.Float64bits(v) != math.Float64bits(y[i]) {
			return false
		}
	}
	return true
}

// bind points the inputs, and a result that is computed in place, to the rows lo … hi−1.
func (p *program) bind(w *workspace, f frame, lo, hi int) {
	for _, k := range p.bound {
		s, x := &p.values[k], f.dst
		switch s.node.op {
		case opState:
			x = f.p
		case opTrait:
			x = f.d
		case opCotangent:
			x = f.v
		case opNoise:
			x = f.e
		}
		w.values[k].x = x[lo*s.width : hi*s.width]
	}
}

// deliver hands out the results of the rows lo … hi−1.
func (p *program) deliver(w *workspace, f frame, n, lo, hi int) {
	for _, r := range p.outputs {
		switch x, one := w.values[r.value], [1]float64{1}; {
		case r.to == toColumns:
			x.columns(f.dst, r.at, n, lo, hi)
		case r.to == toGP:
			rows.AddScaledRows(f.gp[lo*x.width:hi*x.width], one[:], x.block(hi-lo), x.width)
		case r.to == toDst && !p.values[r.value].isDst:
			for i := lo; i < hi; i++ {
				copy(f.dst[i*x.width:(i+1)*x.width], x.at(i-lo))
			}
		}
	}
}

// finish hands out the sums.
func (p *program) finish(w *workspace, f frame) (value float64) {
	for i := range p.stages[after] {
		p.stages[after][i].run(1, w.values)
	}
	for _, r := range p.outputs {
		switch r.to {
		case toGU:
			x := w.values[r.value].x
			rows.AddScaled(f.gu[r.at:r.at+len(x)], 1, x)
		case toValue:
			value = w.values[r.value].x[0]
		}
	}
	return value
}

// release keeps the workspace but not the caller's memory.
func (p *program) release(w *workspace) {
	for _, k := range p.bound {
		w.values[k].x = nil
	}
	p.pool.Put(w)
}

// isRoom tells whether a value is kept in the memory of individuals.
func (p *program) isRoom(k int) bool {
	s := p.values[k]
	return s.node.level == perRow && len(s.node.args) > 0 && !s.isDst
}

// programs give what is always wanted, and with it no slopes, those in the state, those in the decision, or both.
type programs [4]func() *program

// run runs the program for the destinations that are wanted.
func (p programs) run(n int, f frame) float64 {
	which := 0
	if f.gp != nil {
		which++
	}
	if f.gu != nil {
		which += 2
	}
	return p[which]().run(n, f)
}
