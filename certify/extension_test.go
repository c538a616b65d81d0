package certify

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
)

// With Q = diag(1, 4) the metric of lq2 is P₁₁ = 4/3, P₁₂ = 2/9, P₂₂ = 149/27, by hand; A contracts in it by ‖P^½AP^−½‖, here from the
// largest ratio of ‖Ax‖_P to ‖x‖_P over a circle; and Q = I is what nothing stands for.
func TestQIsChosen(t *testing.T) {
	p := lq2(t)
	c, err := Premises{Q: []float64{1, 0, 0, 4}}.Derive(p.Model)
	must(t, err)
	for i, want := range []float64{4. / 3, 2. / 9, 2. / 9, 149. / 27} {
		near(t, "P", c.Metric[i], want, 1e-12)
	}
	most := 0.0
	for i := range 100_000 {
		sin, cos := math.Sincos(math.Pi * float64(i) / 100_000)
		most = max(most, c.Length([]float64{0.5*cos + 0.25*sin, 0.5 * sin})/c.Length([]float64{cos, sin}))
	}
	near(t, "L_f^p", c.Value(LfP), most, 1e-8)
	plain, err := Derive(p.Model, 0)
	must(t, err)
	same, err := Premises{Q: []float64{1, 0, 0, 1}}.Derive(p.Model)
	must(t, err)
	near(t, "L_f^p of Q = I", same.Value(LfP), plain.Value(LfP), 1e-14)
	for text, q := range map[string][]float64{"symmetric": {1, 2, 0, 4}, "positive definite": {1, 2, 2, 1}, "4": {1, 2, 3}} {
		if _, err := (Premises{Q: q}).Derive(p.Model); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("Q = %v: %v", q, err)
		}
	}
}

// theoryOfLQ2 has the constants of lq2 whose batches of n are drawn with replacement, everybody starting at the own trait.
func theoryOfLQ2(t *testing.T, n, turns int) Theory {
	c, err := Derive(lq2(t).Model, 0)
	must(t, err)
	return Theory{Bias: c.Value(Lp), Smooth: 7.97165, Rho1: c.Value(Rho1), Rho2: c.Value(Rho2), Start: 1 / math.Sqrt(3), Gap: 0.4547, Noise: 7.24, Batch: float64(n), Turns: float64(turns)}
}

// With constant steps the bound of diminishing ones is the tight one of Theorem 5.
func TestWeightedOfConstantSteps(t *testing.T) {
	th := theoryOfLQ2(t, 4, 700)
	near(t, "bound", th.Weighted(SumSteps(700, func(int) float64 { return 0.013 })), th.Gradient(0.013), 1e-12)
}

// loopOfLQ2 runs composite on lq2 and returns Σ wₖ E‖·‖² of what it is told to look at, over a few hundred runs.
func loopOfLQ2(turns, n int, step func(k int) float64, project func(u []float64), look func(k int, u, gradient []float64) float64) (mean float64) {
	const runs = 300
	r := rand.New(rand.NewPCG(4, 2))
	traits := [][]float64{{2, -0.5}, {2, -1.5}, {0, -0.5}, {0, -1.5}}
	pull, hessian := []float64{2.25, 0.5, 0.5, 2}, []float64{101. / 16, 34. / 16, 34. / 16, 84. / 16}
	for range runs {
		u, p := []float64{0, 0}, [][]float64{{2, -0.5}, {2, -1.5}, {0, -0.5}, {0, -1.5}}
		for k := range turns {
			for i, x := range p {
				p[i] = []float64{0.5*x[0] + 0.25*x[1] + 0.5*u[0] + 0.5*traits[i][0], 0.5*x[1] + 0.25*u[0] + 0.5*u[1] + 0.5*traits[i][1]}
			}
			exact := []float64{hessian[0]*u[0] + hessian[1]*u[1] + 0.625, hessian[2]*u[0] + hessian[3]*u[1] - 1.75}
			mean += look(k, u, exact) / runs
			x := []float64{0, 0}
			for range n {
				rows.AddScaled(x, 1/float64(n), p[r.IntN(4)])
			}
			g := []float64{pull[0]*x[0] + pull[1]*x[1] + 3.25*u[0] + 0.5*u[1], pull[2]*x[0] + pull[3]*x[1] + 0.5*u[0] + 3*u[1]}
			rows.AddScaled(u, -step(k), g)
			project(u)
		}
	}
	return mean
}

// Steps that diminish keep below their bound on lq2, simulated here by hand; and the simulation is right: the run ends near the optimum.
func TestDiminishingStepsKeepTheirBound(t *testing.T) {
	th := theoryOfLQ2(t, 2, 300)
	step := func(k int) float64 { return th.LargestStep() / math.Pow(1+float64(k)/20, 0.75) }
	s := SumSteps(300, step)
	var last []float64
	measured := loopOfLQ2(300, 2, step, func([]float64) {}, func(k int, u, g []float64) float64 {
		last = u
		return step(k) * rows.Dot(g, g) / s.Sum
	})
	if bound := th.Weighted(s); measured > bound || bound > 100*measured {
		t.Errorf("measured %v, bound %v", measured, bound)
	}
	near(t, "end", rows.Distance(last, []float64{-56. / 229, 99. / 229}), 0, 0.2)
}

// So do projected steps, with a ball that the optimum lies outside of, noisy and exact.
func TestProjectedStepsKeepTheirBound(t *testing.T) {
	ball := set.Ball{Radius: 0.2}
	for _, n := range []int{1, 8} {
		th := theoryOfLQ2(t, n, 300)
		step := th.LargestStepProjected()
		measured := loopOfLQ2(300, n, func(int) float64 { return step }, func(u []float64) { must(t, ball.Project(u)) }, func(_ int, u, g []float64) float64 {
			v := append([]float64(nil), u...)
			rows.AddScaled(v, -step, g)
			must(t, ball.Project(v))
			d := rows.Distance(u, v) / step
			return d * d / 300
		})
		if bound := th.Projected(step); measured > bound || bound > 1000*measured {
			t.Errorf("batch %d: measured %v, bound %v", n, measured, bound)
		}
	}
	if _, most := dense.Eigenvalues([]float64{101. / 16, 34. / 16, 34. / 16, 84. / 16}, 2); !(math.Abs(most-7.97165) <= 1e-5) {
		t.Errorf("L_Φ̃ %v", most)
	}
}
