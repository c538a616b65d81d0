package online_test

import (
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// classic is a problem whose stable, myopic (decisions held for one turn) and optimal decisions are known.
type classic struct {
	name     string
	f        kedge.Smooth
	loss     kedge.RowObjective
	answer   kedge.Sensitivity
	set      kedge.Set
	states   []float64
	traits   []float64
	start    []float64
	step     float64 // good for gradients
	contract float64
	hold     int // turns until the population has settled to 1e-5 or better
	delta    float64
	curved   bool // the loss is strongly convex in the decision, and more so than the population answers
	normal   bool // as good as normal: covariances are regular and third moments 0
	family   bool // an affine location family

	flat, steep float64 // least and greatest curvature of Φ̃ along the set at the optimum
	push        float64 // length of ∇Φ̃ there, which the set holds
	value       float64 // Φ̃ there
	echo        float64 // Σₖ ‖(AᵏB)ᵀ∂Φ/∂p‖² over k ≥ 1 at the myopic point: what earlier perturbations do to the loss

	stable, myopic, optimal []float64
	alternating             []float64 // what two-point feedback finds without waiting, see TwoPoint
}

func (c *classic) crowd(pick population.Picker) *population.Crowd {
	return must(population.New(c.f, c.states, c.traits, pick))
}

func (c *classic) people() int { return len(c.states) / c.f.Dims().State }

// affine is a problem with p⁺ = Ap + Bu + Ed and a quadratic loss.
func affine(c classic, dim kedge.Dims, a, b, e, r, s, q []float64) *classic {
	f := must(dynamics.NewAffine(dim, a, b, e))
	c.f, c.loss = f, must(objective.NewQuadratic(dim, r, s, q, nil, nil))
	c.answer = must(sensitivity.NewAffine(dim, must(f.Gain())))
	c.states = make([]float64, len(c.traits)/dim.Trait*dim.State)
	c.family = true
	return &c
}

func diagonal(n int, v float64) []float64 {
	m := make([]float64, n*n)
	for i := range n {
		m[i*n+i] = v
	}
	return m
}

func filled(n int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// lq2 is the rational problem: with G = (I−A)⁻¹B = [5/4 1/2; 1/2 1], F = (I−A)⁻¹E and E d = (1, −1), R = 2I and S = Q = I,
//
//	optimal −(R+G+Gᵀ+GᵀG)⁻¹(I+Gᵀ)Fμ,   stable −(R+G)⁻¹Fμ,   myopic −(R+G+Bᵀ+BᵀG)⁻¹(I+Bᵀ)Fμ.
func lq2() *classic {
	return affine(classic{
		name: "LQ2", echo: 0.004, flat: 3.6, steep: 8, value: 6057.0 / 7328, alternating: []float64{-838.0 / 3773, 1550.0 / 3773}, set: set.Whole{}, traits: []float64{2, -0.5, 0, -0.5, 2, -1.5, 0, -1.5}, start: []float64{0.5, 0.5},
		step: 0.1, contract: 0.64, hold: 20, delta: 0.05, curved: true, normal: true,
		optimal: []float64{-56.0 / 229, 99.0 / 229}, stable: []float64{-4.0 / 19, 7.0 / 19}, myopic: []float64{-62.0 / 273, 38.0 / 91},
	}, kedge.Dims{Decision: 2, State: 2, Trait: 2}, []float64{0.5, 0.25, 0, 0.5}, []float64{0.5, 0, 0.25, 0.5}, diagonal(2, 0.5),
		diagonal(2, 2), diagonal(2, 1), diagonal(2, 1))
}

// pricing is p⁺ = ½p − ½u + ½d, E d = 2, with the loss −up + ½κu². Settled, p = 2 − u, so the stable price solves κu = 2 − u, the
// optimal one (κ+1)u = 2 − u and, with the answer −½ of one turn, the myopic one (κ+½)u = 2 − u.
func pricing(kappa float64) *classic {
	return affine(classic{
		name: "scalar pricing", echo: 0.03, flat: kappa + 2, steep: kappa + 2, value: -2 / (kappa + 2), alternating: []float64{2 / (kappa + 1.375)}, set: set.Whole{}, traits: []float64{1, 3}, start: []float64{0.3},
		step: 0.1, contract: 0.5, hold: 16, delta: 0.05, curved: kappa > 1, normal: true,
		stable: []float64{2 / (kappa + 1)}, optimal: []float64{2 / (kappa + 2)}, myopic: []float64{2 / (kappa + 1.5)},
	}, kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0.5}, []float64{-0.5}, []float64{0.5}, []float64{kappa}, []float64{-1}, nil)
}

// gaussianMean is the estimation of a mean that follows the estimate: p ~ μ₀ + εu with the loss ½(u − p)². Whether one counts the
// answer or not, u = μ₀/(1−ε) has expected error 0.
func gaussianMean() *classic {
	at := []float64{2}
	return affine(classic{
		name: "Gaussian mean", flat: 0.25, steep: 0.25, value: 0.5, alternating: at, set: set.Whole{}, traits: []float64{0, 2}, start: []float64{0},
		step: 1, contract: 0.1, hold: 1, delta: 0.05, curved: true, normal: true, stable: at, optimal: at, myopic: at,
	}, kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0}, []float64{0.5}, []float64{1}, []float64{1}, []float64{-1}, []float64{1})
}

