package certify

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// decisions and people are how many are looked at when there is no closed form; fewer people where states have so many
// entries that Jacobians cost more than effort multiplications.
const (
	decisions = 8
	people    = 48
	effort    = 4e7
)

// probe is an individual under a decision, once where it starts and once where it settles.
type probe struct {
	who   int
	under int // number of the decision
	u, d  []float64
	p, h  []float64 // start and steady state
}

// probes draws decisions around the first feasible ones and takes individuals evenly from the crowd.
func probes(p problem) ([]probe, error) {
	if p.Settler == nil {
		return nil, errors.New("certify: the dynamics have no steady states; give a Settler")
	}
	dim := p.Dynamics.Dims()
	r := stream.New(p.Seed, "certify")
	n, _ := p.Traits.Size()
	some := kedge.Some(n, min(people, 1+int(effort/decisions/portable.Pow(float64(dim.State), 3))))
	traits, states := kedge.Pick(p.Traits, some), kedge.Pick(p.States, some)
	var all []probe
	for k := range decisions {
		u, err := draw(p.Set, dim.Decision, r)
		if err != nil {
			return nil, err
		}
		for i, who := range some {
			x := probe{who: who, under: k, u: u, d: traits.View(nil, i, i+1), p: states.View(nil, i, i+1), h: make([]float64, dim.State)}
			if _, err := p.Settler.Settle(x.h, u, x.d); err != nil {
				return nil, unsettled(who, err)
			}
			all = append(all, x)
		}
	}
	return all, nil
}

// unsettled says why an individual has no steady state, and whose fault it is.
func unsettled(who int, err error) error {
	if e := contracting(who, err); e != err {
		return e
	}
	return fmt.Errorf("trait %d: %w", who, err)
}

// draw returns a feasible decision, the projection of a normal one.
func draw(s kedge.Set, n int, r *stream.Stream) ([]float64, error) {
	u := make([]float64, n)
	r.Normals(u)
	return u, s.Project(u)
}

