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
	c := newCompiler()
	c.row(s, false)
	c.parted(opDecision, c.declarations("model.let", unknowns...))
	f := &Roller{Unknowns: r.Unknowns, States: r.States, Beside: r.Beside, Noise: c.noise(s.Noise)}
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

// rolled is the program of the next state and its derivatives.
func (c *compiler) rolled(next *node, f *Roller) *program {
	all, behind := []*node{next}, []*node(nil)
	for i := range f.States {
		r, slopes := c.entrySlopes(next, i, onDecision|onState, nil)
		all, behind = append(all, r.whole(slopes[opDecision], vector(f.Unknowns))), append(behind, r.whole(slopes[opState], c.state.shape))
	}
	if c.full {
		return nil
	}
	return newProgram(output{toDst, c.apply(opConcat, vector(f.Width()), [4]int{}, append(all, behind...)...), 0})
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
