package set

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// JudgedSet is a Set that tells by how much a decision is outside, from its definition and without projecting: for who must be sure of a decision whatever made it.
//
// Excess is the largest violation of what defines the set, each in the unit of the decision: how far it is from where that one condition holds. So it is 0 in
// the set but for rounding, above 0 outside, and never more than the distance from the set. What is no decision at all, of another length or with entries that are not finite, and
// whatever a set that fails its Check is asked, is +Inf away.
type JudgedSet interface {
	kedge.Set
	Excess(u []float64) float64
}

// TimedJudgedSet is a JudgedSet of decisions that follow each other.
type TimedJudgedSet interface {
	JudgedSet
	// ExcessAt is Excess of the set of a turn, as that of the decision that follows last.
	ExcessAt(u []float64, turn int, last []float64) float64
}

// Every set is one.
var (
	_ JudgedSet      = Whole{}
	_ JudgedSet      = Box{}
	_ JudgedSet      = Interval{}
	_ JudgedSet      = Ball{}
	_ JudgedSet      = L1Ball{}
	_ JudgedSet      = Simplex{}
	_ JudgedSet      = CappedSimplex{}
	_ JudgedSet      = HalfSpace{}
	_ JudgedSet      = (*Affine)(nil)
	_ JudgedSet      = Product{}
	_ JudgedSet      = Intersection{}
	_ JudgedSet      = Convex{}
	_ JudgedSet      = Lattice{}
	_ JudgedSet      = Finite{}
	_ TimedJudgedSet = Changing{}
	_ TimedJudgedSet = RateLimit{}
)

// Excess tells by how much u is outside of any set: by the set's own word, or by its distance from the nearest point where the set is none.
func Excess(s kedge.Set, u []float64) float64 {
	if j, ok := s.(JudgedSet); ok {
		return j.Excess(u)
	}
	if s == nil {
		return math.Inf(1)
	}
	far, err := Distance(s, u)
	if err != nil {
		return math.Inf(1)
	}
	return far
}

// ExcessAt is Excess of the set of a turn, as that of the decision that follows last.
func ExcessAt(s kedge.Set, u []float64, turn int, last []float64) float64 {
	if j, ok := s.(TimedJudgedSet); ok {
		return j.ExcessAt(u, turn, last)
	}
	return Excess(s, u)
}

// excessOf returns a violation of a set that is sound at a decision that is one, +Inf otherwise.
func excessOf(s kedge.CheckedSet, u []float64, violation func() float64) float64 {
	if s.Check(len(u)) != nil || !rows.Finite(u) {
		return math.Inf(1)
	}
	if v := violation(); !math.IsNaN(v) {
		return max(0, v)
	}
	return math.Inf(1) // of numbers too large to be compared
}

// Excess implements [JudgedSet]: nothing is outside.
func (s Whole) Excess(u []float64) float64 { return excessOf(s, u, func() float64 { return 0 }) }

// Excess implements [JudgedSet], by the bounds.
func (b Box) Excess(u []float64) float64 {
	return excessOf(b, u, func() float64 { return beyond(b, u) })
}

// Excess implements [JudgedSet], by the bounds.
func (b Interval) Excess(u []float64) float64 {
	return excessOf(b, u, func() float64 { return beyond(b, u) })
}

// beyond is how far the farthest entry is beyond its bounds.
func beyond(b bounded, u []float64) (far float64) {
	for i, v := range u {
		lower, upper := b.bounds(i)
		far = max(far, lower-v, v-upper)
	}
	return far
}

// Excess implements [JudgedSet], by the distance from the center.
func (b Ball) Excess(u []float64) float64 {
	return excessOf(b, u, func() float64 { return b.distance(u) - b.Radius })
}

// Excess implements [JudgedSet], by the sum of the distances from the center.
func (b L1Ball) Excess(u []float64) float64 {
	return excessOf(b, u, func() float64 {
		sum := rows.Total{High: -b.Radius}
		for i, v := range u {
			sum = sum.Add(math.Abs(v - Ball(b).center(i)))
		}
		return acrossAll(sum.Value(), len(u))
	})
}

// acrossAll is how far a decision is from where a sum over all n entries is right that is off by so much.
func acrossAll(off float64, n int) float64 { return off / math.Sqrt(float64(max(1, n))) }

