package certify

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/rows"
	"github.com/kedge-opt/kedge/stream"
)

// people and decisions are how many are looked at when there is no closed form.
const (
	people    = 48
	decisions = 8
)

// probe is an individual under a decision, once where it starts and once where it settles.
type probe struct {
	who  int
	u, d []float64
	p, h []float64 // start and steady state
}

// probes draws decisions around the first feasible ones and takes individuals evenly from the crowd.
func probes(p Problem) ([]probe, error) {
	settler, ok := p.Dynamics.(kedge.Settler)
	if !ok {
		return nil, fmt.Errorf("certify: the dynamics have no steady states; wrap them, as dynamics.Settled does")
	}
	dim := p.Dynamics.Dims()
	r := stream.New(p.Seed, "certify")
	n, _ := p.Traits.Size()
	var all []probe
	for range decisions {
		u, err := draw(p.Set, dim.Decision, r)
		if err != nil {
			return nil, err
		}
		for i := range min(n, people) {
			who := i * n / min(n, people)
			x := probe{who: who, u: u, d: rowOf(p.Traits, who), p: rowOf(p.States, who), h: make([]float64, dim.State)}
			if _, err := settler.Settle(x.h, u, x.d); err != nil {
				return nil, fmt.Errorf("trait %d: %w", who, err)
			}
			all = append(all, x)
		}
	}
	return all, nil
}

// draw returns a feasible decision, the projection of a normal one.
func draw(s kedge.Set, n int, r *stream.Stream) ([]float64, error) {
	u := make([]float64, n)
	for i := range u {
		u[i] = r.Normal()
	}
	return u, s.Project(u)
}

// rowOf returns a copy of one row.
func rowOf(r kedge.Rows, i int) []float64 {
	_, width := r.Size()
	return append([]float64(nil), r.View(make([]float64, width), i, i+1)...)
}

// sampleDynamics estimates the constants of Assumption 1 from Jacobians at sampled individuals, where they start, where they
// settle and half way. The metric is the identity.
func (c *Constants) sampleDynamics(p Problem) error {
	f, ok := p.Dynamics.(kedge.Smooth)
	if !ok {
		return fmt.Errorf("certify: the dynamics have no derivatives")
	}
	all, err := probes(p)
	if err != nil {
		return err
	}
	var s sampled
	for _, x := range all {
		if err := s.see(f, x); err != nil {
			return err
		}
	}
	if !(s.state.value < 1) {
		return &NotContractingError{What: "‖∂f/∂p‖", Value: s.state.value, Trait: s.state.who}
	}
	s.put(c, fmt.Sprintf("largest of %d Jacobians", 3*len(all)))
	return nil
}

// most is the largest number seen and whose it was.
type most struct {
	value float64
	who   int
}

func (m *most) see(value float64, who int) {
	if !(value <= m.value) {
		m.value, m.who = value, who
	}
}

// sampled is what Jacobians have shown.
type sampled struct {
	state, decision, answer most
}

// see looks at one individual. One whose spectral radius is not below 1 where it settles ends the search.
func (s *sampled) see(f kedge.Smooth, x probe) error {
	dim := f.Dims()
	middle := append([]float64(nil), x.p...)
	rows.AddScaled(middle, 1, x.h)
	rows.Scale(middle, 0.5)
	for _, p := range [][]float64{x.p, middle, x.h} {
		byP, byU := jacobians(f, p, x.u, x.d)
		s.state.see(norm(byP, dim.State, dim.State), x.who)
		s.decision.see(norm(byU, dim.State, dim.Decision), x.who)
	}
	byP, byU := jacobians(f, x.h, x.u, x.d)
	if r := spectralRadius(byP, dim.State); !(r < 1) {
		return &NotContractingError{What: "spectral radius", Value: r, Trait: x.who}
	}
	s.answer.see(norm(solveAnswer(byP, byU, dim), dim.State, dim.Decision), x.who)
	return nil
}

// put writes down the constants.
func (s *sampled) put(c *Constants, how string) {
	c.put(LfP, s.state.value, Estimate, how)
	c.put(LfU, s.decision.value, Estimate, how)
	c.addIdentity()
	c.put(LhU, s.answer.value, Estimate, how)
}

// jacobians returns ∂f/∂p and ∂f/∂u, row-major.
func jacobians(f kedge.Smooth, p, u, d []float64) (byP, byU []float64) {
	dim := f.Dims()
	byP, byU = make([]float64, dim.State*dim.State), make([]float64, dim.State*dim.Decision)
	v := make([]float64, dim.State)
	for i := range v {
		clear(v)
		v[i] = 1
		f.Pullback(kedge.Row(byP, i, dim.State), kedge.Row(byU, i, dim.Decision), p, u, d, v)
	}
	return byP, byU
}

// solveAnswer returns (I − ∂f/∂p)⁻¹ ∂f/∂u [he2025, steady sensitivity].
func solveAnswer(byP, byU []float64, dim kedge.Dims) []float64 {
	n := dim.State
	left := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			left.Set(i, j, -byP[i*n+j])
		}
		left.Set(i, i, 1-byP[i*n+i])
	}
	var out mat.Dense
	if err := out.Solve(left, mat.NewDense(n, dim.Decision, byU)); err != nil {
		return []float64{math.Inf(1)}
	}
	return out.RawMatrix().Data
}

// spectralRadius returns the largest absolute eigenvalue, NaN when there is none to be found.
func spectralRadius(a []float64, n int) float64 {
	var eigen mat.Eigen
	if !rows.Finite(a) || !eigen.Factorize(mat.NewDense(n, n, a), mat.EigenNone) {
		return math.NaN()
	}
	radius := 0.0
	for _, v := range eigen.Values(nil) {
		radius = max(radius, cmplx.Abs(v))
	}
	return radius
}

// sampleObjective estimates the constants of Assumption 2 by secants between where individuals start and where they settle.
func (c *Constants) sampleObjective(p Problem) (slopes, error) {
	all, err := probes(p)
	if err != nil {
		return slopes{}, err
	}
	s := slopes{known: Estimate, how: fmt.Sprintf("secants of %d individuals", len(all))}
	for _, x := range all {
		s.see(p.Objective, x)
	}
	return s, nil
}

// see takes secants of one individual's gradients.
func (s *slopes) see(o kedge.Objective, x probe) {
	gp, gu := make([]float64, len(x.p)), make([]float64, len(x.u))
	hp, hu := make([]float64, len(x.p)), make([]float64, len(x.u))
	o.Eval(gp, gu, x.p, x.u, x.d)
	o.Eval(hp, hu, x.h, x.u, x.d)
	s.loss = max(s.loss, rows.Norm(gp), rows.Norm(hp))
	if apart := rows.Distance(x.p, x.h); apart > 1e-6 {
		s.partU = max(s.partU, rows.Distance(gu, hu)/apart)
		s.partP = max(s.partP, rows.Distance(gp, hp)/apart)
	}
}
