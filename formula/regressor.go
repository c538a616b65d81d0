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
	c := newCompiler()
	wanted := c.declarations("model.let", unknowns...)
	if len(c.found) > 0 {
		return nil, c.found[:1].joined()
	}
	f := &Regressor{Unknowns: width(wanted)}
	if f.Unknowns == 0 || f.Unknowns > maxEntries {
		c.fail(text{"model.let", ""}, "%d unknown numbers, want 1 to %d", f.Unknowns, maxEntries)
		return nil, c.found.joined()
	}
	beside, own := c.row(s, traits)
	f.States, f.Beside, f.Traits = sizeOf(c.state), beside, sizeOf(own)
	for i, d := range wanted {
		wanted[i].field += "." + d.name
	}
	parts := c.parted(opDecision, wanted)
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

// tangents is the program of the next state and, entry by entry, its derivatives in what is unknown, part by part, the trait behind the others.
func (c *compiler) tangents(next *node, f *Regressor, parts []*node, own *node) *program {
	all, want := []*node{next}, onDecision
	if own != nil {
		want |= onCotangent
	}
	var seen deps
	for i := range f.States {
		r, slopes := c.entrySlopes(next, i, want, parts)
		for _, part := range parts {
			all = append(all, r.whole(r.slopes[part], part.shape))
		}
		if own != nil {
			slope := r.whole(slopes[opCotangent], own.shape)
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

// entrySlopes builds the derivatives of entry i of a value, those of each individual, up to the ends.
func (c *compiler) entrySlopes(n *node, i int, want deps, ends []*node) (*reverse, map[op]*node) {
	seed := make([]float64, n.shape.size())
	seed[i] = 1
	r := &reverse{graph: c.graph, slopes: map[*node]*node{}, want: want, apart: true, ends: ends}
	return r, c.accumulate(r, n, c.literal(n.shape, seed))
}

// whole is the slope in a value of a shape; nil stands for zeros.
func (r *reverse) whole(slope *node, s shape) *node {
	if slope == nil {
		return r.literal(vector(s.size()), make([]float64, s.size()))
	}
	return r.full(slope, s)
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
	n := f.count(dst, states, unknowns, beside)
	mustBe("traits", traits, n*f.Traits)
	f.program.run(n, frame{p: states, u: unknowns, d: beside, v: traits, dst: dst})
}

// Columns is Rows with what Rows writes side by side for a row in columns, one behind the other, each with an entry for every row.
func (f *Regressor) Columns(dst, states, unknowns, beside []float64) {
	n := f.count(dst, states, unknowns, beside)
	f.columns().run(n, frame{p: states, u: unknowns, d: beside, dst: dst})
}

// count is how many rows there are; it panics unless everything has the length for them.
func (f *Regressor) count(dst, states, unknowns, beside []float64) int {
	n := len(states) / f.States
	mustBe("states", states, n*f.States)
	mustBe("unknowns", unknowns, f.Unknowns)
	mustBe("beside", beside, n*f.Beside)
	mustBe("dst", dst, n*f.Width())
	return n
}