// linearPricing is demand p ~ μ₀ − εu at once, with the loss −up: stable where demand is 0, u = μ₀/ε, and optimal at half of that.
func linearPricing() *classic {
	return affine(classic{
		name: "linear pricing", flat: 1, steep: 1, value: -0.5, alternating: []float64{1}, set: set.Box{Lower: []float64{0}, Upper: []float64{4}}, traits: []float64{0.5, 1.5}, start: []float64{0.5},
		step: 0.5, contract: 0.1, hold: 1, delta: 0.05, normal: true, stable: []float64{2}, optimal: []float64{1}, myopic: []float64{1},
	}, kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0}, []float64{-0.5}, []float64{1}, nil, []float64{-1}, nil)
}

// statefulToy is five prices and demands that settle at p = 2 − 0.8u, half of the way a turn, with the loss −uᵀp. Stable where
// p = 0, u = 2.5; optimal where 2 − 1.6u = 0, u = 1.25, at the loss −5·1.25·1 = −6.25; with the answer −0.4 of one turn
// 2 − 0.8u − 0.4u = 0, u = 5/3.
func statefulToy() *classic {
	const n = 5
	traits := make([]float64, 0, 2*n*n)
	for i := range 2 * n { // 2 ± eᵢ
		d := filled(n, 2)
		d[i/2] += float64(1 - 2*(i%2))
		traits = append(traits, d...)
	}
	return affine(classic{
		name: "stateful toy", echo: 0.75, flat: 1.6, steep: 1.6, value: -6.25, alternating: filled(n, 20.0/11), set: set.Box{Lower: filled(n, 0), Upper: filled(n, 5)}, traits: traits, start: filled(n, 0.5),
		step: 0.3, contract: 0.5, hold: 16, delta: 0.05, normal: true, stable: filled(n, 2.5), optimal: filled(n, 1.25), myopic: filled(n, 5.0/3),
	}, kedge.Dims{Decision: n, State: n, Trait: n}, diagonal(n, 0.5), diagonal(n, -0.4), diagonal(n, 0.5), nil, diagonal(n, -1), nil)
}

// at once is a population without memory: p = f(u, d), with the loss pu.
func atOnce(c classic, trait int, f, slope func(u float64, d []float64) float64) *classic {
	dim := kedge.Dims{Decision: 1, State: 1, Trait: trait}
	c.f = dynamics.Func{Size: dim,
		F: func(dst, _, u, d []float64) { dst[0] = f(u[0], d) },
		Pull: func(_, gu, _, u, d, v []float64) {
			if gu != nil {
				gu[0] += slope(u[0], d) * v[0]
			}
		}}
	c.loss = must(objective.NewQuadratic(dim, nil, []float64{1}, nil, nil, nil))
	c.answer = &sensitivity.Implicit{Dynamics: c.f}
	c.states = make([]float64, len(c.traits)/trait)
	c.contract, c.hold, c.normal = 0.1, 1, true
	return &c
}

