package set

import (
	"math/big"
	"sort"
)

// number is a number with so many bits that sums and products of float64 are exact.
type number struct{ big.Float }

const exactBits = 4500

func bigOf(x float64) *number {
	n := new(number)
	n.SetPrec(exactBits).SetFloat64(x)
	return n
}

func (n *number) add(o *number) *number {
	r := bigOf(0)
	r.Add(&n.Float, &o.Float)
	return r
}

func (n *number) sub(o *number) *number {
	r := bigOf(0)
	r.Sub(&n.Float, &o.Float)
	return r
}

func (n *number) mul(o *number) *number {
	r := bigOf(0)
	r.Mul(&n.Float, &o.Float)
	return r
}

func (n *number) quo(o *number) *number {
	r := bigOf(0)
	r.Quo(&n.Float, &o.Float)
	return r
}

func (n *number) clamp(lower, upper *number) *number {
	switch {
	case n.Cmp(&lower.Float) < 0:
		return lower
	case n.Cmp(&upper.Float) > 0:
		return upper
	}
	return n
}

func toFloat(n *number) float64 {
	f, _ := n.Float64()
	return f
}

func bigAll(x []float64) []*number {
	all := make([]*number, len(x))
	for i, v := range x {
		all[i] = bigOf(v)
	}
	return all
}

func bigSum(x []float64) *number {
	s := bigOf(0)
	for _, v := range x {
		s = s.add(bigOf(v))
	}
	return s
}

func bigDot(x, y []float64) *number {
	s := bigOf(0)
	for i, v := range x {
		s = s.add(bigOf(v).mul(bigOf(y[i])))
	}
	return s
}

// exactSimplex is the projection on a capped simplex with a cap above zero, without rounding but for one division: the 2n
// breaks of Σ clamp(yᵢ − t, 0, upper) sorted, the piece found by bisection, t by the line through its ends.
func exactSimplex(c CappedSimplex, y []float64) []*number {
	if len(y) == 0 {
		return nil
	}
	upper, total, v := bigOf(c.top()), bigOf(c.Sum), bigAll(y)
	var breaks []*number
	for _, x := range v {
		breaks = append(breaks, x, x.sub(upper))
	}
	sort.Slice(breaks, func(i, j int) bool { return breaks[i].Cmp(&breaks[j].Float) < 0 })
	last := sort.Search(len(breaks), func(i int) bool { return sumAt(v, breaks[i], upper).Cmp(&total.Float) <= 0 })
	t := breaks[last]
	if last > 0 {
		t = crossing(v, breaks[last-1], t, upper, total)
	}
	x := make([]*number, len(y))
	for i, w := range v {
		x[i] = w.sub(t).clamp(bigOf(0), upper)
	}
	return x
}

// sumAt is Σ clamp(vᵢ − t, 0, upper).
func sumAt(v []*number, t, upper *number) *number {
	s, d, zero := bigOf(0), bigOf(0), bigOf(0)
	for _, x := range v {
		d.Sub(&x.Float, &t.Float)
		s.Add(&s.Float, &d.clamp(zero, upper).Float)
	}
	return s
}

// crossing is where the sum, a line between the breaks a < b, takes the value total.
func crossing(v []*number, a, b, upper, total *number) *number {
	atA, atB := sumAt(v, a, upper), sumAt(v, b, upper)
	if atA.Cmp(&atB.Float) == 0 {
		return b
	}
	return a.add(b.sub(a).mul(atA.sub(total)).quo(atA.sub(atB)))
}
