package formula

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
)

// Compile checks a model and prepares it for use. The error joins one *Error for every mistake found.
func Compile(s Source) (*Model, error) {
	c := &compiler{graph: newGraph(), names: map[string]*node{}, labels: map[string][]string{}}
	c.declare(s)
	c.quiet(s.Noise)
	c.bind(s.Let)
	m := &Model{dims: c.dims}
	m.next = c.nextState(text{"model.next", s.Next})
	if s.Minimize != "" && s.Maximize != "" {
		c.fail(text{"model.maximize", s.Maximize}, "there is a minimize as well; one of them must go")
	}
	c.setLoss(m, text{"model.minimize", s.Minimize}, false)
	c.setLoss(m, text{"model.maximize", s.Maximize}, true)
	m.constraints = c.constrain(s.Subject)
	if len(c.found) == 0 {
		c.differentiate(m)
	}
	if len(c.found) == 0 && len(s.Noise) > 0 && m.next != nil {
		c.stir(m, s)
	}
	if err := c.found.joined(); err != nil {
		return nil, err
	}
	return m, nil
}

// root builds a formula. The value is nil where the formula is left out, or a mistake was reported.
func (c *compiler) root(t text) (b *builder, e *expr, n *node) {
	if t.body == "" {
		return nil, nil, nil
	}
	b = c.builder(t)
	if e = c.tree(t); e != nil {
		n = b.value(e)
	}
	return b, e, n
}

func (c *compiler) nextState(t text) *node {
	b, e, n := c.root(t)
	if n != nil && c.state != nil && n.shape != c.state.shape {
		return b.fail(e, "the next state %v, the state %s %v", n.shape, c.stateName, c.state.shape)
	}
	return n
}

func (c *compiler) setLoss(m *Model, t text, negate bool) {
	b, e, n := c.root(t)
	switch {
	case n == nil:
		return
	case n.deps&onCrowd != 0:
		b.fail(e, "the objective is that of one individual and does not see the crowd; crowd(…) can stand in next")
		return
	case !n.shape.single():
		b.fail(e, "the objective %v, want a scalar; sum(…), mean(…), dot(…) and norm(…) make one", n.shape)
		return
	case negate:
		n = b.negate(e, n)
	}
	m.loss, m.field = n, t.field
}

// declare reads the names and shapes of decision, state and trait.
func (c *compiler) declare(s Source) {
	_, c.decision = c.declaration(text{"model.decision", s.Decision}, opDecision)
	c.stateName, c.state = c.declaration(text{"model.state", s.State}, opState)
	if s.Trait != "" {
		_, c.trait = c.declaration(text{"model.trait", s.Trait}, opTrait)
	}
	if len(s.Beside) > 0 {
		c.lengthen(s)
	}
	size := func(n *node) int {
		if n == nil {
			return 0
		}
		return n.shape.size()
	}
	c.dims = kedge.Dims{Decision: size(c.decision), State: size(c.state), Trait: size(c.trait)}
}

// declaration reads the name and the shape of an input.
func (c *compiler) declaration(t text, o op) (string, *node) {
	name, s, ok := c.named(t)
	if !ok {
		return "", nil
	}
	n := c.input(o, s)
	c.name(t, name, n)
	return name, n
}

// named reads "p", "p[20]", "P[3, 4]" or "q[apples, pears] in EUR".
func (c *compiler) named(t text) (string, shape, bool) {
	t.body = kedge.CalledBy(t.body).Name
	e := c.tree(t)
	if e == nil {
		return "", shape{}, false
	}
	b := c.builder(t)
	name, lengths, ok := e, []int(nil), true
	var labels []string
	if e.kind == sliceExpr {
		name = e.args[0]
		if labels = labelsOf(e); labels != nil {
			lengths = []int{len(labels)}
		}
		for _, cut := range e.cuts[min(len(labels), len(e.cuts)):] {
			ok = ok && !cut.isWide
			lengths = append(lengths, wholeNumber(cut.lo))
		}
	}
	if name.kind != nameExpr || !ok {
		b.fail(e, "%s declares nothing, want a name and a length such as p[20]", b.excerpt(e))
		return "", shape{}, false
	}
	s, ok := shapeOf(lengths)
	if !ok {
		c.names[name.name] = nil
		b.fail(e, "%s: lengths are whole numbers from 1 on that make %d entries at most", b.excerpt(e), maxEntries)
	}
	for i, label := range labels {
		if slices.Contains(labels[:i], label) {
			b.fail(e, "%s: two entries are called %s", b.excerpt(e), label)
			return "", shape{}, false
		}
	}
	c.labels[name.name] = labels
	return name.name, s, ok
}

// wholeNumber returns the value of a written whole number, −1 for anything else.
func wholeNumber(e *expr) int {
	if e == nil || e.kind != numberExpr || e.number != math.Trunc(e.number) || e.number > maxEntries {
		return -1
	}
	return int(e.number)
}

// name makes a value known. Nil stands for one whose mistake has been reported.
func (c *compiler) name(t text, name string, n *node) {
	first := scan(name, 0)
	f, isFunction := functions[name]
	isFunction = isFunction && !f.yields
	_, isConstant := constants[name]
	_, isKnown := c.names[name]
	switch {
	case first.kind != nameToken || first.end != len(name) || first.pos != 0:
		c.fail(t, "%q is no name, want letters, digits and _, a letter first", name)
	case isFunction:
		c.fail(t, "%s is the name of a function; take another", name)
	case isConstant:
		c.fail(t, "%s is the name of a constant; take another", name)
	case isKnown:
		c.fail(t, "%s is there already; take another name", name)
	default:
		c.names[name] = n
	}
}

