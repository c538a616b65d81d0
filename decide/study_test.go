package decide_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/decide"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// noise is the standard deviation of what happens to people beside the model, every step.
const noise = 0.6

// market is people who buy with a habit, the less the dearer: they settle at d·exp(−b q), and what a price q earns is p q less what it costs to ask for it.
var market = formula.Source{Decision: "q", State: "p", Trait: "d", Next: "habit*p + (1-habit)*d*exp(-b*q)", Maximize: "p*q - 0.05*q^2"}

// crowd is the market with its numbers.
func crowd(t testing.TB, habit, b float64, traits []float64) decide.World {
	t.Helper()
	s := market
	s.Let = []formula.Binding{{Name: "habit", Data: &formula.Value{Data: []float64{habit}}}, {Name: "b", Data: &formula.Value{Data: []float64{b}}}}
	m, err := formula.Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Dynamics()
	out := kedge.Model{Dynamics: f, Objective: m.Objective(), Sensitivity: m.Sensitivity(), Traits: kedge.Block{Data: traits, Width: 1}}
	var ok bool
	if out.Settler, ok = f.(kedge.RowSettler); !ok {
		out.Settler = dynamics.NewWalked(f)
	}
	return decide.World{Model: out}
}

// tried is what became of decisions in one simulated world: what each loses against the oracle.
type tried struct {
	plug, mean, tail, regret, online, vanilla float64
	over, beyond                              [3]float64 // by how much each rule is worse than the plug-in beyond what it said, and beyond the largest over draws
	inside                                    bool       // the oracle is in the interval
}

