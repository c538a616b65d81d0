package main

import (
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/transport"
)

// trajectory is what a run reports before every turn and after the last; rollout is the polarized value ten steps after
// the start instead of the settled one.
type trajectory struct{ decisions, metrics, rollout []float64 }

func polarizedDynamics() dynamics.Polarized {
	return dynamics.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}
}

func choiceDynamics() dynamics.Choice {
	return dynamics.Choice{Dim: items, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}
}

// must ends the test on an error of kedge.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// runPolarized is the polarized loop made of kedge's parts: affinity pᵀq climbs along p, and along Ĥq if composite.
func runPolarized(t *testing.T, in polarizedInput, composite bool) (run trajectory) {
	f := polarizedDynamics()
	s := sensitivity.Polarized{Dim: dim, Lambda: f.Lambda, Sigma: f.Sigma}
	q, p, next := append([]float64(nil), in.q0...), in.people, make([]float64, len(in.people))
	for k := 0; ; k++ {
		run.decisions = append(run.decisions, q...)
		run.metrics = append(run.metrics, steadyAffinity(t, f, q, in.people))
		run.rollout = append(run.rollout, tenStepAffinity(f, q, in.people))
		if k == checkTurns {
			return run
		}
		f.NextRows(next, p, q, in.people)
		p, next = next, make([]float64, len(p))
		g := make([]float64, dim)
		for _, i := range in.picks[k*batch : (k+1)*batch] {
			x := kedge.Row(p, int(i), dim)
			rows.AddScaled(g, 1, x)
			if composite {
				must(t, s.PullRows(g, x, q, kedge.Row(in.people, int(i), dim), q))
			}
		}
		rows.AddScaled(q, 0.005/batch, g)
		must(t, set.Ball{Radius: 1}.Project(q))
	}
}

func steadyAffinity(t *testing.T, f dynamics.Polarized, q, people []float64) float64 {
	h := make([]float64, len(people))
	_, err := f.SettleRows(h, q, people)
	must(t, err)
	return meanAffinity(h, q)
}

func tenStepAffinity(f dynamics.Polarized, q, people []float64) float64 {
	p, next := append([]float64(nil), people...), make([]float64, len(people))
	for range 10 {
		f.NextRows(next, p, q, people)
		p, next = next, p
	}
	return meanAffinity(p, q)
}

func meanAffinity(p, q []float64) float64 {
	sum := 0.0
	for i := range kedge.Count(p, dim) {
		sum += rows.Dot(kedge.Row(p, i, dim), q)
	}
	return sum / float64(kedge.Count(p, dim))
}

// runChoice is the choice loop made of kedge's parts.
func runChoice(t *testing.T, in choiceInput, composite bool) (run trajectory) {
	f, loss := choiceDynamics(), objective.Revenue{Entropy: 0.1}
	s := sensitivity.Choice{Dim: items, Lambda1: f.Lambda1, Lambda2: f.Lambda2, Epsilon: f.Epsilon}
	q, p := append([]float64(nil), in.q0...), in.p0
	for k := 0; ; k++ {
		run.decisions = append(run.decisions, q...)
		run.metrics = append(run.metrics, measureChoice(t, in, p, q)...)
		if k == checkTurns {
			return run
		}
		next, gp, gu := make([]float64, items), make([]float64, items), make([]float64, items)
		f.Next(next, p, q, in.p0)
		p = next
		loss.Eval(gp, gu, p, q, nil)
		if composite {
			must(t, s.PullRows(gu, p, q, in.p0, gp))
		}
		rows.AddScaled(q, -0.5, gu)
		must(t, set.Simplex{Sum: budget}.Project(q))
	}
}

// runFree is one derivative-free trial made of kedge's parts; direction(k) is what turn k tries.
func runFree(t *testing.T, in choiceInput, direction func(k int) []float64) (run trajectory) {
	f, loss := choiceDynamics(), objective.Revenue{Entropy: 0.1}
	q, p, before := append([]float64(nil), in.q0...), in.p0, 0.0
	for k := 0; ; k++ {
		run.decisions = append(run.decisions, q...)
		run.metrics = append(run.metrics, measureChoice(t, in, p, q)...)
		if k == checkTurns {
			return run
		}
		tried, next := append([]float64(nil), q...), make([]float64, items)
		rows.AddScaled(tried, 2, direction(k))
		f.Next(next, p, tried, in.p0)
		p = next
		now := loss.Eval(nil, nil, p, tried, nil)
		if k > 0 {
			rows.AddScaled(q, -0.1*items/2*(now-before), direction(k))
			must(t, set.Simplex{Sum: budget}.Project(q))
		}
		before = now
	}
}

// measureChoice returns value, distance to the optimum, W₁ to the own and to the optimal steady state.
func measureChoice(t *testing.T, in choiceInput, p, q []float64) []float64 {
	f := choiceDynamics()
	own, optimal := make([]float64, items), make([]float64, items)
	_, err := f.Settle(own, q, in.p0)
	must(t, err)
	_, err = f.Settle(optimal, in.optimum, in.p0)
	must(t, err)
	toOwn, err := transport.W1(p, own)
	must(t, err)
	toOptimal, err := transport.W1(p, optimal)
	must(t, err)
	value := -objective.Revenue{Entropy: 0.1}.Eval(nil, nil, own, q, nil)
	return []float64{value, rows.Distance(q, in.optimum) / rows.Norm(in.optimum), toOwn, toOptimal}
}

// runTrials runs all derivative-free trials and lays them side by side, turn by turn.
func runTrials(t *testing.T, in choiceInput) (run trajectory) {
	all := make([]trajectory, trials)
	for i := range all {
		all[i] = runFree(t, in, func(k int) []float64 { return kedge.Row(in.directions, k*trials+i, items) })
	}
	for k := range checkTurns + 1 {
		for i := range all {
			run.decisions = append(run.decisions, kedge.Row(all[i].decisions, k, items)...)
			run.metrics = append(run.metrics, kedge.Row(all[i].metrics, k, 4)...)
		}
	}
	return run
}
