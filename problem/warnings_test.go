package problem_test

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// λ + σR² < 1 is what makes settled states unique; at λ = 0.4 and R = 1 it ends at σ = 0.6.
func TestWarnsBeyondTheBifurcation(t *testing.T) {
	src, _ := problem.Case("polarized")
	for sigma, want := range map[string]string{"0.5": "", "0.6": "λ + σR² = 1 is not below 1", "0.9": "λ + σR² = 1.3 is not below 1"} {
		s, err := problem.Parse(kind.Standard(), "polarized", src, problem.Assign("dynamics.sigma="+sigma), problem.Assign("population.size=10"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.Build("polarized", s, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(p.Warnings(), " ")
		if (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("σ = %s: warned %q, want %q", sigma, got, want)
		}
	}
}
