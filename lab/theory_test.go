package lab_test

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
)

// compared are the case studies, as they are and as they were published, with every turn compared with the theory.
func compared() map[string][]string {
	every := []string{"record.every=1", "record.theory=true", "record.transport=200", "record.paths=0", "record.rollout=0", "optimum.starts=1"}
	if os.Getenv("KEDGE_TORTURE") == "" {
		every = append(every, "iterations=100", "trials=1", "record.transport=25")
	}
	return map[string][]string{
		"polarized": every, "polarized published": every, "choice": every, "choice published": every, "lq2": every,
		"polarized, mild": append(every, "dynamics.lambda=0.3", "dynamics.sigma=0.4"),
	}
}

// In either case study no bound of the theory [he2025, distribution shift; he2025, gradient bias] is exceeded at any turn of any
// trial: ‖e‖ ≤ L·W₁, ‖e‖ ≤ L_p·V, W₁ ≤ V and V² ≤ ρ₁V² + ρ₂‖Δu‖² of the turn before. KEDGE_TORTURE=1 takes the full cases.
func TestNoBoundIsExceeded(t *testing.T) {
	if testing.Short() {
		t.Skip("distances of six crowds at every turn")
	}
	for name, sets := range compared() {
		t.Run(name, func(t *testing.T) {
			r := theoretical(t, name, sets)
			for _, one := range r.Runs {
				for _, c := range inequalities() {
					c.check(t, one)
				}
			}
			if !slices.ContainsFunc(r.Sections[0].Rows, func(row []string) bool { return strings.HasPrefix(row[1], "Theorem 3:") && row[2] != "0" }) {
				t.Error("Theorem 3 was not tried")
			}
			if v := r.Sections[0].Verdict; !strings.HasPrefix(v, "✓") {
				t.Errorf("the report says %q", v)
			}
		})
	}
}

// theoretical runs a case.
func theoretical(t *testing.T, name string, sets []string) *folder.Result {
	t.Helper()
	name, _, _ = strings.Cut(name, ",")
	if name, ok := strings.CutSuffix(name, " published"); ok {
		return execute(t, published(t, name, sets...), lab.Options{})
	}
	return execute(t, build(t, name, sets...), lab.Options{})
}

// inequality is one of the claims, and how many turns it must have been tried at: all, or one in two hundred.
type inequality struct {
	what, measured, bound string
	sparse                bool
}

func inequalities() []inequality {
	return []inequality{
		{"‖e‖ ≤ L_p·V", "bias", "bias_by_v", false},
		{"‖e‖ ≤ L·W₁", "bias", "bias_by_w1", true},
		{"W₁ ≤ V", "w1_joint", "v", true},
		{"V ≤ its recursion", "v", "v_bound", false},
	}
}

// check wants the bound above the measurement up to rounding: 1e-13 of the bound, and what a few operations on states of
// length one may round.
func (c inequality) check(t *testing.T, one folder.Run) {
	t.Helper()
	least, at, tried, turns := math.Inf(1), 0, 0, 0
	for _, trial := range one.Trials {
		turns += len(trial.K) - 1
		for i, x := range trial.Of(c.measured) {
			y := trial.Of(c.bound)[i]
			if math.IsNaN(x) || math.IsNaN(y) {
				continue
			}
			tried++
			if x > y*(1+1e-13)+4e-15 {
				t.Errorf("%s, trial %d, turn %d: %s fails, %v > %v", one.Name, trial.Index, trial.K[i], c.what, x, y)
			}
			if x > 1e-12 && y/x < least {
				least, at = y/x, trial.K[i]
			}
		}
	}
	if want := turns; tried < want && !c.sparse || tried < want/200 {
		t.Errorf("%s: %s was tried at %d of %d turns", one.Name, c.what, tried, turns)
	}
	t.Logf("%-15s %-18s held %7d times, bound/measured at least %.6g (turn %d)", one.Name, c.what, tried, least, at)
}
