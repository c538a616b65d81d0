package plan_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/doubt"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session/plan"
)

// long is a shop with so many numbers to decide, whose people see their sum.
func long(n string) string {
	return `
iterations: 1
model: {decision: "q[` + n + `]", state: p, trait: d, next: "0.5*p + 0.5*(d - sum(q))", maximize: "p * sum(q)", subject to: "0 <= q <= 2"}
population: {size: 2, law: normal, mean: 1, deviation: 1}
algorithms: [{name: vanilla, kind: vanilla, step: 0.05}]
`
}

// Decisions have up to 10,000 numbers; of up to 64 of them the bounds are found, and of up to 256 it is written down why they change.
func TestLongDecisions(t *testing.T) {
	for n, want := range map[string]struct{ bounds, reasons bool }{"64": {true, true}, "65": {false, true}, "256": {false, true}, "257": {}, "10000": {}} {
		p, err := plan.Of(kind.Standard(), long(n))
		if err != nil {
			t.Fatal(err)
		}
		low, high := p.Bounds()
		if (low != nil) != want.bounds || (high != nil) != want.bounds || want.bounds && ((*low)[63] != 0 || (*high)[63] != 2) {
			t.Errorf("%s numbers have bounds: %v", n, low != nil)
		}
		if r := plan.ReasoningOf(p.Rule, p.Start, p.Start); (r != nil) != want.reasons {
			t.Errorf("%s numbers have reasons: %v", n, r != nil)
		}
		if p.Live == nil || p.Live.Least != 100 {
			t.Errorf("%s numbers: a spec that says nothing of loops is not as usual", n)
		}
	}
	if _, err := plan.Of(kind.Standard(), long("10001")); err == nil || err.Error() != "a decision of 10001 entries; a loop has at most 10000" {
		t.Error(err)
	}
}

// A decision is in its set up to rounding of its own size: at (20, 0) by 21 billionths.
func TestFeasible(t *testing.T) {
	p := briefs(t)["shop"]
	for off, want := range map[float64]bool{0: true, 20e-9: true, 22e-9: false} {
		if got := p.Feasible([]float64{20 + off, 0}); got != want {
			t.Errorf("%g beyond: %t", off, got)
		}
	}
}

// Ends that are farther than a million are none.
func TestBoundsThatAreFar(t *testing.T) {
	for most, want := range map[string]float64{"999999": 999999, "1000001": math.NaN()} {
		p, err := plan.Of(kind.Standard(), strings.Replace(shop, "0 <= q <= 20", "0 <= q <= "+most, 1))
		if err != nil {
			t.Fatal(err)
		}
		if _, high := p.Bounds(); (*high)[0] != want && !(math.IsNaN(want) && math.IsNaN((*high)[0])) {
			t.Errorf("up to %s: %v", most, *high)
		}
	}
}

// Between two decisions in whole numbers the way leads through others: the nearest is taken if the cap lets it be.
func TestCapsOnWholeNumbers(t *testing.T) {
	for norm, want := range map[string]float64{"2.4": 5, "2.6": 3, "0.4": 3, "4": 6} {
		spec := strings.Replace(strings.Replace(shop, "norm: 0.5", "norm: "+norm, 1), "  subject to: 0 <= q <= 20\n", "  subject to: 0 <= q <= 20\n  integer: true\n", 1)
		p, err := plan.Of(kind.Standard(), spec)
		if err != nil {
			t.Fatal(err)
		}
		cut, _, near := p.Capped([]float64{6, 3}, []float64{3, 3}, 0)
		if cut[0] != want || cut[1] != 3 || near != (norm != "2.6") {
			t.Errorf("cap %s: %v, %t", norm, cut, near)
		}
	}
}

// lost is a model whose people do not settle from some call on.
type lost struct {
	kedge.Settler
	after *int
}

var errLost = errors.New("they go on and on")

func (l lost) Settle(p, u, d []float64) (r kedge.Residual, err error) {
	if *l.after--; *l.after < 0 {
		return r, errLost
	}
	return l.Settler.Settle(p, u, d)
}

