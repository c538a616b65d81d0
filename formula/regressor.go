package formula

// Regressor is a model some of whose numbers are to be found from rows of a log: a row has a state, and beside it the entries of the trait, then
// those of the decision that was deployed, then others. It is safe for concurrent use.
type Regressor struct {
	Unknowns int // how many numbers are to be found
	States   int // entries of a state
	Beside   int // what a row has beside its state
	program  *program
}

// Regress prepares a model for fits. Unknowns are declared as in "habit" or "B[3, 3]", and stand for names that are not bound; Beside of the source
// are names of further single numbers of a row. The error joins one *Error for every mistake.
func (s Source) Regress(unknowns []string) (*Regressor, error) {
	c := &compiler{graph: newGraph(), names: map[string]*node{}, labels: map[string][]string{}}
	shapes, total := make([]shape, len(unknowns)), 0
	names := make([]string, len(unknowns))
	for i, u := range unknowns {
		name, shape, ok := c.named(text{"model.let", u})
		if !ok {
			return nil, c.found.joined()
		}
		names[i], shapes[i] = name, shape
		total += shape.size()
	}
	if total == 0 || total > maxEntries {
		c.fail(text{"model.let", ""}, "%d unknown numbers, want 1 to %d", total, maxEntries)
		return nil, c.found.joined()
	}
	f := &Regressor{Unknowns: total}
	c.row(s, f)
	theta, at := c.input(opDecision, vector(total)), 0
	for i, name := range names {
		c.name(text{"model.let." + name, unknowns[i]}, name, c.part(theta, at, shapes[i]))
		at += shapes[i].size()
	}
	c.quiet(s.Noise)
	c.bind(s.Let)
	t := text{"model.next", s.Next}
	if s.Next == "" {
		c.fail(t, "there is no next: what is fitted is how people move")
	}
	next := c.nextState(t)
	switch {
	case len(c.found) > 0 || next == nil:
		return nil, c.found.joined()
	case next.deps&onCrowd != 0:
		c.fail(t, "people who see the crowd cannot be fitted yet")
	case next.deps&onDecision == 0:
		c.fail(t, "nothing unknown is in it")
	default:
		f.program = c.tangents(next, total)
		c.checkSize("model.next")
	}
	if err := c.found.joined(); err != nil {
		return nil, err
	}
	return f, nil
}

// row declares what a row of a log has.
func (c *compiler) row(s Source, f *Regressor) {
	c.stateName, c.state = c.declaration(text{"model.state", s.State}, opState)
	type part struct {
		t     text
		name  string
		shape shape
	}
	var parts []part
	for _, t := range []text{{"model.trait", s.Trait}, {"model.decision", s.Decision}} {
		if t.body == "" {
			continue
		}
		if name, shape, ok := c.named(t); ok {
			parts = append(parts, part{t, name, shape})
		}
	}
	for _, name := range s.Beside {
		parts = append(parts, part{text{"data", name}, name, scalar()})
	}
	for _, p := range parts {
		f.Beside += p.shape.size()
	}
	if c.state == nil || f.Beside == 0 {
		return
	}
	f.States = c.state.shape.size()
	all, at := c.input(opTrait, vector(f.Beside)), 0
	for _, p := range parts {
		c.name(p.t, p.name, c.part(all, at, p.shape))
		at += p.shape.size()
	}
}

// tangents is the program of the next state and, entry by entry, its derivatives in what is unknown.
func (c *compiler) tangents(next *node, unknowns int) *program {
	m := next.shape.size()
	all := []*node{next}
	for i := range m {
		seed := make([]float64, m)
		seed[i] = 1
		r := &reverse{graph: c.graph, slopes: map[*node]*node{}, want: onDecision, apart: true}
		slope := c.accumulate(r, next, c.literal(next.shape, seed))[opDecision]
		if slope == nil {
			slope = c.literal(vector(unknowns), make([]float64, unknowns))
		}
		all = append(all, slope)
	}
	if c.full {
		return nil
	}
	return newProgram(output{toDst, c.apply(opConcat, vector(m+m*unknowns), [4]int{}, all...), 0})
}

// Width is how many numbers Rows writes for a row: the next state, and for each of its entries the derivatives in what is unknown.
func (f *Regressor) Width() int { return f.States * (1 + f.Unknowns) }

// Rows computes next states with their derivatives. Beside has the entries of a row's trait, of its decision and others.
func (f *Regressor) Rows(dst, states, unknowns, beside []float64) {
	n := len(states) / f.States
	mustBe("states", states, n*f.States)
	mustBe("unknowns", unknowns, f.Unknowns)
	mustBe("beside", beside, n*f.Beside)
	mustBe("dst", dst, n*f.Width())
	f.program.run(n, frame{p: states, u: unknowns, d: beside, dst: dst})
}
