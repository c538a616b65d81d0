package online_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// By hand, with the loss u₁p₁ + 2u₂p₂ and means (3u₁ + 1, −u₁) under decisions of which only the first entry differs: both scores are (u₁, 2u₂), exactly, since the loss is linear in the state,
// and the answer 3u₁ − 2u₂ of the first entry falls short by the ridge, 1e-9 of the mean of a diagonal (2, 0) beside 2. The second entry was not tried, so it has no answer.
func TestPerformativeByHand(t *testing.T) {
	dim := kedge.Dims{Decision: 2, State: 2, Trait: 1}
	loss := must(objective.NewQuadratic(dim, nil, []float64{1, 0, 0, 2}, nil, nil, nil))
	around := []float64{1, 0, -2, 1, 1, -4, 0, 1} // their weighted mean is 0
	for name, score := range map[string]online.Score{"reparametrized": online.Reparametrized, "Gaussian": online.Gaussian} {
		e := must(online.NewPerformative(loss, dim, score, 3, 0.1, stream.New(1, "v")))
		for turn, first := range []float64{7, 0, 1, 2} { // the first is forgotten
			u := []float64{first, 5}
			mean, o := []float64{3*first + 1, -first}, kedge.Observation{Round: turn, U: u, D: make([]float64, 4), W: []float64{3, 2, 1, 2}}
			for i := range 4 {
				p := kedge.Row(around, i, 2)
				o.P = append(o.P, mean[0]+p[0], mean[1]+p[1])
			}
			o.Loss = kedge.EvalWeighted(loss, nil, nil, o.P, o.U, o.D, o.W, make([]float64, 2)) / 8
			g, want := make([]float64, 2), []float64{mean[0], 2 * mean[1]}
			if err := e.Estimate(g, o); err != nil {
				t.Fatal(err)
			}
			if turn == 3 {
				want[0] += (3*first - 2*5) * 2 / (2 + 1e-9)
			}
			if (turn == 0 || turn == 3) && rows.Distance(g, want) > 1e-12*rows.Norm(want) {
				t.Errorf("%s, turn %d: %v, want %v", name, turn, g, want)
			}
			e.Commit(o)
		}
		e = must(online.NewPerformative(loss, dim, score, 3, 0.1, stream.New(1, "v")))
		for turn := range 4 { // of one decision nothing can be learned
			o := kedge.Observation{Round: turn, U: []float64{1, 5}, P: around, D: make([]float64, 4), W: []float64{3, 2, 1, 2}}
			g := make([]float64, 2)
			if err := e.Estimate(g, o); err != nil || rows.Norm(g) > 1e-12 {
				t.Errorf("%s: turn %d under the same decision: %v (%v), want 0", name, turn, g, err)
			}
			e.Commit(o)
		}
	}
}

