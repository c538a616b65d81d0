package guard_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/session/guard"
)

// first is the first entry of a state.
type first struct{}

func (first) Eval(_, _, p, _, _ []float64) float64 { return p[0] }

// watching is a guard with one guardrail: the mean of states is 1 at most.
func watching() *guard.Guard {
	terms, one := live.New(), 1.0
	terms.Guardrails = []live.Guardrail{{Name: "load", Kind: live.Metric, Of: "mean(p[0])", Most: &one, After: 2, Cool: 3}}
	dim := kedge.Dims{Decision: 1, State: 1}
	return guard.New(guard.Duty{Live: terms, Dims: dim, Metrics: []kedge.RowObjective{kedge.BatchedObjective(first{}, dim)}})
}

// closeAt is a close with 100 people whose states have a mean and a deviation of 1.
func closeAt(g *guard.Guard, r *rand.Rand, mean float64) guard.Judged {
	o := kedge.Observation{U: []float64{0}}
	for range 100 {
		o.P = append(o.P, mean+r.NormFloat64())
	}
	report := g.Examine(guard.Inquiry{People: o, Losses: o.P})
	g.Fold(guard.Lesson{Verdicts: guard.Verdicts{Rails: report.Rails}, U: o.U, Seen: &report.Seen, Iterate: o.U})
	return report.Rails[0]
}

// A guardrail rarely fails while its bound is kept, even where it is only just kept, and sees a drift of half a deviation beyond it within five closes.
func TestRatesOfGuardrails(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-guardrail-rates", Text: "a guardrail on the mean of 100 people: % of 10,000 closes that fail while the mean is just what it may be; and % of 1,000 drifts of half a deviation beyond it that do not make it act within 5 closes", Short: "2,000 closes and 200 drifts"})
	closes, drifts := 2000, 200
	if evidence.Whole() {
		closes, drifts = 10000, 1000
	}
	r := rand.New(rand.NewPCG(3, 4))
	g, failed := watching(), 0
	for range closes {
		if j := closeAt(g, r, 1); j.Verdict == guard.Fail || j.Acts != "" {
			failed++
		}
	}
	row.AtMost("% fail", 100*float64(failed)/float64(closes), 1)
	missed := 0
	for range drifts {
		g, acts := watching(), false
		for range 5 {
			acts = acts || closeAt(g, r, 1.5).Acts == live.Hold
		}
		if !acts {
			missed++
		}
	}
	row.AtMost("% missed", 100*float64(missed)/float64(drifts), 1)
}
