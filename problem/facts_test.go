package problem

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/set"
)

const modelOf3 = `iterations: 10
model: {decision: "u[3]", state: "p[3]", trait: "d[3]", next: 0.5*p + 0.25*d + 0.25*u, maximize: "dot(p, u)", subject to: norm(u) <= 1}
population: {size: 8, law: sphere}
algorithms: [{name: composite, step: 0.1}]
`

// Angles between states and decisions mean something where both are directions of one space: of dynamics on a sphere, or of formulas whose lengths are one and whose traits are drawn from a sphere.
func TestSharedSpace(t *testing.T) {
	model := func(u, p, d, law string) string {
		return "iterations: 10\nmodel: {decision: \"u[" + u + "]\", state: \"p[" + p + "]\", trait: \"d[" + d + "]\", next: \"0.5*p + 0*d[0] + 0*u[0]\", minimize: norm(u)}\n" +
			"population: {size: 8, law: " + law + "}\nalgorithms: [{name: composite, step: 0.1}]\n"
	}
	for src, want := range map[string]bool{
		small: true, uneven: false, restricted: false, modelOf3: true,
		strings.Replace(modelOf3, "next:", "groups: {a: {share: 0.5, x: 1}, b: {share: 0.5, x: 2}}, next:", 1): true,
		model("3", "3", "3", "normal"):                        false,
		model("4", "3", "3", "sphere"):                        false,
		model("3", "3", "4", "sphere, states: {law: sphere}"): false,
		model("3", "4", "3", "sphere, states: {law: sphere}"): false,
	} {
		if p := (&Problem{Spec: mustParse(t, src)}); p.SharedSpace() != want {
			t.Errorf("%s: shared %v, want %v", src, !want, want)
		}
	}
}