// mixture is half N(1 + u, 1) and half N(¼ + ¾u, ¼), the noise by two points each. The mean is 5/8 + 7/8 u, so with the loss pu
// the stable decision is −5/7 and the optimal one, where 5/8 + 14/8 u = 0, −5/14.
func mixture() *classic {
	return atOnce(classic{
		name: "mixture map", flat: 1.75, steep: 1.75, value: -25.0 / 224, alternating: []float64{-5.0 / 14}, set: set.Box{Lower: []float64{-2}, Upper: []float64{2}}, start: []float64{1}, step: 0.4, delta: 0.05,
		traits: []float64{2, 1, 0, 1, 0.75, 0.75, -0.25, 0.75},
		stable: []float64{-5.0 / 7}, optimal: []float64{-5.0 / 14}, myopic: []float64{-5.0 / 14},
	}, 2, func(u float64, d []float64) float64 { return d[0] + d[1]*u }, func(_ float64, d []float64) float64 { return d[1] })
}

// squareRoot has the mean √(1+u) on u ≥ −1: the stable decision is −1, where the mean is 0, and the optimal one, where
// √(1+u) + u/(2√(1+u)) = 0, −2/3 [izzo2021].
func squareRoot() *classic {
	return atOnce(classic{
		name: "square-root map", flat: 2.6, steep: 2.6, value: -math.Sqrt(4.0 / 27), alternating: []float64{-2.0 / 3}, set: set.Box{Lower: []float64{-1}, Upper: []float64{1}}, start: []float64{0.5}, step: 0.2, delta: 0.02,
		traits: []float64{0.3, -0.3}, stable: []float64{-1}, optimal: []float64{-2.0 / 3}, myopic: []float64{-2.0 / 3},
	}, 1, func(u float64, d []float64) float64 { return math.Sqrt(max(0, 1+u)) + d[0] },
		func(u float64, _ []float64) float64 { return 0.5 / math.Sqrt(max(1e-12, 1+u)) })
}

// choice is one buyer of four goods. At the stable point all shares are equal, so softmax(−εq)ᵢ = ((1−λ₁)/m − (1−λ₁−λ₂)dᵢ)/λ₂
// [he2025, softmax steady state]. The optimum is where the exact gradient of the settled population comes to rest; the myopic point
// is the same with the answer of one turn, which is 1−λ₁ of the whole one.
func choice(t *testing.T) *classic {
	const m, l1, l2, eps, budget = 4, 0.2, 0.5, 0.5, 10.0
	h := &sensitivity.Choice{Dim: m, Lambda1: l1, Lambda2: l2, Epsilon: eps}
	f := dynamics.Choice{Dim: m, Lambda1: l1, Lambda2: l2, Epsilon: eps}
	c := &classic{
		name: "softmax", flat: 0.12, steep: 0.19, push: 0.5, f: f, loss: objective.Revenue{Entropy: 0.1}, answer: h, set: set.Simplex{Sum: budget},
		states: []float64{0.4, 0.3, 0.2, 0.1}, traits: []float64{0.4, 0.3, 0.2, 0.1}, start: []float64{4, 3, 2, 1},
		step: 4, contract: l1, hold: 8, delta: 0.2,
	}
	c.stable = make([]float64, m)
	for i, d := range c.traits {
		c.stable[i] = -math.Log(((1-l1)/m-(1-l1-l2)*d)/l2) / eps
	}
	shift := (budget - rows.Sum(c.stable)) / m
	for i := range c.stable {
		c.stable[i] += shift
	}
	c.optimal, c.myopic = search(t, c, f, h), search(t, c, f, dulled{h, 1 - l1})
	c.alternating = search(t, c, f, dulled{h, (1 - l1) * (1 - l1/2)})
	c.value = c.settledValue(t, c.optimal)
	return c
}

// dulled is a sensitivity that misses a part.
type dulled struct {
	of   kedge.Sensitivity
	part float64
}

func (s dulled) PullRows(gu, p, u, d, v []float64) error {
	v = append([]float64(nil), v...)
	rows.Scale(v, s.part)
	return s.of.PullRows(gu, p, u, d, v)
}

