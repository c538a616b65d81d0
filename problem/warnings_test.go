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

// R is the length of the farthest point of the set: of a box of 20 sides ±0.5 its corner, √20/2 = 2.236, so that λ + σR² = 0.4 + 0.5·5; of
// one open to a side there is none, and decisions may be as long as √((1−λ)/σ) = √(0.6/0.5) = 1.095.
func TestWarnsOfTheFarthestPoint(t *testing.T) {
	src, _ := problem.Case("polarized")
	for set, want := range map[string]string{
		"{kind: box, lower: -0.5, upper: 0.5}":   "λ + σR² = 2.9 is not below 1 for decisions as long as R = 2.236, the farthest point of the set",
		"{kind: box, lower: -0.5, upper: .inf}":  "The set has no end, so that no R bounds the decisions and λ + σR² is not below 1: under decisions longer than √((1−λ)/σ) = 1.095",
		"{kind: box, lower: -0.01, upper: 0.01}": "",
		"{kind: simplex, sum: 1}":                "",
	} {
		s, err := problem.Parse(kind.Standard(), "polarized", src, problem.Assign("set="+set), problem.Assign("population.size=10"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.Build("polarized", s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Warnings(), " "); (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: warned %q, want %q", set, got, want)
		}
	}
}
