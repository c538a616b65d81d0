package formula

// Roller is a model some of whose numbers are to be found from where people come to in many steps: a Regressor with derivatives in the state too, by
// which those of a step are carried through the next one, and with the noise that a step draws. It is safe for concurrent use.
type Roller struct {
	Unknowns int   // how many numbers are to be found
	States   int   // entries of a state
	Beside   int   // what a row has beside its state
	Noise    []int // how many numbers a step of one person draws, by the declarations of noise
	Affine   bool  // in state and noise together: means are those of the noise at its mean
	program  *program
}

// Roll prepares a model for steps one after another, with the unknowns of Regress, whose mistakes are its.
func (s Source) Roll(unknowns []string) (*Roller, error) {
	r, err := s.Regress(unknowns)
	if err != nil {
		return nil, err
	}
	c := &compiler{graph: newGraph(), names: map[string]*node{}, labels: map[string][]string{}}
	f := &Roller{Unknowns: r.Unknowns, Beside: r.Beside}
	c.stateName, c.state = c.declaration(text{"model.state", s.State}, opState)
	f.States = c.state.shape.size()
	var beside []text
	for _, t := range []text{{"model.trait", s.Trait}, {"model.decision", s.Decision}} {
		if t.body != "" {
			beside = append(beside, t)
		}
	}
	for _, name := range s.Beside {
		beside = append(beside, text{"data", name})
	}
	if f.Beside > 0 {
		c.parted(c.input(opTrait, vector(f.Beside)), beside)
	}
	let := make([]text, len(unknowns))
	for i, u := range unknowns {
		let[i] = text{"model.let", u}
	}
	c.parted(c.input(opDecision, vector(f.Unknowns)), let)
	c.stirredBy(s.Noise, f)
	c.bind(s.Let)
	if next := c.nextState(text{"model.next", s.Next}); next != nil {
		f.Affine, f.program = degreeIn(next, opState, opNoise) <= 1, c.rolled(next, f)
		c.checkSize("model.next")
	}
	if err := c.found.joined(); err != nil {
		return nil, err
	}
	return f, nil
}

// parted gives names to what a vector holds, one after another.
func (c *compiler) parted(all *node, declarations []text) {
	at := 0
	for _, t := range declarations {
		if name, s, ok := c.named(t); ok {
			c.name(t, name, c.part(all, at, s))
			at += s.size()
		}
	}
}

// rolled is the program of the next state and its derivatives.
func (c *compiler) rolled(next *node, f *Roller) *program {
	all, behind := []*node{next}, []*node(nil)
	for i := range f.States {
		seed := make([]float64, f.States)
		seed[i] = 1
		r := &reverse{graph: c.graph, slopes: map[*node]*node{}, want: onDecision | onState, apart: true}
		slopes := c.accumulate(r, next, c.literal(next.shape, seed))
		all, behind = append(all, c.slopeOrZero(slopes[opDecision], f.Unknowns)), append(behind, c.slopeOrZero(slopes[opState], f.States))
	}
	if c.full {
		return nil
	}
	return newProgram(output{toDst, c.apply(opConcat, vector(f.Width()), [4]int{}, append(all, behind...)...), 0})
}

// slopeOrZero is a slope of so many entries; nil stands for zeros.
func (c *compiler) slopeOrZero(slope *node, entries int) *node {
	if slope == nil {
		return c.literal(vector(entries), make([]float64, entries))
	}
	return slope
}

// stirredBy declares noise as what it is.
func (c *compiler) stirredBy(all []Shock, f *Roller) {
	var declarations []text
	for _, one := range all {
		t := text{"model.noise", one.Declaration}
		declarations = append(declarations, t)
		if _, s, ok := c.named(t); ok {
			f.Noise = append(f.Noise, s.size())
		}
	}
	if f.Shocks() > 0 {
		c.parted(c.input(opNoise, vector(f.Shocks())), declarations)
	}
}

// Shocks is how many numbers of noise a step of one person draws.
func (f *Roller) Shocks() (n int) {
	for _, w := range f.Noise {
		n += w
	}
	return n
}

// Width is how many numbers Rows writes for a row: the next state, for each of its entries the derivatives in what is unknown, and for each of them
// those in the state.
func (f *Roller) Width() int { return f.States * (1 + f.Unknowns + f.States) }

// Rows computes next states with their derivatives. Beside has the entries of a row's trait, of its decision and others.
func (f *Roller) Rows(dst, states, unknowns, beside, noise []float64) {
	n := len(states) / f.States
	mustBe("states", states, n*f.States)
	mustBe("unknowns", unknowns, f.Unknowns)
	mustBe("beside", beside, n*f.Beside)
	mustBe("noise", noise, n*f.Shocks())
	mustBe("dst", dst, n*f.Width())
	f.program.run(n, frame{p: states, u: unknowns, d: beside, e: noise, dst: dst})
}
