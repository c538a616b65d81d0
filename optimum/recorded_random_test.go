package optimum

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/set"
)

// drawn is a loss that a seed makes: a bowl that is turned and stretched, waves on it, and in some a kink along a plane, a jump, or places without a value.
func drawn(r *rand.Rand, n int) Function {
	unit := math.Pow(10, float64(r.IntN(7)-3)) // of losses
	length := math.Pow(10, float64(r.IntN(3)-1))
	centre, tilt := make([]float64, n), make([]float64, n*n)
	for i := range centre {
		centre[i] = r.NormFloat64() * length
	}
	for i := range tilt {
		tilt[i] = r.NormFloat64()
	}
	waves, kink, jump, hole := 0.0, 0.0, 0.0, math.Inf(1)
	switch r.IntN(6) {
	case 0, 1:
		waves = r.Float64()
	case 2:
		kink = r.Float64() * 3
	case 3:
		jump = r.Float64()
	case 4:
		hole = r.Float64() * 3
	}
	return plainly(func(g, u []float64) (loss float64, err error) {
		clear(g)
		for i := range n {
			a := 0.0
			for j := range n {
				a += float64(tilt[i*n+j] * (u[j] - centre[j]) / length)
			}
			slope := a + float64(waves*3*math.Sin(3*a))
			loss += float64(a*a/2) + float64(waves*(1-math.Cos(3*a)))
			if i == 0 {
				loss += float64(kink * math.Abs(a-0.4))
				slope += math.Copysign(kink, a-0.4)
				if a > 0.7 {
					loss += jump
				}
				if a > hole {
					return 0, errNoValue
				}
			}
			for j := range n {
				g[j] += float64(unit * slope * tilt[i*n+j] / length)
			}
		}
		return unit * loss, nil
	})
}

// drawnSet is a set of n entries that a seed makes, with a decision to begin at.
func drawnSet(r *rand.Rand, n int) (kedge.Set, []float64) {
	size, start := 0.3+2*r.Float64(), make([]float64, n)
	lower, upper := make([]float64, n), make([]float64, n)
	for i := range n {
		lower[i], upper[i], start[i] = -size*r.Float64(), size*r.Float64(), (r.Float64()-0.5)*size
	}
	switch r.IntN(7) {
	case 0, 1:
		return set.Box{Lower: lower, Upper: upper}, start
	case 2:
		return set.Ball{Radius: size}, start
	case 3:
		return set.Simplex{Sum: size}, start
	case 4:
		return set.HalfSpace{Normal: slices.Repeat([]float64{1}, n), Bound: size / 2}, start
	case 5:
		whole, unit := make([]bool, n), []float64{3, 300}[r.IntN(2)]
		for i := range n {
			lower[i], upper[i], whole[i] = math.Floor(lower[i]*unit), math.Ceil(upper[i]*unit), r.IntN(2) == 0
		}
		whole[0] = true
		return set.Lattice{Lower: lower, Upper: upper, Whole: whole}, start
	}
	return set.Whole{}, start
}

// drawnBounds are up to two bounds that a seed makes, on a sum and on a distance.
func drawnBounds(r *rand.Rand, n int) (list []Function) {
	k := math.Pow(10, float64(r.IntN(5)-2))
	if b := r.Float64() - 0.3; r.IntN(3) > 0 {
		list = append(list, plainly(func(g, u []float64) (float64, error) {
			v := -b
			for i := range u {
				g[i], v = k, v+u[i]
			}
			return k * v, nil
		}))
	}
	if b := 0.2 + r.Float64(); len(list) == 0 || r.IntN(2) == 0 {
		list = append(list, plainly(func(g, u []float64) (float64, error) {
			v := -b * b
			for i := range u {
				g[i], v = 2*u[i], v+float64(u[i]*u[i])
			}
			return v, nil
		}))
	}
	return list
}