// Excess implements [JudgedSet], by the bounds and the sum.
func (s Simplex) Excess(u []float64) float64 { return s.capped().Excess(u) }

// Excess implements [JudgedSet], by the bounds and the sum.
func (s CappedSimplex) Excess(u []float64) float64 {
	return excessOf(s, u, func() float64 {
		return max(beyond(Interval{Lower: 0, Upper: s.Upper}, u), acrossAll(math.Abs(s.residual(u)), len(u)))
	})
}

// Excess implements [JudgedSet], by the distance from the plane.
func (h HalfSpace) Excess(u []float64) float64 {
	return excessOf(h, u, func() float64 {
		f := normalizer(rows.MaxAbs(h.Normal))
		norm2 := h.norm2(f)
		if norm2 == 0 {
			return 0 // the whole space
		}
		excess, _ := h.excess(u, f)
		return excess / math.Sqrt(norm2)
	})
}

// Excess implements [JudgedSet], by the equations, made orthonormal.
func (s *Affine) Excess(u []float64) float64 {
	return excessOf(s, u, func() float64 { return s.off(u) })
}

// Excess implements [JudgedSet], by the worst part.
func (p Product) Excess(u []float64) float64 {
	return excessOf(p, u, func() (far float64) {
		for rest := u; len(p.Parts) > 0; p.Parts = p.Parts[1:] {
			size := p.Parts[0].Size
			far = max(far, Excess(p.Parts[0].Set, rest[:size:size]))
			rest = rest[size:]
		}
		return far
	})
}

// Excess implements [JudgedSet], by the worst member.
func (s Intersection) Excess(u []float64) float64 {
	return excessOf(s, u, func() (far float64) {
		for _, member := range s.Of {
			far = max(far, Excess(member, u))
		}
		return far
	})
}

// Excess implements [JudgedSet], by the bounds and the curves: where one is above 0, it falls to 0 no nearer than its value by its slope. Beyond the bounds
// curves may have no value.
func (c Convex) Excess(u []float64) float64 {
	return excessOf(c, u, func() float64 {
		far := beyond(c.Bounds, u)
		g := make([]float64, len(u))
		for _, curve := range c.Curves {
			switch v := curve.Expand(g, nil, u); {
			case v > 0:
				far = max(far, v/rows.Norm(g))
			case math.IsNaN(v) && far == 0:
				return v
			}
		}
		if c.Plane != nil {
			far = max(far, c.Plane.Excess(u))
		}
		return far
	})
}

// Excess implements [JudgedSet], by the bounds and how far the farthest entry that must be whole is from a whole number.
func (l Lattice) Excess(u []float64) float64 {
	return excessOf(l, u, func() float64 {
		far := beyond(Box{Lower: l.Lower, Upper: l.Upper}, u)
		for i, v := range u {
			if l.IsWhole(i) {
				far = max(far, math.Abs(v-math.RoundToEven(v)))
			}
		}
		return far
	})
}

// Excess implements [JudgedSet], by the distance from the nearest point.
func (f Finite) Excess(u []float64) float64 {
	return excessOf(f, u, func() float64 {
		near := math.Inf(1)
		for _, p := range f.Points {
			near = min(near, rows.Distance(u, p))
		}
		return near
	})
}

// Excess implements [JudgedSet], of the first stage.
func (c Changing) Excess(u []float64) float64 {
	return excessOf(c, u, func() float64 { return Excess(c.At(0), u) })
}

// ExcessAt implements [TimedJudgedSet], of the stage of the turn.
func (c Changing) ExcessAt(u []float64, turn int, last []float64) float64 {
	return excessOf(c, u, func() float64 { return ExcessAt(c.At(turn), u, turn, last) })
}

// Excess implements [JudgedSet], of the first decision, which is not limited.
func (r RateLimit) Excess(u []float64) float64 {
	return excessOf(r, u, func() float64 { return Excess(r.Of, u) })
}

// ExcessAt implements [TimedJudgedSet], by the set and the reach of the last decision.
func (r RateLimit) ExcessAt(u []float64, turn int, last []float64) float64 {
	return excessOf(r, u, func() float64 {
		if len(last) != len(u) {
			return math.Inf(1)
		}
		return max(ExcessAt(r.Of, u, turn, last), rows.Distance(u, last)-r.Most)
	})
}
