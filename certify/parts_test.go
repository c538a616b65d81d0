package certify

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// told are constants of which all are proofs.
func told(values map[Key]float64) *Constants {
	c := &Constants{}
	for k, v := range values {
		c.put(k, v, Proof, "")
	}
	return c
}

// By hand, from the formulas: L_p = (2 + 3·5)/½ = 34, L the larger of 7·11 and that, ρ₁ = (1 + ¼)/2, ρ₂ = (5/4)/(3/4)·(½·3)²·4 = 15. Where ∇ᵤh does not turn, a loss without a bound does no harm.
func TestConstantsAreCombined(t *testing.T) {
	for _, x := range []struct{ turn, steep, want float64 }{{11, 7, 77}, {0, math.Inf(1), 34}, {1, 7, 34}} {
		c := told(map[Key]float64{LfP: 0.5, LhU: 3, PMin: 0.25, PMax: 4, MPhiU: 2, MPhiP: 5, LPhiP: x.steep, MhD: x.turn})
		c.combine()
		for k, want := range map[Key]float64{Lp: 34, L: x.want, Rho1: 0.625, Rho2: 15} {
			near(t, string(k), c.Value(k), want, 1e-13)
		}
	}
}

// sphere is so many traits of polarized dynamics that alternate between some.
func alternating(n int, of ...[]float64) kedge.Block {
	b := kedge.Block{Width: len(of[0])}
	for i := range n {
		b.Data = append(b.Data, of[i%len(of)]...)
	}
	return b
}

