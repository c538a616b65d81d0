package sensitivity

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/stream"
)

// Of nobody nothing comes, whatever the crowd's mean would be.
func TestNobodyAnswers(t *testing.T) {
	s := &Coupled{Of: &echo{err: errEcho}, States: 2}
	g := []float64{3, 4}
	if err := s.PullRows(g, nil, []float64{1, 2}, nil, nil); err != nil || !slices.Equal(g, []float64{3, 4}) {
		t.Errorf("%v, %v", g, err)
	}
}

// Who never moves answers nothing, where he is a number; who stays or is pulled alone is asked.
func TestWhoNeverMoves(t *testing.T) {
	u, d, nan := []float64{0.6, 0.8}, []float64{1, 0}, []float64{math.NaN(), 0}
	for _, x := range []struct {
		lambda, sigma float64
		p             []float64
		ok            bool
	}{{1, 0, d, true}, {1, 0.5, d, false}, {0.5, 0, d, true}, {0.5, 0, nan, false}} {
		g := []float64{3, 4}
		err := (&Polarized{Dim: 2, Lambda: x.lambda, Sigma: x.sigma}).PullRows(g, x.p, u, d, []float64{5, 6})
		if (err == nil) != x.ok || !slices.Equal(g, []float64{3, 4}) {
			t.Errorf("λ = %v and σ = %v at %v: %v, %v", x.lambda, x.sigma, x.p, g, err)
		}
	}
}

// Planes are answered for and lists written for decisions of the own length, with parameters that mean something.
func TestWhatIsAnsweredInPlanes(t *testing.T) {
	for _, x := range []struct {
		s  *Polarized
		n  int
		ok bool
	}{{&Polarized{Dim: 2, Lambda: 0.5, Sigma: 0.5}, 2, true}, {&Polarized{Dim: 2, Lambda: 0.5, Sigma: 0.5}, 3, false}, {&Polarized{Dim: 2, Lambda: 0.5, Sigma: 0.5}, 1, false}, {&Polarized{Dim: 2, Lambda: 2, Sigma: 0.5}, 2, false}} {
		h := kedge.Planes{PU: []float64{0}, Along: []float64{0}, Across: []float64{1}}
		if got := x.s.PullPlanes(h, make([]float64, x.n)); got != x.ok {
			t.Errorf("%+v answers for %d numbers: %v", x.s, x.n, got)
		}
		if got := x.s.Pulls(x.n); got != x.ok {
			t.Errorf("%+v writes lists for %d numbers: %v", x.s, x.n, got)
		}
	}
}

// By hand, for y = ½f: moments that no rows have are refused, be it by their sign or by what they come to.
func TestMomentsThatNoRowsHave(t *testing.T) {
	r, _ := fitOf(Learning{Lag: Naive, Prior: 1e6})
	r.ff[0], r.fy[0], r.yy[0], r.weight = -1, 1, 1, 4
	if r.shrink(0.5) || r.solve() {
		t.Errorf("a square of −1 has the solution %v", r.theta)
	}
	if r.ff[0] = 2; !r.solve() || !(math.Abs(r.theta[0]-0.5) <= 1e-9) {
		t.Errorf("θ is %v", r.theta)
	}
	for name, x := range map[string][]float64{"squares": r.ff, "products": r.fy} {
		was := x[0]
		if x[0] = math.Inf(1); r.solve() {
			t.Errorf("%s without end have a solution", name)
		}
		x[0] = was
	}
	if r.weight = 1.99; r.solve() {
		t.Error("less than two rows have a solution")
	}
	if r.weight = 2; !r.solve() {
		t.Error("two rows have none")
	}
}

// walker settles where a walk from its own start leads: at −1 or 1, by the sign of that, moved by the decision.
func walker() *dynamics.Walked {
	return dynamics.NewWalked(kedge.Batched(dynamics.Func{Size: kedge.Dims{Decision: 1, State: 1, Trait: 1}, F: func(dst, p, u, _ []float64) {
		x := p[0] - math.Copysign(0.1*u[0], p[0])
		dst[0] = p[0] + 0.3*(x-x*x*x)
	}}))
}