// So many decisions are looked at first that 4 million entries of states are judged, 2000 at most, and none where a decision has more than 4 entries.
func TestEffortByHand(t *testing.T) {
	for _, c := range []struct{ entries, states, size, want int }{{4, 2, 10000, 200}, {4, 2, 1000, 2000}, {4, 2, 999, 2000}, {4, 2, 1001, 1998}, {1, 1, 1, 2000}, {5, 2, 10000, 0}} {
		s := &Spec{Model: &Model{Decision: "u[" + string(rune('0'+c.entries)) + "]", State: "p[" + string(rune('0'+c.states)) + "]", Trait: "d"}, Population: Population{Size: c.size}}
		p := &Problem{Spec: s}
		p.Search.Starts = 7
		if got := p.Effort(); got.Screen != c.want || got.Starts != 7 {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// Formulas are bounded where people are alone, stay and are few: up to 20 000 derivatives of settled states.
func TestLandscapes(t *testing.T) {
	for change, want := range map[string]bool{
		"population.size=1666": true, "population.size=1667": false, // 1666·3·(1 + 3) = 19 992
		"population.churn=0.1": false, "model.next=0.5*p + 0.25*d + 0.1*crowd(p) + 0.1*u": false, "model.next=0.5*p + 0.25*d + 0.1*t*u": false,
	} {
		if l := build(t, modelOf3, Assign(change)).Landscape(); (l != nil) != want {
			t.Errorf("%s: a landscape %v", change, l != nil)
		}
	}
	for size, want := range map[string]bool{"10000": true, "10001": false} { // with one entry and its slope
		if l := build(t, settledAt, Assign("population.size="+size)).Landscape(); (l != nil) != want {
			t.Errorf("%s people: a landscape %v", size, l != nil)
		}
	}
	if build(t, small).Landscape() != nil {
		t.Error("parts known by name have one")
	}
	weighted := build(t, modelOf3, Assign("population.weights=[1, 2, 3, 4, 5, 6, 7, 8]"))
	u := []float64{0.1, 0.2, -0.3}
	f, err := weighted.Steady()
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Value(u)
	jet, box := make(interval.Jet, 1), []interval.Span{interval.Point(u[0]), interval.Point(u[1]), interval.Point(u[2])}
	if weighted.Landscape().Enclose(jet, box); err != nil || math.Abs(jet[0].Lo-want) > 1e-9 || math.Abs(jet[0].Hi-want) > 1e-9 {
		t.Errorf("of weighted people %v, want %v, %v", jet, want, err)
	}
}

// coupledOne are people drawn to their mean: m = 0.6u + d̄ and 0.65p = 0.7(0.3u + 0.5d) + 0.3m.
const coupledOne = `iterations: 10
population: {size: 3, dim: 1, law: values, values: [[1], [2], [6]]}
dynamics: {kind: affine, a: [[0.5]], b: [[0.3]], e: [[0.5]], coupling: 0.3}
objective: {kind: quadratic, decision: 1, state: 1}
set: {kind: ball, radius: 2}
start: {law: values, values: [0.5]}
algorithms: [{name: composite, step: 0.1}]
`

func TestSettlingAmongOthers(t *testing.T) {
	p := build(t, coupledOne)
	u, d := []float64{0.8}, []float64{1, 6}
	h := make([]float64, 2)
	if err := p.Settle(h, u, d); err != nil {
		t.Fatal(err)
	}
	mean := 0.6*0.8 + 3
	for i := range d {
		if want := (0.7*(0.3*0.8+0.5*d[i]) + 0.3*mean) / 0.65; math.Abs(h[i]-want) > 1e-12 {
			t.Errorf("who has the trait %v settles at %v, want %v", d[i], h[i], want)
		}
	}
	one, next := p.Alone(), make([]float64, 1)
	held := 0.6*0.5 + 3 // at the first decision
	if one.Dynamics.Next(next, []float64{0.2}, u, []float64{6}); one.Social || math.Abs(next[0]-(0.7*(0.5*0.2+0.3*0.8+0.5*6)+0.3*held)) > 1e-12 {
		t.Errorf("alone one goes to %v", next)
	}
	if p := build(t, small); p.Alone().Dynamics != p.Dynamics {
		t.Error("who is alone is made another")
	}
}

// What is deployed lies outside the set by as much as a method perturbs, unless it stays inside.
func TestWhatIsDeployed(t *testing.T) {
	p := build(t, coupledOne, Assign("algorithms=[{name: composite, step: 0.1}, {name: two-point, step: 0.1, delta: 0.25}, {name: b, kind: two-point, step: 0.1, delta: 0.25, perturbed: feasible}]"))
	for a, want := range []float64{2, 2.25, 2} {
		if got := p.Deployed(a).Set.(set.Ball).Radius; got != want {
			t.Errorf("%s deploys within %v, want %v", p.Spec.Algorithms[a].Name, got, want)
		}
	}
	boxed := build(t, coupledOne, Assign("set={kind: box, lower: 0, upper: 1}"))
	if _, ok := boxed.Deployed(0).Set.(set.Box); !ok {
		t.Errorf("what deploys its own decisions does so within %T", boxed.Deployed(0).Set)
	}
	if _, ok := p.Deployed(1).Dynamics.(dynamics.Held); !ok {
		t.Error("the others are not held")
	}
}

// A sensitivity of nothing leaves the gradient of who takes people for given; those who see each other have none alone.
func TestSteadyByAnotherAnswer(t *testing.T) {
	p := build(t, weighted)
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	blind, err := p.SteadyBy(func(kedge.Smooth) kedge.Sensitivity { return deaf{} })
	if err != nil {
		t.Fatal(err)
	}
	u, want, got := []float64{0.3, -0.2}, make([]float64, 2), make([]float64, 2)
	if err := errors.Join(errOf(f.Partial(want, u)), errOf(blind.Gradient(got, u))); err != nil || math.Hypot(got[0]-want[0], got[1]-want[1]) > 1e-13 {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
	if _, err := build(t, coupledOne).SteadyBy(func(kedge.Smooth) kedge.Sensitivity { return deaf{} }); err == nil || err.Error() != "individuals see the mean of the crowd, so that no sensitivity of one alone says how they answer" {
		t.Error(err)
	}
	if lag := build(t, weighted, Assign("hold=3")).Lag(); lag.Steps != 3 || !slices.Equal(lag.Model.Start, p.Start) {
		t.Errorf("%+v", lag)
	}
	if p.Rollout() != nil || build(t, weighted, Assign("record.rollout=4")).Rollout().Steps != 4 {
		t.Error("roll-outs are not those of the spec")
	}
	if p.MeasureItems() || !(&Problem{Spec: &Spec{Record: Record{W1: "items"}}}).MeasureItems() {
		t.Error("items are not measured where the spec says so")
	}
}

func errOf(_ float64, err error) error { return err }

// deaf is the sensitivity of people who do not answer.
type deaf struct{}

func (deaf) PullRows(gu, p, u, d, v []float64) error { return nil }

// What a spoiled sensitivity misleads by is, halved, half of what people's answer adds to the gradient, taken away; people settle from where they begin.
func TestMisledByHalfTheAnswer(t *testing.T) {
	const bistable = `iterations: 3
model: {decision: q, state: "p[2]", trait: "d[2]", next: "tanh(2*p + 0.1*d + 0.1*q)", minimize: "(p[0] - 0.3*q)^2 + 2*p[1]"}
population: {size: 150, law: normal, states: {law: normal}}
start: {law: zero}
algorithms: [{name: half, kind: composite, step: 0.1, wrong: {scale: 0.5}}, {name: composite, step: 0.1}, {name: old, kind: composite, step: 0.1, wrong: {stale: 3}}]
`
	weights := strings.Repeat("1, 2, 0.5, ", 49) + "1, 2, 0.5"
	for _, over := range [][]Overlay{nil, {Assign("population.weights=[" + weights + "]")}} {
		p := build(t, bistable, over...)
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		u, whole, part, e := []float64{0.4}, make([]float64, 1), make([]float64, 1), []float64{77}
		if err := errors.Join(errOf(f.Gradient(whole, u)), errOf(f.Partial(part, u)), p.Misled(e, 0, u)); err != nil {
			t.Fatal(err)
		}
		if want := -0.5 * (whole[0] - part[0]); math.Abs(e[0]-want) > 1e-12 || math.Abs(want) < 1e-4 {
			t.Errorf("misled by %v, want %v", e, want)
		}
		if got := p.Spoiled(0); got == nil || got.Scale != 0.5 || p.Spoiled(1) != nil || p.Spoiled(2) != nil {
			t.Errorf("%v, %v and %v are spoiled", got, p.Spoiled(1), p.Spoiled(2))
		}
	}
	full, blocks := build(t, bistable, Assign("population.size=64")), 0
	full.Objective = judging{full.RowObjective(), &blocks}
	if err := full.Misled(make([]float64, 1), 0, []float64{0.4}); err != nil || blocks != 1 {
		t.Errorf("64 people are judged in %d blocks, %v", blocks, err)
	}
	restless := build(t, bistable, Assign("model.next=p + 1 + 0*q"))
	var unsettled *kedge.UnstableError
	if err := restless.Misled(make([]float64, 1), 0, []float64{0}); !errors.As(err, &unsettled) {
		t.Errorf("people who never settle have settled: %v", err)
	}
	still := build(t, bistable, Assign("model.next=p - p^3 + 0*q"), Assign("population.states={law: normal, deviation: 0}")) // at 0 nobody moves, and I − ∂f/∂p is 0
	if err := still.Misled(make([]float64, 1), 0, []float64{0}); !errors.Is(err, kedge.ErrSingular) {
		t.Errorf("where no answer is told people are misled by one: %v", err)
	}
	if p := build(t, bistable, Assign("algorithms=[{name: vanilla, step: 0.1}]")); p.Spoiled(0) != nil {
		t.Error("who uses no sensitivity has a spoiled one")
	}
}

// judging counts blocks of people that are judged.
type judging struct {
	kedge.RowObjective
	blocks *int
}

func (j judging) EvalRows(gp, gu, p, u, d []float64) float64 {
	*j.blocks++
	return j.RowObjective.EvalRows(gp, gu, p, u, d)
}

func TestWarningsSayWhatMustBeKnown(t *testing.T) {
	const mean = "Individuals are drawn to the mean of the crowd: what is said of one by itself holds the mean where it settles under the first decision."
	for _, c := range []struct {
		src  string
		want []string
	}{
		{coupledOne, []string{mean}},
		{strings.Replace(coupledOne, ", coupling: 0.3", "", 1), nil},
		{modelOf3, nil},
		{strings.Replace(modelOf3, "0.25*d + 0.25*u", "0.25*crowd(p) + 0.25*u", 1), []string{mean}},
		{worldly, []string{"Noise (shock and hits[2]) enters every step: decisions are judged by where people would settle with it at its mean.",
			"Formulas depend on the time t, the number of the step: people are called settled where they would settle if it stood still."}},
	} {
		if got := build(t, c.src).Warnings(); !slices.Equal(got, c.want) {
			t.Errorf("%s\nwarns %q, want %q", c.src, got, c.want)
		}
	}
}

// The words of reports, of each part by hand.
func TestBesidesInWords(t *testing.T) {
	s := mustParse(t, worldly)
	if got := s.Model.Besides(); got != " Groups are loyal (75.0\u202f%, taste 0.5) and others (25.0\u202f%, taste 2). Drawn anew every step are shock from normal(0, 0.1) and hits[2] from bernoulli(0.25)." {
		t.Error(got)
	}
	if got := mustParse(t, modelOf3).Model.Besides(); got != "" {
		t.Error(got)
	}
	for src, want := range map[string]string{
		small: "", weighted: " People count, and are sampled, by weights of their own.", shop: " People count, and are sampled, by weights of their own.",
		strings.Replace(uneven, "states: {law: normal}", "states: {law: normal, correlation: [[0.5], [0.1]]}", 1): " First states are normal too, and correlated with the traits.",
	} {
		if got := mustParse(t, src).Population.Besides(); got != want {
			t.Errorf("%s\n%q", src, got)
		}
	}
	for src, want := range map[string]string{small: "4 individuals", shop: "The people of customers.csv", strings.Replace(shop, "weight: w", "weight: w, size: 2", 1): "2 individuals"} {
		if got := mustParse(t, src).Population.Who(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
