package compare

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/problem"
)

// answer is what is known of a classic, from its closed form.
type answer struct {
	stable, myopic, optimal []float64 // nil: not known in closed form; myopic of decisions held for one turn
	value                   float64   // NaN: not known in closed form
}

func filled(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// softmaxStable: all shares are equal, so softmax(−εu)ᵢ = ((1−λ₁)/m − (1−λ₁−λ₂)dᵢ)/λ₂, and prices add up to the budget
// [he2025, softmax steady state].
func softmaxStable(d ...float64) []float64 {
	const l1, l2, eps, budget = 0.2, 0.5, 0.5, 10
	u, sum := make([]float64, len(d)), 0.0
	for i, v := range d {
		u[i] = -math.Log(((1-l1)/float64(len(d))-(1-l1-l2)*v)/l2) / eps
		sum += u[i]
	}
	for i := range u {
		u[i] += (budget - sum) / float64(len(d))
	}
	return u
}

// The specs say where these come from.
func answers() map[string]answer {
	ln3 := math.Log(3)
	fit := []float64{ln3, 0.3 * ln3 * ln3}
	return map[string]answer{
		"gaussian-mean":  {[]float64{2}, []float64{2}, []float64{2}, 0.5},
		"mixture":        {[]float64{-5.0 / 7}, []float64{-5.0 / 14}, []float64{-5.0 / 14}, -5.0 / 56},
		"square-root":    {[]float64{-1}, []float64{-2.0 / 3}, []float64{-2.0 / 3}, -math.Sqrt(4.0 / 27)},
		"linear-pricing": {[]float64{2}, []float64{1}, []float64{1}, -0.5},
		"scalar-pricing": {[]float64{2.0 / 3}, []float64{4.0 / 7}, []float64{0.5}, -0.5},
		"stateful-toy":   {filled(5, 2.5), filled(5, 5.0/3), filled(5, 1.25), -6.25},
		"lq2":            {[]float64{-4.0 / 19, 7.0 / 19}, []float64{-62.0 / 273, 38.0 / 91}, []float64{-56.0 / 229, 99.0 / 229}, 6057.0 / 7328},
		"mirror":         {[]float64{0, 1}, []float64{0, 1}, []float64{0, 1}, 0.8037088397},
		"softmax":        {softmaxStable(0.4, 0.3, 0.2, 0.1), nil, nil, math.NaN()},
		// Scores give the odds that were seen, so the loss is the entropy of ¾.
		"credit": {fit, fit, fit, -0.75*math.Log(0.75) - 0.25*math.Log(0.25)},
	}
}

// The search finds the answers that the specs claim, and the suite says of every problem whether it separates.
func TestClassicsHaveTheirAnswers(t *testing.T) {
	c, err := Prepare(context.Background(), ClassicProblems(), methods(t, "composite,derivative-free:hold=1"), Terms{})
	if err != nil {
		t.Fatal(err)
	}
	known := answers()
	for i, one := range Classics() {
		a, want := c.meetings[i], known[one.Name]
		near := func(what string, got, want []float64) {
			if d := distance(got, want); want != nil && !(d < 1e-8) {
				t.Errorf("%s: the %s point is %v, want %v", one.Name, what, got, want)
			}
		}
		near("stable", a.points["stable"], want.stable)
		near("optimal", a.points["optimal"], want.optimal)
		near("myopic", a.entries[1].target, want.myopic)
		if v := a.value(a.loss); !math.IsNaN(want.value) && math.Abs(v-want.value) > 1e-9 {
			t.Errorf("%s: the value is %v, want %v", one.Name, v, want.value)
		}
		if same := want.optimal != nil && distance(want.stable, want.optimal) == 0; a.Separates == same {
			t.Errorf("%s: it is said to separate: %t", one.Name, a.Separates)
		}
		delete(known, one.Name)
	}
	if len(known) > 0 {
		t.Errorf("not in the suite: %v", known)
	}
}

// A buyer without likings: by symmetry all prices are equal, at the stable point and at the optimum.
func TestSoftmaxWithoutLikings(t *testing.T) {
	p := problemOf(t, "softmax", "population.values=[[0.25, 0.25, 0.25, 0.25]]")
	c, err := Prepare(context.Background(), []Subject{p}, methods(t, "composite"), Terms{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stable", "optimal"} {
		if d := distance(c.meetings[0].points[name], filled(4, 2.5)); !(d < 1e-8) {
			t.Errorf("the %s point is %v", name, c.meetings[0].points[name])
		}
	}
}

// Methods that are exact end at the point of their theory on every problem that meets their conditions.
func TestSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and others have workers share")
	}
	ms := methods(t, "vanilla,repeated-gradient,repeated-risk,delayed-risk,epoch,composite,epoch-composite,adam,plug-in")
	r, err := Run(context.Background(), ClassicProblems(problem.Assign("iterations=2000")), ms, Terms{Suite: "classics", Trials: 1, Tuning: 1, Points: 5})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Suite || r.Name != "classics" || len(r.Problems) != len(Classics()) {
		t.Fatalf("%s with %d problems", r.Name, len(r.Problems))
	}
	for _, m := range r.pairs() {
		a := m.on
		if !m.Arrived && m.Outside == "" {
			t.Errorf("%s on %s: %v from its %s point, allowed are %v; step %v: %s", m.Method, a.Name, m.ToTarget, m.Limit, a.Tolerance, m.Step, m.Failure)
		}
		if a.Separates && m.Arrived && m.Limit == "stable" && m.ToOptimal.Mean < 10*a.Tolerance {
			t.Errorf("%s on %s is nearer to the optimum than to the stable point", m.Method, a.Name)
		}
	}
}

// By hand: points are two from a millionth on, of the optimum's length where that is above 1.
func TestPointsSeparate(t *testing.T) {
	for _, x := range []struct {
		stable, optimal []float64
		want            bool
	}{
		{[]float64{0.9e-6}, []float64{0}, false}, {[]float64{1e-6}, []float64{0}, false}, {[]float64{1.1e-6}, []float64{0}, true}, {[]float64{0.5, 1.1e-6}, []float64{0.5, 0}, true}, {[]float64{0.5, 0.9e-6}, []float64{0.5, 0}, false},
		{[]float64{3, 4 - 4.9e-6}, []float64{3, 4}, false}, {[]float64{3, 4 - 5.1e-6}, []float64{3, 4}, true}, {[]float64{4e6}, []float64{4e6}, false}, {nil, []float64{0}, false},
	} {
		if separates(x.stable, x.optimal) != x.want {
			t.Errorf("%v and %v separate: %v", x.stable, x.optimal, !x.want)
		}
	}
}
