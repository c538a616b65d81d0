package problem

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// settledAt is a model of people who settle at the decision, so that the settled loss is the loss.
const settledAt = `iterations: 20
trials: 1
model:
  decision: q
  state: p
  trait: d
  next: 0.5*p + 0.5*q + 0*d
  minimize: "(p - 1)^2"
  subject to: -2 <= q <= 2
population: {size: 3, law: normal}
start: {law: zero}
algorithms:
  - {name: composite, step: 0.1, batch: 2}
`

// What proves the best decision is told, with a bound that is below the least loss of a fine grid and, where it is proven, hardly so.
func TestBestDecisionsAreProven(t *testing.T) {
	for _, c := range []struct {
		loss, why string
		of        func(q float64) float64
	}{
		{"(p - 1)^2", "the settled loss is convex: ", func(q float64) float64 { return (q - 1) * (q - 1) }},
		{"p^4 - 2*p^2 + 0.1*p", "bounds over ", func(q float64) float64 { return q*q*q*q - 2*q*q + 0.1*q }},
		{"sin(5*p) + 0.1*p^2", "bounds over ", func(q float64) float64 { return math.Sin(5*q) + 0.1*q*q }},
	} {
		for _, key := range []string{"minimize", "maximize"} {
			loss, sign := c.loss, 1.0
			if key == "maximize" {
				loss, sign = "-("+c.loss+")", -1
			}
			p := build(t, strings.Replace(settledAt, "minimize: \"(p - 1)^2\"", key+": \""+loss+"\"", 1))
			best, known := bestOf(t, p)
			least := math.Inf(1)
			for q := -2.0; q <= 2; q += 1e-4 {
				least = min(least, c.of(q))
			}
			if !known.Proven || !strings.HasPrefix(known.Why, c.why) || best.Loss > least+1e-9 || best.Loss < least-1e-6 {
				t.Errorf("%s: the least loss is %v, on a grid %v; %+v", c.loss, best.Loss, least, known)
			}
			if known.Lower == nil || *known.Lower > best.Loss || *known.Lower < best.Loss-1e-6 {
				t.Fatalf("%s: the bound is %v", c.loss, known.Lower)
			}
			if bound := p.Bound(known); bound == nil || *bound != sign**known.Lower {
				t.Errorf("%s: the bound on the value is %v, on the loss %v", key, bound, *known.Lower)
			}
		}
	}
	for _, key := range []string{"minimize", "maximize"} {
		if b := build(t, strings.Replace(settledAt, "minimize", key, 1)).Bound(Guarantee{}); b != nil {
			t.Errorf("where nothing is known the bound is %v", *b)
		}
	}
}

func bestOf(t *testing.T, p *Problem) (*optimum.Search, Guarantee) {
	t.Helper()
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	best, known, err := p.Best(context.Background(), f, [][]float64{p.Start})
	if err != nil {
		t.Fatal(err)
	}
	return best, known
}

// A well too narrow for the search is met by the proof, and the search goes on from there.
func TestProofsMeetWhatIsBetter(t *testing.T) {
	p := build(t, settledAt, Assign("model.minimize=-exp(-(40000*(p - 0.73219))^2) + 0.01*(p + 1)^2"))
	p.Search.Starts = 1
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	alone, err := optimum.Find(t.Context(), f, p.Set, [][]float64{p.Start}, p.Effort())
	if err != nil || alone.Loss < -0.5 {
		t.Fatalf("the search finds it by itself: %v, %v", alone, err)
	}
	if best, known := bestOf(t, p); math.Abs(best.Decision[0]-0.73219) > 1e-6 || math.Abs(best.Loss-(-1+0.01*1.73219*1.73219)) > 1e-6 || !known.Proven {
		t.Errorf("%v with %v, %+v", best.Decision, best.Loss, known)
	}
}

