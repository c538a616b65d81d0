package risk_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/risk"
)

// Turns of people who do not count alike allocate nothing but the order of losses, where a measure sorts them: of a mean and of a chance, nothing at all.
func TestWeightedTurnsAllocateNothing(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	w := lq2(t)
	for _, m := range []risk.Measure{risk.Mean{}, risk.Chance{Limit: 1, Width: 1}} {
		gauge, err := risk.NewGauge(w.constraint(m, 0))
		must(t, err)
		o, g := people(1, 2, 3), make([]float64, 2)
		o.W = []float64{1, 2, 3}
		if n := testing.AllocsPerRun(100, func() { _, _ = gauge.Assess(g, o) }); n != 0 {
			t.Errorf("a turn of %T allocates %v times", m, n)
		}
	}
}

// A gauge that is read back may have seen 2⁵³ samples, as many as a number counts, and not one more.
func TestSamplesAreCountedToAnEnd(t *testing.T) {
	w := lq2(t)
	for count, taken := range map[int]bool{0: true, 1 << 53: true, 1<<53 + 1: false} {
		gauge, err := risk.NewGauge(w.constraint(risk.CVaR{Level: 0.5}, 0))
		must(t, err)
		quantile, spread := 1.5, 0.25
		kept, err := wire.Append(nil, "gauge", func(f *wire.Fields) {
			f.Int(&count, math.MaxInt)
			f.Float(&quantile)
			f.Float(&spread)
		})
		must(t, err)
		if err := wire.Restore(kept, "gauge", gauge.Describe); (err == nil) != taken {
			t.Errorf("%d samples: %v", count, err)
		}
		for _, spoilt := range []*float64{&quantile, &spread} {
			was := *spoilt
			*spoilt = math.Inf(1)
			kept, err := wire.Append(nil, "gauge", func(f *wire.Fields) {
				f.Int(&count, math.MaxInt)
				f.Float(&quantile)
				f.Float(&spread)
			})
			must(t, err)
			if wire.Restore(kept, "gauge", gauge.Describe) == nil {
				t.Errorf("the quantile %v with the spread %v is taken", quantile, spread)
			}
			*spoilt = was
		}
	}
}

// ownUnit is the loss d₁p₁ + d₂u₁, which has no slope for whoever has d₁ = 0.
type ownUnit struct{}

func (ownUnit) Eval(gp, gu, p, u, d []float64) float64 {
	if gp != nil {
		gp[0] += d[0]
		gu[0] += d[1]
		if d[0] == 0 {
			gu[1] = math.Inf(1)
		}
	}
	return d[0]*p[0] + d[1]*u[0]
}

// By hand: the slopes of people who count are those of their own traits, the mean of 5 and 7; who does not count among the worst has no part in it, whatever the slope.
func TestSlopesAreOfTheirOwnTraits(t *testing.T) {
	w := lq2(t)
	o := kedge.Observation{U: []float64{1, 1}, P: []float64{9, 0, 9, 0, 1, 0, 1, 0}, D: []float64{2, 5, 3, 7, 0, 1, 0, 1}}
	c := w.constraint(risk.CVaR{Level: 0.5}, 0)
	c.Loss, c.Sensitivity = ownUnit{}, nil
	gauge, err := risk.NewGauge(c)
	must(t, err)
	g := []float64{8, 8}
	if excess, err := gauge.Assess(g, o); err != nil || !(math.Abs(excess-(18+5+27+7)/2.) <= 1e-13) || !(math.Abs(g[0]-6) <= 1e-14) || g[1] != 0 {
		t.Errorf("%v with the gradient %v (%v), want 57/2 and (6, 0)", excess, g, err)
	}
}

// By hand, of two people who count alike, of whom the worse half is one: the quantile is between them, at 2, where it stays; of zeros the risk is the quantile then.
func TestTheQuantileIsBetweenTwo(t *testing.T) {
	w := lq2(t)
	for _, weights := range [][]float64{nil, {3, 3}} {
		gauge, err := risk.NewGauge(w.constraint(risk.CVaR{Level: 0.5}, 0))
		must(t, err)
		for k, x := range []struct {
			o    kedge.Observation
			want float64
		}{{people(1, 3), 3}, {people(0, 0), 2}} {
			x.o.W = weights
			excess, err := gauge.Assess(make([]float64, 2), x.o)
			if err != nil || !(math.Abs(excess-x.want) <= 1e-14) {
				t.Errorf("turn %d with weights %v: %v (%v), want %v", k, weights, excess, err, x.want)
			}
			gauge.Commit(x.o)
		}
	}
}

// stuck does not settle.
type stuck struct{}

func (stuck) Settle(_, _ []float64) error { return errStuck }

var errStuck = errors.New("stuck")

