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
	f.choose("kind", &o.Kind, says("What is judged.", "", "affinity"), option("affinity", "How much the crowd likes the decision, to be maximized.", "pᵀu"), option("revenue", "What the choices earn, and how spread they are, to be maximized.", "pᵀu + ρ Σ pᵢ log pᵢ"), option("quadratic", "Any quadratic cost, to be minimized.", "½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp"), option("logistic", "The loss of a classifier w on features p, to be minimized; the label y is the sign of the trait's last entry.", "log(1 + exp(−y(wᵀp + b))) + ½γ‖w‖²"))
	switch o.Kind {
	case "revenue":
		fieldOr(f, "entropy", &o.Entropy, notNegative(), 0, says("The weight of the entropy term.", "ρ in pᵀu + ρ Σ pᵢ log pᵢ", "0.1"))
		fieldOr(f, "sign", &o.Sign, oneOf(option("printed", "As in the article: concentrated choices are rewarded.", "pᵀu + ρ Σ pᵢ log pᵢ"), option("diversity", "Turned round: spread choices are rewarded.", "pᵀu − ρ Σ pᵢ log pᵢ")), "printed", says("The sign of the entropy term.", "", "diversity"))
	case "quadratic":
		fieldOr(f, "decision", &o.Decision, matrix(), Matrix{}, says("The cost of the decision, rows or a multiple of the identity.", "R in ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp", "2"))
		fieldOr(f, "cross", &o.Cross, matrix(), Matrix{}, says("The cost of decision and state together; a row is an entry of the decision.", "S in ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp", "1"))
		fieldOr(f, "state", &o.State, matrix(), Matrix{}, says("The cost of the state, rows or a multiple of the identity.", "Q in ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp", "1"))
		fieldOr(f, "linear-decision", &o.LinearDecision, vector(finite()), Vector{}, says("The linear cost of the decision.", "r in ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp", "[1, 0]"))
		fieldOr(f, "linear-state", &o.LinearState, vector(finite()), Vector{}, says("The linear cost of the state.", "c in ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp", "[1, 0]"))
	case "logistic":
		fieldOr(f, "ridge", &o.Ridge, notNegative(), 0, says("How much large weights cost.", "γ in ½γ‖w‖²", "0.01"))
		fieldOr(f, "intercept", &o.Intercept, boolean(), false, says("Whether the decision ends with an intercept.", "u = (w, b) instead of w", "true"))
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
		c.matrix(path+".decision", o.Decision, d.Decision, d.Decision, c.dimKeys())
		c.matrix(path+".cross", o.Cross, d.Decision, d.State, c.dimKeys())
		c.matrix(path+".state", o.State, d.State, d.State, c.dimKeys())
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
