package formula

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Blocks of people give everybody the bits that he has alone, and sums over them those of adding up one by one but for rounding; destinations are added to, and what is not asked for is not missed.
func TestBlocksAreAsAlone(t *testing.T) {
	r := author{rand.New(rand.NewPCG(21, 2))}
	for trial := range 60 {
		x := newTrial(t, r)
		n := []int{1, 63, 64, 65, 131}[trial%5]
		draw := func(n int) []float64 {
			all := make([]float64, n)
			for i := range all {
				all[i] = r.NormFloat64()
			}
			return all
		}
		p, u, d, v, next, gp, gu := draw(4*n), draw(3), draw(2*n), draw(4*n), make([]float64, 4*n), draw(4*n), draw(3)
		f, o := x.model.Dynamics(), x.model.Objective()
		wantP, wantU, wantLoss, wantGP, wantGU, one := append([]float64(nil), gp...), append([]float64(nil), gu...), 0.0, make([]float64, 4*n), make([]float64, 3), make([]float64, 4)
		gotGP, gotGU := make([]float64, 4*n), make([]float64, 3)
		f.NextRows(next, p, u, d)
		for i := range n {
			f.Next(one, p[4*i:4*i+4], u, d[2*i:2*i+2])
			if !sameNumbers(one, next[4*i:4*i+4]) {
				t.Fatalf("%s: %d of %d is %v, alone %v", x.source.Next, i, n, next[4*i:4*i+4], one)
			}
			f.Pullback(wantP[4*i:4*i+4], wantU, p[4*i:4*i+4], u, d[2*i:2*i+2], v[4*i:4*i+4])
			wantLoss += o.Eval(wantGP[4*i:4*i+4], wantGU, p[4*i:4*i+4], u, d[2*i:2*i+2])
		}
		apart, apartU := append([]float64(nil), gp...), append([]float64(nil), gu...)
		f.PullbackRows(gp, gu, p, u, d, v)
		f.PullbackRows(apart, nil, p, u, d, v)
		f.PullbackRows(nil, apartU, p, u, d, v)
		loss := o.EvalRows(gotGP, gotGU, p, u, d)
		if !sameNumbers(gp, wantP) || !sameNumbers(apart, gp) || !sameNumbers(gotGP, wantGP) || !same(loss, o.EvalRows(nil, nil, p, u, d)) {
			t.Fatalf("%s, %s: slopes of %d in their states differ from those alone", x.source.Next, x.source.Minimize, n)
		}
		for what, c := range map[string][2][]float64{"u": {gu, wantU}, "u alone": {apartU, wantU}, "the loss in u": {gotGU, wantGU}, "the loss": {{loss}, {wantLoss}}} {
			if size := rows.MaxAbs(c[1]); size < 1e9 && !(rows.Distance(c[0], c[1]) <= 1e-10*max(1, size)*float64(n)) {
				t.Fatalf("%s, %s: %s of %d is %v, one by one %v", x.source.Next, x.source.Minimize, what, n, c[0], c[1])
			}
		}
	}
}

// Norms of rows are those of each, however large or small its numbers are: squares of some overflow, and of others vanish.
func TestNormsOfRows(t *testing.T) {
	const n, m = 9, 3
	x, got := make([]float64, n*m), make([]float64, n)
	for i := range x {
		x[i] = float64(i%4-1) * math.Pow(10, 50*float64(i/m-4))
	}
	norms(n, operand{got, 1, 1}, operand{x, m, m})
	for i, v := range got {
		row := x[i*m : (i+1)*m]
		if want := math.Hypot(math.Hypot(row[0], row[1]), row[2]); !(math.Abs(v-want) <= 4e-16*want) || v == 0 {
			t.Errorf("the norm of %v is %v, want %v", row, v, want)
		}
	}
}

func sameNumbers(x, y []float64) bool {
	for i, v := range x {
		if !same(v, y[i]) {
			return false
		}
	}
	return true
}

// At a point almost all enclosures of random models are narrow, most with Hessians that are those of differences of gradients.
func TestEnclosuresOfPointsAreNarrow(t *testing.T) {
	r := author{rand.New(rand.NewPCG(31, 1))}
	jets := interval.Jets{Variables: 3, Order: 2}
	values, slopes, bends, all := 0, 0, 0, 0
	for range 300 {
		x := newTrial(t, r)
		p, u, d := x.p[:4], x.u, x.d[:2]
		e := newEncloser(jets, x.model.loss)
		e.numbers(opState, interval.Points(p))
		e.variables(opDecision, interval.Points(u))
		e.numbers(opTrait, interval.Points(d))
		e.run(e.shared)
		e.run(e.own)
		jet, g := e.entry(x.model.loss, 0), make([]float64, 3)
		loss := x.model.Objective().Eval(nil, g, p, u, d)
		if !(math.Abs(loss) < 1e6 && rows.MaxAbs(g) < 1e6) {
			continue
		}
		all++
		is := func(s interval.Span, v, by float64) bool {
			return s.Radius() < by*(1+math.Abs(v)) && math.Abs(s.Mid()-v) < by*(1+math.Abs(v))
		}
		if is(jet[0], loss, 1e-9) {
			values++
		}
		if is(jet[1], g[0], 1e-8) && is(jet[2], g[1], 1e-8) && is(jet[3], g[2], 1e-8) {
			slopes++
		}
		ok := true
		for j := range 3 {
			const h = 1e-6
			up, down, at := make([]float64, 3), make([]float64, 3), append([]float64(nil), u...)
			at[j] = u[j] + h
			x.model.Objective().Eval(nil, up, p, at, d)
			at[j] = u[j] - h
			x.model.Objective().Eval(nil, down, p, at, d)
			for i := range 3 {
				ok = ok && is(jet[jets.Hessian(i, j)], (up[i]-down[i])/(2*h), 1e-4)
			}
		}
		if ok {
			bends++
		}
	}
	if t.Logf("of %d values %d, slopes %d, bends %d", all, values, slopes, bends); values < all*99/100 || slopes < all*97/100 || bends < all*70/100 {
		t.Errorf("of %d enclosures of points %d are narrow, of slopes %d, of bends %d", all, values, slopes, bends)
	}
}
