package certify

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/objective"
)

// slopes are the constants of Assumption 2 for one individual's loss, and how they are known.
type slopes struct {
	loss, partU, partP float64 // L_Φ^p, M_Φ^u, M_Φ^p
	known              Known
	how                string
}

// addObjective finds the constants of Assumption 2 [he2025, smooth objective].
func (c *Constants) addObjective(p problem) error {
	s, ok := c.slopesOf(p.Objective, p)
	if !ok {
		var err error
		if s, err = c.sampleObjective(p); err != nil {
			return err
		}
	}
	c.put(LPhiP, s.loss, s.known, s.how)
	c.put(MPhiU, s.partU, s.known, s.how)
	c.put(MPhiP, s.partP, s.known, s.how)
	return nil
}

// slopesOf returns closed forms where there are some.
func (c *Constants) slopesOf(o kedge.Objective, p problem) (slopes, bool) {
	switch o := o.(type) {
	case objective.Affinity:
		return slopes{loss: c.Value(Radius), partU: 1, known: c.Get(Radius).Known, how: "Φ = −pᵀu"}, true
	case objective.Revenue:
		return c.revenue(o, p)
	case *objective.Quadratic:
		return quadratic(o, p.Dynamics.Dims()), true
	case *objective.Weighted:
		s, ok := c.slopesOf(o.Of, p)
		return s.times(math.Abs(o.Weight)), ok
	case objective.Sum:
		var sum slopes
		for _, part := range o {
			s, ok := c.slopesOf(part, p)
			if !ok {
				return s, false
			}
			sum = sum.plus(s)
		}
		return sum, true
	}
	return slopes{}, false
}

func (s slopes) times(w float64) slopes {
	s.loss, s.partU, s.partP = product(w, s.loss), product(w, s.partU), product(w, s.partP)
	return s
}

func (s slopes) plus(t slopes) slopes {
	s.loss, s.partU, s.partP = s.loss+t.loss, s.partU+t.partU, s.partP+t.partP
	s.known = max(s.known, t.known)
	if s.how != "" {
		s.how += " + "
	}
	s.how += t.how
	return s
}

// quadratic has M_Φ^u = ‖S‖ and M_Φ^p = ‖Q‖. The loss itself is steeper the larger the state, without bound, which does no
// harm where ∇ᵤh is constant.
func quadratic(o *objective.Quadratic, dim kedge.Dims) slopes {
	_, s, q := o.Hessian()
	return slopes{
		loss: math.Inf(1), partU: dense.Norm(s, dim.Decision, dim.State), partP: dense.Norm(q, dim.State, dim.State),
		known: Proof, how: "‖S‖, ‖Q‖ of the quadratic",
	}
}

// revenue has closed forms under choice dynamics, where probabilities stay away from 0: entries never fall below the lesser
// of where they began and (1−λ₁−λ₂)/(1−λ₁) times the habit. There the entropy's slope changes by at most ρ/min p.
func (c *Constants) revenue(o objective.Revenue, p problem) (slopes, bool) {
	if o.Entropy == 0 {
		return c.slopesOf(objective.Affinity{}, p)
	}
	f, ok := p.Dynamics.(dynamics.Choice)
	if !ok {
		return slopes{}, false
	}
	least := min(leastEntry(p.States), (1-(f.Lambda1+f.Lambda2))/(1-f.Lambda1)*leastEntry(p.Traits))
	if !(least > 0) {
		return slopes{}, false
	}
	steep := max(1, math.Abs(1+portable.Log(least))) // |1 + log p| over least ≤ p ≤ 1
	return slopes{
		loss:  c.Value(Radius) + float64(o.Entropy*math.Sqrt(float64(f.Dim))*steep),
		partU: 1, partP: o.Entropy / least,
		known: c.Get(Radius).Known, how: "p ≥ min(p₀, (1−λ₁−λ₂)/(1−λ₁) d)",
	}, true
}

// leastEntry returns the smallest number of some rows.
func leastEntry(r kedge.Rows) float64 {
	least := math.Inf(1)
	eachChunk(r, func(_ int, block []float64) {
		least = min(least, slices.Min(block))
	})
	return least
}