// search finds where the settled gradient with the given sensitivity vanishes over the set, by steps that have long come to rest.
func search(t *testing.T, c *classic, f kedge.RowSettler, h kedge.Sensitivity) []float64 {
	t.Helper()
	phi := must(steady.New(kedge.Model{Settler: f, Objective: c.loss, Sensitivity: h, Traits: kedge.Block{Data: c.traits, Width: c.f.Dims().Trait}}))
	u, g := append([]float64(nil), c.start...), make([]float64, len(c.start))
	for range 5000 {
		must(phi.Gradient(g, u))
		rows.AddScaled(u, -1, g)
		if err := c.set.Project(u); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

// mirror is two people at ±45° of the axis: by symmetry the axis is stable and optimal, with the affinity 0.8996243113.
func mirror() *classic {
	s := math.Sqrt(0.5)
	people, axis := []float64{s, s, -s, s}, []float64{0, 1}
	return &classic{
		name: "mirror persons", flat: 0.52, steep: 0.53, push: 1.0954, value: -0.8996243113, alternating: axis, f: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, loss: objective.Affinity{},
		answer: &sensitivity.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, set: set.Ball{Radius: 1},
		states: people, traits: people, start: []float64{0.6, 0.5}, step: 0.5, contract: 0.8, hold: 30, delta: 0.1,
		stable: axis, optimal: axis, myopic: axis,
	}
}

// play lets a rule and a crowd of the problem take turns on samples of the given size until after, which sees how many there were,
// tells it to stop.
func (c *classic) play(d *online.Descent, loss kedge.RowObjective, batch int, pick population.Picker, after func(turns int) (stop bool)) error {
	crowd, dim := c.crowd(pick), c.f.Dims()
	o := kedge.Observation{U: make([]float64, dim.Decision), P: make([]float64, batch*dim.State), D: make([]float64, batch*dim.Trait)}
	for {
		d.Ask(o.U)
		if err := crowd.Respond(context.Background(), o.U); err != nil {
			return err
		}
		if _, err := crowd.Sample(o.P, o.D); err != nil {
			return err
		}
		o.Loss = loss.EvalRows(nil, nil, o.P, o.U, o.D) / float64(batch)
		if err := d.Tell(o); err != nil {
			return err
		}
		if o.Round++; after(o.Round) {
			return nil
		}
	}
}

// settledValue is Φ̃(u).
func (c *classic) settledValue(t *testing.T, u []float64) float64 {
	t.Helper()
	phi := must(steady.New(kedge.Model{Settler: dynamics.Settled(c.f), Objective: c.loss, Sensitivity: c.answer, Traits: kedge.Block{Data: c.traits, Width: c.f.Dims().Trait}}))
	return must(phi.Value(u))
}

// The answers that the problems claim are those of their own settled populations: at the optimum Φ̃ has the value that is known
// and is lower than nearby, at the stable point the partial gradient vanishes along the set.
func TestClassicsAreRight(t *testing.T) {
	for _, c := range classics(t) {
		best := c.settledValue(t, c.optimal)
		if !(math.Abs(best-c.value) <= 1e-9) {
			t.Errorf("%s: the value at the optimum is %v, want %v", c.name, best, c.value)
		}
		phi := must(steady.New(kedge.Model{Settler: dynamics.Settled(c.f), Objective: c.loss, Sensitivity: c.answer, Traits: kedge.Block{Data: c.traits, Width: c.f.Dims().Trait}}))
		for _, one := range []struct {
			at       []float64
			gradient func(g, u []float64) (float64, error)
		}{{c.optimal, phi.Gradient}, {c.stable, phi.Partial}} {
			g, moved := make([]float64, len(c.start)), append([]float64(nil), one.at...)
			must(one.gradient(g, one.at))
			rows.AddScaled(moved, -0.1, g)
			if err := c.set.Project(moved); err != nil || rows.Distance(moved, one.at) > 1e-9 {
				t.Errorf("%s: a step from %v leads to %v (%v)", c.name, one.at, moved, err)
			}
		}
	}
}

func classics(t *testing.T) []*classic {
	return []*classic{lq2(), pricing(2), gaussianMean(), linearPricing(), statefulToy(), mixture(), squareRoot(), choice(t), mirror()}
}
