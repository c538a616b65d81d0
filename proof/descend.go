package proof

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/internal/rows"
)

// visit looks at a point of the domain and keeps it, if it is feasible and better than the best.
func (s *search) visit(c []float64) (interval.Jet, error) {
	at := s.at(c, 1)
	if !(at[0].Hi < s.upper) {
		return at, nil
	}
	z := slices.Clone(c)
	if err := s.project(z); err != nil || !slices.Equal(z, c) {
		return at, err
	}
	isMuch := at[0].Hi < s.upper-s.target
	s.best, s.atBest, s.upper = z, at, at[0].Hi
	if isMuch {
		return at, s.improve(z)
	}
	return at, nil
}

// improve goes downhill from a feasible decision that is the best so far.
func (s *search) improve(u []float64) error {
	z, at, err := s.descend(u, s.at(u, 1))
	if err == nil && at[0].Hi < s.upper {
		s.best, s.atBest, s.upper = z, at, at[0].Hi
	}
	return err
}

const mostDescents = 20 // steps of Newton's method

// descend follows Newton's method, within the set, as long as values fall.
func (s *search) descend(u []float64, at interval.Jet) ([]float64, interval.Jet, error) {
	if s.n > MostDecisions {
		return u, at, nil
	}
	for k := 0; k < mostDescents && s.work < s.budget.Work; k++ {
		z, found, err := s.stepDown(u, at)
		if err != nil {
			return u, at, err
		}
		if found == nil {
			break
		}
		u, at = z, found
	}
	return u, at, nil
}

// stepDown takes one step of Newton's method among the entries that are free to move, or one along the gradient; nil where neither leads down.
func (s *search) stepDown(u []float64, at interval.Jet) ([]float64, interval.Jet, error) {
	jet := s.at(u, 2)
	if !slices.ContainsFunc(jet[1:1+s.n], func(g interval.Span) bool { return !g.Has(0) }) {
		return nil, nil, nil
	}
	for _, step := range [][]float64{s.newton(u, jet), s.steepest(jet)} {
		for k := 0; k < 6 && step != nil && rows.Finite(step); k++ {
			z := slices.Clone(u)
			rows.AddScaled(z, 1, step)
			if err := s.project(z); err != nil {
				return nil, nil, err
			}
			if found := s.at(z, 1); found[0].Mid() < at[0].Mid() {
				return z, found, nil
			}
			rows.Scale(step, 0.125)
		}
	}
	return nil, nil, nil
}

// newton is −H⁻¹g among the entries that the domain does not hold; nil where H is not positive definite.
func (s *search) newton(u []float64, jet interval.Jet) []float64 {
	jets := interval.Jets{Variables: s.n, Order: 2}
	h, step := make([]float64, s.n*s.n), make([]float64, s.n)
	for i := range s.n {
		g, d := jet[1+i].Mid(), s.domain[i]
		isHeld := s.isBox && (u[i] <= d.Lo && g > 0 || u[i] >= d.Hi && g < 0)
		for k := range i + 1 {
			v := jet[jets.Hessian(i, k)]
			if !v.IsFinite() {
				return nil
			}
			h[i*s.n+k], h[k*s.n+i] = v.Mid(), v.Mid()
		}
		if step[i] = -g; isHeld {
			step[i] = 0
			for k := range s.n {
				h[i*s.n+k], h[k*s.n+i] = 0, 0
			}
			h[i*s.n+i] = 1
		}
	}
	if at, _ := dense.Cholesky(h, s.n, 1e-12); at < s.n {
		return nil
	}
	dense.SolveCholesky(h, step, s.n)
	return step
}

// steepest is a step along −g as long as the curvature suggests.
func (s *search) steepest(jet interval.Jet) []float64 {
	jets := interval.Jets{Variables: s.n, Order: 2}
	step, curve := make([]float64, s.n), 0.0
	for i := range step {
		step[i] = -jet[1+i].Mid()
		if v := jet[jets.Hessian(i, i)]; v.IsFinite() {
			curve += math.Abs(v.Mid())
		}
	}
	if length := rows.MaxAbs(step); !(length > 0) || !(curve > 0) || math.IsInf(length, 0) {
		return nil
	}
	for i := range step {
		step[i] /= curve
	}
	return step
}