// duel is a game of two with losses that a seed makes.
type duel struct{ of [2]Function }

func (d duel) Players() int                       { return 2 }
func (d duel) Block(u []float64, j int) []float64 { return u[j : j+1] }

func (d duel) Field(f, u []float64) (sum float64, err error) {
	for j := range d.of {
		g := make([]float64, 2)
		loss, err := d.of[j].Gradient(g, u)
		if err != nil {
			return 0, err
		}
		f[j], sum = g[j], sum+loss
	}
	return sum, nil
}

func (d duel) Losses(dst, u []float64) (err error) {
	for j := range dst {
		if dst[j], err = d.of[j].Gradient(make([]float64, 2), u); err != nil {
			return err
		}
	}
	return nil
}

func (d duel) Reply(j int, u []float64) Function {
	at, g := slices.Clone(u), make([]float64, 2)
	return plainly(func(slope, x []float64) (float64, error) {
		at[j] = x[0]
		loss, err := d.of[j].Gradient(g, at)
		slope[0] = g[j]
		return loss, err
	})
}

// recordedDuel is a game that a seed makes, every second one under bounds that both share.
func recordedDuel(r *rand.Rand) asked {
	return func(look func(Function) Function) string {
		d := duel{[2]Function{look(drawn(r, 2)), look(drawn(r, 2))}}
		size := 0.5 + 2*r.Float64()
		one := set.Interval{Lower: -size, Upper: size}
		sets, both := []kedge.Set{one, one}, set.Box{Lower: []float64{-size, -size}, Upper: []float64{size, size}}
		start, said := []float64{size * (r.Float64() - 0.5), size * (r.Float64() - 0.5)}, ""
		if r.IntN(2) == 0 {
			list, err := Equilibria[Function](context.Background(), d, sets, both, start, Effort{Starts: 2})
			if err != nil {
				return told1(err)
			}
			for _, e := range list {
				said += fmt.Sprintf("%.12g loss %.9g nash %v gains %.3g rest %v; ", e.Decision, e.Loss, e.Nash, e.Gains, e.Rest != nil)
			}
			return said
		}
		list, err := Shared[Function](context.Background(), d, drawnBounds(r, 2), sets, both, start, Effort{Starts: 2})
		if err != nil {
			return told1(err)
		}
		for _, e := range list {
			said += fmt.Sprintf("%.9g multipliers %.6g excess %.2g loss %.9g gains %.2g; ", e.Decision, e.Multipliers, e.Excess, e.Loss, e.Gains)
		}
		return said
	}
}

// Searches that seeds make go as they went when this was recorded, see [TestSearchesGoAsRecorded].
func TestDrawnSearchesGoAsRecorded(t *testing.T) {
	var got []string
	for seed := range uint64(160) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 1 + r.IntN(3)
		o := Effort{Starts: 1 + r.IntN(4), Screen: 10 * r.IntN(3), MaxSteps: []int{0, 0, 40}[r.IntN(3)]}
		var ask asked
		kind := []string{"find", "walk", "under", "rests", "game"}[seed%5]
		switch kind {
		case "find":
			s, start := drawnSet(r, n)
			ask = recordedFind(drawn(r, n), s, o, start)
		case "walk":
			s, start := drawnSet(r, n)
			ask = recordedWalk(drawn(r, n), s, o, start...)
		case "under":
			s, start := drawnSet(r, n)
			ask = recordedUnder(drawn(r, n), drawnBounds(r, n), s, o, start)
		case "rests":
			s, start := drawnSet(r, n)
			ask = recordedRests(drawn(r, n), s, o, start...)
		case "game":
			ask = recordedDuel(r)
		}
		looks := 0
		said := ask(func(f Function) Function { return counted{f, &looks} })
		got = append(got, fmt.Sprintf("%s %d: %d looks, %s", kind, seed, looks, said))
	}
	evidence.AsRecorded(t, "testdata/drawn.txt", got)
}
