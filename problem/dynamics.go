package problem

// Dynamics is how an individual answers a decision.
type Dynamics struct {
	Kind string // "polarized", "choice", "affine" or "friedkin-johnsen"

	Lambda float64 // of polarized: p⁺ ∝ λp + (1−λ)d + σ(pᵀu)u [he2025, polarized dynamics]
	Sigma  float64

	Lambda1 float64 // of choice: p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d [he2025, softmax dynamics]
	Lambda2 float64
	Epsilon float64

	A, B, E Rows // of affine: p⁺ = Ap + Bu + Ed [he2025, linear dynamics]

	Susceptibility Vector // of friedkin-johnsen: p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d [he2025, opinion dynamics]; the diagonal of Λ₁
	Influence      Vector // the diagonal of Λ₂
	Weights        Rows   // W

	Heterogeneity *Heterogeneity // of polarized and choice; nil: individuals differ in their traits alone
	Coupling      float64        // κ in p⁺ = (1−κ)f(p, u, d) + κp̄: the weight of the crowd's mean
	Noise         Vector         // standard deviation of what is added to states every step
}

func (d *Dynamics) describe(f *form) {
	f.choose("kind", &d.Kind, says("The law of motion of an individual.", "", "polarized"), option("polarized", "Opinions on the unit sphere: who agrees is drawn to u, who disagrees is pushed away.", "p⁺ = λp + (1−λ)d + σ(pᵀu)u, brought back to length 1"), option("choice", "Proportions of choices that drift away from what is expensive.", "p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d"), option("affine", "Anything linear.", "p⁺ = Ap + Bu + Ed"), option("friedkin-johnsen", "Opinions on several topics that influence each other.", "p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d"))
	switch d.Kind {
	case "polarized":
		field(f, "lambda", &d.Lambda, share(), says("How much an individual keeps of its present state; the rest pulls it back to its trait.", "λ in p⁺ ∝ λp + (1−λ)d + σ(pᵀu)u", "0.4"))
		field(f, "sigma", &d.Sigma, notNegative(), says("How strongly the decision attracts who agrees with it and repels who does not.", "σ in p⁺ ∝ λp + (1−λ)d + σ(pᵀu)u", "0.5"))
	case "choice":
		field(f, "lambda1", &d.Lambda1, number("a number from 0 to below 1", below(0, 1)), says("Inertia: how much of the present choice stays.", "λ₁ in p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d", "0.2"))
		field(f, "lambda2", &d.Lambda2, share(), says("Influence: how much of the choice answers the decision. With lambda1 at most 1.", "λ₂ in p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d", "0.5"))
		field(f, "epsilon", &d.Epsilon, positive(), says("Sensitivity to the decision, as of buyers to prices.", "ε in softmax(−εu)", "0.5"))
	case "affine":
		field(f, "a", &d.A, matrixRows(), says("How states follow from states, a list of rows. It must be contracting.", "A in p⁺ = Ap + Bu + Ed", "[[0.5, 0.25], [0, 0.5]]"))
		field(f, "b", &d.B, matrixRows(), says("How states answer the decision, a list of rows; it has a column for every entry of the decision.", "B in p⁺ = Ap + Bu + Ed", "[[0.5, 0], [0.25, 0.5]]"))
		field(f, "e", &d.E, matrixRows(), says("How states follow from traits, a list of rows; it has a column for every entry of a trait.", "E in p⁺ = Ap + Bu + Ed", "[[0.5, 0], [0, 0.5]]"))
	case "friedkin-johnsen":
		field(f, "susceptibility", &d.Susceptibility, vector(share()), says("How much each opinion follows the others, one number or one an opinion.", "the diagonal of Λ₁ in p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d", "0.5"))
		field(f, "influence", &d.Influence, vector(share()), says("How much each opinion follows the decision. With susceptibility at most 1.", "the diagonal of Λ₂ in p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d", "0.3"))
		field(f, "weights", &d.Weights, matrixRows(), says("How opinions average over each other, a list of rows of proportions.", "W in p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d", "[[0.5, 0.5], [0.2, 0.8]]"))
	}
	d.describeOwn(f)
}

func (c *check) dynamics() {
	if !c.sound("dynamics") {
		return
	}
	d := &c.s.Dynamics
	switch d.Kind {
	case "choice":
		if d.Lambda1+d.Lambda2 > 1 {
			c.fail(keys("dynamics.lambda2", "dynamics.lambda1"), "dynamics.lambda1 and dynamics.lambda2 add up to %v, want at most 1", d.Lambda1+d.Lambda2)
		}
	case "affine":
		c.affine(d)
	case "friedkin-johnsen":
		c.friedkinJohnsen(d)
	}
}

func (c *check) affine(d *Dynamics) {
	n := len(d.A)
	c.shape("dynamics.a", d.A, n, n, c.dimKeys())
	c.shape("dynamics.b", d.B, n, d.B.Columns(), c.dimKeys())
	c.shape("dynamics.e", d.E, n, d.E.Columns(), c.dimKeys())
	if dim := c.s.Population.Dim; c.sound("population.dim") && d.E.Columns() != dim {
		c.fail(keys("dynamics.e", "population.dim"), "dynamics.e has rows of %s, population.dim is %d", entries(d.E.Columns()), dim)
	}
}

func (c *check) friedkinJohnsen(d *Dynamics) {
	n := c.stateLength()
	if n.n < 0 {
		return
	}
	c.shape("dynamics.weights", d.Weights, n.n, n.n, c.dimKeys())
	c.proportions("dynamics.weights", d.Weights, "friedkin-johnsen")
	if !c.vector("dynamics.susceptibility", d.Susceptibility, n) || !c.vector("dynamics.influence", d.Influence, n) {
		return
	}
	for i := range max(len(d.Susceptibility.Each), len(d.Influence.Each), 1) {
		if sum := d.Susceptibility.entry(i) + d.Influence.entry(i); sum > 1 {
			c.fail(keys("dynamics.influence", "dynamics.susceptibility"), "dynamics.susceptibility and dynamics.influence add up to %v in entry %d, want at most 1", sum, i)
			return
		}
	}
}