// People who do not settle are an error of whoever asks where, at whatever decision that happens.
func TestPeopleWhoDoNotSettle(t *testing.T) {
	p := briefs(t)["shop"]
	seen := sample(rand.New(rand.NewPCG(1, 1)), 1, []float64{3, 3}, false)
	whole := p.Model.Settler
	if whole == nil {
		whole = p.Model.Dynamics.(kedge.Settler)
	}
	for after := range 4 {
		left := func() int { return after }
		n := left()
		p.Model.Settler = lost{whole, &n}
		f, err := p.Forecast(copied(seen), nil, []float64{3, 4}, []float64{3, 5})
		if (after < 3) != errors.Is(err, errLost) || after == 3 && f.Vanilla == nil {
			t.Errorf("the forecast after %d: %v", after, err)
		}
		n = left()
		g, err := p.Guess(1, []float64{3, 4}, copied(seen))
		if (after < 2) != errors.Is(err, errLost) || (g == nil) != (after < 2) {
			t.Errorf("the guess after %d: %+v, %v", after, g, err)
		}
		n = left()
		if _, err := p.Answering(copied(seen)); (after < 1) != errors.Is(err, errLost) {
			t.Errorf("the answer after %d: %v", after, err)
		}
		n = left()
		if states, err := p.Settled([]float64{3, 3}, slices.Clone(seen.P), seen.D); after == 0 && (states != nil || err.Error() != "where people settle under [3 3]: individual 0: they go on and on") {
			t.Errorf("%v, %v", states, err)
		}
	}
}

// Who is not looked at has no part in a guess, and what is not finite is no value.
func TestGuessesOfNumbersThatAreNot(t *testing.T) {
	p, r := briefs(t)["shop"], rand.New(rand.NewPCG(2, 2))
	seen := sample(r, 2001, []float64{3, 3}, false)
	seen.P[4000] = 1e9 // of the last person, who is left out
	if f, err := p.Forecast(seen, nil, []float64{3, 3}, nil); err != nil || f.Means[0] > 10 {
		t.Errorf("%v, %v", f.Means, err)
	}
	seen = sample(r, 3, []float64{3, 3}, false)
	seen.P[0] = 1e308
	if g, err := p.Guess(1, []float64{3, 4}, copied(seen)); g != nil || err != nil {
		t.Errorf("a value that is not finite: %+v, %v", g, err)
	}
	for _, size := range []float64{1.7e308, -1.7e308} {
		if v := p.Value([]float64{size, size * 0.99}, nil); v != nil {
			t.Errorf("an interval that is not finite: %+v", v)
		}
	}
}

// The parts of the gradient of a rule that has taken no step are nothing.
func TestTermsBeforeAStep(t *testing.T) {
	p := briefs(t)["shop"]
	if terms := plan.TermsOf(p.Rule, 0.25); terms.Direct != 0 || terms.Answer != 0 || terms.Cosine != 0 || terms.Step != 0.25 {
		t.Errorf("%+v", terms)
	}
}

// All traits can be meant, of a model with one as well; and the algorithm that decides is the one that is named.
func TestWhatSpecsName(t *testing.T) {
	b, err := plan.Of(kind.Standard(), long("2")+"live: {mix: {of: true}}\n")
	if err != nil || !slices.Equal(b.Duty.Mix, []bool{true}) {
		t.Errorf("%v, %v", b.Duty.Mix, err)
	}
	two := strings.Replace(shop, "live:\n", "  - {name: other, kind: vanilla, step: 0.05}\nlive:\n", 1)
	for name, informed := range map[string]bool{"composite": true, "other": false} {
		if b, err = plan.Of(kind.Standard(), strings.Replace(two, "live:\n", "live:\n  algorithm: "+name+"\n", 1)); err != nil || b.Duty.Informed != informed {
			t.Errorf("%s goes by the model: %t, %v", name, !informed, err)
		}
	}
}

// blind is a model that does not know how people answer.
type blind struct{ kedge.Sensitivity }

func (blind) PullRows(dst, p, u, d, v []float64) error { return errLost }

