package certify

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/transport"
)

// Along every path of every random problem, from any start and under any decisions: W₁ ≤ V, V⁺ ≤ L_f(V + L_h√λmax‖Δu‖), its
// squared form with ρ₁ and ρ₂, ‖e‖ ≤ L W₁ and ‖e‖ ≤ L_p V, and the sum of Theorem 3. W₁ is exact, by assignment.
func TestPathwiseBoundsHold(t *testing.T) {
	hold := evidence.For(t, evidence.Promise{Name: "bounds-paths", Text: "the same of 1,000 other problems: those on whose paths an inequality fails", Short: "60 problems"})
	r := rand.New(rand.NewPCG(6, 3))
	for i := range trials(60, 1000) {
		x := drawInstance(t, r, false)
		c, err := Derive(x.problem.Model, x.problem.Seed)
		must(t, err)
		w := walk{instance: x, c: c, u: slices.Clone(x.Start), p: slices.Clone(x.states)}
		said := w.follow(t, r)
		hold.Case(said == "", "problem %d (%v): %s", i, x, said)
	}
}

// walk is a path of a crowd and what was measured on it.
type walk struct {
	*instance
	c          *Constants
	u, p       []float64
	v          float64
	sum, moved float64 // Σ W₁² and Σ‖Δu‖²
}

// follow walks a few turns and says which inequality failed, if one did.
func (w *walk) follow(t *testing.T, r *rand.Rand) (said string) {
	const turns = 12
	start := 0.0
	for k := range turns {
		by := 0.0
		if k > 0 {
			by = w.step(r)
		}
		v, w1, e := w.measure(t)
		last := w.v
		w.v = v
		if k == 0 {
			start, last = v, v
		}
		lf, lh := w.c.Value(LfP), w.c.Value(LhU)*math.Sqrt(w.c.Value(PMax))
		w.moved += by * by
		w.sum += w1 * w1
		a, b := Theory{Rho1: w.c.Value(Rho1), Rho2: w.c.Value(Rho2), Start: start, Turns: 1}.Shift()
		for _, is := range []struct {
			what       string
			left, most float64
		}{
			{"W₁ ≤ V", w1, v},
			{"recursion of V", v, lf*last + lf*lh*by},
			{"recursion of V²", v * v, w.c.Value(Rho1)*last*last + w.c.Value(Rho2)*by*by},
			{"bias by W₁", e, w.c.Value(L) * w1},
			{"bias by V", e, w.c.Value(Lp) * v},
			{"Theorem 3", w.sum, a + b*w.moved},
		} {
			first := k == 0 && is.what[:3] == "rec"
			if !first && !(is.left <= is.most*(1+1e-9)+1e-9) {
				return is.what
			}
		}
	}
	return ""
}

// step moves the decision anywhere and lets the crowd answer.
func (w *walk) step(r *rand.Rand) (by float64) {
	was := slices.Clone(w.u)
	rows.AddScaled(w.u, math.Exp(2*r.NormFloat64()-1), normals(r, len(w.u)))
	next := make([]float64, len(w.p))
	kedge.Batched(w.Dynamics).NextRows(next, w.p, w.u, w.traits)
	w.p = next
	return rows.Distance(was, w.u)
}

// measure returns V, W₁ and the bias of the gradient.
func (w *walk) measure(t *testing.T) (v, w1, e float64) {
	t.Helper()
	n, r := w.lq.dim.State, w.lq.dim.Trait
	h := make([]float64, len(w.p))
	_, err := kedge.BatchedSettler(w.Settler).SettleRows(h, w.u, w.traits)
	must(t, err)
	count := kedge.Count(h, n)
	for i := range count {
		v += w.c.Length(minus(kedge.Row(w.p, i, n), kedge.Row(h, i, n))) / float64(count)
	}
	states, err := transport.Weighted(w.c.Metric, w.p, h, n)
	must(t, err)
	traits, err := transport.Euclidean(w.traits, w.traits, r)
	must(t, err)
	cost, err := transport.Mixed(states, traits)
	must(t, err)
	plan, err := transport.Assignment(context.Background(), cost)
	must(t, err)
	now, err := w.look(w.u, w.p, w.traits)
	must(t, err)
	then, err := w.look(w.u, h, w.traits)
	must(t, err)
	return v, plan.Value, rows.Distance(now.mean, then.mean)
}