// People who do not settle are judged by nothing.
func TestWhoDoesNotSettleIsTold(t *testing.T) {
	w := lq2(t)
	traits := kedge.Block{Data: drawn(1, 4), Width: 2}
	for _, m := range []risk.Measure{risk.Mean{}, risk.Chance{Limit: 1, Width: 1}} {
		s, err := risk.NewSettled(w.constraint(m, 0.5), func() risk.SettlingCrowd { return stuck{} }, traits)
		must(t, err)
		g, u := make([]float64, 2), make([]float64, 2)
		_, err1 := s.Excess(u)
		_, err2 := s.Gradient(g, u)
		_, err3 := s.True(u)
		_, err4 := s.Sharp(g, u)
		_, err5 := s.Even(g, u)
		for k, err := range []error{err1, err2, err3, err4, err5} {
			if !errors.Is(err, errStuck) {
				t.Errorf("%T, question %d: %v", m, k, err)
			}
		}
	}
}

// leaving is three people of the losses 9, 9 and 1 of whom those with a trait above 0 count, told by rows that must be copied.
func leaving(t *testing.T, m risk.Measure, bound float64) (*risk.SettledConstraint, []float64) {
	t.Helper()
	w := lq2(t)
	data := []float64{9, 0, 1, 9, 0, 1, 1, 0, 1}
	c := w.constraint(m, bound)
	c.Dims.Trait = 2
	c.Among = func(d []float64) bool { return d[1] == 0 }
	s, err := risk.NewSettled(c, func() risk.SettlingCrowd { return copied{data} }, kedge.Leading{Of: kedge.Block{Data: data, Width: 3}, Entries: 2})
	must(t, err)
	return s, data
}

// copied settles everybody at the first entry of the trait.
type copied struct{ data []float64 }

func (c copied) Settle(dst, _ []float64) error {
	for i := range len(dst) / 2 {
		dst[2*i], dst[2*i+1] = c.data[3*i], 0
	}
	return nil
}

// By hand: two of three are beyond 7; when one of the two has left the group, one of two.
func TestWhoLeavesTheGroup(t *testing.T) {
	u := []float64{0, 0}
	chance, data := leaving(t, risk.Chance{Limit: 7, Width: 0.1}, 0)
	for _, want := range []float64{2. / 3, 0.5} {
		if over, err := chance.True(u); err != nil || !(math.Abs(over-want) <= 1e-15) {
			t.Errorf("%v are beyond (%v), want %v", over, err, want)
		}
		data[1] = 5
	}
	for _, wrong := range [][]float64{nil, {1}, {1, math.NaN()}} { // of which a crowd may say nothing
		if excess, err := chance.Excess(wrong); err == nil || excess != 0 {
			t.Errorf("under %v: %v", wrong, excess)
		}
	}
	data[0] = math.Inf(1)
	data[1] = 0
	if excess, err := chance.Excess(u); err == nil || excess != 0 {
		t.Errorf("a loss without end: %v", excess)
	}
	mean, data := leaving(t, risk.Mean{}, 0)
	for _, want := range []float64{19. / 3, 5} {
		if excess, err := mean.Excess(u); err != nil || !(math.Abs(excess-want) <= 1e-14) {
			t.Errorf("the mean is %v (%v), want %v", excess, err, want)
		}
		data[1] = 5
	}
}

// By hand: what shares leave of the worst half counts as the last, here 1/4 of 3 and the rest of 1; of all it is 3/4 of 1.
func TestSharesThatDoNotAddUp(t *testing.T) {
	for level, want := range map[float64][]float64{0: {0.25, 0.75}, 0.5: {0.5, 0.5}, 0.25: {1. / 3, 2. / 3}} {
		w := []float64{9, 9}
		got := (risk.CVaR{Level: level}).WeighShares(w, []float64{3, 1}, []float64{0.25, 0.25})
		if !(math.Abs(got-(3*want[0]+want[1])) <= 1e-15) || !(math.Abs(w[0]-want[0])+math.Abs(w[1]-want[1]) <= 1e-15) {
			t.Errorf("level %v: %v with %v, want %v", level, got, w, want)
		}
	}
}

// Whoever is a billionth of all is nobody; two billionths are somebody.
func TestHowFewAreNobody(t *testing.T) {
	for more, told := range map[float64]float64{0: 0, 0.9e-9: 0, 1.5e-9: 1.5e-9, 2.5e-9: 2.5e-9, -0.1: -0.1} {
		s := chances(t, risk.Chance{Limit: 7, Width: 0.1}, 0.5, 9, 1)
		must(t, s.Weigh([]float64{0.5 + more, 0.5 - more}))
		over, err := s.True([]float64{0, 0})
		if err != nil || !(math.Abs(over-told) <= 1e-15) {
			t.Errorf("with %v more: %v (%v), want %v", more, over, err, told)
		}
		g := make([]float64, 2)
		sharp, err := s.Sharp(g, []float64{0, 0})
		if want := map[bool]float64{true: 2, false: -6}[told > 0]; err != nil || sharp != want {
			t.Errorf("with %v more the largest that counts is %v beyond (%v), want %v", more, sharp, err, want)
		}
		if !slices.Equal(g, []float64{1.25, 0.5}) {
			t.Errorf("gradient %v", g)
		}
	}
}
