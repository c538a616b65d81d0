package online

import (
	"cmp"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Score says how Performative learns what a shift of the population costs.
type Score int

const (
	// Reparametrized averages ∂Φ/∂p: individuals move with the mean.
	Reparametrized Score = iota
	// Gaussian takes cov(p)⁻¹cov(p, Φ), which needs no derivative by the state: the score of a normal law whose mean alone
	// answers the decision (REINFORCE).
	Gaussian
)

// Performative is performative gradient descent [izzo2021]: the composite gradient with the response of the population's mean
// estimated on the way. It deploys u + δv, fits the mean states of the last deployments by an affine function of the deployed
// decisions, p̄ ≈ Ju + b, and takes
//
//	g = mean ∂Φ/∂u + Jᵀs,   s = mean ∂Φ/∂p, or cov(p)⁻¹cov(p, Φ).
//
// Until there are more deployments than the decision has entries, g = mean ∂Φ/∂u. Only Jᵀs is formed, never J.
type Performative struct {
	direction
	objective kedge.RowObjective
	dims      kedge.Dims
	score     Score

	count     int       // deployments seen
	decisions []float64 // the last deployed, one a row; the row of the next is pending
	means     []float64 // their mean states
	shift     []float64
	slopes    []float64
	centers   [2][]float64 // of decisions and means
	normal    square       // of the decisions
	spread    square       // of the states
}

// NewPerformative returns the estimator with a window of the given number of deployments, more than the decision has entries,
// and dither of length δ > 0.
func NewPerformative(objective kedge.RowObjective, dims kedge.Dims, score Score, window int, delta float64, source Normals) (*Performative, error) {
	d, err := newDirection(dims.Decision, delta, source)
	if err = cmp.Or(err, checkEnough("window", window, dims)); err != nil {
		return nil, err
	}
	return &Performative{
		direction: d, objective: objective, dims: dims, score: score,
		decisions: make([]float64, window*dims.Decision), means: make([]float64, window*dims.State),
		shift: make([]float64, dims.State), slopes: make([]float64, dims.Decision),
		centers: [2][]float64{make([]float64, dims.Decision), make([]float64, dims.State)},
		normal:  newSquare(dims.Decision), spread: newSquare(dims.State),
	}, nil
}

// checkEnough tells whether so many deployments can tell the entries of a decision apart.
func checkEnough(arg string, deployments int, dims kedge.Dims) error {
	return kedge.CheckRange(arg, deployments, deployments > dims.Decision, fmt.Sprintf("at least %d, one more than the decision has entries", dims.Decision+1))
}

// Commit keeps the deployment in the window and asks for a new direction.
func (e *Performative) Commit(kedge.Observation) {
	e.count++
	e.renew()
}

// decision returns what deployment i of the window deployed, and mean its answer.
func (e *Performative) decision(i int) []float64 {
	return kedge.Row(e.decisions, i%e.window(), e.dims.Decision)
}

// mean returns the mean state under deployment i of the window.
func (e *Performative) mean(i int) []float64 { return kedge.Row(e.means, i%e.window(), e.dims.State) }

// window returns how many deployments the window has room for.
func (e *Performative) window() int { return len(e.decisions) / e.dims.Decision }

// Estimate writes mean ∂Φ/∂u + Jᵀs. A sample whose covariance is singular is an error that wraps kedge.ErrSingular where the
// covariance is needed.
func (e *Performative) Estimate(g []float64, o kedge.Observation) error {
	n, err := o.Sample(e.dims)
	if err != nil {
		return err
	}
	e.draw()
	mean := e.mean(e.count)
	copy(e.decision(e.count), o.U)
	meanRow(mean, o.P, o.W)
	pull := scratch.Borrow(len(o.P))
	defer pull.Return()
	judge(e.objective, pull.X, g, o)
	rows.Scale(g, 1/o.Total(n))
	if e.count < e.dims.Decision {
		return nil
	}
	if e.score == Gaussian {
		err = e.gaussian(o, mean, n)
	} else {
		sumRow(e.shift, pull.X, kedge.Observation{}) // which are weighted already
		rows.Scale(e.shift, 1/o.Total(n))
	}
	if err != nil {
		return err
	}
	e.respond(g)
	return nil
}

// gaussian writes cov(p)⁻¹cov(p, Φ) to shift.
func (e *Performative) gaussian(o kedge.Observation, mean []float64, n int) error {
	e.spread.reset()
	clear(e.shift)
	for i := range n {
		p := kedge.Row(o.P, i, e.dims.State)
		loss := e.objective.Eval(nil, nil, p, o.U, kedge.Row(o.D, i, e.dims.Trait))
		weight := o.Weight(i)
		e.spread.addOuter(p, mean, weight)
		for j, v := range p {
			e.shift[j] += float64(weight * (v - mean[j]) * (loss - o.Loss))
		}
	}
	if err := e.spread.factor(0); err != nil {
		return fmt.Errorf("the covariance of the sampled states: %w", err)
	}
	e.spread.solve(e.shift)
	return nil
}

// respond adds Jᵀs to g: with c the products of the centered means and s, the least squares solution of ΔU x = c.
func (e *Performative) respond(g []float64) {
	seen := min(e.count+1, e.window())
	x := e.slopes
	meanRow(e.centers[0], e.decisions[:seen*e.dims.Decision], nil)
	meanRow(e.centers[1], e.means[:seen*e.dims.State], nil)
	e.normal.reset()
	clear(x)
	for i := range seen {
		u, p := kedge.Row(e.decisions, i, e.dims.Decision), kedge.Row(e.means, i, e.dims.State)
		along := 0.0
		for j, v := range p {
			along += float64((v - e.centers[1][j]) * e.shift[j])
		}
		e.normal.addOuter(u, e.centers[0], 1)
		for j, v := range u {
			x[j] += float64(along * (v - e.centers[0][j]))
		}
	}
	if e.normal.factor(ridge) != nil {
		return // all decisions were the same
	}
	e.normal.solve(x)
	rows.AddScaled(g, 1, x)
}

// ridge, relative to the mean of the diagonal, keeps directions that were not tried from being answered.
const ridge = 1e-9

// Describe gives the deployments of the window, oldest first, the direction and the source's state.
func (e *Performative) Describe(f *wire.Fields) {
	f.Int(&e.count, mostTurns)
	for i := max(0, e.count-e.window()+1); i < e.count; i++ {
		f.Fixed(e.decision(i), e.mean(i))
		f.Finite("a deployment of the window", e.decision(i), e.mean(i))
	}
	e.direction.Describe(f)
}
