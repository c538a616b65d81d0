package problem

import "github.com/kedge-opt/kedge/problem/form"

// Dynamics is how an individual answers a decision.
type Dynamics struct {
	Kind string // "polarized", "choice", "affine" or "friedkin-johnsen"

	Lambda float64 // of polarized: p⁺ ∝ λp + (1−λ)d + σ(pᵀu)u [he2025, polarized dynamics]
	Sigma  float64

	Lambda1 float64 // of choice: p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d [he2025, softmax dynamics]
	Lambda2 float64
	Epsilon float64

	A, B, E form.RowList // of affine: p⁺ = Ap + Bu + Ed [he2025, linear dynamics]

	Susceptibility form.Vector  // of friedkin-johnsen: p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d [he2025, opinion dynamics]; the diagonal of Λ₁
	Influence      form.Vector  // the diagonal of Λ₂
	Weights        form.RowList // W

	Heterogeneity *Heterogeneity // of polarized and choice; nil: individuals differ in their traits alone
	Coupling      float64        // κ in p⁺ = (1−κ)f(p, u, d) + κp̄: the weight of the crowd's mean
	Noise         form.Vector    // standard deviation of what is added to states every step
}

func (d *Dynamics) describe(f *form.Form) {
	f.Choose("kind", &d.Kind, form.Says("The law of motion of an individual.", "", "polarized"), form.Choice("polarized", "Opinions on the unit sphere: who agrees is drawn to u, who disagrees is pushed away.", "p⁺ = λp + (1−λ)d + σ(pᵀu)u, brought back to length 1"), form.Choice("choice", "Proportions of choices that drift away from what is expensive.", "p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d"), form.Choice("affine", "Anything linear.", "p⁺ = Ap + Bu + Ed"), form.Choice("friedkin-johnsen", "Opinions on several topics that influence each other.", "p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d"))
	switch d.Kind {
	case "polarized":
		form.Field(f, "lambda", &d.Lambda, form.Share(), form.Says("How much an individual keeps of its present state; the rest pulls it back to its trait.", "λ in p⁺ ∝ λp + (1−λ)d + σ(pᵀu)u", "0.4"))
		form.Field(f, "sigma", &d.Sigma, form.NotNegative(), form.Says("How strongly the decision attracts who agrees with it and repels who does not.", "σ in p⁺ ∝ λp + (1−λ)d + σ(pᵀu)u", "0.5"))
	case "choice":
		form.Field(f, "lambda1", &d.Lambda1, form.Number("a number from 0 to below 1", form.Below(0, 1)), form.Says("Inertia: how much of the present choice stays.", "λ₁ in p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d", "0.2"))
		form.Field(f, "lambda2", &d.Lambda2, form.Share(), form.Says("Influence: how much of the choice answers the decision. With lambda1 at most 1.", "λ₂ in p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d", "0.5"))
		form.Field(f, "epsilon", &d.Epsilon, form.Positive(), form.Says("Sensitivity to the decision, as of buyers to prices.", "ε in softmax(−εu)", "0.5"))
	case "affine":
		form.Field(f, "a", &d.A, form.Rows(), form.Says("How states follow from states, a list of rows. It must be contracting.", "A in p⁺ = Ap + Bu + Ed", "[[0.5, 0.25], [0, 0.5]]"))
		form.Field(f, "b", &d.B, form.Rows(), form.Says("How states answer the decision, a list of rows; it has a column for every entry of the decision.", "B in p⁺ = Ap + Bu + Ed", "[[0.5, 0], [0.25, 0.5]]"))
		form.Field(f, "e", &d.E, form.Rows(), form.Says("How states follow from traits, a list of rows; it has a column for every entry of a trait.", "E in p⁺ = Ap + Bu + Ed", "[[0.5, 0], [0, 0.5]]"))
	case "friedkin-johnsen":
		form.Field(f, "susceptibility", &d.Susceptibility, form.VectorOf(form.Share()), form.Says("How much each opinion follows the others, one number or one an opinion.", "the diagonal of Λ₁ in p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d", "0.5"))
		form.Field(f, "influence", &d.Influence, form.VectorOf(form.Share()), form.Says("How much each opinion follows the decision. With susceptibility at most 1.", "the diagonal of Λ₂ in p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d", "0.3"))
		form.Field(f, "weights", &d.Weights, form.Rows(), form.Says("How opinions average over each other, a list of rows of proportions.", "W in p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d", "[[0.5, 0.5], [0.2, 0.8]]"))
	}
	d.describeOwn(f)
}

func (c *check) dynamics() {
	if !c.Sound("dynamics") {
		return
	}
	d := &c.s.Dynamics
	switch d.Kind {
	case "choice":
		if d.Lambda1+d.Lambda2 > 1 {
			c.Fail(form.Paths("dynamics.lambda2", "dynamics.lambda1"), "dynamics.lambda1 and dynamics.lambda2 add up to %v, want at most 1", d.Lambda1+d.Lambda2)
		}
	case "affine":
		c.affine(d)
	case "friedkin-johnsen":
		c.friedkinJohnsen(d)
	}
}

func (c *check) affine(d *Dynamics) {
	n := len(d.A)
	c.Shape("dynamics.a", d.A, n, n, c.DimKeys)
	c.Shape("dynamics.b", d.B, n, d.B.Columns(), c.DimKeys)
	c.Shape("dynamics.e", d.E, n, d.E.Columns(), c.DimKeys)
	if dim := c.s.Population.Dim; c.Sound("population.dim") && d.E.Columns() != dim {
		c.Fail(form.Paths("dynamics.e", "population.dim"), "dynamics.e has rows of %s, population.dim is %d", form.Entries(d.E.Columns()), dim)
	}
}

func (c *check) friedkinJohnsen(d *Dynamics) {
	n := c.State()
	if n.N < 0 {
		return
	}
	c.Shape("dynamics.weights", d.Weights, n.N, n.N, c.DimKeys)
	c.proportions("dynamics.weights", d.Weights, "friedkin-johnsen")
	if !c.Vector("dynamics.susceptibility", d.Susceptibility, n) || !c.Vector("dynamics.influence", d.Influence, n) {
		return
	}
	for i := range max(len(d.Susceptibility.Each), len(d.Influence.Each), 1) {
		if sum := d.Susceptibility.Entry(i) + d.Influence.Entry(i); sum > 1 {
			c.Fail(form.Paths("dynamics.influence", "dynamics.susceptibility"), "dynamics.susceptibility and dynamics.influence add up to %v in entry %d, want at most 1", sum, i)
			return
		}
	}
}
