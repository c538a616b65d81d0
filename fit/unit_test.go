package fit

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/formula"
)

// Weights say how much rows count beside each other: in another unit they make no number and no error of a number another one, however few people there are
// and whatever is known beforehand. That 100 for each row is no log of a hundred times as many rows was seen in the errors of three people, which were a tenth of
// those without weights.
func TestTheUnitOfWeightsSaysNothing(t *testing.T) {
	line := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	own := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	prior := Unknown{Name: "b", Lower: math.Inf(-1), Upper: math.Inf(1), Mean: 1, Deviation: 0.1}
	for name, c := range map[string]struct {
		f      *formula.Regressor
		people int
		b      Unknown
		o      Options
	}{
		"one person": {line, 1, Free("b", 0), Options{}}, "a prior": {line, 9, prior, Options{}}, "a law": {line, 9, Free("b", 0), Options{Laws: []ErrorLaw{{Student, 4}}}},
		"found traits of few": {own, 2, Free("b", 0), Options{Unseen: Fixed}}, "drawn traits": {own, 9, Free("b", 0), Options{Unseen: Random}},
	} {
		unknowns := []Unknown{Free("a", 0), c.b}
		l := wander(c.f, []float64{0.5, -0.4}, c.people, 12, 1, 1, 0.2, 0, 3, false)
		l.Weight = make([]float64, len(l.Person))
		for i := range l.Weight {
			l.Weight[i] = 1
		}
		for _, uneven := range []float64{0, 1} {
			var want *Fitted
			for _, unit := range []float64{1, 100, 1e-3, 1e-310} {
				for i := range l.Weight {
					l.Weight[i] = unit * (1 + uneven*float64(i%2))
				}
				got, err := Find(t.Context(), c.f, l, unknowns, c.o)
				if err != nil {
					t.Fatalf("%s, weights in %v: %v", name, unit, err)
				}
				if want == nil {
					without := l
					without.Weight = nil
					want, err = Find(t.Context(), c.f, without, unknowns, c.o)
					if err != nil {
						t.Fatal(name, err)
					}
					if uneven > 0 {
						want = got
					}
				}
				for j := range unknowns {
					if !near(got.Value[j], want.Value[j]) || !near(got.Error[j], want.Error[j]) || !near(got.Spread[0], want.Spread[0]) {
						t.Errorf("%s, weights in %v: %v ± %v, spread %v, want %v ± %v, %v", name, unit, got.Value, got.Error, got.Spread, want.Value, want.Error, want.Spread)
					}
				}
			}
		}
	}
}

// near tells whether two searches came to the same, as far as they go.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-5*(1e-3+math.Abs(b)) }