// sampleObjective estimates the constants of Assumption 2 by secants between where individuals start and where they settle.
func (c *Constants) sampleObjective(p problem) (slopes, error) {
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

// chunk is how many individuals are looked at together.
const chunk = 256

// eachChunk shows all rows, a few at a time, with the number of the first.
func eachChunk(r kedge.Rows, see func(first int, block []float64)) {
	n, width := r.Size()
	room := make([]float64, min(n, chunk)*width)
	for first := 0; first < n; first += chunk {
		see(first, r.View(room, first, min(n, first+chunk)))
	}
}

// sampleDynamics estimates the constants of Assumption 1 from Jacobians at sampled individuals: where they start, where they
// settle and half way. The metric is the identity or, where that does not contract, the one of the mean Jacobian.
func (c *Constants) sampleDynamics(p problem) error {
	f, ok := p.Dynamics.(kedge.Smooth)
	if !ok {
		return errors.New("certify: the dynamics have no derivatives")
	}
	all, err := probes(p)
	if err != nil {
		return err
	}
	seen := make([]slope, len(all))
	for i, x := range all {
		if seen[i], err = slopeAt(f, x); err != nil {
			return err
		}
	}
	how := fmt.Sprintf("largest of %d Jacobians", 3*len(seen))
	if err := c.addSampledMetric(seen, f.Dims().State, how); err != nil {
		return err
	}
	c.putLargest(LfU, seen, how, func(s slope) float64 { return dense.Norm(s.byU, len(s.byU)/max(1, len(s.u)), len(s.u)) })
	c.putLargest(LfD, seen, how, func(s slope) float64 { return dense.Norm(s.byD, len(s.byD)/max(1, len(s.d)), len(s.d)) })
	c.putLargest(LhU, seen, how, func(s slope) float64 { return dense.Norm(s.answer, len(s.answer)/max(1, len(s.u)), len(s.u)) })
	c.putLargest(LhD, seen, how, func(s slope) float64 { return dense.Norm(s.carry, len(s.carry)/max(1, len(s.d)), len(s.d)) })
	c.put(MhD, turns(seen), Estimate, "secants of ∇ᵤh between individuals")
	return nil
}

// slope is what one individual's Jacobians are, row-major.
type slope struct {
	probe
	byP           [3][]float64 // ∂f/∂p at the start, half way and settled
	byU, byD      []float64    // ∂f/∂u and ∂f/∂d, settled
	answer, carry []float64    // ∂h/∂u and ∂h/∂d
}

// slopeAt takes an individual's Jacobians. One whose spectral radius is not below 1 where it settles is an error.
func slopeAt(f kedge.Smooth, x probe) (slope, error) {
	s, n := slope{probe: x}, f.Dims().State
	for i, at := range [][]float64{x.p, between(x.p, x.h, 0.5), x.h} {
		s.byP[i], s.byU = jacobians(f, at, x.u, x.d)
	}
	if r := dense.SpectralRadius(s.byP[2], n); !(r < 1) {
		return s, &NotContractingError{What: "spectral radius", Value: r, Trait: x.who}
	}
	s.byD = byTrait(f, x)
	s.answer, s.carry = resolve(s.byP[2], s.byU, n), resolve(s.byP[2], s.byD, n)
	return s, nil
}

// putLargest puts the largest of some numbers; one that is not finite makes the constant unknown.
func (c *Constants) putLargest(k Key, seen []slope, how string, of func(slope) float64) {
	most := 0.0
	for _, s := range seen {
		most = max(most, of(s)) // NaN when any is
	}
	if math.IsNaN(most) || math.IsInf(most, 0) {
		c.put(k, math.NaN(), Unknown, "derivatives are not finite somewhere")
		return
	}
	c.put(k, most, Estimate, how)
}

// addSampledMetric chooses P and puts L_f^p in its norm.
func (c *Constants) addSampledMetric(seen []slope, n int, how string) error {
	plain := contractionIn(nil, seen, n)
	if plain.Value < 1 {
		c.put(LfP, plain.Value, Estimate, how)
		c.addIdentity()
		return nil
	}
	metric, _ := Lyapunov(meanJacobian(seen, n), n) // nil where there is none, in which nothing contracts that has not before
	inMetric := contractionIn(metric, seen, n)
	if !(inMetric.Value < 1) {
		return plain
	}
	least, top := dense.Eigenvalues(metric, n)
	if !(least > 0) {
		return plain
	}
	c.Metric = metric
	c.put(LfP, inMetric.Value, Estimate, how+" in the metric of their mean")
	c.put(PMin, least, Proof, "J̄ᵀPJ̄ − P + I = 0 for the mean Jacobian J̄")
	c.put(PMax, top, Proof, "J̄ᵀPJ̄ − P + I = 0 for the mean Jacobian J̄")
	return nil
}

// contractionIn returns the largest norm of ∂f/∂p induced by ‖·‖_P and whose it is, as what is wrong unless it is below 1; a nil
// metric is the identity.
func contractionIn(metric []float64, seen []slope, n int) *NotContractingError {
	found := &NotContractingError{What: "‖∂f/∂p‖", Value: math.Inf(-1)}
	for _, s := range seen {
		for _, j := range s.byP {
			if v := dense.InducedNorm(metric, j, n); v > found.Value || math.IsNaN(v) {
				found.Value, found.Trait = v, s.who
			}
		}
	}
	return found
}

func meanJacobian(seen []slope, n int) []float64 {
	mean := make([]float64, n*n)
	for _, s := range seen {
		for _, j := range s.byP {
			rows.AddScaled(mean, 1/float64(3*len(seen)), j)
		}
	}
	return mean
}

// turns returns the largest change of ∇ᵤh between two individuals under one decision, by the distance of their traits.
func turns(seen []slope) float64 {
	rate := 0.0
	for i := 1; i < len(seen); i++ {
		a, b := seen[i-1], seen[i]
		apart := rows.Distance(a.d, b.d)
		if a.under != b.under || apart == 0 || len(a.answer) == 0 {
			continue
		}
		m := len(a.u)
		rate = max(rate, dense.Norm(minus(a.answer, b.answer), len(a.answer)/m, m)/apart)
	}
	return rate
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

// byTrait returns ∂f/∂d at the steady state by central differences.
func byTrait(f kedge.Smooth, x probe) []float64 {
	return jacobian(len(x.h), len(x.d), func(j int) []float64 {
		return quotient(0x1p-17*max(1, math.Abs(x.d[j])), func(t float64) []float64 {
			d, next := slices.Clone(x.d), make([]float64, len(x.h))
			d[j] += t
			f.Next(next, x.h, x.u, d)
			return next
		})
	})
}

// resolve returns (I − ∂f/∂p)⁻¹X, which for X = ∂f/∂u is ∂h/∂u [he2025, steady sensitivity].
func resolve(byP, right []float64, n int) []float64 {
	if len(right) == 0 {
		return nil
	}
	left := mat.NewDense(n, n, nil)
	left.Scale(-1, mat.NewDense(n, n, byP))
	for i := range n {
		left.Set(i, i, 1-byP[i*n+i])
	}
	var out mat.Dense
	if err := out.Solve(left, mat.NewDense(n, len(right)/n, right)); err != nil {
		return slices.Repeat([]float64{math.NaN()}, len(right))
	}
	return out.RawMatrix().Data
}
