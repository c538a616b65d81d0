package optimum_test

import (
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// The rational linear-quadratic problem: A = [½ ¼; 0 ½], B = [½ 0; ¼ ½], E = ½I, R = 2I, S = Q = I, d of mean (1, −1) and
// variances 1 and ¼. With G = [5/4 1/2; 1/2 1], F = [1 1/2; 0 1] and H = [101 34; 34 84]/16 the best decision with
// E p₁ ≤ β is u★ − H⁻¹Gᵀa·λ, λ = (aᵀ(Gu★ + Fμ) − β)/(aᵀGH⁻¹Gᵀa), a = (1, 0). Under normal traits CVaR and chance constraints
// are the same with β − κs for β, s² = aᵀFΣFᵀa = 17/16, κ = φ(z)/(1 − level) or κ = z.
var dims = kedge.Dims{Decision: 2, State: 2, Trait: 2}

const deviation = 1.0307764064044151 // s

type world struct {
	dynamics    *dynamics.Affine
	sensitivity kedge.Sensitivity
	loss        *objective.Quadratic
	first       *objective.Quadratic // p₁
}

func lq2(t testing.TB) world {
	t.Helper()
	f, err := dynamics.NewAffine(dims, []float64{.5, .25, 0, .5}, []float64{.5, 0, .25, .5}, []float64{.5, 0, 0, .5})
	must(t, err)
	gain, err := f.Gain()
	must(t, err)
	h, err := sensitivity.NewAffine(dims, gain)
	must(t, err)
	identity := []float64{1, 0, 0, 1}
	loss, err := objective.NewQuadratic(dims, []float64{2, 0, 0, 2}, identity, identity, nil, nil)
	must(t, err)
	first, err := objective.NewQuadratic(dims, nil, nil, nil, nil, []float64{1, 0})
	must(t, err)
	return world{f, h, loss, first}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// closed returns the decision and multiplier of E p₁ ≤ β.
func closed(beta float64) (u [2]float64, multiplier float64) {
	const det = (101*84 - 34*34) / 256.0
	best := [2]float64{-56.0 / 229, 99.0 / 229}
	toward := [2]float64{(84*1.25 - 34*.5) / 16 / det, (101*.5 - 34*1.25) / 16 / det} // H⁻¹Gᵀa
	multiplier = (1.25*best[0] + .5*best[1] + .5 - beta) / (1.25*toward[0] + .5*toward[1])
	return [2]float64{best[0] - multiplier*toward[0], best[1] - multiplier*toward[1]}, multiplier
}

func (w world) constraint(m risk.Measure, bound float64) risk.Constraint {
	return risk.Constraint{Name: "p₁", Loss: w.first, Measure: m, Bound: bound, Sensitivity: w.sensitivity, Dims: dims}
}

// play runs the composite rule under constraints and returns it with the average of its iterates.
func (w world) play(t testing.TB, traits []float64, pick population.Picker, batch, turns int, step, dual online.Schedule, all ...risk.Constraint) (*online.Descent, []float64) {
	t.Helper()
	var list []online.Restriction
	for _, c := range all {
		g, err := risk.NewGauge(c)
		must(t, err)
		list = append(list, g)
	}
	gradient, err := online.NewLagrangian(2, &online.Composite{Objective: w.loss, Sensitivity: w.sensitivity, Dims: dims}, list, online.Dual{Step: dual, Most: most(len(all))})
	must(t, err)
	rule, err := online.Rule{Gradient: gradient, Step: step, Set: set.Whole{}, Average: turns / 2}.From([]float64{0, 0})
	must(t, err)
	crowd, err := population.Gather(population.Config{Dynamics: w.dynamics, Traits: kedge.Block{Data: traits, Width: 2}, Pick: pick})
	must(t, err)
	l := loop.Loop{Population: crowd, Algorithm: rule, Objective: w.loss, Turns: turns, Batch: batch}
	must(t, l.Run(context.Background()))
	u := make([]float64, 2)
	rule.Center(u)
	return rule, u
}

// people are 400 individuals of mean (1, −1) whose p₁ has the CVaR of the normal law of deviation s at the given level, that is
// mean + κs: equally likely normal quantiles in the first entry, scaled to it.
func people(level, kappa float64) []float64 {
	const n = 400
	traits, worst := make([]float64, 0, 2*n), 0.0
	z := make([]float64, n)
	for i := range z {
		z[i] = math.Sqrt2 * math.Erfinv(2*(float64(i)+.5)/n-1)
	}
	tail := int(math.Round((1 - level) * n))
	for _, v := range z[n-tail:] {
		worst += v / float64(tail)
	}
	for _, v := range z {
		traits = append(traits, 1+v*kappa*deviation/worst, -1)
	}
	return traits
}

func off(got []float64, want [2]float64) float64 { return math.Hypot(got[0]-want[0], got[1]-want[1]) }

func everybody() population.Picker {
	return &population.WithoutReplacement{Source: stream.New(1, "everybody")}
}

// drawn draws n people of mean (1, −1) and variances 1 and ¼.
func drawn(seed uint64, n int) []float64 {
	traits := make([]float64, 2*n)
	stream.New(seed, "people").Normals(traits)
	for i := 0; i < len(traits); i += 2 {
		traits[i], traits[i+1] = 1+traits[i], -1+.5*traits[i+1]
	}
	return traits
}

// most bounds every multiplier by 100.
func most(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 100
	}
	return list
}
