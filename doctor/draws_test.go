package doctor_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/doctor"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// doubted is a price for people who settle at d − bq, with draws of b and of a habit.
const doubted = `
iterations: 1
model: {decision: q, state: p, trait: d, let: {habit: 0.8, b: 1}, next: habit*p + (1-habit)*(d - b*q), maximize: p*q, subject to: [q >= 0, q <= 10]}
population: {size: 2, dim: 1, law: values, values: [[3], [5]]}
start: {law: values, values: [1]}
algorithms: [{name: one, kind: composite, step: 0.1, batch: 1}]
draws: d.csv
uncertain: 3
`

// keyed is a problem of a built-in kind, whose draws are of one of its keys.
const keyed = `
iterations: 1
dynamics: {kind: polarized, lambda: 0.3, sigma: 0.5}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
population: {size: 4, dim: 3, law: sphere}
start: {law: values, values: [0, 0, 1]}
algorithms: [{name: one, kind: composite, step: 0.1, batch: 1}]
draws: d.csv
uncertain: 3
`

func built(t *testing.T, spec, draws string) *problem.Problem {
	t.Helper()
	s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("shop", s, fstest.MapFS{"d.csv": {Data: []byte(draws)}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// By hand: at a price of 1 people come to 4 − b on the average, which is also what they pay, and what is lost where that is to be small. Whose habit is 1 or more
// never settles, and the first such draw says why.
func TestDrawsUnderWhichPeopleSettle(t *testing.T) {
	const missing = "Such draws are left out of means, and in intervals they may be anything: from 1 in 40 on those cannot be told."
	const ranged, ranges = "fit with a range that rules out what cannot be, such as habit in [0, 0.99]", "look at the ranges of what was fitted: a habit of 1 or more never settles"
	for name, c := range map[string]struct {
		spec, draws, figure, why, detail, remedy string
		verdict                                  doctor.Verdict
	}{
		"all":          {doubted, "b,habit\n1,0.5\n1.8,0.6\n0.8,0.7\n", "under all 3 people settle; the first decision is worth 2.2 … 3.2", "", "", "", doctor.Pass},
		"all, of loss": {strings.Replace(doubted, "maximize", "minimize", 1), "b,habit\n1,0.5\n1.8,0.6\n0.8,0.7\n", "under all 3 people settle; the first decision is worth 2.2 … 3.2", "", "", "", doctor.Pass},
		"not one":      {doubted, "b,habit\n1,0.5\n1.8,1\n0.8,0.7\n", "under 1 of 3 people do not settle: ", "is multiplied by 1 in a step", missing, ranged, doctor.Warn},
		"one":          {doubted, "b,habit\n1,3\n1.8,0.5\n0.8,2\n", "under 2 of 3 people do not settle: ", "is multiplied by 3 in a step", missing, ranged, doctor.Warn},
		"none":         {doubted, "b,habit\n1,2\n1.8,1\n0.8,3\n", "people settle under none of 3: ", "is multiplied by 2 in a step", "", ranges, doctor.Fail},
		"no model":     {keyed, "dynamics.lambda\n0.3\n1.7\n0.4\n", "under 1 of 3 people do not settle: ", "dynamics.lambda", missing, ranged, doctor.Warn},
	} {
		for _, workers := range []int{0, 2} {
			got, err := doctor.Draws(t.Context(), built(t, c.spec, c.draws), workers)
			if err != nil || got == nil {
				t.Fatal(name, err)
			}
			if !strings.HasPrefix(got.Figure, c.figure) || c.why == "" && got.Figure != c.figure || !strings.Contains(got.Figure, c.why) {
				t.Errorf("%s: %s, want %s%s", name, got.Figure, c.figure, c.why)
			}
			if want := (doctor.Check{ID: "draws", Title: "draws of numbers", Verdict: c.verdict, Figure: got.Figure, Detail: c.detail, Remedy: c.remedy}); *got != want {
				t.Errorf("%s: %+v, want %+v", name, *got, want)
			}
		}
	}
	if got, err := doctor.Draws(t.Context(), built(t, strings.Replace(doubted, "uncertain: 3\n", "", 1), ""), 1); got != nil || err != nil {
		t.Errorf("without draws: %+v, %v", got, err)
	}
}

// patience is a context that is over once it was asked so often.
type patience struct {
	context.Context
	left int
}

func (p *patience) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

// Who has left hears nothing of draws, whenever that was: it is asked after each that is made, and after each that is looked at.
func TestDrawsAreLeft(t *testing.T) {
	p := built(t, doubted, "b,habit\n1,0.5\n1.8,0.6\n0.8,0.7\n")
	for n := range 7 {
		got, err := doctor.Draws(&patience{t.Context(), n}, p, 1)
		if left := n < 6; errors.Is(err, context.Canceled) != left || (got == nil) != left {
			t.Errorf("left when asked for the time %d: %+v, %v", n+1, got, err)
		}
	}
}
