package design

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/set"
)

// trial is a shop of two prices with a matrix B that is not known: people go 0.4 of the way to d − Bq, and prices q earn qᵀ(d − Bq) once they have settled, so that
// (B + Bᵀ)q = d is best. Staying at one pair of prices tells only what B makes of that pair.
func trial(t testing.TB) *Experiment {
	f, err := formula.Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "0.6*p + 0.4*(d - B @ q)"}.Regress([]string{"B[2, 2]"})
	if err != nil {
		t.Fatal(err)
	}
	e := &Experiment{
		Model: f, At: []float64{1.2, -0.2, -0.3, 0.9}, Drawn: []int{0, 1, 2, 3}, Noise: 0.15, Turns: 8, Change: 0.8, Budget: 4,
		Set: set.Box{Lower: []float64{0, 0}, Upper: []float64{10, 10}}, Starts: 4, Seed: 1,
	}
	e.Base = priced(e.At)
	for range 6 {
		e.Traits = append(e.Traits, 4, 4)
		e.States = append(e.States, 4-1.2*e.Base[0]+0.2*e.Base[1], 4+0.3*e.Base[0]-0.9*e.Base[1])
	}
	e.Slope, e.Curve = []float64{0, 0}, []float64{2.4, -0.5, -0.5, 1.8}
	r := rand.New(rand.NewPCG(1, 2))
	var draws, decisions [][]float64
	for range 400 {
		b := drawn(r, e.At)
		draws, decisions = append(draws, b), append(decisions, priced(b))
	}
	if e.Weight, e.Cov, err = Weigh(draws, decisions, e.Curve); err != nil {
		t.Fatal(err)
	}
	return e
}

func drawn(r *rand.Rand, at []float64) []float64 {
	return []float64{at[0] + 0.12*r.NormFloat64(), at[1] + 0.12*r.NormFloat64(), at[2] + 0.12*r.NormFloat64(), at[3] + 0.12*r.NormFloat64()}
}

func priced(b []float64) []float64 {
	a, x := []float64{2 * b[0], b[1] + b[2], b[1] + b[2], 2 * b[3]}, []float64{4, 4}
	if at, _ := dense.Cholesky(a, 2, 0); at < 2 {
		return []float64{10, 10}
	}
	dense.SolveCholesky(a, x, 2)
	return x
}

func lossOf(b, q []float64) float64 {
	return b[0]*q[0]*q[0] + (b[1]+b[2])*q[0]*q[1] + b[3]*q[1]*q[1] - 4*q[0] - 4*q[1]
}

// realised is the mean regret over true matrices, when prices are set by what was known before and what was seen under these decisions. The next state is linear in B, so that what
// is known afterwards is normal, with the mean that the normal equations give.
func (e *Experiment) realised(x [][]float64, worlds int) (sum float64) {
	r := rand.New(rand.NewPCG(7, 7))
	k := 4
	prior := make([]float64, k*k)
	dense.InvertDefinite(prior, append([]float64(nil), e.Cov...), k)
	for range worlds {
		b := drawn(r, e.At)
		normal, right := append([]float64(nil), prior...), make([]float64, k)
		for i := range k {
			for j := range k {
				right[i] += prior[i*k+j] * e.At[j]
			}
		}
		states := append([]float64(nil), e.States...)
		for _, q := range x {
			for i := 0; i < len(states); i += 2 {
				for s := range 2 {
					slope := make([]float64, k)
					slope[2*s], slope[2*s+1] = -0.4*q[0], -0.4*q[1]
					next := 0.6*states[i+s] + 0.4*4 + slope[2*s]*b[2*s] + slope[2*s+1]*b[2*s+1] + e.Noise*r.NormFloat64()
					seen := next - 0.6*states[i+s] - 0.4*4
					for a, v := range slope {
						right[a] += v * seen / (e.Noise * e.Noise)
						for c, w := range slope {
							normal[a*k+c] += v * w / (e.Noise * e.Noise)
						}
					}
					states[i+s] = next
				}
			}
		}
		dense.Cholesky(normal, k, 0)
		dense.SolveCholesky(normal, right, k)
		sum += (lossOf(b, priced(right)) - lossOf(b, priced(b))) / float64(worlds)
	}
	return sum
}

