package kedge

import "context"

// Dims are the lengths of one individual's vectors: the decision u, the state p and the trait d.
type Dims struct{ Decision, State, Trait int }

// Dynamics says how one individual moves: p⁺ = f(p, u, d) [he2025, population dynamics].
type Dynamics interface {
	Dims() Dims
	// Next writes f(p, u, d) to dst, which must not overlap p.
	Next(dst, p, u, d []float64)
}

// RowDynamics moves a block of individuals at once. Batched gives every Dynamics this form.
type RowDynamics interface {
	Dynamics
	// NextRows does for every row of p and d what Next does for one; dst must not overlap p.
	NextRows(dst, p, u, d []float64)
}

// Smooth dynamics have derivatives, offered as vector-Jacobian products.
type Smooth interface {
	Dynamics
	// Pullback adds (∂f/∂p)ᵀv to gp and (∂f/∂u)ᵀv to gu, both taken at (p, u, d). A nil destination is skipped.
	Pullback(gp, gu, p, u, d, v []float64)
}

// Settler knows the steady state h(u, d) = f(h, u, d) that an individual reaches from its own start p₀.
type Settler interface {
	Dynamics
	// Settle writes h(u, d) to dst and tells how well it solves the equation. On an error dst is unchanged.
	Settle(dst, u, d []float64) (Residual, error)
}

// RowSettler settles a block of individuals at once; the residual is the worst of the block.
type RowSettler interface {
	Settler
	// SettleRows settles every row of d. On an error the content of dst is unspecified.
	SettleRows(dst, u, d []float64) (Residual, error)
}

// Aligner is a Settler that can tell how far settled states lie along the decision without working them out.
type Aligner interface {
	Settler
	// AlignRows writes h(u, dᵢ)ᵀu to dst for every row of d. On an error the content of dst is unspecified.
	AlignRows(dst, u, d []float64) (Residual, error)
}

// Planes are settled states that lie in the plane of the decision and of the trait: hᵢ = Alongᵢ·u + Acrossᵢ·dᵢ, with hᵢᵀu beside. All three are as long.
type Planes struct{ PU, Along, Across []float64 }

// PlaneSettler is an Aligner whose settled states lie in the plane of decision and trait, so that two numbers say where.
type PlaneSettler interface {
	Aligner
	// SettlePlanes says where every row of d settles and tells whether it did. It gives up on anything out of the ordinary, and on whatever is
	// wrong: SettleRows does those, or says what is wrong. The content of h is then unspecified.
	SettlePlanes(h Planes, u, d []float64) (Residual, bool)
}

// PlaneSensitivity is a Sensitivity that knows how such states answer along the decision.
type PlaneSensitivity interface {
	Sensitivity
	// PullPlanes turns every hᵢ into hᵢ + ∇ᵤh(hᵢ, u, dᵢ)u, which is the gradient of hᵢᵀu, in the same coordinates, and tells whether it did. It gives up
	// on states that are not steady by what it knows, and where PullRows might refuse a product. The content of h is then unspecified.
	PullPlanes(h Planes, u []float64) bool
}

// Residual says how well a steady state h solves h = f(h, u, d).
type Residual struct {
	Norm  float64 // ‖f(h, u, d) − h‖∞, relative to max(1, ‖h‖∞)
	Steps int     // iterations spent, 0 for a closed form
}

// Worst returns the larger residual norm and the larger step count of the two.
func (r Residual) Worst(o Residual) Residual {
	return Residual{Norm: max(r.Norm, o.Norm), Steps: max(r.Steps, o.Steps)}
}

// Objective is the loss Φ(p, u, d) of one individual under a decision; smaller is better.
type Objective interface {
	// Eval returns the loss and adds ∂Φ/∂p to gp and ∂Φ/∂u to gu; a nil destination is skipped.
	Eval(gp, gu, p, u, d []float64) float64
}

// RowObjective evaluates a block: it returns the sum of the losses, adds each row's ∂Φ/∂p to that row of gp and the sum of
// the rows' ∂Φ/∂u to gu.
type RowObjective interface {
	Objective
	EvalRows(gp, gu, p, u, d []float64) float64
}

// AlignedObjective is an Objective of pᵀu alone. Together with an Aligner it judges settled populations without their states.
type AlignedObjective interface {
	Objective
	// EvalAligned returns the sum of the losses of individuals with the given values of pᵀu.
	EvalAligned(pu []float64) float64
}

// SlopedObjective is an AlignedObjective that knows how losses answer pᵀu. Together with a PlaneSettler it has gradients over settled populations
// without their states.
type SlopedObjective interface {
	AlignedObjective
	// Slopes writes the derivatives of the losses in pᵀu to dst, which may be pu.
	Slopes(dst, pu []float64)
}

// Set is a closed set of feasible decisions, convex unless it is a set.Discrete.
//
// Project returns an error, unlike the kernels: the nearest point of an intersection may not be found, and a NaN has no
// nearest point. A caller that ignored either would deploy nonsense.
type Set interface {
	// Project moves u to the nearest point of the set. On an error u is unchanged.
	Project(u []float64) error
}

// Sensitivity says how steady states answer the decision, as products with ∇ᵤh (the transpose of the Jacobian of
// u ↦ h(u, d)), never as a matrix.
type Sensitivity interface {
	// PullRows adds Σᵢ ∇ᵤh(pᵢ, u, dᵢ) vᵢ to gu, the sum over the rows of p, d and v. On an error gu is unchanged.
	PullRows(gu, p, u, d, v []float64) error
}

// Learner is a Sensitivity that learns from what is deployed and observed.
type Learner interface {
	Sensitivity
	// Observe takes what was observed in a turn. On an error nothing is learned.
	Observe(o Observation) error
	// Where Trust is 0 products must not be used.
	Truster
}

// Population is a crowd, simulated or real, that answers a deployed decision and can be sampled.
type Population interface {
	Dims() Dims
	// Respond deploys u for one step of the dynamics. On an error nobody has moved.
	Respond(ctx context.Context, u []float64) error
	// Sample fills the rows of p and d with the states and traits of sampled individuals and returns how many.
	Sample(p, d []float64) (n int, err error)
}

// Algorithm is a decision rule as a state machine: no loop, no clock, no I/O.
type Algorithm interface {
	// Ask writes the decision to deploy; it gives the same answer until the next Tell.
	Ask(dst []float64)
	// Tell takes what was observed and moves the rule one turn on. On an error the rule is unchanged.
	Tell(o Observation) error
}

// Explorer is an Algorithm that deploys perturbed decisions; Center is the decision it would recommend.
type Explorer interface {
	Algorithm
	Center(dst []float64)
}
