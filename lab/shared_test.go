package lab_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/rows"
)

// Two shops share a capacity: the mean demand p = 2 − (u₁ + u₂)/2 of everybody together is to be at most 1, so u₁ + u₂ ≥ 2. They lose
// Φ₁ = −u₁p + u₁²/2 and Φ₂ = −u₂p + u₂². By hand:
//
//   - with one price λ for both, −2 + 2u₁ + u₂/2 = λ/2 = −2 + 3u₂ + u₁/2 and u₁ + u₂ = 2 give (5/4, 3/4), λ = 7/4, together they lose −21/32;
//   - together they would choose least u₁²/2 + u₂² on u₁ + u₂ = 2: (4/3, 2/3), λ = 8/3 and −2/3;
//   - so the price of anarchy is (2/3)/(21/32) = 64/63 = 1.015873.
//
// The loop's own duals come to the same: everybody is sampled and nothing is random.
func TestPlayersShareACapacity(t *testing.T) {
	for name, of := range map[string]string{"kind": "{kind: quadratic, linear-state: [1]}", "formula": "'p[0]'"} {
		r := ran(t, "duopoly", "players.right.objective={kind: quadratic, decision: [[0, 0], [0, 2]], cross: [[0], [-1]]}",
			"constraints=[{name: capacity, kind: expectation, of: "+of+", bound: 1}]", "iterations=3000", "record.every=100",
			"algorithms=[{name: players, kind: composite, step: 0.05, dual-step: 0.1}, {name: planner, kind: composite, step: 0.05, dual-step: 0.1, play: planner}, {name: heedless, kind: composite, step: 0.1, heed: false, play: alternating}]")
		if rows.Distance(r.Optimum.Decision, []float64{4. / 3, 2. / 3}) > 1e-6 || math.Abs(r.Optimum.Value+2./3) > 1e-8 {
			t.Errorf("%s: the optimum is %v, %v", name, r.Optimum.Decision, r.Optimum.Value)
		}
		said := strings.Join(r.Notes, "\n")
		if !strings.Contains(said, "shared-constraint (generalized) Nash equilibrium, the variational one") || !strings.Contains(said, "here 1.75") {
			t.Errorf("%s: notes are\n%s", name, said)
		}
		verdict, row := "", []string(nil)
		for _, s := range r.Sections {
			if s.ID == "players" {
				verdict, row = s.Verdict, s.Rows[0]
			}
		}
		if verdict != "The price of anarchy is 1.016." || row[0] != "shared-constraint Nash equilibrium, variational" || row[1] != "1.25, 0.75" || row[4] != "-0.6563" {
			t.Errorf("%s: %s %v", name, verdict, row)
		}
		for i, want := range []struct{ u, multiplier, excess []float64 }{
			{[]float64{1.25, .75}, []float64{1.75}, []float64{0}}, {[]float64{4. / 3, 2. / 3}, []float64{8. / 3}, []float64{0}}, {[]float64{20. / 23, 12. / 23}, nil, []float64{7. / 23}},
		} {
			one := r.Runs[i].Trials[0]
			if rows.Distance(one.Decision, want.u) > 1e-6 || math.Abs(one.Last("excess_1")-want.excess[0]) > 1e-6 ||
				want.multiplier != nil && math.Abs(one.Last("multiplier_1")-want.multiplier[0]) > 1e-5 {
				t.Errorf("%s: %s ends at %v with the multiplier %v and excess %v, want %v", name, r.Runs[i].Name, one.Decision, one.Last("multiplier_1"), one.Last("excess_1"), want)
			}
		}
		if residual := r.Runs[0].Trials[0].Last("nash_residual"); !(residual < 1e-6) {
			t.Errorf("%s: the residual of the players at rest is %v", name, residual)
		}
		if residual := r.Runs[1].Trials[0].Last("nash_residual"); !(residual > .05) {
			t.Errorf("%s: the residual of a planner is %v", name, residual)
		}
	}
}
