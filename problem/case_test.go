package problem

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
)

func TestCases(t *testing.T) {
	if got, want := Cases(), []string{"choice", "credit", "gaussian-mean", "linear-pricing", "lq2", "mirror", "mixture", "polarized", "scalar-pricing", "softmax", "square-root", "stateful-toy"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, name := range []string{"choice", "lq2", "polarized", "choice.published", "polarized.published"} {
		if _, ok := Case(name); !ok {
			t.Errorf("no case %s", name)
		}
	}
	for _, name := range []string{"", "lq2.published", "../case", "cases/lq2", "lq2.yaml"} {
		if _, ok := Case(name); ok {
			t.Errorf("there is a case %q", name)
		}
	}
}

// The settings of the article's two case studies [he2025, affinity; he2025, gain and entropy] and of the published runs.
func TestCaseSettings(t *testing.T) {
	src, _ := Case("polarized")
	p := mustParse(t, string(src))
	if p.Population.Size != 1000 || p.Population.Dim != 20 || p.Population.Law.(*kind.CapLaw).Angle != 90 || p.Iterations != 8000 || p.Trials != 20 {
		t.Errorf("polarized has %+v", p)
	}
	if d := p.Dynamics.Of.(*kind.PolarizedDynamics); d.Lambda != 0.4 || d.Sigma != 0.5 || p.Algorithms[1].Step != 5e-3 || p.Algorithms[1].Batch != 50 {
		t.Errorf("polarized has %+v", p)
	}
	src, _ = Case("choice")
	over, _ := Case("choice.published")
	c := mustParse(t, string(src))
	if c.Set.(*kind.CappedSimplexSet).Sum != 250 || c.Set.(*kind.CappedSimplexSet).Upper.All != 5 || c.Objective.(*kind.RevenueObjective).Entropy != 0.1 || c.Algorithms[2].Facts().Reach != 2 || c.Algorithms[2].Trials != 20 {
		t.Errorf("choice has %+v", c)
	}
	run := mustParse(t, string(src), Merge("choice.published", over))
	if a := run.Algorithms[2].Method.(*kind.DerivativeFreeMethod); run.Seed != 10 || run.Generator != "numpy" || a.First != "zero" || !a.Carry || run.Set.(*kind.CappedSimplexSet).Sum != 250 {
		t.Errorf("choice as published has %+v", run)
	}
}
