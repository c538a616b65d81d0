package loop_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// loopLQ2 are the matrices of the closed loop of the composite rule on LQ2: p_k = Ap_{k−1} + Bu_k + Ed_k and
// u_{k+1} = u_k − η(Kp̄_k + Ru_k) with K = I + Gᵀ and R = 2I + Gᵀ; the optimum is u★ = Tμ with T = −H⁻¹KF, H = R + KG.
type loopLQ2 struct{ a, b, k, r, t, h, f, g mat.Dense }

func newLoopLQ2() *loopLQ2 {
	var l loopLQ2
	one := mat.NewDiagDense(2, []float64{1, 1})
	l.a.CloneFrom(mat.NewDense(2, 2, []float64{0.5, 0.25, 0, 0.5}))
	l.b.CloneFrom(mat.NewDense(2, 2, []float64{0.5, 0, 0.25, 0.5}))
	var rest mat.Dense
	rest.Sub(one, &l.a)
	must(l.g.Solve(&rest, &l.b))
	must(l.f.Solve(&rest, mat.NewDiagDense(2, []float64{0.5, 0.5})))
	l.k.Add(one, l.g.T())
	l.r.Add(&l.k, one)
	l.h.Mul(&l.k, &l.g)
	l.h.Add(&l.h, &l.r)
	var kf mat.Dense
	kf.Mul(&l.k, &l.f)
	must(l.t.Solve(&l.h, &kf))
	l.t.Scale(-1, &l.t)
	return &l
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// lag is the offset u_k − u★_k at which the rule follows an optimum whose population drifts by v a turn. There p_k and u_k
// move by (GT + F)v and Tv a turn, so p_k is (I−A)⁻¹A(GT + F)v behind where it would settle under u_k, and the step
// −η(Kp_k + Ru_k) is Tv:
//
//	lag = H⁻¹[K(I−A)⁻¹A(GT + F) − T/η]v.
func (l *loopLQ2) lag(eta float64, v []float64) []float64 {
	var move, rest, behind, sum, out mat.Dense
	move.Mul(&l.g, &l.t)
	move.Add(&move, &l.f)
	move.Mul(&l.a, &move)
	rest.Sub(mat.NewDiagDense(2, []float64{1, 1}), &l.a)
	must(behind.Solve(&rest, &move))
	sum.Mul(&l.k, &behind)
	var slow mat.Dense
	slow.Scale(1/eta, &l.t)
	sum.Sub(&sum, &slow)
	must(out.Solve(&l.h, &sum))
	var x mat.VecDense
	x.MulVec(&out, mat.NewVecDense(2, v))
	return x.RawVector().Data
}

func compositeLQ2(t *testing.T, q lq2) online.Estimator {
	return &online.Composite{Objective: q.loss, Sensitivity: q.sensitivity(t), Dims: lq2Dims}
}

// The lag of the composite rule behind a ramp, η = 0.1 and d drifting by (1, −2)·10⁻³ a turn, is (5.0823e-4, −2.31426e-3): by
// the closed form, and in a simulated loop.
func TestRampLag(t *testing.T) {
	const turns = 400
	v, l := []float64{1e-3, -2e-3}, newLoopLQ2()
	want := l.lag(0.1, v)
	if !(math.Abs(want[0]-5.0823e-4) <= 5e-9) || !(math.Abs(want[1]+2.31426e-3) <= 5e-9) {
		t.Errorf("the closed form gives %.6g, want (5.0823e-4, −2.31426e-3)", want)
	}
	q := newLQ2(t)
	var err error
	q.crowd, err = population.Gather(population.Config{
		Dynamics: q.model, Traits: kedge.Block{Data: q.crowd.Traits(), Width: 2},
		Motion: &population.Motion{Drift: population.Drift{Rate: v}},
	})
	if err != nil {
		t.Fatal(err)
	}
	run, rule := q.loop(t, compositeLQ2(t, q), 0.1, turns, 1)
	if err := run.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, best := make([]float64, 2), mat.NewVecDense(2, nil)
	rule.Center(got)
	best.MulVec(&l.t, mat.NewVecDense(2, []float64{1 + turns*v[0], -1 + turns*v[1]}))
	rows.AddScaled(got, -1, best.RawVector().Data)
	t.Logf("lag %.6g, closed form %.6g", got, want)
	if e := rows.Distance(got, want) / rows.Norm(want); e > 1e-9 {
		t.Errorf("the rule is %.9g behind, want %.9g", got, want)
	}
}

// covariance returns E|u − u★|² of the stationary loop with fresh samples of n: the fixed point of X = MXMᵀ + N over
// (p_{k−1}, u_k) with M = [A, B; −ηKA, I − ηR − ηKB] and N = diag(0, η²K FΣFᵀKᵀ/n), Σ = diag(1, ¼).
func (l *loopLQ2) covariance(eta, n float64) float64 {
	var m, x, noise, kf mat.Dense
	m.CloneFrom(mat.NewDense(4, 4, nil))
	var ka, kb mat.Dense
	ka.Mul(&l.k, &l.a)
	kb.Mul(&l.k, &l.b)
	kf.Mul(&l.k, &l.f)
	for i := range 2 {
		for j := range 2 {
			m.Set(i, j, l.a.At(i, j))
			m.Set(i, 2+j, l.b.At(i, j))
			m.Set(2+i, j, -eta*ka.At(i, j))
			same := 0.0
			if i == j {
				same = 1
			}
			m.Set(2+i, 2+j, same-eta*(l.r.At(i, j)+kb.At(i, j)))
		}
	}
	noise.CloneFrom(mat.NewDense(4, 4, nil))
	var s mat.Dense
	s.Product(&kf, mat.NewDiagDense(2, []float64{1, 0.25}), kf.T())
	s.Scale(eta*eta/n, &s)
	noise.Slice(2, 4, 2, 4).(*mat.Dense).Copy(&s)
	x.CloneFrom(&noise)
	for range 2000 {
		x.Product(&m, &x, m.T())
		x.Add(&x, &noise)
	}
	return x.At(2, 2) + x.At(3, 3)
}

// spread averages |u − u★|² over turns.
type spread struct {
	from, n int
	mean    float64
}

func (a *spread) Record(s *kedge.Step) error {
	if s.K >= a.from {
		a.n++
		e := rows.Distance(s.U, lq2Optimal)
		a.mean += (e*e - a.mean) / float64(a.n)
	}
	return nil
}

// The composite rule on LQ2 with fresh samples of ten and η = 0.05 hovers about the optimum with E|u − u★|² = 3.77450e-3, with
// η = 0.1 at 9.78801e-3: by the closed form to the digits printed, simulated to 3 %.
func TestStationaryCovariance(t *testing.T) {
	for eta, want := range map[float64]float64{0.05: 3.77450e-3, 0.1: 9.78801e-3} {
		exact := newLoopLQ2().covariance(eta, 10)
		if !(math.Abs(exact-want) <= 5e-9) {
			t.Errorf("η = %v: the closed form gives %.7g, want %.7g", eta, exact, want)
		}
		q := newLQ2(t)
		crowd, err := population.New(q.model, nil, q.crowd.Traits(), population.WithReplacement{Source: stream.New(1, "sample")})
		if err != nil {
			t.Fatal(err)
		}
		q.crowd = crowd
		run, _ := q.loop(t, compositeLQ2(t, q), eta, 300_000, 1)
		a := &spread{from: 1000}
		run.Batch, run.Recorder = 10, a
		if err := run.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		t.Logf("η = %v: simulated %.5g, exact %.6g", eta, a.mean, exact)
		if e := math.Abs(a.mean/exact - 1); e > 0.03 {
			t.Errorf("η = %v: simulated %.5g, want %.5g", eta, a.mean, exact)
		}
	}
}
