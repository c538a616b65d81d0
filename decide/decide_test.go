package decide

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
)

// shop is a model of two prices: people buy p and settle at d − B q, so that the settled loss is qᵀBq − d̄ᵀq.
func shop(t testing.TB, habit float64, b [4]float64, traits []float64) World {
	t.Helper()
	return shopThat(t, "dot(p, q)", habit, b, traits)
}

// shopThat is a shop that maximizes something else.
func shopThat(t testing.TB, maximizes string, habit float64, b [4]float64, traits []float64) World {
	t.Helper()
	m, err := formula.Compile(formula.Source{
		Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "habit*p + (1-habit)*(d - B @ q)", Maximize: maximizes,
		Let: []formula.Binding{{Name: "habit", Data: &formula.Value{Data: []float64{habit}}}, {Name: "B", Data: &formula.Value{Shape: []int{2, 2}, Data: b[:]}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	f := m.Dynamics()
	out := kedge.Model{Dynamics: f, Objective: m.Objective(), Sensitivity: m.Sensitivity(), Traits: kedge.Block{Data: traits, Width: 2}}
	if settler, ok := f.(kedge.RowSettler); ok {
		out.Settler = settler
	} else {
		out.Settler = dynamics.NewWalked(f)
	}
	return World{Model: out}
}

// question has draws around a matrix, and the price that the mean of them calls for.
func question(t testing.TB, n int, rule Rule) (q Matter, draws [][4]float64, mean []float64) {
	r := rand.New(rand.NewPCG(3, 4))
	traits := make([]float64, 2*6)
	mean = make([]float64, 2)
	for i := range traits {
		traits[i] = 4 + r.NormFloat64()
		mean[i%2] += traits[i] / 6
	}
	var middle [4]float64
	for range n {
		b := [4]float64{1.2 + 0.25*r.NormFloat64(), -0.2 + 0.1*r.NormFloat64(), -0.3 + 0.1*r.NormFloat64(), 0.9 + 0.2*r.NormFloat64()}
		b[0], b[3] = max(b[0], 0.5), max(b[3], 0.5)
		draws = append(draws, b)
		q.Worlds = append(q.Worlds, shop(t, 0.7+0.2*r.Float64(), b, traits))
		for j, v := range b {
			middle[j] += v / float64(n)
		}
	}
	q.Set, q.Rule = set.Box{Lower: []float64{0, 0}, Upper: []float64{20, 20}}, rule
	q.Plug = best(middle, mean)
	return q, draws, mean
}

// best solves (B + Bᵀ) q = d̄.
func best(b [4]float64, mean []float64) []float64 {
	a, x := []float64{2 * b[0], b[1] + b[2], b[1] + b[2], 2 * b[3]}, []float64{mean[0], mean[1]}
	if at, _ := dense.Cholesky(a, 2, 0); at < 2 {
		panic("not convex")
	}
	dense.SolveCholesky(a, x, 2)
	return x
}

func loss(b [4]float64, mean, q []float64) float64 {
	return b[0]*q[0]*q[0] + (b[1]+b[2])*q[0]*q[1] + b[3]*q[1]*q[1] - mean[0]*q[0] - mean[1]*q[1]
}

func ask(t testing.TB, q Matter) *Ruling {
	t.Helper()
	a, err := Over(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Where settled losses are quadratic in the decision, the best of every draw solves its linear system, and the best on the average that of the mean
// matrix: which is what the plug-in solves here, so that nothing is gained.
func TestQuadraticDrawsAverage(t *testing.T) {
	q, draws, mean := question(t, 60, Rule{Kind: Mean})
	a := ask(t, q)
	for i, b := range draws {
		want := best(b, mean)
		got := a.Draws[i]
		if math.Hypot(got.Decision[0]-want[0], got.Decision[1]-want[1]) > 1e-6 || math.Abs(got.Loss-loss(b, mean, want)) > 1e-9 {
			t.Fatalf("draw %d is best at %v with %v, closed form %v with %v", i, got.Decision, got.Loss, want, loss(b, mean, want))
		}
	}
	if math.Hypot(a.Robust.Decision[0]-q.Plug[0], a.Robust.Decision[1]-q.Plug[1]) > 1e-6 {
		t.Errorf("best on the average at %v, that of the mean matrix %v", a.Robust.Decision, q.Plug)
	}
	sum, regret, most := 0.0, 0.0, 0.0
	for _, b := range draws {
		r := loss(b, mean, q.Plug) - loss(b, mean, best(b, mean))
		sum, regret, most = sum+loss(b, mean, q.Plug)/60, regret+r/60, max(most, r)
	}
	if p := a.Plug; math.Abs(p.Mean-sum) > 1e-9 || math.Abs(p.Regret-regret) > 1e-9 || math.Abs(p.Most-most) > 1e-9 {
		t.Errorf("the plug-in loses %v, regrets %v and at most %v; by hand %v, %v, %v", p.Mean, p.Regret, p.Most, sum, regret, most)
	}
	for j, s := range a.Decision {
		if !(s.Known() && s.Low < q.Plug[j] && q.Plug[j] < s.High) {
			t.Errorf("entry %d is best within %v, the plug-in is at %v", j, s, q.Plug[j])
		}
	}
}

// The worst tenth and the largest regret are as small as on a fine grid, and not larger than at the plug-in.
func TestTailsAndRegretsAreLeast(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and others have workers share")
	}
	for _, rule := range []Rule{{CVaR, 0.1}, {CVaR, 0.25}, {Kind: Regret}} {
		q, draws, mean := question(t, 40, rule)
		a := ask(t, q)
		losses, weight, order := make([]float64, len(draws)), make([]float64, len(draws)), make([]int, len(draws))
		criterion := func(u []float64) (value float64) {
			most := math.Inf(-1)
			for i, b := range draws {
				losses[i] = loss(b, mean, u)
				most = max(most, losses[i]-loss(b, mean, best(b, mean)))
			}
			if rule.Kind == Regret {
				return most
			}
			worst(weight, order, losses, rule.Part)
			for i, w := range weight {
				value += w * losses[i]
			}
			return value
		}
		least := math.Inf(1)
		for x := -60; x <= 60; x++ {
			for y := -60; y <= 60; y++ {
				least = min(least, criterion([]float64{a.Robust.Decision[0] + float64(x)/40, a.Robust.Decision[1] + float64(y)/40}))
			}
		}
		got, plug := criterion(a.Robust.Decision), criterion(q.Plug)
		if got > least+1e-7*math.Abs(plug-least) || got > plug {
			t.Errorf("%v: %v at %v, on a grid around it %v, at the plug-in %v", rule, got, a.Robust.Decision, least, plug)
		}
		if math.Abs(a.Search.Loss-got) > 1e-9 {
			t.Errorf("%v: the search says %v, by hand %v", rule, a.Search.Loss, got)
		}
	}
}

// A draw of habit at or above 1 never settles. It is counted, and makes intervals wider until they cannot be told.
func TestUnsettledDrawsAreCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and others have workers share")
	}
	q, _, _ := question(t, 100, Rule{Kind: Mean})
	whole := ask(t, q)
	traits := q.Worlds[0].Model.Traits.(kedge.Block).Data
	q.Worlds[7] = shop(t, 1.05, [4]float64{1, 0, 0, 1}, traits)
	q.Worlds[9] = World{Err: errors.New("made of nothing")}
	a := ask(t, q)
	if a.Missing != 2 || a.Why == nil || a.Draws[7].Err == nil || !math.IsNaN(a.Plug.Losses[9]) {
		t.Errorf("%d missing because of %v; draw 7: %v", a.Missing, a.Why, a.Draws[7].Err)
	}
	for j, s := range a.Decision {
		if !s.Known() || s.Low > whole.Decision[j].Low || s.High < whole.Decision[j].High {
			t.Errorf("entry %d: %v with two draws missing, %v with all", j, s, whole.Decision[j])
		}
	}
	for i := range 3 {
		q.Worlds[20+i].Err = errors.New("nothing")
	}
	if a = ask(t, q); a.Decision[0].Known() || a.Best.Known() || a.Plug.Reach.Known() {
		t.Errorf("5 of 100 draws have no answer, and yet it is within %v", a.Decision[0])
	}
	for i := range q.Worlds {
		q.Worlds[i].Err = errors.New("nothing at all")
	}
	var none *NoAnswerError
	if _, err := Over(t.Context(), q); !errors.As(err, &none) || !strings.Contains(err.Error(), "none of 100 draws") {
		t.Errorf("without any answer: %v", err)
	}
}

// One worker and three give the same bits, and a context that has ended ends it.
func TestWorkersChangeNothing(t *testing.T) {
	for _, rule := range []Rule{{Kind: Mean}, {CVaR, 0.3}, {Kind: Regret}} {
		q, _, _ := question(t, 12, rule)
		one := ask(t, q)
		q.Workers = 3
		three := ask(t, q)
		one.Search, three.Search = &optimum.Search{Point: one.Search.Point}, &optimum.Search{Point: three.Search.Point}
		if !reflect.DeepEqual(one, three) {
			t.Errorf("%v: %+v by one worker, by three %+v", rule, one, three)
		}
	}
	q, _, _ := question(t, 3, Rule{Kind: Mean})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Over(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func TestRulesAreRead(t *testing.T) {
	for text, want := range map[string]Rule{"mean": {Kind: Mean}, " regret ": {Kind: Regret}, "cvar 0.1": {CVaR, 0.1}} {
		if got, err := ParseRule(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "median", "cvar", "cvar 0", "cvar 1.5", "cvar NaN", "mean 0.1", "regret regret"} {
		if _, err := ParseRule(text); err == nil {
			t.Errorf("%q was taken for a rule", text)
		}
	}
}
