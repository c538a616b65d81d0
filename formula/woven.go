package formula

import (
	"github.com/kedge-opt/kedge/internal/rows"
)

// woven is a run of instructions that one kernel does in a single pass: normalize(a·x + b·y + c·dot(x, u)·u), where a, b, c and u are what all individuals share.
type woven struct {
	length           int // of the run
	dst, x, y, along int // values
	a, b, c          int // factors, negative for 1
	minus            [3]bool
}

// weave finds what can be woven, by where it begins.
func (p *program) weave() {
	list := p.stages[perRow]
	reads := p.reads()
	for i := range list {
		for _, k := range []int{4, 5} { // with or without a factor of the product
			if i+k > len(list) {
				continue
			}
			if w, ok := p.match(list[i:i+k], reads); ok {
				if p.woven == nil {
					p.woven = make([]*woven, len(list))
				}
				p.woven[i] = &w
			}
		}
	}
}

// reads counts how often values are read.
func (p *program) reads() []int {
	count := make([]int, len(p.values))
	for _, stage := range p.stages {
		for _, in := range stage {
			for _, k := range in.reads() {
				count[k]++
			}
		}
	}
	for _, r := range p.outputs {
		count[r.value]++
	}
	return count
}

// match tells whether a run is a product of rows with a shared one, perhaps with a factor, a sum of three terms with it, the norm of that and its division by it, and whether nobody else reads
// what is between.
func (p *program) match(run []instr, reads []int) (w woven, ok bool) {
	last := len(run) - 1
	dot, sum, norm, unit := run[0], run[last-2], run[last-1], run[last]
	if dot.op != opDot || sum.op != opCombine || len(sum.args) != 3 || unit.op != opUnit || unit.args[0] != sum.dst || unit.args[1] != norm.dst ||
		reads[dot.dst] != 1 || reads[sum.dst] != 2 || reads[norm.dst] != 1 {
		return w, false
	}
	w = woven{length: len(run), dst: unit.dst, x: sum.args[0], y: sum.args[1], along: sum.args[2], a: sum.coefs[0], b: sum.coefs[1], c: -1, minus: [3]bool(sum.minus)}
	factor := dot.dst
	if last == 4 {
		mul := run[1]
		factor = mul.dst
		switch {
		case mul.op != opMul || reads[factor] != 1:
			return w, false
		case mul.args[1] == dot.dst:
			w.c = mul.args[0]
		case mul.args[0] == dot.dst:
			w.c = mul.args[1]
		default:
			return w, false
		}
	}
	if sum.coefs[2] != factor {
		return w, false
	}
	if isOf := func(x int) bool {
		return dot.args[0] == x && dot.args[1] == w.along || dot.args[1] == x && dot.args[0] == w.along
	}; !isOf(w.x) { // the sum of the first two is the same in either order
		w.x, w.y, w.a, w.b, w.minus[0], w.minus[1] = w.y, w.x, w.b, w.a, w.minus[1], w.minus[0]
		if !isOf(w.x) {
			return w, false
		}
	}
	return w, p.isRows(w.x) && p.isRows(w.y) && p.isShared(w.along) && p.isShared(w.a) && p.isShared(w.b) && p.isShared(w.c)
}

func (p *program) isRows(k int) bool   { return p.values[k].node.level == perRow }
func (p *program) isShared(k int) bool { return k < 0 || p.values[k].node.level == once }

// run does the pass for n individuals. It tells whether all norms were in the middle; where one was not, the instructions do all of it again, with care.
func (w *woven) run(n int, values []operand) bool {
	var norms [mostRows]float64
	factor := func(k int, minus bool) float64 {
		c := 1.0
		if k >= 0 {
			c = values[k].x[0]
		}
		if minus {
			c = -c
		}
		return c
	}
	u, x, y := values[w.along].x, values[w.x].block(n), values[w.y].block(n)
	dst := values[w.dst].x[:n*len(u)]
	if &dst[0] == &x[0] || &dst[0] == &y[0] { // the instructions would not find what they read
		return false
	}
	rows.Blend(dst, norms[:n], x, y, u, factor(w.a, w.minus[0]), factor(w.b, w.minus[1]), factor(w.c, w.minus[2]))
	for _, s := range norms[:n] {
		if !(s > leastMiddle && s < mostMiddle) {
			return false
		}
	}
	return true
}