// By hand, from the theorem: of e₁, e₂, e₁, e₂ the halves are √2 apart, on a sphere of the diameter 2 and among probabilities of the diameter √2; of people who are alike nothing is between halves. Of
// five, four are split.
func TestGeneralizationByHand(t *testing.T) {
	c := told(map[Key]float64{L: 3, LhD: 5, PMax: 4})
	log := math.Log(20)
	sphere, choice := dynamics.Polarized{Dim: 3, Lambda: 0.5}, dynamics.Choice{Dim: 3}
	e1, e2 := []float64{1, 0, 0}, []float64{0, 1, 0}
	for _, x := range []struct {
		name            string
		f               kedge.Dynamics
		traits          kedge.Block
		split, distance float64
		rate            float64
		log             bool
	}{
		{"sphere", sphere, alternating(4, e1, e2), math.Sqrt2, math.Sqrt2 + 2*math.Sqrt(2*log/4) + 2*math.Sqrt(log/8), -2. / 3, false},
		{"probabilities", choice, alternating(4, e1, e2), math.Sqrt2, math.Sqrt2 + math.Sqrt2*math.Sqrt(2*log/4) + math.Sqrt2*math.Sqrt(log/8), -2. / 3, false},
		{"alike", sphere, alternating(5, e1), 0, 2*math.Sqrt(2*log/4) + 2*math.Sqrt(log/10), -2. / 3, false},
		{"in two dimensions", dynamics.Polarized{Dim: 2}, alternating(6, []float64{1, 0}), 0, 2*math.Sqrt(2*log/6) + 2*math.Sqrt(log/12), -1, true},
		{"in one", dynamics.Choice{Dim: 1}, alternating(6, []float64{1}), 0, math.Sqrt2*math.Sqrt(2*log/6) + math.Sqrt2*math.Sqrt(log/12), -1, false},
	} {
		g, err := generalize(context.Background(), problem{kedge.Model{Dynamics: x.f, Traits: x.traits}, Premises{Sampled: true, Tau: 0.1}}, c)
		must(t, err)
		near(t, x.name+": split", g.Split, x.split, 1e-14)
		near(t, x.name+": distance", g.Distance, x.distance, 1e-13)
		near(t, x.name+": gradient", g.Gradient, 3*(5*2+1)*x.distance, 1e-11)
		if n, _ := x.traits.Size(); g.Individuals != n || !(math.Abs(g.Rate-x.rate) <= 1e-15) || g.Logarithm != x.log || g.Known != Proof {
			t.Errorf("%s: %+v", x.name, g)
		}
	}
	for name, p := range map[string]problem{
		"no sample": {kedge.Model{Dynamics: sphere, Traits: alternating(4, e1)}, Premises{Tau: 0.1}},
		"too few":   {kedge.Model{Dynamics: sphere, Traits: alternating(3, e1)}, Premises{Tau: 0.1, Sampled: true}},
	} {
		if g, err := generalize(context.Background(), p, c); g != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
	g, err := generalize(context.Background(), problem{kedge.Model{Dynamics: lq2(t).Dynamics, Traits: alternating(4, e1)}, Premises{Sampled: true, Tau: 0.1}}, c)
	if err != nil || !math.IsNaN(g.Split) || !math.IsNaN(g.Distance) || !math.IsNaN(g.Gradient) || g.Known != Unknown {
		t.Errorf("traits without a diameter: %+v, %v", g, err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := generalize(stopped, problem{kedge.Model{Dynamics: sphere, Traits: alternating(4, e1, e2)}, Premises{Sampled: true, Tau: 0.1}}, c); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// By hand: where all are 9, σ² is 9; where half are 0, (1 + e^(v/σ²))/2 = e; where one of a hundred is not, (99 + e^(v/σ²))/100 = e.
func TestScatterOfKnownNoise(t *testing.T) {
	one := make([]float64, 100)
	one[7] = 4
	for _, x := range []struct {
		noise []float64
		want  float64
	}{{[]float64{9, 9, 9}, 3}, {[]float64{1, 1}, 1}, {[]float64{0, 4, 4, 0}, 2 / math.Sqrt(math.Log(2*math.E-1))}, {one, 2 / math.Sqrt(math.Log(100*math.E-99))}, {[]float64{0, 0}, 0}} {
		near(t, "σ", subGaussian(x.noise), x.want, 1e-12)
	}
	g := glimpse{each: []float64{1, -1}, mean: []float64{0}}
	for _, off := range g.errors(stream.New(1), 1) {
		near(t, "the error of a batch of one of ±1", off, 1, 0)
	}
	counts := map[float64]int{}
	for _, off := range g.errors(stream.New(1), 2) {
		counts[off]++
	}
	if counts[0]+counts[1] != batches || min(counts[0], counts[1]) < batches/3 {
		t.Errorf("errors of batches of two of ±1: %v", counts)
	}
	many := make([]glimpse, 7)
	for i := range many {
		many[i] = glimpse{each: []float64{float64(2 * i), 0}, mean: []float64{float64(i)}, variance: float64(i)}
	}
	if m := marks(many); len(m) != 3 || m[0].variance != 0 || m[1].variance != 3 || m[2].variance != 6 {
		t.Errorf("marked %v", m)
	}
	near(t, "the largest scatter", scatter(many, problem{Premises: Premises{Batch: 1}}), 6, 1e-12) // everybody 6 off
}

// By hand. Points on a line give that line; three that are on none have the slope (4/3 − 1)/(5/3 − 1) and are lifted by 3/2; where the line would begin below 0 it goes through 0; one that falls is flat.
func TestVarianceIsBounded(t *testing.T) {
	for _, x := range []struct {
		points        [][2]float64 // ‖mean‖² and variance
		noise, growth float64
	}{
		{[][2]float64{{1, 5}, {4, 14}, {9, 29}}, 2, 3}, {[][2]float64{{0, 0}, {1, 2}, {2, 1}}, 1.5, 0.5}, {[][2]float64{{1, 0}, {2, 4}}, 0.8, 1.6},
		{[][2]float64{{0, 3}, {1, 1}}, 3, 0}, {[][2]float64{{2, 1}, {2, 5}}, 5, 0},
	} {
		var seen []glimpse
		for _, p := range x.points {
			seen = append(seen, glimpse{mean: []float64{math.Sqrt(p[0])}, variance: p[1]})
		}
		noise, growth := fitVariance(seen)
		near(t, "M", noise, x.noise, 1e-13)
		near(t, "M_V", growth, x.growth, 1e-13)
	}
}

// By hand, of LQ2 at u = 0: an individual's gradient is p + Gᵀp, so that people at ±(1, 0) have ±(9/4, 1/2), the mean 0 and the variance 81/16 + 1/4. A sensitivity that fails is told.
func TestGradientsOfTheCrowd(t *testing.T) {
	p := lq2(t)
	gain, err := p.Dynamics.(*dynamics.Affine).Gain()
	must(t, err)
	p.Sensitivity, err = sensitivity.NewAffine(p.Dynamics.Dims(), gain)
	must(t, err)
	p.AtState = true
	g, err := p.look([]float64{0, 0}, []float64{1, 0, -1, 0}, make([]float64, 4))
	must(t, err)
	if !slices.Equal(g.each, []float64{2.25, 0.5, -2.25, -0.5}) || !slices.Equal(g.mean, []float64{0, 0}) {
		t.Errorf("gradients %v with the mean %v", g.each, g.mean)
	}
	near(t, "variance", g.variance, 81./16+0.25, 1e-15)
	p.Sensitivity = unanswered{}
	if _, err := p.look([]float64{0, 0}, []float64{1, 0, -1, 0}, make([]float64, 4)); !errors.Is(err, errRefused) {
		t.Errorf("a sensitivity that fails: %v", err)
	}
}

type unanswered struct{}

func (unanswered) PullRows(_, _, _, _, _ []float64) error { return errRefused }

// By hand, of three Jacobians each of two individuals: the largest norm is 4, of the second; the mean of all six is 2; ∇ᵤh turns by 6 over a distance of 3 between the first two, and the third, who is
// under another decision, is compared with nobody.
func TestJacobiansAreCompared(t *testing.T) {
	one := func(x ...float64) []float64 { return x }
	seen := []slope{
		{probe: probe{who: 5, u: one(0), d: one(0)}, byP: [3][]float64{one(1), one(-3), one(2)}, answer: one(1)},
		{probe: probe{who: 9, u: one(0), d: one(3)}, byP: [3][]float64{one(4), one(3), one(5. - 4 + 4)}, answer: one(7)},
		{probe: probe{who: 11, under: 1, u: one(0), d: one(4)}, byP: [3][]float64{one(0), one(0), one(0)}, answer: one(100)},
		{probe: probe{who: 12, under: 1, u: one(0), d: one(4)}, byP: [3][]float64{one(0), one(0), one(0)}, answer: one(300)},
	}
	if e := contractionIn(nil, seen, 1); e.Value != 5 || e.Trait != 9 {
		t.Errorf("the largest norm is %v, of %d", e.Value, e.Trait)
	}
	if e := contractionIn(nil, append(slices.Clone(seen), slope{probe: probe{who: 20}, byP: [3][]float64{one(5), one(-5), one(0)}}), 1); e.Trait != 9 {
		t.Errorf("of two with the largest norm %d is named, want the first", e.Trait)
	}
	near(t, "the mean Jacobian", meanJacobian(seen[:2], 1)[0], 2, 1e-15)
	near(t, "the turn", turns(seen), 2, 1e-15)
	c := &Constants{}
	c.putLargest(LfU, seen, "", func(s slope) float64 { return s.answer[0] })
	c.putLargest(LfD, seen, "", func(s slope) float64 { return 1 / s.d[0] })
	c.putLargest(LhD, seen, "", func(s slope) float64 { return s.d[0] / s.d[0] })
	if x, y, z := c.Get(LfU), c.Get(LfD), c.Get(LhD); x.Value != 300 || x.Known != Estimate || !math.IsNaN(y.Value) || y.Known != Unknown || !math.IsNaN(z.Value) || z.Known != Unknown || y.How != "derivatives are not finite somewhere" || z.How != y.How {
		t.Errorf("largest %+v; of what has no end %+v, of what is no number %+v", x, y, z)
	}
}

// By hand: A has the norm 3/2 and the spectral radius 1/2, so that only a metric makes it contract; a rotation by a right angle is 1 in every metric.
func TestMetricsOfSamples(t *testing.T) {
	slopesOf := func(j ...float64) []slope { return []slope{{byP: [3][]float64{j, j, j}}} }
	c := &Constants{}
	must(t, c.addSampledMetric(slopesOf(0.5, 1, 0, 0.5), 2, "of one"))
	if lf := c.Get(LfP); !(lf.Value < 1) || lf.Known != Estimate || len(c.Metric) != 4 || !(c.Value(PMin) >= 1) || !(c.Value(PMax) > c.Value(PMin)) {
		t.Errorf("in a metric: %+v", c)
	}
	c = &Constants{}
	must(t, c.addSampledMetric(slopesOf(0.5, 0, 0, -0.25), 2, "of one"))
	if c.Value(LfP) != 0.5 || c.Metric != nil || c.Value(PMin) != 1 || c.Value(PMax) != 1 {
		t.Errorf("without: %+v", c)
	}
	c = &Constants{}
	must(t, c.addSampledMetric(slopesOf(0, 1, 0, 0), 2, "of one")) // of the norm 1, which is not less than 1
	if !(c.Value(LfP) < 1) || c.Metric == nil {
		t.Errorf("at the norm 1: %+v", c)
	}
	var not *NotContractingError
	if err := new(Constants).addSampledMetric(slopesOf(0, 1, -1, 0), 2, "of one"); !errors.As(err, &not) || not.Value != 1 {
		t.Errorf("a rotation: %v", err)
	}
}

func TestSmallTools(t *testing.T) {
	near(t, "the largest sine", largest(math.Sin, 0, 3, 5), 1, 1e-9)
	near(t, "the largest of what rises", largest(func(x float64) float64 { return x }, -1, 2, 3), 2, 0)
	near(t, "the largest of what falls", largest(func(x float64) float64 { return -x }, -1, 2, 3), 1, 0)
	q := quotient(0.25, func(x float64) []float64 { return []float64{x * x, 3 * x, 7} })
	if !slices.Equal(q, []float64{0, 3, 0}) {
		t.Errorf("slopes %v, want 0, 3, 0", q)
	}
	if j := jacobian(2, 3, func(j int) []float64 { return []float64{float64(j), float64(10 * j)} }); !slices.Equal(j, []float64{0, 1, 2, 0, 10, 20}) {
		t.Errorf("columns stand as %v", j)
	}
	z := turned([]float64{1, 0}, []float64{0, 1}, math.Pi/6)
	near(t, "cos 30°", z[0], math.Sqrt(3)/2, 1e-15)
	near(t, "sin 30°", z[1], 0.5, 1e-15)
	if a, b := between([]float64{1, 2}, []float64{3, 6}, 0.25), between([]float64{1, 2}, nil, 0.25); !slices.Equal(a, []float64{1.5, 3}) || !slices.Equal(b, []float64{1, 2}) {
		t.Errorf("between: %v and %v", a, b)
	}
	for _, x := range []struct{ a, b, want float64 }{{0, math.Inf(1), 0}, {math.Inf(1), 0, 0}, {2, 3, 6}} {
		near(t, "product", product(x.a, x.b), x.want, 0)
	}
	at, most := neighbour(func(x [3]float64) float64 { return x[1] - x[2] }, [3]float64{0.5, 0.9, 0.5}, 0.25)
	if at != [3]float64{0.5, 0.9, 0.25} || !(math.Abs(most-0.65) <= 1e-15) {
		t.Errorf("the best neighbour is %v with %v", at, most)
	}
	little, twice := dynamics.Polarized{Lambda: 0.5, Sigma: 1e-4}, dynamics.Polarized{Lambda: 0.5, Sigma: 2e-4} // first order: in proportion to σ
	if a, b := polarizedTurn(little, 1), polarizedTurn(twice, 1); !(a > 0) || !(math.Abs(b/a-2) <= 0.01) {
		t.Errorf("the sensitivity turns by %v, with twice the pull by %v", a, b)
	}
	if a := polarizedTurn(dynamics.Polarized{Lambda: 0.5}, 1); a != 0 {
		t.Errorf("without a pull it turns by %v", a)
	}
	near(t, "a right angle", degreesBetween([]float64{1, 0}, []float64{0, 1}), 90, 1e-13)
	near(t, "the other side", degreesBetween([]float64{1, 0}, []float64{-1, 0}), 180, 1e-13)
	near(t, "the least entry", leastEntry(alternating(600, []float64{3}, []float64{2}, []float64{5})), 2, 0)
	if c := centre(kedge.Block{Data: []float64{1, 10, 3, 30}, Width: 2}); !slices.Equal(c.RawMatrix().Data, []float64{-1, -10, 1, 10}) {
		t.Errorf("around the mean: %v", c.RawMatrix().Data)
	}
}

// Closed forms of losses: weighted, summed, and revenue among probabilities that stay above 0.3·(1 − 0.2 − 0.5)/(1 − 0.2), by hand.
func TestSlopesOfLosses(t *testing.T) {
	c := told(map[Key]float64{Radius: 7})
	p := problem{Model: kedge.Model{Dynamics: dynamics.Choice{Dim: 4, Lambda1: 0.2, Lambda2: 0.5}, States: alternating(1, []float64{0.4, 0.6, 0.5, 0.9}), Traits: alternating(1, []float64{0.3, 0.7, 0.5, 0.9})}}
	least := 0.3 * 0.3 / 0.8
	revenue := slopes{loss: 7 + 2*2*math.Abs(1+math.Log(least)), partU: 1, partP: 2 / least}
	for _, x := range []struct {
		name string
		of   kedge.Objective
		want slopes
	}{
		{"affinity", objective.Affinity{}, slopes{loss: 7, partU: 1}},
		{"weighted", &objective.Weighted{Weight: -3, Of: objective.Affinity{}}, slopes{loss: 21, partU: 3}},
		{"sum", objective.Sum{objective.Affinity{}, &objective.Weighted{Weight: 2, Of: objective.Affinity{}}}, slopes{loss: 21, partU: 3}},
		{"revenue without entropy", objective.Revenue{}, slopes{loss: 7, partU: 1}},
		{"revenue", objective.Revenue{Entropy: 2}, revenue},
		{"sum with revenue", objective.Sum{objective.Affinity{}, objective.Revenue{Entropy: 2}}, slopes{loss: 7 + revenue.loss, partU: 2, partP: revenue.partP}},
	} {
		s, ok := c.slopesOf(x.of, p)
		if !ok || s.known != Proof || s.how == "" {
			t.Errorf("%s: %+v, %v", x.name, s, ok)
		}
		near(t, x.name+": L_Φ^p", s.loss, x.want.loss, 1e-12)
		near(t, x.name+": M_Φ^u", s.partU, x.want.partU, 0)
		near(t, x.name+": M_Φ^p", s.partP, x.want.partP, 1e-12)
	}
	unknown := kedge.BatchedObjective(ledge{}, kedge.Dims{Decision: 1, State: 1})
	for name, o := range map[string]kedge.Objective{"unknown": unknown, "sum with one": objective.Sum{objective.Affinity{}, unknown}, "weighted one": &objective.Weighted{Weight: 1, Of: unknown}} {
		if s, ok := c.slopesOf(o, p); ok {
			t.Errorf("%s has %+v", name, s)
		}
	}
	p.Dynamics = lq2(t).Dynamics
	if s, ok := c.slopesOf(objective.Revenue{Entropy: 2}, p); ok {
		t.Errorf("revenue under other dynamics has %+v", s)
	}
}

func TestFiguresInJSON(t *testing.T) {
	for x, want := range map[figure]string{figure(math.Inf(1)): `"inf"`, figure(math.Inf(-1)): `"inf"`, 1.5: "1.5", -2: "-2"} {
		if b, err := json.Marshal(x); err != nil || string(b) != want {
			t.Errorf("%v is written %s (%v)", x, b, err)
		}
	}
	if b, err := json.Marshal(figure(math.NaN())); err != nil || string(b) != "null" {
		t.Errorf("NaN is written %s (%v)", b, err)
	}
	b, err := json.Marshal(Step{Form: Tight, Probable: true, Largest: 0.5, Used: 1, Known: Estimate, Source: "s"})
	if want := `{"form":"tight","probable":true,"largest":0.5,"used":1,"excess":2,"known":"estimate","source":"s"}`; err != nil || string(b) != want {
		t.Errorf("%s (%v), want %s", b, err, want)
	}
	if _, err := json.Marshal(Constant{Key: "k", Value: 1, How: "h"}); err != nil {
		t.Error(err)
	}
	if _, err := object("k", make(chan int)); err == nil {
		t.Error("a channel is written")
	}
}

func TestRatiosInWords(t *testing.T) {
	for x, want := range map[float64]string{0.5: "within", 1: "within", 1.5: "1.5 times", 9.94: "9.9 times", 10: "10 times", 6935.2: "6935 times", 999_999: "999999 times", 1e6: "1e+06 times", 2.5e7: "2.5e+07 times"} {
		if got := times(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}

func TestVacuousBounds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, x := range []struct {
		value, compare float64
		vacuous        bool
	}{{1, 2, false}, {2, 2, true}, {3, 2, true}, {inf, nan, true}, {nan, 2, true}, {1, nan, false}} {
		if got := (Bound{Value: x.value, Compare: x.compare}).Vacuous(); got != x.vacuous {
			t.Errorf("%v beside %v is vacuous: %v", x.value, x.compare, got)
		}
	}
}

// The second assumption fails where there is no lower bound or a slope without end that matters, and is open where nothing is known of a bound.
func TestSmoothnessIsJudged(t *testing.T) {
	inf := math.Inf(1)
	good := map[Key]float64{Smooth: 1, MPhiU: 2, MPhiP: 3, MhD: 0, LPhiP: inf, Gap: 4}
	for _, x := range []struct {
		name string
		with map[Key]float64
		want Verdict
		says string
	}{
		{"good", nil, Holds, "L_Φ̃ = 1"}, {"turning but bounded", map[Key]float64{MhD: 1, LPhiP: 9}, Holds, "L_Φ̃ = 1"}, {"no lower bound", map[Key]float64{Gap: inf}, Fails, "not bounded below"},
		{"turning", map[Key]float64{MhD: 1}, Fails, "bound the decisions"}, {"steep in u", map[Key]float64{MPhiU: inf}, Fails, "bound the decisions"},
		{"steep in p", map[Key]float64{MPhiP: inf}, Fails, "bound the decisions"}, {"no gap", map[Key]float64{Gap: math.NaN()}, NotChecked, "nothing is known"},
	} {
		all := map[Key]float64{}
		for k, v := range good {
			all[k] = v
		}
		for k, v := range x.with {
			all[k] = v
		}
		if math.IsNaN(all[Gap]) {
			delete(all, Gap)
		}
		if a := smoothness(told(all)); a.Verdict != x.want || !strings.Contains(a.Evidence, x.says) || a.Number != 2 {
			t.Errorf("%s: %s, %q", x.name, a.Verdict, a.Evidence)
		}
	}
}

// By hand: in a cone of 30° two states are at most 2 sin 30° apart, among probabilities √2, elsewhere nothing is known.
func TestHowFarStatesAreApart(t *testing.T) {
	near(t, "cone", told(map[Key]float64{Cone: 30}).widest(problem{}), 1, 1e-15)
	near(t, "choice", told(nil).widest(problem{Model: kedge.Model{Dynamics: dynamics.Choice{Dim: 3}}}), math.Sqrt2, 0)
	if x := told(nil).widest(lq2(t)); !math.IsNaN(x) {
		t.Errorf("affine states are %v apart", x)
	}
}

// What a run does beside the theorems is listed, and extensions say why there is no number.
func TestRunsBeyondTheTheorems(t *testing.T) {
	c := told(map[Key]float64{Lp: 3, L: 3, Smooth: 5, Rho1: 0.75, Rho2: 2, V0: 7, Gap: 11, M: 13, MV: 0, SigmaMb: 1})
	box := set.Box{Lower: []float64{0}, Upper: []float64{1}}
	run := Premises{Step: 0.01, Batch: 4, Horizon: 19}
	steps := SumSteps(3, func(k int) float64 { return 0.01 / float64(k+1) })
	why := func(s kedge.Set, with func(*Premises), constants *Constants) (all []string) {
		p := problem{kedge.Model{Set: s}, run}
		if with(&p.Premises); len(beyond(p, constants)) != map[bool]int{true: 0, false: 1}[is[set.Whole](s)]+len(p.Beyond) {
			t.Errorf("%T: beyond is %q", s, beyond(p, constants))
		}
		for _, e := range (&Certificate{Constants: constants}).extend(p) {
			if math.IsNaN(e.Value) != (e.Why != "") || (e.Known == Unknown) != (e.Why != "") {
				t.Errorf("%+v", e)
			}
			all = append(all, e.For+": "+e.Why)
		}
		return all
	}
	transient := told(map[Key]float64{LPsi: 1})
	if list := beyond(problem{Model: kedge.Model{Set: set.Whole{}}}, transient); len(list) != 1 || !strings.Contains(list[0], "L_Ψ") {
		t.Errorf("a sensitivity at sampled states: %q", list)
	}
	grows := told(map[Key]float64{Lp: 3, L: 3, Smooth: 5, Rho1: 0.75, Rho2: 2, V0: 7, Gap: 11, M: 13, MV: 1, SigmaMb: 1})
	short := told(map[Key]float64{Lp: 3, L: 3, Smooth: 5, Rho1: 0.75, Rho2: 2, V0: math.NaN(), Gap: 11, M: math.NaN(), MV: 0, SigmaMb: 1})
	same := func(*Premises) {}
	varied := func(p *Premises) { p.Steps = steps; p.Beyond = []string{"steps diminish"} }
	for _, x := range []struct {
		name string
		got  []string
		want []string
	}{
		{"plain", why(set.Whole{}, same, c), nil},
		{"diminishing", why(set.Whole{}, varied, c), []string{"steps that diminish: "}},
		{"projected", why(box, same, c), []string{"projected steps: "}},
		{"both", why(box, varied, c), []string{"steps that diminish: no bound is known of steps that diminish and are projected", "projected steps: the bound of projected steps is of constant ones"}},
		{"growing noise", why(box, same, grows), []string{"projected steps: the noise grows with the gradient (M_V = 1), and a projected step says nothing of that"}},
		{"of what is not known", why(box, same, short), []string{"projected steps: V₀ and M are not known"}},
		{"too long", why(box, func(p *Premises) { p.Step = 0.2 }, c), []string{"projected steps: the step 0.2 is 3.4 times the largest, 0.0589"}},
	} {
		if !slices.Equal(x.got, x.want) {
			t.Errorf("%s: %q, want %q", x.name, x.got, x.want)
		}
	}
}