// The decisions that are chosen keep budget, limit and set, and simulated afterwards they leave less regret than random ones of the same loss and than none; by about as much as was said.
func TestChosenChangesTeachMore(t *testing.T) {
	e := trial(t)
	plan, err := e.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := e.Base
	for _, u := range plan.Decisions {
		for j, v := range u {
			if math.Abs(v-before[j]) > e.Change*(1+1e-9) || v < 0 || v > 10 {
				t.Errorf("from %v to %v, the limit is %v", before, u, e.Change)
			}
		}
		before = u
	}
	if plan.Lost > e.Budget*(1+1e-9) || !(plan.After < plan.Stay && plan.Stay < plan.Before) {
		t.Errorf("lost %v of %v; regret %v, %v after staying, %v after", plan.Lost, e.Budget, plan.Before, plan.Stay, plan.After)
	}
	const worlds = 400
	chosen, stay := e.realised(plan.Decisions, worlds), e.realised(e.stay(), worlds)
	random := 0.0
	r := rand.New(rand.NewPCG(5, 5))
	const others = 8
	for range others {
		x := e.stay()
		for i := range x {
			for j := range x[i] {
				x[i][j] += 0.3 * r.NormFloat64()
			}
		}
		x = e.allowed(x)
		for range 6 { // as much loss as was chosen
			for i := range x {
				towards(x[i], e.Base, math.Sqrt(plan.Lost/e.lost(x)))
			}
			x = e.allowed(x)
		}
		random += e.realised(x, worlds) / others
	}
	t.Logf("regret said: %.4f now, %.4f after staying, %.4f after the design; simulated: stay %.4f, random %.4f, design %.4f", plan.Before, plan.Stay, plan.After, stay, random, chosen)
	if !(chosen < 0.97*random && chosen < 0.9*stay) || math.Abs(chosen/plan.After-1) > 0.3 {
		t.Errorf("simulated regret %v by design, %v at random, %v without; %v was said", chosen, random, stay, plan.After)
	}
}

// What a number is worth is by how much the regret falls that is left when its own row and column of the covariance are taken out.
func TestWorthIsWhatKnowingSaves(t *testing.T) {
	weight, cov := []float64{2, 0.5, 0.5, 1}, []float64{0.4, 0.1, 0.1, 0.3}
	got := Worth(weight, cov)
	whole := (2*0.4 + 2*0.5*0.1 + 1*0.3) / 2
	for j, left := range []float64{0.3 - 0.1*0.1/0.4, 0.4 - 0.1*0.1/0.3} { // the variance of the other one, given this
		want := whole - []float64{1, 2}[j]*left/2
		if math.Abs(got[j]-want) > 1e-12 {
			t.Errorf("number %d is worth %v, by hand %v", j, got[j], want)
		}
	}
}

// Decisions that follow numbers linearly give the curvature of regret as it is in closed form, and the answer is the same on any number of workers.
func TestRegretIsCurvedAsInClosedForm(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var draws, decisions [][]float64
	for range 50 {
		a, b := r.NormFloat64(), r.NormFloat64()
		draws, decisions = append(draws, []float64{a, b}), append(decisions, []float64{2*a - b})
	}
	weight, _, err := Weigh(draws, decisions, []float64{3})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{12, -6, -6, 3} { // 3·(2, −1)(2, −1)ᵀ
		if math.Abs(weight[i]-want) > 1e-6 {
			t.Errorf("%v, by hand 12, −6, −6, 3", weight)
		}
	}
	e := trial(t)
	e.Starts, e.Turns = 2, 2
	one, err := e.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.Workers = 3
	if three, err := e.Plan(t.Context()); err != nil || !reflect.DeepEqual(one, three) {
		t.Errorf("%v by one worker, %v, %v by three", one, three, err)
	}
}

// What there is nothing to plan of, or no time for, is told.
func TestExperimentsThatCannotBePlanned(t *testing.T) {
	for name, spoil := range map[string]func(e *Experiment){
		"no turns": func(e *Experiment) { e.Turns = 0 }, "no noise": func(e *Experiment) { e.Noise = 0 }, "noise that is no number": func(e *Experiment) { e.Noise = math.NaN() },
		"no change": func(e *Experiment) { e.Change = 0 }, "a change below 0": func(e *Experiment) { e.Change = -1 }, "no budget": func(e *Experiment) { e.Budget = 0 }, "a budget below 0": func(e *Experiment) { e.Budget = -1 },
		"all is known": func(e *Experiment) { e.Drawn = nil },
	} {
		e := trial(t)
		e.Turns, e.Starts = 1, 1
		if spoil(e); !told(e.Plan(t.Context())) {
			t.Errorf("%s: there is a plan", name)
		}
	}
	e := trial(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if plan, err := e.Plan(ctx); plan != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %+v, %v", plan, err)
	}
	two := [][]float64{{1}, {2}}
	for name, x := range map[string]struct {
		draws, decisions [][]float64
		want             string
	}{
		"two draws": {two, two, ""}, "one draw": {two[:1], two[:1], "at least two draws"}, "no draws": {nil, nil, "at least two draws"}, "a draw without a decision": {two, two[:1], "each with its decision"}, "draws that are all the same": {[][]float64{{1}, {1}}, two, ""}, "a draw without end": {[][]float64{{1}, {math.Inf(1)}}, two, "design: "},
	} {
		if _, _, err := Weigh(x.draws, x.decisions, []float64{1}); (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// told tells whether there is an error and no plan.
func told(plan *Timetable, err error) bool { return plan == nil && err != nil }
