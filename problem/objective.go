package problem

// Objective is what decisions are judged by.
type Objective struct {
	Kind string // "affinity", "revenue", "quadratic" or "logistic"

	// Of revenue: pᵀu + ρ Σ pᵢ log pᵢ, to be maximized [he2025, gain and entropy].
	Entropy float64 // ρ
	Sign    string  // of the entropy term: "printed", as above, or "diversity", which rewards spread proportions

	// Of quadratic: ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp, to be minimized.
	Decision       Matrix // R
	Cross          Matrix // S, one row an entry of the decision
	State          Matrix // Q
	LinearDecision Vector // r
	LinearState    Vector // c

	// Of logistic: log(1 + exp(−y(wᵀp + b))) + ½γ‖w‖², to be minimized; the label y is the sign of the trait's last entry.
	Ridge     float64 // γ
	Intercept bool    // the decision ends with b
}

func (o *Objective) describe(f *form) { f.shared("objective", func() { o.describeKeys(f) }) }

func (o *Objective) describeKeys(f *form) {
	f.choose("kind", &o.Kind, "affinity", "revenue", "quadratic", "logistic")
	switch o.Kind {
	case "revenue":
		fieldOr(f, "entropy", &o.Entropy, notNegative(), 0)
		fieldOr(f, "sign", &o.Sign, oneOf("printed", "diversity"), "printed")
	case "quadratic":
		fieldOr(f, "decision", &o.Decision, matrix(), Matrix{})
		fieldOr(f, "cross", &o.Cross, matrix(), Matrix{})
		fieldOr(f, "state", &o.State, matrix(), Matrix{})
		fieldOr(f, "linear-decision", &o.LinearDecision, vector(finite()), Vector{})
		fieldOr(f, "linear-state", &o.LinearState, vector(finite()), Vector{})
	case "logistic":
		fieldOr(f, "ridge", &o.Ridge, notNegative(), 0)
		fieldOr(f, "intercept", &o.Intercept, boolean(), false)
	}
}

func (c *check) objective() { c.judges("objective", &c.s.Objective) }

// judges checks the objective at a path.
func (c *check) judges(path string, o *Objective) {
	if !c.sound(c.dimKeys()...) || !c.sound(path+".kind") {
		return
	}
	d := c.s.Dims()
	switch read := d.Decision; o.Kind {
	case "affinity", "revenue":
		c.reads(path, o, read)
	case "logistic":
		if o.Intercept {
			read--
		}
		c.reads(path, o, read)
	case "quadratic":
		c.matrix(path+".decision", o.Decision, d.Decision, d.Decision)
		c.matrix(path+".cross", o.Cross, d.Decision, d.State)
		c.matrix(path+".state", o.State, d.State, d.State)
		c.vector(path+".linear-decision", o.LinearDecision, c.decisionLength())
		c.vector(path+".linear-state", o.LinearState, c.stateLength())
	}
}

// reads refuses an objective that pairs more entries of the decision with the state than that has.
func (c *check) reads(path string, o *Objective, read int) {
	if state := c.s.Dims().State; state < read {
		c.fail(append(keys(path+".kind"), c.dimKeys()...),
			"%s.kind is %s, which reads %s of the state, but that has %d", path, o.Kind, entries(read), state)
	}
}

func (c *check) matrix(path string, m Matrix, rows, columns int) {
	if !c.sound(path) {
		return
	}
	if m.Rows != nil {
		c.shape(path, m.Rows, rows, columns)
		return
	}
	if m.Scale != 0 && rows != columns {
		c.fail(append(keys(path), c.dimKeys()...), "%s is %v, a multiple of the identity, but wants %s; list them", path, m.Scale, shape(rows, columns))
	}
}