// By hand: decisions (±1, 0) and (0, ±2) have sums of squares 2 and 8, so that the ridge is 5e-9, and the mean answers by (3, −1) and (2, 1) what the score (1, 1) weighs.
func TestPerformativeAnswersAllEntries(t *testing.T) {
	dim := kedge.Dims{Decision: 2, State: 2, Trait: 1}
	loss := must(objective.NewQuadratic(dim, nil, nil, nil, nil, []float64{1, 1}))
	e, g := must(online.NewPerformative(loss, dim, online.Reparametrized, 4, 0.1, stream.New(1, "v"))), make([]float64, 2)
	for _, u := range [][]float64{{-1, 0}, {1, 0}, {0, -2}, {0, 2}} {
		estimate(t, e, g, kedge.Observation{U: u, P: []float64{3*u[0] + 2*u[1] + 4, u[1] - u[0] - 7}, D: []float64{0}})
	}
	if want := []float64{2 * 2 / (2 + 5e-9), 3 * 8 / (8 + 5e-9)}; math.Abs(g[0]-want[0]) > 1e-12 || math.Abs(g[1]-want[1]) > 1e-12 {
		t.Errorf("%.15v, want %.15v", g, want)
	}
	for what, err := range map[string]error{"window": second(online.NewPerformative(loss, dim, online.Reparametrized, 2, 1, stream.New(1))), "trials": second(online.NewPlugIn(loss, dim, online.Location, 2, 1, stream.New(1), set.Whole{}))} {
		var outside *kedge.RangeError
		if !errors.As(err, &outside) || outside.Arg != what || outside.Got != 2 || outside.Want != "at least 3, one more than the decision has entries" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// drawing gives normal numbers as they are listed.
type drawing struct{ next [][]float64 }

func (d *drawing) Normals(dst []float64) { copy(dst, d.next[0]); d.next = d.next[1:] }

// However short a draw is, its direction counts; one of no length is drawn again.
func TestShortDrawsAreDirections(t *testing.T) {
	e := must(online.NewOnePoint(2, 0.5, &drawing{[][]float64{{0, 0}, {0.03, 0.04}, {3, 4}}}))
	u := []float64{1, 1}
	if e.Perturb(u); rows.Distance(u, []float64{1.3, 1.4}) > 1e-15 {
		t.Errorf("%v, want (1.3, 1.4)", u)
	}
}

// diary is a set that changes with time, and notes when it was asked, and from where.
type diary struct {
	set.Whole
	rounds []int
	last   [][]float64
}

func (d *diary) ProjectAt(_ []float64, round int, last []float64) error {
	d.rounds, d.last = append(d.rounds, round), append(d.last, slices.Clone(last))
	return nil
}

// A step leads to the decision of the next turn, from the iterate, or from what is live where that was told, or from what is deployed.
func TestSetsAreToldTheTurn(t *testing.T) {
	for name, x := range map[string]struct {
		inner online.Rhythm
		live  []float64
		last  []float64
	}{"the iterate": {nil, nil, []float64{2, 3}}, "live": {nil, []float64{2, 4}, []float64{2, 4}}, "lazily": {online.Hold(2), []float64{2, 4}, []float64{2, 4}}} {
		d := &diary{}
		r := must(online.Rule{Gradient: steadily{g: []float64{1, 0}}, Step: online.Constant(1), Set: d, Inner: x.inner}.From([]float64{2, 3}))
		if x.live != nil {
			if err := r.Rebase(x.live, 5); err != nil {
				t.Fatal(err)
			}
		}
		for k := range 2 {
			if err := r.Tell(kedge.Observation{Round: 7 + k, U: []float64{2, 3}}); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(d.rounds, []int{8, 9}) || !slices.Equal(d.last[0], x.last) {
			t.Errorf("%s: of turns %v from %v, want turns 8 and 9 from %v", name, d.rounds, d.last, x.last)
		}
	}
}

// What a rule under constraints remembers of its estimator is saved with it: the restored one goes the same way.
func TestConstrainedMemoriesAreSaved(t *testing.T) {
	c := lq2()
	begin := func() *online.Descent {
		h := must(sensitivity.NewLearned(sensitivity.Learning{Dims: c.f.Dims(), Lag: sensitivity.Naive, Every: 2, Least: 1e-9}))
		l := must(online.NewLagrangian(2, online.NewLearning(c.loss, h, c.f.Dims()), []online.Restriction{steadily{g: []float64{1, 0}, excess: 1}}, online.Dual{Step: online.InverseSqrt(0.5), Most: []float64{9}}))
		g := must(online.NewDither(l, 2, online.Dithering{Size: 0.5}, c.set, stream.New(2)))
		return must(online.Rule{Gradient: g, Step: online.Constant(0.01), Set: c.set}.From(c.start))
	}
	one, other := walkThrough{begin(), make([]float64, 2)}, walkThrough{begin(), make([]float64, 2)}
	for k := range 6 {
		one.turn(t, k)
	}
	if err := other.rule.UnmarshalBinary(must(one.rule.AppendBinary(nil))); err != nil {
		t.Fatal(err)
	}
	for k := 6; k < 10; k++ {
		one.turn(t, k)
		if other.turn(t, k); !slices.Equal(one.u, other.u) || !slices.Equal(one.rule.Multipliers(), other.rule.Multipliers()) || one.rule.Trust() != other.rule.Trust() || one.rule.Trust() == 0 {
			t.Fatalf("turn %d: %v with %v and %v with %v", k, one.u, one.rule.Multipliers(), other.u, other.rule.Multipliers())
		}
	}
}

// spy counts how often it is asked, and told.
type spy struct{ asked, told int }

func (s *spy) Estimate(g []float64, _ kedge.Observation) error { s.asked++; clear(g); return nil }

// taught is a spy that remembers turns, but not those in which it fails.
type taught struct {
	spy
	err error
}

func (s *taught) Estimate(g []float64, o kedge.Observation) error {
	return errors.Join(s.spy.Estimate(g, o), s.err)
}

func (s *taught) Commit(kedge.Observation) { s.told++ }

// An idle estimator is asked before it is told, if it remembers turns; another is left alone, and one that fails is not told.
func TestIdleEstimatorsAreAsked(t *testing.T) {
	active, idle, other := &spy{}, &taught{}, &spy{}
	for k, f := range []*online.Fallback{must(online.NewFallback(active, idle)), must(online.NewFallback(active, other))} {
		for range 3 {
			estimate(t, f, make([]float64, 2), kedge.Observation{})
		}
		if active.asked != 3*(k+1) || idle.asked != 3 || idle.told != 3 || other.asked != 0 {
			t.Errorf("%+v, %+v and %+v", active, idle, other)
		}
	}
	faulty := &taught{err: errFailing}
	f := must(online.NewFallback(active, faulty))
	if estimate(t, f, make([]float64, 2), kedge.Observation{}); faulty.asked != 1 || faulty.told != 0 {
		t.Errorf("one that fails: %+v", faulty)
	}
	faulty.err = nil
	if estimate(t, f, make([]float64, 2), kedge.Observation{}); faulty.told != 1 {
		t.Errorf("one that fails no more: %+v", faulty)
	}
}

// Everybody who looks at people tells a sample that does not fit, and errors of parts within.
func TestEstimatorsTellWhatFailsThem(t *testing.T) {
	c := lq2()
	dim := c.f.Dims()
	short := kedge.Observation{U: c.start, P: make([]float64, 3), D: c.traits}
	for name, e := range map[string]online.Estimator{
		"vanilla": vanilla(c), "composite": composite(c), "retrain": online.NewRetrain(c.loss, dim, c.set),
		"untrusted": online.NewLearning(c.loss, &misled{must(sensitivity.NewLearned(sensitivity.Learning{Dims: dim}))}, dim),
		"recursive": must(online.NewRecursive(vanilla(c), dim, 0.5)), "performative": must(online.NewPerformative(c.loss, dim, online.Gaussian, 3, 1, stream.New(1))),
		"plug-in": must(online.NewPlugIn(c.loss, dim, online.Location, 3, 1, stream.New(1), c.set)),
	} {
		var length *kedge.DimError
		if err := e.Estimate(make([]float64, 2), short); !errors.As(err, &length) || length.Arg != "observation P" {
			t.Errorf("%s: %v", name, err)
		}
	}
	people := kedge.Observation{U: c.start, P: make([]float64, 8), D: c.traits}
	for name, x := range map[string]struct {
		of   online.Estimator
		want error
	}{
		"a sensitivity that fails":      {&online.Composite{Objective: c.loss, Sensitivity: deaf{}, Dims: dim}, errFailing},
		"half of a panel":               {must(online.NewRecursive(failing{}, dim, 0.5)), errFailing},
		"the other half":                {must(online.NewRecursive(&tires{left: 1}, dim, 0.5)), errFailing},
		"a set that nobody can get to":  {online.NewRetrain(c.loss, dim, barred{}), errBarred},
		"one that is lost for once":     {online.NewRetrain(c.loss, dim, &lapse{at: 2}), errFaint},
		"one that is not found again":   {online.NewRetrain(c.loss, dim, &faint{set.Whole{}, 1}), errFaint},
		"trials that are all the same":  {tried(t, c, online.Location, people), kedge.ErrSingular},
		"such with scales":              {tried(t, c, online.LocationScale, people), kedge.ErrSingular},
		"a fallback that is failing":    {must(online.NewFallback(vanilla(c), failing{})), nil},
		"one that falls back to itself": {must(online.NewFallback(failing{}, vanilla(c))), errFailing},
	} {
		if f, ok := x.of.(online.Follower); ok {
			f.Follow([]float64{1, 1})
		}
		if err := x.of.Estimate(make([]float64, 2), people); !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", name, err, x.want)
		}
	}
}

// lapse is a set that fails once.
type lapse struct {
	set.Whole
	at int
}

func (l *lapse) Project([]float64) error {
	if l.at--; l.at == 0 {
		return errFaint
	}
	return nil
}

// tried is a plug-in whose trials were the same, before its last.
func tried(t *testing.T, c *classic, family online.Family, o kedge.Observation) *online.PlugIn {
	e := must(online.NewPlugIn(c.loss, c.f.Dims(), family, 3, 1, stream.New(1), c.set))
	for range 2 {
		estimate(t, e, make([]float64, 2), o)
	}
	return e
}

// deaf is a sensitivity that fails.
type deaf struct{ kedge.Sensitivity }

func (deaf) PullRows([]float64, []float64, []float64, []float64, []float64) error { return errFailing }

// tires is an estimator that fails after some turns.
type tires struct{ left int }

func (e *tires) Estimate([]float64, kedge.Observation) error {
	if e.left--; e.left < 0 {
		return errFailing
	}
	return nil
}

// Searches depend on no unit of weights, however small: the minimum is that of the mean.
func TestSearchesHaveNoUnit(t *testing.T) {
	c := lq2()
	for name, make := range map[string]func() online.Estimator{
		"retrain": func() online.Estimator { return online.NewRetrain(c.loss, c.f.Dims(), c.set) },
		"plug-in": func() online.Estimator {
			return must(online.NewPlugIn(c.loss, c.f.Dims(), online.Location, 3, 1, stream.New(1), c.set))
		},
	} {
		ends := [2][]float64{{0, 0}, {0, 0}}
		for i, w := range [][]float64{nil, filled(40, 1e-6)} {
			e := make()
			for k, u := range [][]float64{{0, 0}, {1, 0}, {0, 1}} {
				o := seenBy(k, u)
				o.W = w
				estimate(t, e, ends[i], o)
			}
		}
		if rows.Distance(ends[0], ends[1]) > 1e-9 || rows.Norm(ends[0]) < 0.1 {
			t.Errorf("%s: weights of a millionth lead to %v, none to %v", name, ends[1], ends[0])
		}
	}
}

// Of people who have settled, who are of the family, the plug-in finds the optimum at once, whatever it tried.
func TestPlugInFindsTheOptimum(t *testing.T) {
	for _, family := range []online.Family{online.Location, online.LocationScale} {
		c := lq2()
		e, g, settled := must(online.NewPlugIn(c.loss, c.f.Dims(), family, 4, 0.5, stream.New(3), c.set)), []float64{9, 9}, make([]float64, 8)
		for _, u := range [][]float64{{0, 0}, {1, 0.5}, {-0.5, 1}, {2, 2}} {
			if _, err := kedge.BatchedSettler(c.f.(kedge.Settler)).SettleRows(settled, u, c.traits); err != nil {
				t.Fatal(err)
			}
			estimate(t, e, g, kedge.Observation{U: u, P: slices.Clone(settled), D: c.traits})
		}
		rows.Scale(g, -1)
		rows.AddScaled(g, 1, []float64{2, 2}) // where the last trial was followed from
		if rows.Distance(g, c.optimal) > 1e-7 {
			t.Errorf("family %d: %v, want %v", family, g, c.optimal)
		}
	}
}

// Methods that try decisions beside their own go as far as they say.
func TestDithersOfMethods(t *testing.T) {
	c := lq2()
	for name, e := range map[string]online.Perturber{
		"performative": must(online.NewPerformative(c.loss, c.f.Dims(), online.Gaussian, 3, 0.25, stream.New(1))), "plug-in": must(online.NewPlugIn(c.loss, c.f.Dims(), online.Location, 3, 0.25, stream.New(1), c.set)),
	} {
		u := []float64{1, 2}
		if e.Perturb(u); !(math.Abs(rows.Distance(u, []float64{1, 2})-0.25) <= 1e-15) {
			t.Errorf("%s goes to %v, want 0.25 away", name, u)
		}
	}
}

// The first of two points has an estimate of 0.
func TestFirstPointsTellNothing(t *testing.T) {
	g := []float64{7, 8}
	if err := must(online.NewTwoPoint(2, 0.5, stream.New(1))).Estimate(g, kedge.Observation{Loss: 3}); err != nil || !slices.Equal(g, []float64{0, 0}) {
		t.Errorf("%v, %v", g, err)
	}
}

// clockwork is an estimator with a state that no turn changes.
type clockwork struct{ state byte }

func (clockwork) Estimate(g []float64, _ kedge.Observation) error { clear(g); return nil }
func (c *clockwork) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(b, "clockwork/1", func(f *wire.Fields) { f.Same("wheels", int(c.state)) })
}
func (c *clockwork) UnmarshalBinary(data []byte) error {
	return wire.Restore(data, "clockwork/1", func(f *wire.Fields) {
		n := 0
		f.Int(&n, 255)
		f.Then(func() { c.state = byte(n) })
	})
}

// What has a state is saved, though it is told of no turn.
func TestStatesOfPartsAreSaved(t *testing.T) {
	one, other := &clockwork{7}, &clockwork{1}
	rule := func(g online.Estimator) *online.Descent {
		return must(online.Rule{Gradient: g, Step: online.Constant(1), Set: set.Whole{}}.From([]float64{1}))
	}
	if err := rule(other).UnmarshalBinary(must(rule(one).AppendBinary(nil))); err != nil || other.state != 7 {
		t.Errorf("restored is %+v, %v", other, err)
	}
	first, second := &clockwork{1}, &clockwork{1}
	both := func(a, b *clockwork) *online.Descent { return rule(must(online.NewFallback(a, b))) }
	if err := both(first, second).UnmarshalBinary(must(both(&clockwork{8}, &clockwork{9}).AppendBinary(nil))); err != nil || first.state != 8 || second.state != 9 {
		t.Errorf("of two, restored are %+v and %+v, %v", first, second, err)
	}
}

// A trial whose people count alike may follow others, or be followed by some, that are weighted: those without weights count 1 each.
func TestPlugInWeighsSomeTrials(t *testing.T) {
	c := lq2()
	trial := func(i int, w []float64) kedge.Observation {
		o := kedge.Observation{Round: i, U: []float64{float64(i % 2), float64(i / 2)}, P: make([]float64, 6), D: make([]float64, 6), W: w}
		stream.New(uint64(i), "trial").Normals(o.P)
		rows.AddScaled(o.P[:2], 1, o.U)
		return o
	}
	none, some := []float64(nil), []float64{3, 1, 2}
	ones := []float64{1, 1, 1}
	for name, w := range map[string][2][][]float64{
		"none at first": {{none, some, none, some}, {ones, some, ones, some}}, "some at first": {{some, none, none, none}, {some, ones, ones, ones}}, "the last alone": {{none, none, none, some}, {ones, ones, ones, some}},
	} {
		var ends [2][]float64
		for k := range 2 {
			e := must(online.NewPlugIn(c.loss, c.f.Dims(), online.LocationScale, 4, 1, stream.New(1), c.set))
			for i := range 4 {
				ends[k] = make([]float64, 2)
				estimate(t, e, ends[k], trial(i, w[k][i]))
			}
		}
		if rows.Distance(ends[0], ends[1]) > 1e-9 || rows.Norm(ends[0]) == 0 {
			t.Errorf("%s: %v, with weights of 1 told %v", name, ends[0], ends[1])
		}
	}
}

// A Fallback's terms are those of whoever is at work, and it keeps what its first keeps. Terms that nobody tells apart are the whole estimate.
func TestFallbacksTellTerms(t *testing.T) {
	c := lq2()
	f := must(online.NewFallback(composite(c), vanilla(c)))
	d := must(online.Rule{Gradient: f, Step: online.Constant(0.25), Set: set.Ball{Radius: 0.1}}.From([]float64{0, 0}))
	o := kedge.Observation{U: []float64{0, 0}, P: []float64{1, -2, 3, 0}, D: make([]float64, 4)}
	for _, distrust := range []bool{false, true} {
		f.Distrust(distrust)
		if err := d.Tell(o); err != nil {
			t.Fatal(err)
		}
		direct, answer := d.Terms() // by the mean (2, −1): R = 2I at 0 adds nothing, GᵀQp̄ = (5/4·2 − 1/2, 1/2·2 − 1)
		if want := []float64{2, 0}; len(direct) != 2 || rows.Distance(direct, []float64{2, -1}) > 1e-12 || (answer == nil) != distrust || !distrust && rows.Distance(answer, want) > 1e-12 {
			t.Errorf("distrusted %v: %v and %v", distrust, direct, answer)
		}
		if eta, stepped := d.Stride(); distrust == false && (eta != 0.25 || rows.Distance(stepped, []float64{-1, 0.25}) > 1e-12) {
			t.Errorf("a stride of %v to %v", eta, stepped)
		}
		o.U = []float64{0, 0}
	}
	if d.Kept() != nil {
		t.Error("a composite rule keeps something")
	}
	aligned := func() online.Estimator {
		h := must(sensitivity.NewLearned(sensitivity.Learning{Dims: c.f.Dims(), Lag: sensitivity.Naive, Controls: sensitivity.Alignment, Every: 2, Least: 1e-9}))
		return online.NewLearning(c.loss, h, c.f.Dims())
	}
	var kept [2][]byte
	for i, g := range []online.Estimator{aligned(), must(online.NewFallback(aligned(), vanilla(c)))} {
		d := must(online.Rule{Gradient: g, Step: online.Constant(0.01), Set: set.Ball{Radius: 3}}.From(c.start))
		for k := range 4 {
			if err := d.Tell(seenBy(k, c.start)); err != nil {
				t.Fatal(err)
			}
		}
		kept[i] = must(d.Kept().AppendBinary(nil))
	}
	if !slices.Equal(kept[0], kept[1]) {
		t.Error("a fallback keeps something else than its first")
	}
}

// Once a turn is over, nobody holds the sample.
func TestSamplesAreLetGo(t *testing.T) {
	c := lq2()
	for name, g := range map[string]online.Estimator{
		"retrain": online.NewRetrain(c.loss, c.f.Dims(), c.set), "composite": composite(c), "recursive": must(online.NewRecursive(vanilla(c), c.f.Dims(), 0.5)),
		"performative": must(online.NewPerformative(c.loss, c.f.Dims(), online.Gaussian, 3, 0.1, stream.New(1))),
	} {
		d := must(online.Rule{Gradient: g, Step: online.Constant(0.1), Set: c.set}.From(c.start))
		sample := func() weak.Pointer[float64] {
			o := seenBy(0, c.start)
			if err := d.Tell(o); err != nil {
				t.Fatal(err)
			}
			return weak.Make(&o.P[0])
		}()
		runtime.GC()
		if sample.Value() != nil {
			t.Errorf("%s holds what it has seen", name)
		}
		runtime.KeepAlive(d)
	}
}

// Where just the iterate is deployed instead of a decision beside it, it stays, with no lead at all.
func TestRebaseOnTheIterate(t *testing.T) {
	d := must(online.Rule{Gradient: must(online.NewOnePoint(2, 0.5, stream.New(1))), Step: online.Constant(1), Set: set.Whole{}}.From([]float64{1, 2}))
	u := make([]float64, 2)
	if err := d.Rebase([]float64{1, 2}, 0); err != nil {
		t.Fatal(err)
	}
	if d.Center(u); !slices.Equal(u, []float64{1, 2}) {
		t.Errorf("it is at %v", u)
	}
}

// A rule whose set fails while it is brought to what is deployed says so and stays.
func TestRebaseTellsErrorsOfTheSet(t *testing.T) {
	d := must(online.Rule{Gradient: still{}, Step: online.Constant(1), Set: &faint{set.Whole{}, 1}}.From([]float64{1, 2}))
	before := must(d.AppendBinary(nil))
	if err := d.Rebase([]float64{4, 4}, 0.5); !errors.Is(err, errFaint) || !slices.Equal(before, must(d.AppendBinary(nil))) {
		t.Errorf("a set that fails: %v", err)
	}
	if eta, stepped := d.Stride(); eta != 0 || len(stepped) != 0 || math.Signbit(eta) {
		t.Errorf("before its first step it strides %v to %v", eta, stepped)
	}
}
