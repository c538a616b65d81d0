package formula

import (
	"slices"
	"sync"
)

// layout lays the values that outputs need out as a program.
type layout struct {
	program *program
	needed  []*node          // in order
	uses    []int            // how often a value is read, by id
	inside  []bool           // values computed only inside another, by id
	slots   []int            // by id
	terms   map[*node][]term // of combinations
}

// term is ±c·x; c may be nil for 1.
type term struct {
	c, x  *node
	minus bool
}

// mostTerms bounds the terms of a combination.
const mostTerms = 8

// blockEntries is how much of the individuals' memory a block should take, and mostRows how many individuals at most.
const (
	blockEntries = 1 << 13
	mostRows     = 64
)

// planned returns a program that is laid out when it is first asked for.
func planned(outputs ...output) func() *program {
	return sync.OnceValue(func() *program { return newProgram(outputs...) })
}

// plannedFor are the programs that add slopes; that in the crowd's mean stands behind so many entries of the one in the decision.
func plannedFor(slopes map[op]*node, behind int, always ...output) programs {
	gp, gu := output{toGP, slopes[opState], 0}, output{toGU, slopes[opDecision], 0}
	gm := output{toGU, slopes[opCrowd], behind}
	with := func(more ...output) func() *program { return planned(slices.Concat(always, more)...) }
	return programs{with(), with(gp), with(gu, gm), with(gp, gu, gm)}
}

// newProgram lays out a program for the outputs; those with a nil node are left out.
func newProgram(outputs ...output) *program {
	outputs = slices.DeleteFunc(slices.Clone(outputs), func(o output) bool { return o.node == nil })
	l := newLayout(outputs)
	for _, n := range slices.Backward(l.needed) {
		l.fuse(n)
	}
	for _, n := range l.needed {
		if !l.inside[n.id] {
			l.place(n, outputs)
		}
	}
	for _, o := range outputs {
		l.program.outputs = append(l.program.outputs, result{o.to, l.slots[o.node.id], o.at})
	}
	l.assign()
	l.program.weave()
	return l.program
}

// newLayout lists what outputs need, and counts how often.
func newLayout(outputs []output) *layout {
	roots := several(len(outputs), func(i int) *node { return outputs[i].node })
	l := &layout{program: &program{}, terms: map[*node][]term{}, needed: reachable(roots)}
	ids := 0
	for _, n := range l.needed {
		ids = max(ids, n.id+1)
	}
	l.uses, l.inside, l.slots = make([]int, ids), make([]bool, ids), make([]int, ids)
	for _, n := range l.needed {
		for _, a := range n.args {
			l.uses[a.id]++
		}
	}
	for _, n := range roots {
		l.uses[n.id]++
	}
	return l
}

// fuse takes the terms of a sum, and the factor of a sum over individuals, into one pass.
func (l *layout) fuse(n *node) {
	if l.inside[n.id] || n.shape.single() {
		return
	}
	switch n.op {
	case opRowSum:
		if c, x := l.product(n, n.args[0]); c != nil {
			l.inside[n.args[0].id] = true
			l.terms[n] = []term{{c: c, x: x}}
		}
	case opAdd, opSub:
		t, taken := l.sum(n)
		if !slices.ContainsFunc(t, func(t term) bool { return t.c != nil }) {
			return
		}
		l.terms[n] = t
		for _, x := range taken {
			l.inside[x.id] = true
		}
	}
}

// product splits a value that only n reads into a scalar and a factor.
func (l *layout) product(n, x *node) (c, factor *node) {
	summed := n.op == opRowSum && l.uses[x.id] == 1 && x.level == perRow
	if x.op != opMul || !summed && !l.onlyIn(n, x) {
		return nil, nil
	}
	switch a, b := x.args[0], x.args[1]; {
	case a.shape.single() && b.shape == x.shape:
		return a, b
	case b.shape.single() && a.shape == x.shape:
		return b, a
	}
	return nil, nil
}

// isSum tells whether a value is a sum or difference of equal shapes.
func isSum(n *node) bool {
	return (n.op == opAdd || n.op == opSub) && n.args[0].shape == n.shape && n.args[1].shape == n.shape
}

