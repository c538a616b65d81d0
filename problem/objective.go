package problem

import "github.com/kedge-opt/kedge/problem/form"

// Objective is what decisions are judged by.
type Objective struct {
	Kind string // "affinity", "revenue", "quadratic" or "logistic"

	// Of revenue: pᵀu + ρ Σ pᵢ log pᵢ, to be maximized [he2025, gain and entropy].
	Entropy float64 // ρ
	Sign    string  // of the entropy term: "printed", as above, or "diversity", which rewards spread proportions

	// Of quadratic: ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp, to be minimized.
	Decision       form.Matrix // R
	Cross          form.Matrix // S, one row an entry of the decision
	State          form.Matrix // Q
	LinearDecision form.Vector // r
	LinearState    form.Vector // c

	// Of logistic: log(1 + exp(−y(wᵀp + b))) + ½γ‖w‖², to be minimized; the label y is the sign of the trait's last entry.
	Ridge     float64 // γ
	Intercept bool    // the decision ends with b
}

func (o *Objective) describe(f *form.Form) { f.Shared("objective", func() { o.describeKeys(f) }) }

func (o *Objective) describeKeys(f *form.Form) {
	f.Choose("kind", &o.Kind, form.Says("What is judged.", "", "affinity"), form.Choice("affinity", "How much the crowd likes the decision, to be maximized.", "pᵀu"), form.Choice("revenue", "What the choices earn, and how spread they are, to be maximized.", "pᵀu + ρ Σ pᵢ log pᵢ"), form.Choice("quadratic", "Any quadratic cost, to be minimized.", "½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp"), form.Choice("logistic", "The loss of a classifier w on features p, to be minimized; the label y is the sign of the trait's last entry.", "log(1 + exp(−y(wᵀp + b))) + ½γ‖w‖²"))
	switch o.Kind {
	case "revenue":
		form.FieldOr(f, "entropy", &o.Entropy, form.NotNegative(), 0, form.Says("The weight of the entropy term.", "ρ in pᵀu + ρ Σ pᵢ log pᵢ", "0.1"))
		form.FieldOr(f, "sign", &o.Sign, form.OneOf(form.Choice("printed", "As in the article: concentrated choices are rewarded.", "pᵀu + ρ Σ pᵢ log pᵢ"), form.Choice("diversity", "Turned round: spread choices are rewarded.", "pᵀu − ρ Σ pᵢ log pᵢ")), "printed", form.Says("The sign of the entropy term.", "", "diversity"))
	case "quadratic":
		form.FieldOr(f, "decision", &o.Decision, form.MatrixOf(), form.Matrix{}, form.Says("The cost of the decision, rows or a multiple of the identity.", "R in ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp", "2"))
		form.FieldOr(f, "cross", &o.Cross, form.MatrixOf(), form.Matrix{}, form.Says("The cost of decision and state together; a row is an entry of the decision.", "S in ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp", "1"))
		form.FieldOr(f, "state", &o.State, form.MatrixOf(), form.Matrix{}, form.Says("The cost of the state, rows or a multiple of the identity.", "Q in ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp", "1"))
		form.FieldOr(f, "linear-decision", &o.LinearDecision, form.VectorOf(form.Finite()), form.Vector{}, form.Says("The linear cost of the decision.", "r in ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp", "[1, 0]"))
		form.FieldOr(f, "linear-state", &o.LinearState, form.VectorOf(form.Finite()), form.Vector{}, form.Says("The linear cost of the state.", "c in ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp", "[1, 0]"))
	case "logistic":
		form.FieldOr(f, "ridge", &o.Ridge, form.NotNegative(), 0, form.Says("How much large weights cost.", "γ in ½γ‖w‖²", "0.01"))
		form.FieldOr(f, "intercept", &o.Intercept, form.Boolean(), false, form.Says("Whether the decision ends with an intercept.", "u = (w, b) instead of w", "true"))
	}
}

func (c *check) objective() { c.judges("objective", &c.s.Objective) }

// judges checks the objective at a path.
func (c *check) judges(path string, o *Objective) {
	if !c.Sound(c.DimKeys...) || !c.Sound(path+".kind") {
		return
	}
	d := c.Dims
	switch read := d.Decision; o.Kind {
	case "affinity", "revenue":
		c.reads(path, o, read)
	case "logistic":
		if o.Intercept {
			read--
		}
		c.reads(path, o, read)
	case "quadratic":
		c.Matrix(path+".decision", o.Decision, d.Decision, d.Decision, c.DimKeys)
		c.Matrix(path+".cross", o.Cross, d.Decision, d.State, c.DimKeys)
		c.Matrix(path+".state", o.State, d.State, d.State, c.DimKeys)
		c.Vector(path+".linear-decision", o.LinearDecision, c.Decision())
		c.Vector(path+".linear-state", o.LinearState, c.State())
	}
}

// reads refuses an objective that pairs more entries of the decision with the state than that has.
func (c *check) reads(path string, o *Objective, read int) {
	if state := c.Dims.State; state < read {
		c.Fail(append(form.Paths(path+".kind"), c.DimKeys...),
			"%s.kind is %s, which reads %s of the state, but that has %d", path, o.Kind, form.Entries(read), state)
	}
}
