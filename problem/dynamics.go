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
	f.choose("kind", &d.Kind, "polarized", "choice", "affine", "friedkin-johnsen")
	switch d.Kind {
	case "polarized":
		field(f, "lambda", &d.Lambda, share())
		field(f, "sigma", &d.Sigma, notNegative())
	case "choice":
		field(f, "lambda1", &d.Lambda1, number("a number from 0 to below 1", below(0, 1)))
		field(f, "lambda2", &d.Lambda2, share())
		field(f, "epsilon", &d.Epsilon, positive())
	case "affine":
		field(f, "a", &d.A, matrixRows())
		field(f, "b", &d.B, matrixRows())
		field(f, "e", &d.E, matrixRows())
	case "friedkin-johnsen":
		field(f, "susceptibility", &d.Susceptibility, vector(share()))
		field(f, "influence", &d.Influence, vector(share()))
		field(f, "weights", &d.Weights, matrixRows())
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
	c.shape("dynamics.a", d.A, n, n)
	c.shape("dynamics.b", d.B, n, d.B.Columns())
	c.shape("dynamics.e", d.E, n, d.E.Columns())
	if dim := c.s.Population.Dim; c.sound("population.dim") && d.E.Columns() != dim {
		c.fail(keys("dynamics.e", "population.dim"), "dynamics.e has rows of %s, population.dim is %d", entries(d.E.Columns()), dim)
	}
}

func (c *check) friedkinJohnsen(d *Dynamics) {
	n := c.stateLength()
	if n.n < 0 {
		return
	}
	c.shape("dynamics.weights", d.Weights, n.n, n.n)
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