// try makes a world, a log of it, a fit of the log, and decisions by the fit.
func try(t testing.TB, f *formula.Regressor, seed uint64, draws int) (out tried) {
	r := rand.New(rand.NewPCG(seed, 18))
	habit, b := 0.5+0.4*r.Float64(), 0.4+0.5*r.Float64()
	traits := make([]float64, 12)
	for i := range traits {
		traits[i] = 2 + 2*r.Float64()
	}
	truth, err := steady.New(crowd(t, habit, b, traits).Model)
	if err != nil {
		t.Fatal(err)
	}
	room := set.Box{Lower: []float64{0.2}, Upper: []float64{8}}
	oracle, err := optimum.Find(t.Context(), truth, room, [][]float64{{1}}, optimum.Effort{Starts: 4})
	if err != nil {
		t.Fatal(err)
	}
	lost := func(u []float64) float64 {
		v, err := truth.Value(u)
		if err != nil {
			t.Fatal(err)
		}
		return v - oracle.Loss
	}
	fitted := estimate(t, f, r, habit, b, traits, draws)
	q := decide.Matter{Set: room, Starts: [][]float64{{1}}}
	for row := range slices.Chunk(fitted.Draws, 2) {
		q.Worlds = append(q.Worlds, crowd(t, row[0], row[1], traits))
	}
	own, err := steady.New(crowd(t, fitted.Value[0], fitted.Value[1], traits).Model)
	if err != nil {
		t.Fatal(err)
	}
	plug, err := optimum.Find(t.Context(), own, room, [][]float64{{1}}, optimum.Effort{Starts: 4})
	if err != nil {
		t.Fatal(err)
	}
	q.Plug = plug.Decision
	out.plug = lost(plug.Decision)
	for i, rule := range []decide.Rule{{Kind: decide.Mean}, {Kind: decide.CVaR, Part: 0.1}, {Kind: decide.Regret}} {
		q.Rule = rule
		a, err := decide.Over(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		is := lost(a.Robust.Decision)
		*[]*float64{&out.mean, &out.tail, &out.regret}[i] = is
		out.over[i], out.beyond[i] = is-out.plug-max(0, a.Stretch), is-out.plug-max(0, a.Costs)
		out.inside = a.Decision[0].Low <= oracle.Decision[0] && oracle.Decision[0] <= a.Decision[0].High
	}
	out.online, out.vanilla = lost(goOn(r, plug.Decision[0], habit, b, fitted.Value[1], traits)), lost(goOn(r, plug.Decision[0], habit, b, 0, traits))
	return out
}

// estimate fits a short log in which prices moved little.
func estimate(t testing.TB, f *formula.Regressor, r *rand.Rand, habit, b float64, traits []float64, draws int) *fit.Fitted {
	var l fit.Log
	prices := make([]float64, 8)
	for i := range prices {
		prices[i] = 1 + 0.25*r.NormFloat64()
	}
	for person := range 4 * len(traits) {
		d := traits[person%len(traits)]
		p := d * math.Exp(-b)
		for _, q := range prices {
			next := habit*p + (1-habit)*d*math.Exp(-b*q) + noise*r.NormFloat64()
			l.States, l.Beside, l.After, l.Person = append(l.States, p), append(l.Beside, d, q), append(l.After, next), append(l.Person, person)
			p = next
		}
	}
	habitIs := fit.Free("habit", 0.5)
	habitIs.Lower, habitIs.Upper = 0, 0.98
	bIs := fit.Free("b", 1)
	bIs.Lower, bIs.Upper = 0.02, 5
	got, err := fit.Find(t.Context(), f, l, []fit.Unknown{habitIs, bIs}, fit.Options{Starts: 2, Repeats: draws, Seed: r.Uint64()})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// goOn decides every turn on the people as they are: a step along the gradient that counts their answer by the b that was fitted, none of it with 0, as retraining does.
func goOn(r *rand.Rand, q, habit, b, fitted float64, traits []float64) []float64 {
	states := make([]float64, len(traits))
	for i, d := range traits {
		states[i] = d * math.Exp(-b*q)
	}
	for range 600 {
		mean, answer := 0.0, 0.0
		for i, d := range traits {
			states[i] = habit*states[i] + (1-habit)*d*math.Exp(-b*q) + noise*r.NormFloat64()
			mean += states[i] / float64(len(traits))
			answer -= fitted * states[i] / float64(len(traits))
		}
		q = min(max(q+0.05*(mean+q*answer-0.1*q), 0.2), 8)
	}
	return []float64{q}
}

// Over simulated worlds: what decisions by a short log lose against the oracle. Decisions over draws lose no more than the plug-in on the average but for what
// they say, and retraining loses much more than either.
func TestDecisionsInSimulatedWorlds(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and its parts are raced by the other tests")
	}
	worlds, draws, few := 3, 20, true
	if os.Getenv("KEDGE_TORTURE") != "" {
		worlds, draws, few = 200, 100, false
	}
	f, err := market.Regress([]string{"habit", "b"})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]tried, worlds)
	_ = crew.Share(2, worlds, func(_, i int) error {
		all[i] = try(t, f, uint64(i+1), draws)
		return nil
	})
	n := float64(worlds)
	var sum tried
	var worst tried
	var over, beyond [3]int
	inside := 0
	for _, w := range all {
		for _, c := range []struct {
			sum, most *float64
			is        float64
		}{{&sum.plug, &worst.plug, w.plug}, {&sum.mean, &worst.mean, w.mean}, {&sum.tail, &worst.tail, w.tail}, {&sum.regret, &worst.regret, w.regret}, {&sum.online, &worst.online, w.online}, {&sum.vanilla, &worst.vanilla, w.vanilla}} {
			*c.sum += c.is / n
			*c.most = max(*c.most, c.is)
		}
		for i := range over {
			if w.over[i] > 1e-9 {
				over[i]++
			}
			if w.beyond[i] > 1e-9 {
				beyond[i]++
			}
		}
		if w.inside {
			inside++
		}
	}
	show := func(w tried) string {
		return fmt.Sprintf("plug-in %.4f, mean %.4f, cvar %.4f, regret %.4f, online %.4f, vanilla %.4f", w.plug, w.mean, w.tail, w.regret, w.online, w.vanilla)
	}
	t.Logf("%d worlds; mean regret: %s", worlds, show(sum))
	t.Logf("largest: %s", show(worst))
	t.Logf("worse than the plug-in by more than was said: %v, than under any draw: %v; the oracle is in the interval of %d", over, beyond, inside)
	if !(sum.vanilla > 5*max(sum.plug, sum.mean, sum.online)) {
		t.Errorf("retraining loses %v, which is not much more than what was fitted does", sum.vanilla)
	}
	if over != [3]int{} || !few && sum.mean > 1.5*sum.plug {
		t.Errorf("decisions over draws are worse than the plug-in by more than was said in %v of %d worlds", over, worlds)
	}
}
