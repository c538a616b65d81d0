package online

import (
	"cmp"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Family says how PlugIn takes a population to answer.
type Family int

const (
	// Location moves the mean of the states: p = Gu + b + r.
	Location Family = iota
	// LocationScale also stretches every entry of the states: p = Gu + b + (Ku + c)∘r.
	LocationScale
)

// PlugIn is the two-stage method for location and location–scale families [miller2021]. First it deploys decisions u + δv around
// the first one and keeps all it sees; then it fits how means (and deviations) of the states answer the decision by
// least squares, and goes to the minimum of the loss over the individuals that were seen, moved as the fit says. From then on
// it stays there.
//
// Take a step size of 1. The answer is as good as the fit, so it is the optimum only if populations of the family are, and only if every
// decision is held until the population has settled.
type PlugIn struct {
	direction
	objective kedge.RowObjective
	dims      kedge.Dims
	family    Family
	trials    int
	minimizer

	decisions []float64 // tried, one a row
	sizes     []int     // how many individuals were seen under each
	p, d      []float64 // they, one a row
	w         []float64 // their weights; nil: all 1
	done      bool
}

// NewPlugIn returns the method with so many trial decisions, more than the decision has entries, at distance δ > 0 of the first,
// for a rule over the given set.
func NewPlugIn(objective kedge.RowObjective, dims kedge.Dims, family Family, trials int, delta float64, source Normals, set kedge.Set) (*PlugIn, error) {
	d, err := newDirection(dims.Decision, delta, source)
	if err = cmp.Or(err, checkEnough("trials", trials, dims)); err != nil {
		return nil, err
	}
	return &PlugIn{
		direction: d, objective: objective, dims: dims, family: family, trials: trials,
		minimizer: newMinimizer(dims.Decision, set, "the decision that is best for the fitted population", 1e-10),
	}, nil
}

// Perturb adds δv to u while decisions are tried.
func (e *PlugIn) Perturb(u []float64) {
	if !e.done {
		e.direction.Perturb(u)
	}
}

// Collecting tells whether more trials follow.
func (e *PlugIn) Collecting() bool { return !e.done && len(e.sizes)+1 < e.trials }

// Estimate writes u − argmin after the last trial and zeros otherwise. Trials that do not tell the entries of the decision
// apart are an error that wraps kedge.ErrSingular, a minimum that is not found is a *kedge.NotConvergedError.
func (e *PlugIn) Estimate(g []float64, o kedge.Observation) error {
	n, err := o.Sample(e.dims)
	clear(g)
	e.draw()
	if err != nil || e.done || e.Collecting() {
		return err
	}
	decisions, sizes := append(slices.Clip(e.decisions), o.U...), append(slices.Clip(e.sizes), n)
	p, d := append(slices.Clip(e.p), o.P...), append(slices.Clip(e.d), o.D...)
	fitted, err := fitResponse(e.family, e.dims, decisions, sizes, p, e.weigh(slices.Clip(e.w), o, n))
	if err != nil {
		return err
	}
	moved, pull := scratch.Borrow(len(p)), scratch.Borrow(len(p))
	defer moved.Return()
	defer pull.Return()
	all := kedge.Observation{P: moved.X, D: d, W: fitted.weights} // who were seen, moved as the fit says
	total := all.Total(len(p) / e.dims.State)
	return e.step(g, func(g, u []float64) float64 {
		fitted.move(moved.X, u)
		all.U = u
		sum := judge(e.objective, pull.X, g, all)
		fitted.pullBack(g, pull.X)
		rows.Scale(g, 1/total)
		return sum / total
	})
}

// weigh returns the weights of those who were seen before with those of n more, nil while all are 1.
func (e *PlugIn) weigh(w []float64, o kedge.Observation, n int) []float64 {
	if o.W == nil && w == nil {
		return nil
	}
	for i := len(w); i < len(e.p)/e.dims.State; i++ {
		w = append(w, 1)
	}
	for i := range n {
		w = append(w, o.Weight(i))
	}
	return w
}

// Commit keeps what a trial showed, and forgets it all after the last.
func (e *PlugIn) Commit(o kedge.Observation) {
	if !e.Collecting() {
		e.done = true
		e.decisions, e.sizes, e.p, e.d, e.w = nil, nil, nil, nil, nil
		return
	}
	if e.sizes == nil {
		e.p, e.d = slices.Grow(e.p, e.trials*len(o.P)), slices.Grow(e.d, e.trials*len(o.D))
		e.decisions, e.sizes = slices.Grow(e.decisions, e.trials*len(o.U)), slices.Grow(e.sizes, e.trials)
	}
	n := len(o.P) / e.dims.State
	e.w = e.weigh(e.w, o, n)
	e.decisions = append(e.decisions, o.U...)
	e.sizes = append(e.sizes, n)
	e.p, e.d = append(e.p, o.P...), append(e.d, o.D...)
	e.renew()
}

// Describe gives what the trials showed, the direction and the source's state.
func (e *PlugIn) Describe(f *wire.Fields) {
	f.Bool(&e.done)
	f.Ints(&e.sizes, math.MaxInt32)
	f.Floats(&e.decisions)
	f.Floats(&e.p)
	f.Floats(&e.d)
	f.Floats(&e.w)
	f.Finite("what was seen in trials", e.decisions, e.p, e.d, e.w)
	trials, total := len(e.sizes), 0
	for _, n := range e.sizes[:min(trials, e.trials)] {
		total += n
	}
	if trials > e.trials || len(e.decisions) != trials*e.dims.Decision || len(e.p) != total*e.dims.State || len(e.d) != total*e.dims.Trait || len(e.w) != 0 && len(e.w) != total {
		f.Fail("%d trials of %d do not fit %d decisions, %d states, %d traits and %d weights", trials, e.trials, len(e.decisions), len(e.p), len(e.d), len(e.w))
	}
	e.direction.Describe(f)
}