// sum returns the terms of a sum from left to right and the values it takes in.
func (l *layout) sum(n *node) (terms []term, taken []*node) {
	if !isSum(n) {
		return nil, nil
	}
	add := func(x *node, minus bool) {
		t, parts := l.term(n, x, minus)
		terms, taken = append(terms, t), append(taken, parts...)
	}
	at := n
	for {
		add(at.args[1], at.op == opSub)
		left := at.args[0]
		if !isSum(left) || !l.onlyIn(n, left) || len(terms) == mostTerms-1 {
			add(left, false)
			slices.Reverse(terms)
			return terms, taken
		}
		taken = append(taken, left)
		at = left
	}
}

// onlyIn tells whether nobody else reads x and it is computed when n is.
func (l *layout) onlyIn(n, x *node) bool { return l.uses[x.id] == 1 && x.level == n.level }

func (l *layout) term(n, x *node, minus bool) (t term, taken []*node) {
	if x.op == opNeg && l.onlyIn(n, x) {
		taken = append(taken, x)
		x, minus = x.args[0], !minus
	}
	if c, factor := l.product(n, x); c != nil {
		return term{c, factor, minus}, append(taken, x)
	}
	return term{nil, x, minus}, taken
}

// place gives a value a slot and, if it must be computed, an instruction.
func (l *layout) place(n *node, outputs []output) {
	p := l.program
	l.slots[n.id] = len(p.values)
	direct := n.level == perRow && len(n.args) > 0 && slices.Contains(outputs, output{toDst, n, 0})
	p.values = append(p.values, slot{node: n, width: n.shape.size(), isDst: direct})
	if direct || n.op == opState || n.op == opTrait || n.op == opCotangent || n.op == opNoise {
		p.bound = append(p.bound, l.slots[n.id])
	}
	if n.op == opDecision || n.op == opCrowd {
		p.decision = max(p.decision, n.attrs[0]+n.shape.size())
	}
	if len(n.args) == 0 {
		return
	}
	in := l.instr(n)
	stage := n.level
	if n.op == opRowSum {
		stage = perRow
		p.sums = append(p.sums, in.dst)
	}
	p.stages[stage] = append(p.stages[stage], in)
}

func (l *layout) instr(n *node) instr {
	in := instr{node: n, op: n.op, dst: l.slots[n.id]}
	terms, ok := l.terms[n]
	if !ok {
		for _, a := range n.args {
			in.args = append(in.args, l.slots[a.id])
		}
		return in
	}
	if n.op != opRowSum {
		in.op = opCombine
	}
	for _, t := range terms {
		c := -1
		if t.c != nil {
			c = l.slots[t.c.id]
		}
		in.args, in.coefs, in.minus = append(in.args, l.slots[t.x.id]), append(in.coefs, c), append(in.minus, t.minus)
	}
	return in
}

// assign gives slots memory. Rows that nobody reads any more make room for others.
func (l *layout) assign() {
	p := l.program
	last := l.lastUses()
	free := map[int][]int{} // by width
	for i, in := range p.stages[perRow] {
		if s := &p.values[in.dst]; in.op != opRowSum && !s.isDst {
			s.at = take(free, s.width, &p.room)
		}
		for _, k := range in.reads() {
			if last[k] == i && p.isRoom(k) {
				free[p.values[k].width] = append(free[p.values[k].width], p.values[k].at)
				last[k] = -1
			}
		}
	}
	for i := range p.values {
		if s := &p.values[i]; s.node.level != perRow && len(s.node.args) > 0 {
			s.at = p.shared
			p.shared += s.width
		}
	}
	p.block = max(1, min(mostRows, blockEntries/max(1, p.room)&^3))
}

// lastUses returns the last instruction for individuals that reads a value; results are read behind all.
func (l *layout) lastUses() []int {
	p := l.program
	last := make([]int, len(p.values))
	for i, in := range p.stages[perRow] {
		for _, k := range in.reads() {
			last[k] = i
		}
	}
	for _, r := range p.outputs {
		last[r.value] = len(p.stages[perRow])
	}
	return last
}

// take returns memory of a width that is free, or new.
func take(free map[int][]int, width int, room *int) int {
	if have := free[width]; len(have) > 0 {
		free[width] = have[:len(have)-1]
		return have[len(have)-1]
	}
	*room += width
	return *room - width
}