// With batches drawn from the crowd and σ_mb the largest noise there can be, which satisfies Assumption 5, the bounds with
// probability 1−τ fail on at most a share τ of paths; on these they fail on none. The gradients of two crowds differ by at
// most L(L_h^d √λmax(P) + 1) times the distance of their traits.
func TestProbableBoundsHold(t *testing.T) {
	hold := evidence.For(t, evidence.Promise{Name: "bounds-probable", Text: "the same of bounds in probability", Short: "60 problems"})
	r := rand.New(rand.NewPCG(6, 4))
	for i := range trials(60, 1000) {
		x := drawInstance(t, r, true)
		x.Horizon = 100
		c, err := Certify(context.Background(), x.problem.Model, x.problem.Premises)
		must(t, err)
		theory, _ := c.theory(x.problem, false)
		theory.Sigma = x.largestNoise(t)
		step := theory.LargestStepProbable()
		gradient, distance := x.simulate(t, r, c.Constants, step)
		most := theory.GradientProbable(step, x.Tau)
		hold.Case(gradient <= most, "problem %d (%v): mean ‖∇Φ̃‖² is %.6g, the bound %.6g", i, x, gradient, most)
		most = theory.DistanceProbable(step, x.Tau)
		hold.Case(distance <= most, "problem %d (%v): mean W₁ is %.6g, the bound %.6g", i, x, distance, most)
		if theory.Sigma > 0 && c.Value(SigmaMb) > theory.Sigma*(1+1e-9) {
			t.Errorf("problem %d: σ_mb = %v is above the largest noise %v", i, c.Value(SigmaMb), theory.Sigma)
		}
		x.otherCrowd(t, r, c.Constants)
	}
}

// largestNoise returns the largest distance of an individual's gradient from the mean, which a batch's mean cannot exceed.
func (x *instance) largestNoise(t *testing.T) (most float64) {
	t.Helper()
	g, err := x.look(x.Start, x.states, x.traits)
	must(t, err)
	for i := range kedge.Count(g.each, len(g.mean)) {
		most = max(most, rows.Distance(kedge.Row(g.each, i, len(g.mean)), g.mean))
	}
	return most
}

// simulate runs the rule and returns the means of ‖∇Φ̃‖² and of W₁, which is V in a translated problem.
func (x *instance) simulate(t *testing.T, r *rand.Rand, c *Constants, step float64) (gradient, distance float64) {
	t.Helper()
	w := walk{instance: x, c: c, u: slices.Clone(x.Start), p: slices.Clone(x.states)}
	m, next, h := len(w.u), make([]float64, len(w.p)), make([]float64, len(w.p))
	for range x.Horizon {
		_, err := kedge.BatchedSettler(x.Settler).SettleRows(h, w.u, w.traits)
		must(t, err)
		settled, err := x.look(w.u, h, w.traits)
		must(t, err)
		now, err := x.look(w.u, w.p, w.traits)
		must(t, err)
		gradient += rows.Dot(settled.mean, settled.mean) / float64(x.Horizon)
		distance += c.Length(minus(w.p[:x.lq.dim.State], h[:x.lq.dim.State])) / float64(x.Horizon)
		for range x.Batch {
			one := r.IntN(kedge.Count(now.each, m))
			rows.AddScaled(w.u, -step/float64(x.Batch), kedge.Row(now.each, one, m))
		}
		kedge.Batched(x.Dynamics).NextRows(next, w.p, w.u, w.traits)
		w.p, next = next, w.p
	}
	return gradient, distance
}

// otherCrowd compares the gradient with that of as many other individuals.
func (x *instance) otherCrowd(t *testing.T, r *rand.Rand, c *Constants) {
	t.Helper()
	settle := kedge.BatchedSettler(x.Settler).SettleRows
	others, h := normals(r, len(x.traits)), make([]float64, len(x.states))
	_, err := settle(h, x.Start, x.traits)
	must(t, err)
	a, err := x.look(x.Start, h, x.traits)
	must(t, err)
	_, err = settle(h, x.Start, others)
	must(t, err)
	b, err := x.look(x.Start, h, others)
	must(t, err)
	cost, err := transport.Euclidean(x.traits, others, x.lq.dim.Trait)
	must(t, err)
	plan, err := transport.Assignment(context.Background(), cost)
	must(t, err)
	most := c.Value(L) * (c.Value(LhD)*math.Sqrt(c.Value(PMax)) + 1) * plan.Value
	if off := rows.Distance(a.mean, b.mean); !(off <= most*(1+1e-9)) {
		t.Errorf("%v: gradients of two crowds differ by %.6g, the bound is %.6g", x, off, most)
	}
}
