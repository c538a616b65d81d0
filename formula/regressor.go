package formula

import "sync"

// Regressor is a model some of whose numbers are to be found from rows of a log: a row has a state, and beside it the entries of the trait, then
// those of the decision that was deployed, then others. It is safe for concurrent use.
type Regressor struct {
	Unknowns int  // how many numbers are to be found
	States   int  // entries of a state
	Beside   int  // what a row has beside its state
	Traits   int  // entries of the trait, where that is to be found too, for everybody by himself; 0: it is among what stands beside
	Affine   bool // next states are affine in the trait that is to be found
	Steady   bool // and so that their slopes in it do not depend on the unknowns
	program  *program
	columns  func() *program
}

// Regress prepares a model for fits. Unknowns are declared as in "habit" or "B[3, 3]", and stand for names that are not bound; Beside of the source
// are names of further single numbers of a row. The error joins one *Error for every mistake.
func (s Source) Regress(unknowns []string) (*Regressor, error) { return s.regress(unknowns, false) }

// RegressTraits is Regress where the trait is to be found too, for everybody by himself: it does not stand beside states then.
func (s Source) RegressTraits(unknowns []string) (*Regressor, error) {
	if s.Trait == "" {
		return nil, mistakes{text{"model.trait", ""}.fault(0, "there is no trait that could be found for everybody")}.joined()
	}
	return s.regress(unknowns, true)
}

func (s Source) regress(unknowns []string, traits bool) (*Regressor, error) {
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
	own := c.row(s, f, traits)
	theta, at := c.input(opDecision, vector(total)), 0
	parts := make([]*node, len(names))
	for i, name := range names {
		parts[i] = c.part(theta, at, shapes[i])
		c.name(text{"model.let." + name, unknowns[i]}, name, parts[i])
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
	case traits && next.deps&onCotangent == 0:
		c.fail(t, "the trait, which is to be found for everybody, is not in it")
	default:
		f.program = c.tangents(next, f, parts, own)
		c.checkSize("model.next")
	}
	if err := c.found.joined(); err != nil {
		return nil, err
	}
	return f, nil
}

// row declares what a row of a log has, and returns the trait where that is to be found. It takes the place of a cotangent, which no fit has.
func (c *compiler) row(s Source, f *Regressor, traits bool) (own *node) {
	c.stateName, c.state = c.declaration(text{"model.state", s.State}, opState)
	type part struct {
		t     text
		name  string
		shape shape
	}
	var parts []part
	for _, t := range []text{{"model.trait", s.Trait}, {"model.decision", s.Decision}} {
		switch {
		case t.body == "":
			continue
		case traits && t.field == "model.trait":
			if _, own = c.declaration(t, opCotangent); own != nil {
				f.Traits = own.shape.size()
			}
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
	if c.state == nil {
		return own
	}
	f.States = c.state.shape.size()
	if f.Beside == 0 {
		return own
	}
	all, at := c.input(opTrait, vector(f.Beside)), 0
	for _, p := range parts {
		c.name(p.t, p.name, c.part(all, at, p.shape))
		at += p.shape.size()
	}
	return own
}

// tangents is the program of the next state and, entry by entry, its derivatives in what is unknown, part by part, the trait behind the others.
func (c *compiler) tangents(next *node, f *Regressor, parts []*node, own *node) *program {
	m := next.shape.size()
	all := []*node{next}
	var seen deps
	for i := range m {
		seed := make([]float64, m)
		seed[i] = 1
		r := &reverse{graph: c.graph, slopes: map[*node]*node{}, want: onDecision, apart: true, ends: parts}
		if own != nil {
			r.want |= onCotangent
		}
		slopes := c.accumulate(r, next, c.literal(next.shape, seed))
		for _, part := range parts {
			slope := r.slopes[part]
			if slope != nil {
				slope = r.full(slope, part.shape)
			}
			all = append(all, c.slope(slope, part.shape.size()))
		}
		if own != nil {
			slope := c.slope(slopes[opCotangent], f.Traits)
			seen |= slope.deps
			all = append(all, slope)
		}
	}
	f.Affine, f.Steady = seen&onCotangent == 0, seen&(onCotangent|onDecision) == 0
	if c.full {
		return nil
	}
	var columns []output
	at := 0
	for _, n := range all {
		columns = append(columns, output{toColumns, n, at})
		at += n.shape.size()
	}
	f.columns = sync.OnceValue(func() *program {
		apart, ok := scattered(columns)
		if !ok {
			return newProgram(columns...)
		}
		p := newProgram(apart...)
		p.block = max(p.block, min(columnRows, blockEntries/max(1, p.room)))
		return p
	})
	return newProgram(output{toDst, c.apply(opConcat, vector(f.Width()), [4]int{}, all...), 0})
}

// slope is one of n entries; nil stands for zeros.
func (c *compiler) slope(x *node, n int) *node {
	if x == nil {
		return c.literal(vector(n), make([]float64, n))
	}
	return x
}

// Width is how many numbers Rows writes for a row: the next state, and for each of its entries the derivatives in what is unknown, then in the
// trait where that is to be found.
func (f *Regressor) Width() int { return f.States * (1 + f.Unknowns + f.Traits) }

// Rows computes next states with their derivatives. Beside has the entries of a row's trait, unless that is to be found, of its decision and others.
func (f *Regressor) Rows(dst, states, unknowns, beside []float64) {
	f.RowsOf(dst, states, unknowns, nil, beside)
}

// RowsOf is Rows with the trait of every row, where that is to be found.
func (f *Regressor) RowsOf(dst, states, unknowns, traits, beside []float64) {
	n := len(states) / f.States
	mustBe("states", states, n*f.States)
	mustBe("unknowns", unknowns, f.Unknowns)
	mustBe("traits", traits, n*f.Traits)
	mustBe("beside", beside, n*f.Beside)
	mustBe("dst", dst, n*f.Width())
	f.program.run(n, frame{p: states, u: unknowns, d: beside, v: traits, dst: dst})
}

// Columns is Rows with what Rows writes side by side for a row in columns, one behind the other, each with an entry for every row.
func (f *Regressor) Columns(dst, states, unknowns, beside []float64) {
	n := len(states) / f.States
	mustBe("states", states, n*f.States)
	mustBe("unknowns", unknowns, f.Unknowns)
	mustBe("beside", beside, n*f.Beside)
	mustBe("dst", dst, n*f.Width())
	f.columns().run(n, frame{p: states, u: unknowns, d: beside, dst: dst})
}
