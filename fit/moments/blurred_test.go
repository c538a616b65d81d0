package moments

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"gonum.org/v1/gonum/mat"
)

// blur makes a derivative of what a cohort's moments miss off by so much.
func blur(x *marcher, by float64) {
	misses := x.misses
	x.misses = func(ctx context.Context, theta []float64, at int) (r *mat.VecDense, a *mat.Dense, broken bool, err error) {
		if r, a, broken, err = misses(ctx, theta, at); err == nil && !broken {
			a.Set(0, 0, a.At(0, 0)+by)
		}
		return r, a, broken, err
	}
}

// How sure numbers are is not told where a derivative is no number.
func TestJudgesOfDerivativesThatAreNoNumbers(t *testing.T) {
	f := roller(t, shop(), "habit", "B[2, 2]")
	for _, by := range []float64{0, math.NaN()} {
		x, err := newMarcher(f, shopWorld(f, 60, 4, 1, 0.1).samples(1), shopUnknowns(), fit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := &matching{marcher: x}
		x.misses = p.weighed
		p.roughly()
		best, _, err := x.lowest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out, free := x.matched(best, 1, 4)
		blur(x, by)
		if err := p.judge(t.Context(), out, best, free); (err == nil) != (by == 0) || err != nil && !strings.Contains(err.Error(), "are no numbers") {
			t.Errorf("samples, off by %v: errors of %v, %v", by, out.Error, err)
		}

		a := aggregates(2, 6, 2, 0.2, 0.1, 1)
		s, err := a.sections(half(t), []fit.Unknown{fit.Free("b", 0)})
		if err != nil {
			t.Fatal(err)
		}
		y := newTotals(half(t), a, s, slices.Concat([]fit.Unknown{fit.Free("b", 0)}, []fit.Unknown{{Name: "the gain", Start: 0.5, Lower: 0, Upper: 1}}), fit.Options{})
		q := &totals{marcher: y, spread: []float64{1}, share: a.shares()}
		y.misses = q.scaled
		if best, _, err = y.lowest(t.Context()); err != nil {
			t.Fatal(err)
		}
		out, free = y.matched(best, 1, 10)
		blur(y, by)
		if err := q.judge(t.Context(), a, out, best, free); (err == nil) != (by == 0) || err != nil && !strings.Contains(err.Error(), "are no numbers") {
			t.Errorf("means, off by %v: errors of %v, %v", by, out.Error, err)
		}
	}
}