func (c *compiler) bind(all []Binding) {
	if len(all) > maxFormulas {
		c.fail(text{field: "model.let"}, "%d names, at most %d are allowed", len(all), maxFormulas)
		return
	}
	for _, l := range all {
		t := text{"model.let." + l.Name, l.Expr}
		c.name(t, l.Name, c.bound(t, l))
	}
}

func (c *compiler) bound(t text, l Binding) *node {
	if l.Data != nil {
		return c.data(t, *l.Data)
	}
	e := c.tree(t)
	if e == nil {
		return nil
	}
	return c.builder(t).value(e)
}

// data makes numbers a constant.
func (c *compiler) data(t text, v Value) *node {
	s, ok := shapeOf(v.Shape)
	if !ok || s.size() != len(v.Data) {
		return c.fail(t, "%d numbers do not fill the shape %v", len(v.Data), v.Shape)
	}
	if i := firstBad(v.Data); i >= 0 {
		return c.fail(t, "entry %d is %v, want a finite number", i, v.Data[i])
	}
	n := c.literal(s, slices.Clone(v.Data))
	if c.trouble != "" {
		n = c.fail(t, "the model %s", c.trouble)
		c.trouble = ""
	}
	return n
}

// differentiate builds the derivatives and the programs.
func (c *compiler) differentiate(m *Model) {
	if m.next != nil {
		m.dynamics = c.newDynamics(m)
		c.checkSize("model.next")
	}
	if m.loss != nil {
		m.objective = c.newObjective(m)
		c.checkSize(m.field)
	}
}

// checkSize reports derivatives that exceed a limit.
func (c *compiler) checkSize(field string) {
	if c.full && len(c.found) == 0 {
		c.found.add(&Error{Field: field, Line: 1, Column: 1, Message: fmt.Sprintf("the derivative of the formula %s", c.trouble)})
	}
}

func (c *compiler) newDynamics(m *Model) *dynamics {
	slopes := c.gradients(m.next, c.input(opCotangent, m.next.shape), onState|onDecision|onCrowd)
	f := &dynamics{dims: m.dims, slope: slopes[opState], reads: readTrait(maps.Values(slopes)), next: planned(output{toDst, m.next, 0}), pull: plannedFor(slopes, m.dims.Decision)}
	if m.Social() {
		f.dims.Decision += m.dims.State
	}
	f.resolvent = c.newResolvent(f, m.next)
	return f
}

func (c *compiler) newObjective(m *Model) *objective {
	slopes := c.gradients(m.loss, c.number(1), onState|onDecision)
	value := output{toValue, c.apply(opRowSum, scalar(), [4]int{}, m.loss), 0}
	return &objective{dims: m.dims, reads: readTrait(maps.Values(slopes)) || m.loss.deps&onTrait != 0, programs: plannedFor(slopes, 0, value)}
}

// readTrait tells whether a value depends on the trait.
func readTrait(values iter.Seq[*node]) bool {
	for n := range values {
		if n.deps&onTrait != 0 {
			return true
		}
	}
	return false
}

// quiet makes noise constant, at its mean.
func (c *compiler) quiet(all []Shock) {
	c.inputs = maps.Clone(c.names)
	count := 0
	for _, one := range all {
		c.declareNoise(one, func(s shape) *node {
			if count += s.size(); count > maxNoise {
				return c.fail(text{"model.noise", one.Declaration}, "more than %d numbers of noise", maxNoise)
			}
			data := make([]float64, s.size())
			for i := range data {
				data[i] = one.Mean
			}
			return c.literal(s, data)
		})
	}
}

// declareNoise reads a name and a shape, of which make has the value.
func (c *compiler) declareNoise(one Shock, make func(s shape) *node) {
	t := text{"model.noise", one.Declaration}
	if name, s, ok := c.named(t); ok {
		c.name(t, name, make(s))
	}
}

// stir builds the next state again, with the noise as what it is.
func (c *compiler) stir(m *Model, s Source) {
	f := &Stirred{dims: m.dynamics.dims}
	for _, one := range s.Noise {
		_, shape, _ := c.named(text{"model.noise", one.Declaration})
		f.widths = append(f.widths, shape.size())
	}
	all, at := c.input(opNoise, vector(f.Width())), 0
	c.names = maps.Clone(c.inputs)
	for _, one := range s.Noise {
		c.declareNoise(one, func(s shape) *node {
			part := c.part(all, at, s)
			at += s.size()
			return part
		})
	}
	c.bind(s.Let)
	next := c.nextState(text{"model.next", s.Next})
	if c.checkSize("model.next"); next == nil || len(c.found) > 0 {
		return
	}
	f.next, f.degree = planned(output{toDst, next, 0}), degreeIn(next, opNoise)
	m.stirred = f
}

// part is the entries of a vector from one on, in a shape.
func (c *compiler) part(of *node, at int, s shape) *node {
	if s == of.shape {
		return of
	}
	return c.apply(opSlice, s, [4]int{at, s.cols}, of)
}

// lengthen puts further numbers behind the trait's own entries.
func (c *compiler) lengthen(s Source) {
	own := shape{}
	name := ""
	if c.trait != nil {
		own = c.trait.shape
		name, _, _ = c.named(text{"model.trait", s.Trait})
	}
	c.trait = c.input(opTrait, vector(own.size()+len(s.Beside)))
	if name != "" {
		c.names[name] = c.part(c.trait, 0, own)
	}
	for i, one := range s.Beside {
		c.name(text{"model", one}, one, c.part(c.trait, own.size()+i, scalar()))
	}
}