// Parts that are known by name are bounded where they make a paraboloid, and only there. The linear-quadratic case has its optimum in closed form (docs/formulas).
func TestParaboloidsAreProven(t *testing.T) {
	src, _ := Case("lq2")
	p := build(t, string(src), Assign("set={kind: ball, radius: 5}"))
	best, known := bestOf(t, p)
	if !known.Proven || !strings.HasPrefix(known.Why, "the settled loss is convex: ") || known.Lower == nil || math.Abs(*known.Lower-best.Loss) > 1e-8 {
		t.Errorf("%+v, the loss is %v", known, best.Loss)
	}
	for name, change := range map[string]string{
		"who see each other":   "dynamics.coupling=0.3",
		"of another loss":      "objective={kind: logistic}",
		"of formulas for loss": "objective=sum(u^2) + sum(p^4)",
	} {
		if _, known := bestOf(t, build(t, string(src), Assign("set={kind: ball, radius: 5}"), Assign(change))); known != (Guarantee{}) {
			t.Errorf("people %s: %+v is said", name, known)
		}
	}
	polarized := build(t, strings.Replace(small, "kind: affinity", "kind: quadratic, decision: 1, cross: 1", 1))
	if _, known := bestOf(t, polarized); known != (Guarantee{}) {
		t.Errorf("people who do not settle linearly: %+v is said", known)
	}
	square := &objective.Quadratic{}
	for _, c := range []struct {
		loss any
		want bool
	}{{square, true}, {objective.Sum{square, square}, true}, {objective.Sum{square, objective.Affinity{}}, false}, {objective.Affinity{}, false}} {
		if isQuadratic(c.loss) != c.want {
			t.Errorf("%T is quadratic: %v", c.loss, !c.want)
		}
	}
}

// Where whole numbers are too many to look at, what is proven of all numbers holds of them, if it is the whole ones that are best.
func TestWholeNumbersThatAreBestOfAll(t *testing.T) {
	p := build(t, strings.NewReplacer("2.4", "2", "1.7", "1").Replace(wholes), Assign("model.subject to=0 <= q <= 70"))
	if best, known := bestOf(t, p); !known.Proven || !strings.HasPrefix(known.Why, "the settled loss is convex: ") || best.Decision[0] != 2 || best.Decision[1] != 1 || best.All != 0 {
		t.Errorf("%v, %+v", best.Decision, known)
	}
	if known := AllLooked(&optimum.Search{}); known != (Guarantee{}) {
		t.Errorf("of none that were looked at %+v is said", known)
	}
}

// Where the settled loss has no gradient there is no paraboloid, and why is told; of what is neither one nor formulas nothing is said.
func TestWhatHasNoGradientIsNotProven(t *testing.T) {
	src, _ := Case("lq2")
	p, others := build(t, string(src)), build(t, small)
	l, ok := build(t, strings.Replace(wholes, "integer: true", "integer: [0]", 1)).Set.(set.Lattice)
	if !ok {
		t.Fatal("whole numbers in part are no lattice")
	}
	m := p.Model
	m.Sensitivity = nil
	f, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	at := optimum.Point{Decision: []float64{0, 0}}
	const why = "steady: a gradient needs a sensitivity"
	if known, err := p.proveSlices(t.Context(), f, &optimum.Search{Point: at}, l); err == nil || err.Error() != why || known != (Guarantee{}) {
		t.Errorf("%+v, %v", known, err)
	}
	if known, better, err := p.prove(t.Context(), f, &at); err == nil || err.Error() != why || known != (Guarantee{}) || better != nil {
		t.Errorf("%+v, %v, %v", known, better, err)
	}
	if known, err := others.proveSlices(t.Context(), f, &optimum.Search{Point: at}, l); err != nil || known != (Guarantee{}) {
		t.Errorf("%+v, %v", known, err)
	}
	if known, better, err := others.prove(t.Context(), f, &at); err != nil || known != (Guarantee{}) || better != nil {
		t.Errorf("%+v, %v, %v", known, better, err)
	}
}

// A context that is done ends the search and the proof with its error.
func TestProofsEndWithTheirContext(t *testing.T) {
	for _, src := range []string{settledAt, wholes, strings.Replace(wholes, "integer: true", "integer: [0]", 1), strings.Replace(small, "size: 4", "size: 3", 1)} {
		p := build(t, src)
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if s, known, err := p.Best(ctx, f, [][]float64{p.Start}); !errors.Is(err, context.Canceled) || known != (Guarantee{}) {
			t.Errorf("%v, %+v, %v", s, known, err)
		}
	}
	p := build(t, settledAt, Assign("model.minimize=sin(5*p)"))
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if known, better, err := p.prove(ctx, f, &optimum.Point{Decision: []float64{0}, Loss: 0}); !errors.Is(err, context.Canceled) || known != (Guarantee{}) || better != nil {
		t.Errorf("%+v, %v, %v", known, better, err)
	}
}
