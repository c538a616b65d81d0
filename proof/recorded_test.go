package proof_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/proof"
	"github.com/kedge-opt/kedge/set"
)

// said is all that a proof says.
func said(p *proof.Proof, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%v (%s): %.12g, better %t, from %.12g to %.12g, tolerance %.12g, gap %.9g, %d boxes, work %d", p.Grounds, p.Reason, p.Decision, p.IsBetter, p.Lower, p.Upper, p.Tolerance, p.Gap(), p.Boxes, p.Work)
}

// Of random problems with little budget the same is proven by as many boxes as when this was recorded. Other tests say that it is right.
func TestProofsOfRiddlesAreAsRecorded(t *testing.T) {
	r := rand.New(rand.NewPCG(77, 3))
	var lines []string
	for k := range 90 {
		x := newRiddle(r)
		m, err := formula.Compile(x.source)
		if err != nil {
			t.Fatal(err)
		}
		u := make([]float64, x.n)
		for i := range u {
			u[i] = r.NormFloat64()
		}
		if k%6 == 0 { // on a curve, in part without ends, or nowhere
			x.set = []kedge.Set{nil, set.Box{Lower: zeros(x.n)}, set.Whole{}, set.L1Ball{Radius: 1.5}, set.Box{Lower: repeated(2, x.n), Upper: repeated(1, x.n)}}[k/6%5]
		}
		if x.set != nil && k%7 != 0 && x.set.Project(u) != nil {
			continue
		}
		f := landscape(t, x.source, x.traits)
		budget := proof.Budget{Boxes: 20 + r.IntN(150), Work: 20_000 + r.IntN(300_000), Size: []float64{0, 2}[k%2]}
		p, err := proof.Prove(context.Background(), f, x.set, u, x.value(m, u), budget)
		lines = append(lines, fmt.Sprint(k, " ", said(p, err)))
		for round := 0; err == nil && p.IsBetter && round < 2; round++ {
			p, err = proof.Prove(context.Background(), f, x.set, p.Decision, p.Upper, budget)
			lines = append(lines, fmt.Sprint("   then ", said(p, err)))
		}
	}
	evidence.AsRecorded(t, "testdata/riddles.txt", lines)
}

// Paraboloids of one to six decisions in sets of all kinds are proven as they were.
func TestProofsOfParaboloidsAreAsRecorded(t *testing.T) {
	r := rand.New(rand.NewPCG(78, 3))
	var lines []string
	for k := range 70 {
		n := 1 + r.IntN(6)
		at, g, h := make([]float64, n), make([]float64, n), make([]float64, n*n)
		for i := range n {
			at[i], g[i] = math.Round(8*r.NormFloat64())/8, math.Round(8*r.NormFloat64())/8
			for j := range i {
				h[i*n+j] = math.Round(4*r.NormFloat64()) / 8
				h[j*n+i] = h[i*n+j]
			}
			h[i*n+i] = float64(r.IntN(6)) - float64(k%3)/2
		}
		s := []kedge.Set{nil, set.Interval{Lower: -1, Upper: 2}, set.Ball{Radius: 1.5}, set.Simplex{Sum: 2}, set.Box{Lower: repeated(-1, n)}, set.Intersection{Of: []kedge.Set{set.HalfSpace{Normal: repeated(1, n), Bound: 1}, set.Interval{Lower: -2, Upper: 2}}}}[r.IntN(6)]
		gradient := func(to, u []float64) (float64, error) {
			value := 1.0
			for i := range n {
				to[i] = g[i]
				for j := range n {
					to[i] += h[i*n+j] * (u[j] - at[j])
				}
				value += (u[i] - at[i]) * (g[i] + to[i]) / 2
			}
			return value, nil
		}
		q, err := proof.FitParaboloid(gradient, at)
		if err != nil {
			t.Fatal(err)
		}
		u := make([]float64, n)
		for i := range u {
			u[i] = r.NormFloat64()
		}
		if s != nil {
			if err := s.Project(u); err != nil {
				t.Fatal(err)
			}
		}
		value, _ := gradient(make([]float64, n), u)
		p, err := proof.Prove(context.Background(), q, s, u, value, proof.Budget{Boxes: 60, Work: 60_000})
		lines = append(lines, fmt.Sprintf("%d %T: %s", k, s, said(p, err)))
		if err == nil && p.IsBetter {
			p, err = proof.Prove(context.Background(), q, s, p.Decision, p.Upper, proof.Budget{Boxes: 60, Work: 60_000})
			lines = append(lines, "   then "+said(p, err))
		}
		box := make([]interval.Span, n)
		for i := range box {
			box[i] = interval.Span{Lo: at[i] - r.Float64(), Hi: at[i] + r.Float64()}
		}
		for order := range 3 {
			jet := make(interval.Jet, interval.Jets{Variables: n, Order: order}.Size())
			work := q.Enclose(jet, box)
			lines = append(lines, fmt.Sprintf("   %d: %.14g", work, jet))
		}
	}
	evidence.AsRecorded(t, "testdata/paraboloids.txt", lines)
}

// A gradient that fails anywhere around the decision is an error of the fit.
func TestFitsOfParaboloidsFail(t *testing.T) {
	broken := errors.New("broken")
	for bad := range 5 {
		calls := 0
		q, err := proof.FitParaboloid(func(g, u []float64) (float64, error) {
			if calls++; calls == bad+1 {
				return 0, broken
			}
			return 0, nil
		}, []float64{1, 2})
		if q != nil || !errors.Is(err, broken) {
			t.Errorf("call %d fails: %v, %v", bad, q, err)
		}
	}
}