// By hand: who begins above 0 comes to 1 + u/10, and who begins below to −1 − u/10, so that products with differences are ±1/10; and states settled from there are what the rest is asked about. The trait, 1, tells nothing.
func TestWhereOneBeginsCounts(t *testing.T) {
	u, d, v := []float64{0.2}, []float64{1}, []float64{1}
	for _, start := range []float64{0.4, -0.4} {
		g, p := []float64{0}, []float64{start}
		if err := (&Differences{Settler: walker()}).PullRows(g, p, u, d, v); err != nil || !(math.Abs(g[0]-math.Copysign(0.1, start)) <= 1e-6) || p[0] != start {
			t.Errorf("from %v: %v, %v", start, g, err)
		}
		asked := &seenAt{}
		if err := (&Settled{Of: asked, Settler: walker()}).PullRows(g, p, u, d, v); err != nil || !(math.Abs(asked.p[0]-math.Copysign(1.02, start)) <= 1e-9) || p[0] != start {
			t.Errorf("from %v it is asked at %v, %v", start, asked.p, err)
		}
	}
	g := []float64{0}
	if err := (&Differences{Settler: walker()}).PullRows(g, nil, u, d, v); err != nil || !(math.Abs(g[0]-0.1) <= 1e-6) {
		t.Errorf("from the trait: %v, %v", g, err)
	}
}

// seenAt remembers where it was asked.
type seenAt struct{ p []float64 }

func (s *seenAt) PullRows(_, p, _, _, _ []float64) error {
	s.p = slices.Clone(p)
	return nil
}

// remembering is a sensitivity with a state of one number.
type remembering struct {
	echo
	n int
}

func (r *remembering) Describe(f *wire.Fields) { f.Int(&r.n, 100) }

// What is spoiled is saved with it, and learns without a delay too; what keeps something apart does so spoiled.
func TestWhatIsSpoiledRemembers(t *testing.T) {
	from, to := &remembering{n: 7}, &remembering{}
	saved, err := wire.Append(nil, "wrong/1", (&Wrong{Of: from}).Describe)
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.Restore(saved, "wrong/1", (&Wrong{Of: to}).Describe); err != nil || to.n != 7 {
		t.Errorf("%d is remembered, %v", to.n, err)
	}
	w := &Wrong{Of: from}
	if err := w.Observe(kedge.Observation{U: []float64{math.NaN()}}); err != nil || from.observed != 1 || len(w.u) != 0 {
		t.Errorf("told %d times without a delay, %v remembered, %v", from.observed, w.u, err)
	}
	from.err = errEcho
	if err := w.Observe(kedge.Observation{U: []float64{1}}); !errors.Is(err, errEcho) {
		t.Errorf("what fails to learn: %v", err)
	}
	learned := mustLearn(t, Learning{Lag: Filtered, Controls: Alignment})
	if (&Wrong{Of: learned}).Kept() == nil || (&Wrong{Of: from}).Kept() != nil {
		t.Error("what is kept apart")
	}
}

// By hand, of one state: p⁺ = ½p + ¾u settles at (3/2)u, and the answer is given with how it settles; what does not come to rest is not trusted.
func TestGainsOfOneState(t *testing.T) {
	r, _ := fitOf(Learning{Lag: State})
	r.ff[0], r.weight = 1, 9
	g := []float64{0}
	for carry, want := range map[float64]float64{0.5: 1.5, 0: 0.75, -1: 0.375, 1: math.NaN()} {
		r.theta[0], r.theta[1] = 0.75, carry
		if trust := r.gain(g); math.IsNaN(trust) != math.IsNaN(want) || !math.IsNaN(want) && (g[0] != want || trust != 1) {
			t.Errorf("with %v of the state before: a gain of %v, trusted by %v, want %v", carry, g, trust, want)
		}
	}
}

