package certify

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
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
	some := kedge.Some(n, min(people, 1+int(effort/decisions/math.Pow(float64(dim.State), 3))))
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
	for i := range u {
		u[i] = r.Normal()
	}
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
