package formula

import (
	"maps"
	"slices"

	"github.com/kedge-opt/kedge"
)

// Compile checks a model and prepares it for use. The error joins one *Error for every mistake found.
func Compile(s Source) (*Model, error) {
	c := newCompiler()
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
	c.dims = kedge.Dims{Decision: sizeOf(c.decision), State: sizeOf(c.state)}
	switch {
	case len(s.Beside) > 0:
		list := append(c.traitOf(s), besides("model", s.Beside)...)
		c.dims.Trait = width(list)
		c.parted(opTrait, list)
	case s.Trait != "":
		_, trait := c.declaration(text{"model.trait", s.Trait}, opTrait)
		c.dims.Trait = sizeOf(trait)
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
		c.fail(text{field: field}, "the derivative of the formula %s", c.trouble)
	}
}

func (c *compiler) newDynamics(m *Model) *dynamics {
	slopes := c.gradients(m.next, c.input(opCotangent, m.next.shape), onState|onDecision|onCrowd)
	f := &dynamics{dims: m.dims, slope: slopes[opState], reads: readTrait(slopes), next: planned(output{toDst, m.next, 0}), pull: plannedFor(slopes, m.dims.Decision)}
	if m.Social() {
		f.dims.Decision += m.dims.State
	}
	f.resolvent = c.newResolvent(f, m.next)
	return f
}

func (c *compiler) newObjective(m *Model) *objective {
	slopes := c.gradients(m.loss, c.number(1), onState|onDecision)
	value := output{toValue, c.apply(opRowSum, scalar(), [4]int{}, m.loss), 0}
	return &objective{dims: m.dims, reads: readTrait(slopes) || m.loss.deps&onTrait != 0, programs: plannedFor(slopes, 0, value)}
}

// readTrait tells whether a value depends on the trait.
func readTrait(values map[op]*node) bool {
	for _, n := range values {
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
		t := text{"model.noise", one.Declaration}
		name, s, ok := c.named(t)
		if !ok {
			continue
		}
		var mean *node
		if count += s.size(); count > maxNoise {
			c.fail(t, "more than %d numbers of noise", maxNoise)
		} else {
			mean = c.literal(s, slices.Repeat([]float64{one.Mean}, s.size()))
		}
		c.name(t, name, mean)
	}
}

// stir builds the next state again, with the noise as what it is.
func (c *compiler) stir(m *Model, s Source) {
	c.names = maps.Clone(c.inputs)
	f := &Stirred{dims: m.dynamics.dims, widths: c.noise(s.Noise)}
	c.bind(s.Let)
	next := c.nextState(text{"model.next", s.Next})
	if c.checkSize("model.next"); next == nil || len(c.found) > 0 {
		return
	}
	f.next, f.degree = planned(output{toDst, next, 0}), degreeIn(next, opNoise)
	m.stirred = f
}