// Panels of people without names are saved and go on too, and so are those whose people were named in one turn.
func TestPanelsWithoutNamesGoOn(t *testing.T) {
	r := stream.New(3, "nameless")
	w, c := newTown(20, r), Learning{Form: Panel, Every: 1}
	whole := mustLearn(t, c)
	for k := range 12 {
		back := mustLearn(t, c)
		if err := wire.Restore(savedLearner(t, whole), "learned/1", back.Describe); err != nil {
			t.Fatalf("after %d turns: %v", k, err)
		}
		w.answer([]float64{r.Normal(), r.Normal()})
		o := w.all()
		if k == 5 {
			for i := range uint64(20) {
				o.Who = append(o.Who, 20-i)
			}
		}
		if err := errors.Join(whole.Observe(o), back.Observe(o)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(savedLearner(t, back), savedLearner(t, whole)) {
			t.Errorf("saved after %d turns it goes on otherwise", k)
		}
	}
	if whole.Trust() == 0 {
		t.Error("nothing is learned")
	}
}

// What has no solution is not trusted, whatever was before.
func TestTrustIsLost(t *testing.T) {
	l := mustLearn(t, Learning{Lag: Naive})
	l.trust = 0.75
	if l.solve(); l.trust != 0 {
		t.Errorf("nothing is trusted by %v", l.trust)
	}
	runaway, err := NewLearned(Learning{Dims: kedge.Dims{Decision: 1, State: 1}, Method: Kalman})
	if err != nil {
		t.Fatal(err)
	}
	runaway.trust, runaway.gain[0], runaway.fit.weight = 0.75, 3, 5
	runaway.fit.theta[0], runaway.fit.theta[1] = 0.5, 1 // p⁺ = p + ½u never settles
	if runaway.solve(); runaway.trust != 0 || runaway.gain[0] != 0 || runaway.fit.weight != 0 {
		t.Errorf("what never settles is trusted by %v, with the gain %v", runaway.trust, runaway.gain)
	}
}

// Lengths that are wrong are named, where everybody has numbers of his own too.
func TestLengthsOfEachAreNamed(t *testing.T) {
	x := func(n int) []float64 { return make([]float64, n) }
	for want, lengths := range map[string][5]int{"gu has 3 entries, want 2": {3, 4, 2, 8, 4}, "u has 1 entries, want 2": {2, 4, 1, 8, 4}, "d has 7 entries, want 8": {2, 4, 2, 7, 4}, "v has 2 entries, want 4": {2, 4, 2, 8, 2}, "v has 6 entries, want 4": {2, 4, 2, 8, 6}} {
		func() {
			defer func() {
				if got := recover(); got != "sensitivity: "+want {
					t.Errorf("%v, want %q", got, want)
				}
			}()
			_ = (&PolarizedEach{Dim: 2}).PullRows(x(lengths[0]), x(lengths[1]), x(lengths[2]), x(lengths[3]), x(lengths[4]))
		}()
	}
}

// A trust that is the least is enough.
func TestTheLeastTrustIsEnough(t *testing.T) {
	l := mustLearn(t, Learning{Lag: Naive, Least: 0.25})
	for trust, want := range map[float64]float64{0.25: 0.25, 0.24: 0, 1: 1} {
		if l.trust = trust; l.Trust() != want {
			t.Errorf("a trust of %v counts as %v", trust, l.Trust())
		}
	}
}

// By hand: where I − A is diag(1, k·2⁻⁵³) its condition is 2⁵³/k, which may be 2⁵³/100 and no more.
func TestTheWorstConditionIsTaken(t *testing.T) {
	for k, ok := range map[float64]bool{100: true, 101: true, 99: false} {
		f := dynamics.Func{Size: kedge.Dims{Decision: 2, State: 2}, F: func(dst, p, u, _ []float64) {
			dst[0], dst[1] = u[0], (1-k*0x1p-53)*p[1]+u[1]
		}, Pull: func(gp, gu, _, _, _, v []float64) {
			if gp != nil {
				gp[1] += (1 - k*0x1p-53) * v[1]
			}
			if gu != nil {
				rows.AddScaled(gu, 1, v)
			}
		}}
		g, x := make([]float64, 2), make([]float64, 2)
		err := (&Implicit{Dynamics: f}).PullRows(g, x, x, nil, []float64{1, 1})
		if (err == nil) != ok || ok && g[1] != 0x1p53/k || !ok && !errors.Is(err, kedge.ErrSingular) {
			t.Errorf("a condition of 2⁵³/%v: %v, %v", k, g, err)
		}
	}
}

// Differences are taken over steps of up to once the size of a decision.
func TestStepsOfDifferences(t *testing.T) {
	for step, ok := range map[float64]bool{0: true, 1e-9: true, 1: true, 1.5: false, 2: false, -1e-9: false} {
		if err := (&Differences{Step: step}).Check(); (err == nil) != ok {
			t.Errorf("a step of %v: %v", step, err)
		}
	}
}
