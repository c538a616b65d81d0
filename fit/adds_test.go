package fit

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/formula"
)

// However a log is judged, what people say adds up: a weight counts somebody so often, by the definition, and slopes are those of the loss, by differences.
func TestWhatPeopleSayAddsUp(t *testing.T) {
	shown := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	hidden := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d[2]", Next: "a*p + b*q^2 + d[0] + d[1]*q"}, "a", "b")
	bowed := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + tanh(d)"}, "a", "b")
	for name, x := range map[string]struct {
		f *formula.Regressor
		o Options
	}{
		"pooled": {shown, Options{}}, "student": {shown, Options{Laws: []ErrorLaw{{Student, 4}}}}, "times": {shown, Options{Times: true}}, "fixed": {hidden, Options{Unseen: Fixed}},
		"fixed, times": {hidden, Options{Unseen: Fixed, Times: true}}, "random": {hidden, Options{Unseen: Random}}, "random, origin": {hidden, Options{Unseen: Random, Origin: true}}, "random, bowed": {bowed, Options{Unseen: Random}},
	} {
		unknowns := []Unknown{Free("a", 0.45), Free("b", -0.3)}
		p, err := newSearch(x.f, wander(x.f, []float64{0.5, -0.4}, 4, 7, 0.3, 0.5, 0.3, 0, 2, false), unknowns, x.o)
		if err != nil {
			t.Fatal(name, err)
		}
		theta := make([]float64, len(p.unknowns))
		for j, u := range p.unknowns {
			theta[j] = u.Start + 0.02*float64(j%3)
		}
		at := func(theta, weight []float64) *point {
			t.Helper()
			out, err := p.how.at(t.Context(), theta, p.spread, weight, 1)
			if err != nil {
				t.Fatal(name, err)
			}
			return out
		}
		once := at(theta, nil)
		for j := range theta {
			const h = 1e-4
			there := append([]float64(nil), theta...)
			there[j] += h
			up := at(there, nil).loss
			there[j] -= 2 * h
			if slope := (at(there, nil).loss - up) / (2 * h); !(math.Abs(once.slope[j]-slope) <= 1e-4*(1+math.Abs(slope))) {
				t.Errorf("%s: the slope in %s is %v, by differences %v", name, p.unknowns[j].Name, once.slope[j], slope)
			}
		}
		all := newPoint(theta, len(theta), x.f.States)
		weighted := newPoint(theta, len(theta), x.f.States)
		weights := []float64{2, 0, 1, 3}
		for i, w := range weights {
			one := make([]float64, 4)
			one[i] = 1
			alone := at(theta, one)
			all.add(alone)
			for range int(w) {
				weighted.add(alone)
			}
		}
		for what, pair := range map[string][2]*point{"once each": {once, all}, "by weights": {at(theta, weights), weighted}} {
			a, b := pair[0], pair[1]
			for j := range a.slope {
				if !(math.Abs(a.slope[j]-b.slope[j]) <= 1e-9*(1+math.Abs(b.slope[j]))) || !(math.Abs(a.normal[j*len(theta)+j]-b.normal[j*len(theta)+j]) <= 1e-9*(1+b.normal[j*len(theta)+j])) {
					t.Errorf("%s, %s: slope %v and curvature %v of %s, people alone %v and %v", name, what, a.slope[j], a.normal[j*len(theta)+j], p.unknowns[j].Name, b.slope[j], b.normal[j*len(theta)+j])
				}
			}
			if !(math.Abs(a.loss-b.loss) <= 1e-9*(1+math.Abs(b.loss))) {
				t.Errorf("%s, %s: loss %v, people alone %v", name, what, a.loss, b.loss)
			}
		}
	}
}

// By hand: a search begins with traits that matter as much as errors do, a trait that is added by their size, one that multiplies q by their size over that of q.
func TestWhereSpreadsOfTraitsBegin(t *testing.T) {
	f := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d[2]", Next: "a*p + b*q^2 + d[0] + d[1]*q"}, "a", "b")
	l := wander(f, []float64{0.5, -0.4}, 4, 7, 0.3, 0.5, 0.3, 0, 2, false)
	p, err := newSearch(f, l, []Unknown{Free("a", 0.45), Free("b", -0.3)}, Options{Unseen: Random})
	if err != nil {
		t.Fatal(err)
	}
	square := 0.0
	for _, q := range l.Beside {
		square += q * q / float64(len(l.Beside))
	}
	want := map[string]float64{
		"spread of traits 0 and 0": p.spread[0], "spread of traits 1 and 0": 0, "spread of traits 1 and 1": p.spread[0] / math.Sqrt(square), "spread of errors of entry 0": math.Log(p.spread[0]),
	}
	for _, u := range p.unknowns {
		if start, ok := want[u.Name]; ok && !(math.Abs(u.Start-start) <= 1e-12) {
			t.Errorf("%s begins at %v, want %v", u.Name, u.Start, start)
		}
		delete(want, u.Name)
	}
	if len(want) > 0 {
		t.Errorf("nothing begins for %v", want)
	}
}