// Of people who are not looked at nobody asks how they answer; and where nobody knows it, that is an error.
func TestAnswersOfSome(t *testing.T) {
	p, r := briefs(t)["costs"], rand.New(rand.NewPCG(3, 3))
	seen := sample(r, 3, []float64{3, 3}, false)
	was := slices.Clone(seen.P)
	if _, err := p.Settled([]float64{9, 9}, seen.P, seen.D); err != nil || !slices.Equal(seen.P, was) {
		t.Errorf("people were moved from %v to %v, %v", was, seen.P, err)
	}
	p.Model.Sensitivity = blind{p.Model.Sensitivity}
	if a, err := p.Answering(copied(seen)); a != nil || !errors.Is(err, errLost) || !strings.HasPrefix(err.Error(), "how people answer: ") {
		t.Errorf("%+v, %v", a, err)
	}
}

// termed is a rule whose last step was taken on these terms.
type termed struct {
	plan.Rule
	direct, answer []float64
}

func (r termed) Terms() (direct, answer []float64) { return r.direct, r.answer }

// The two parts of a gradient are told by their lengths and their angle, which has no cosine where one is nothing: of (3, 4) and (4, −3) it is 0, of (3, 4) and (0, 2) it is 4/5.
func TestTermsByHand(t *testing.T) {
	for _, c := range []struct {
		direct, answer       []float64
		long, longer, cosine float64
	}{
		{[]float64{3, 4}, []float64{4, -3}, 5, 5, 0},
		{[]float64{3, 4}, []float64{0, 2}, 5, 2, 0.8},
		{[]float64{3, 4}, []float64{-6, -8}, 5, 10, -1},
		{[]float64{3, 4}, []float64{0, 0}, 5, 0, 0},
		{[]float64{0, 0}, []float64{3, 4}, 0, 5, 0},
		{nil, nil, 0, 0, 0},
	} {
		terms := plan.TermsOf(termed{nil, c.direct, c.answer}, 0.5)
		if terms.Step != 0.5 || terms.Direct != c.long || terms.Answer != c.longer || !(math.Abs(terms.Cosine-c.cosine) < 1e-15) {
			t.Errorf("%v and %v: %+v", c.direct, c.answer, terms)
		}
	}
}

// A rule that has not stepped, because its step size is nothing, has no vanilla decision though it stays where it is.
func TestVanillaOfNoStep(t *testing.T) {
	p := briefs(t)["shop"]
	still := plan.Reasoning{From: []float64{3, 3}, Direct: []float64{1, 2}, Answer: []float64{0.5, 0}, Stepped: []float64{3, 3}}
	if u := p.Vanilla(&still, []float64{3, 3}); u != nil {
		t.Errorf("vanilla goes to %v", u)
	}
	away := plan.Reasoning{From: []float64{3, 3}, Direct: []float64{-1e9, 0}, Answer: []float64{0, 0}, Eta: 1, Stepped: []float64{1e9 + 3, 3}}
	if u := p.Vanilla(&away, []float64{3, 3}); u == nil || math.Abs(u[0]-3.5) > 1e-12 || u[1] != 3 { // brought into the set, and then by the cap
		t.Errorf("vanilla goes to %v", u)
	}
}

// A spec that was changed after it was read is judged again: what a guardrail watches must be a statistic of what the model has.
func TestGuardrailsOfChangedSpecs(t *testing.T) {
	spec := strings.Replace(shop, "live:\n", "live:\n  guardrails: [{name: demand, of: 'mean(p[0])', most: 6}]\n", 1)
	for of, want := range map[string]string{"mean(p[1])": "", "mean(nobody)": "live.guardrails.0.of", "mean(p[2])": "live.guardrails.0.of", "p[0]": "want mean(…)"} {
		s, err := problem.Parse(kind.Standard(), "spec", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		s.Live.Guardrails[0].Of = of
		b, err := plan.From(s)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", of, err, want)
		}
		if err == nil && b.Duty.Metrics[0] == nil {
			t.Errorf("nothing watches %s", of)
		}
	}
}

// A loop decides on the numbers of its spec: one that is uncertain of them is refused.
func TestUncertainSpecsAreNoLoops(t *testing.T) {
	var uncertain *doubt.CertainError
	if _, err := plan.Of(kind.Standard(), long("2")+"uncertain: 20\ndraws: fit.npz\n"); !errors.As(err, &uncertain) || !strings.Contains(err.Error(), "a loop decides by its rule") {
		t.Error(err)
	}
}
