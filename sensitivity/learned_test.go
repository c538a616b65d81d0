package sensitivity

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/stream"
)

// town is a population of the linear-quadratic problem with A = [½ ¼; 0 ½], B = [½ 0; ¼ ½] and E = ½I, whose gain is
// (I−A)⁻¹B = [1.25 0.5; 0.5 1].
type town struct{ p, d, u []float64 }

func lq2Gain() []float64 { return []float64{1.25, 0.5, 0.5, 1} }

func newTown(n int, r *stream.Stream) *town {
	w := &town{p: make([]float64, 2*n), d: make([]float64, 2*n), u: make([]float64, 2)}
	for i := range n {
		w.d[2*i], w.d[2*i+1] = 1+r.Normal(), -1+r.Normal()/2
	}
	return w
}

func (w *town) answer(u []float64) {
	copy(w.u, u)
	for i := 0; i < len(w.p); i += 2 {
		p, d := w.p[i:i+2], w.d[i:i+2]
		p[0], p[1] = p[0]/2+p[1]/4+u[0]/2+d[0]/2, p[1]/2+u[0]/4+u[1]/2+d[1]/2
	}
}

// all is an observation of everybody.
func (w *town) all() kedge.Observation { return kedge.Observation{U: w.u, P: w.p, D: w.d} }

// some is an observation of n people picked with replacement.
func (w *town) some(n int, r *stream.Stream) kedge.Observation {
	o := kedge.Observation{U: w.u}
	for range n {
		i := 2 * r.Intn(len(w.p)/2)
		o.P, o.D = append(o.P, w.p[i:i+2]...), append(o.D, w.d[i:i+2]...)
	}
	return o
}

func mustLearn(t testing.TB, c Learning) *Learned {
	t.Helper()
	c.Dims = kedge.Dims{Decision: 2, State: 2, Trait: 2}
	l, err := NewLearned(c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// stir deploys random decisions, each for hold turns, and lets l see what look shows.
func stir(t testing.TB, l *Learned, w *town, turns, hold int, r *stream.Stream, look func() kedge.Observation) {
	t.Helper()
	u := make([]float64, 2)
	for k := range turns {
		if k%hold == 0 {
			u[0], u[1] = r.Normal(), r.Normal()
		}
		w.answer(u)
		if err := l.Observe(look()); err != nil {
			t.Fatal(err)
		}
	}
}

func offBy(l *Learned, g []float64) float64 { return rows.Distance(l.Gain()[:4], g) / rows.Norm(g) }

// The trait cancels in changes of the same individual, and the dynamics are affine: three people and a few turns say everything.
func TestPanelIsExactForAffineDynamics(t *testing.T) {
	for _, method := range []Regression{LeastSquares, Window} {
		r := stream.New(1, "panel")
		w := newTown(3, r)
		l := mustLearn(t, Learning{Method: method, Form: Panel})
		stir(t, l, w, 20, 1, r, w.all)
		if off := offBy(l, lq2Gain()); off > 1e-9 || l.Trust() < 0.99 {
			t.Errorf("method %d: the gain %v is off by %.2g, trust %v", method, l.Gain(), off, l.Trust())
		}
	}
}

// Regressing what is seen on what is deployed, turn by turn, finds the first answer B and not G; a hold of twelve turns, within
// which A¹² ≈ 0 lets people settle, finds G; so do both corrections for the lag without waiting.
func TestLagCorrectionFindsTheGainThatNaiveMisses(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	first := []float64{0.5, 0, 0.25, 0.5}
	for _, c := range []struct {
		name  string
		learn Learning
		hold  int
		want  []float64
		tol   float64
	}{
		{"naive", Learning{Lag: Naive, Trend: 100, Memory: 2000}, 1, first, 0.1},
		{"naive, held", Learning{Lag: Naive, Trend: 1e4, Memory: 1e4}, 40, lq2Gain(), 0.15},
		{"state", Learning{Lag: State}, 1, lq2Gain(), 1e-6},
		{"state, Kalman", Learning{Lag: State, Method: Kalman, Noise: 1e-4, Drift: 1e-6}, 1, lq2Gain(), 1e-3},
		{"state, window", Learning{Lag: State, Method: Window, Memory: 50}, 1, lq2Gain(), 1e-6},
		{"filtered", Learning{Lag: Filtered, Pole: 0.7, Trend: 100, Memory: 4000}, 5, lq2Gain(), 0.1},
	} {
		r := stream.New(2, "lag")
		w := newTown(200, r)
		l := mustLearn(t, c.learn)
		stir(t, l, w, 4000, c.hold, r, w.all)
		if off := offBy(l, c.want); !(off <= c.tol) {
			t.Errorf("%s: the gain is %.3f, off by %.2g from %v", c.name, l.Gain(), off, c.want)
		}
	}
}

// With a regression of the right form, here of p = Gu + d on u, the error of the gain is what its covariance says: the root mean
// square over seeds of error by expected error is about 1.
func TestTrustTellsTheErrorThatNoiseMakes(t *testing.T) {
	g, total := lq2Gain(), 0.0
	const seeds = 40
	for seed := range uint64(seeds) {
		r := stream.New(seed, "noise")
		l := mustLearn(t, Learning{Lag: Naive, Trend: 200, Memory: 2000})
		for range 600 {
			o := kedge.Observation{U: []float64{r.Normal(), r.Normal()}}
			for range 5 {
				d := []float64{r.Normal(), r.Normal()}
				o.D = append(o.D, d...)
				o.P = append(o.P, g[0]*o.U[0]+g[1]*o.U[1]+d[0], g[2]*o.U[0]+g[3]*o.U[1]+d[1])
			}
			if err := l.Observe(o); err != nil {
				t.Fatal(err)
			}
		}
		ratio := offBy(l, g) / (1 - l.Trust())
		total += ratio * ratio
	}
	if rms := math.Sqrt(total / seeds); rms < 0.5 || rms > 1.5 {
		t.Errorf("errors are %.2f times the expected ones", rms)
	}
}

// Where the lag is only nearly that of the averages, and samples are of 50 people, the gain is still right to a tenth. The error that
// is left is misfit, which the covariance does not know.
func TestFilteredToleratesNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	for seed := range uint64(10) {
		r := stream.New(seed, "noise")
		w := newTown(1000, r)
		l := mustLearn(t, Learning{Lag: Filtered, Pole: 0.7, Controls: Traits, Trend: 200, Memory: 3000})
		stir(t, l, w, 3000, 20, r, func() kedge.Observation { return w.some(50, r) })
		if off := offBy(l, lq2Gain()); off > 0.1 {
			t.Errorf("seed %d: the gain %.3f is off by %.3f", seed, l.Gain(), off)
		}
	}
}

// The answer of one trait to decisions differs from that of another: p = (1 + d)u + 3d + 5, with G₀ = 1 and G₁ = 1, whatever trend is removed and whatever the mean trait is.
func TestConditionalFindsWhatDependsOnTheTrait(t *testing.T) {
	for _, trend := range []float64{1, 2, 20, 1e3} {
		for _, centre := range []float64{0, 2} {
			r := stream.New(3, "conditional")
			l, err := NewLearned(Learning{Dims: kedge.Dims{Decision: 1, State: 1, Trait: 1}, Form: Conditional, Lag: Naive, Trend: trend, Memory: 1e4})
			if err != nil {
				t.Fatal(err)
			}
			for range 500 {
				u, o := r.Normal(), kedge.Observation{U: make([]float64, 1)}
				o.U[0] = u
				for range 10 {
					d := centre + r.Normal()/2
					o.D, o.P = append(o.D, d), append(o.P, float64((1+d)*u)+3*d+5)
				}
				if err := l.Observe(o); err != nil {
					t.Fatal(err)
				}
			}
			gu := []float64{0}
			err = l.PullRows(gu, []float64{0, 0}, []float64{0}, []float64{centre - 1, centre + 0.5}, []float64{5, 1})
			if want := 6*centre + 1.5; err != nil || !(math.Abs(gu[0]-want) <= 0.1*want) || !(math.Abs(l.Gain()[0]-1) <= 0.15) || !(math.Abs(l.Gain()[1]-1) <= 0.06) {
				t.Errorf("trend %v, traits around %v: Σ(1+d)v = %v, want %v; gains %v; %v", trend, centre, gu, 6*centre+1.5, l.Gain(), err)
			}
		}
	}
}

// Without excitation, with excitation in one direction only, and with samples that are noise, there is no trust, and no product.
func TestWhatCannotBeKnownIsNotTrusted(t *testing.T) {
	cases := map[string]func(r *stream.Stream, u []float64){
		"nothing moves": func(_ *stream.Stream, u []float64) { u[0], u[1] = 1, 2 },
		"one direction": func(r *stream.Stream, u []float64) { x := r.Normal(); u[0], u[1] = x, -x },
		"one entry":     func(r *stream.Stream, u []float64) { u[0], u[1] = r.Normal(), 0 },
		"hardly moves":  func(r *stream.Stream, u []float64) { u[0], u[1] = 1+1e-9*r.Normal(), 1+1e-9*r.Normal() },
	}
	for name, move := range cases {
		for seed := range uint64(10) {
			for _, c := range []Learning{{Lag: State}, {Lag: Filtered, Trend: 50}, {Lag: Naive, Method: Window}, {Method: Kalman, Lag: Filtered}} {
				r := stream.New(seed, "hostile")
				w := newTown(100, r)
				c.Least = 0.6
				l := mustLearn(t, c)
				u := make([]float64, 2)
				for range 300 {
					move(r, u)
					w.answer(u)
					if err := l.Observe(w.some(10, r)); err != nil {
						t.Fatal(err)
					}
				}
				gu := []float64{7, 7}
				err := l.PullRows(gu, nil, u, nil, []float64{1, 1})
				if l.Trust() != 0 || !errors.Is(err, ErrUntrusted) || gu[0] != 7 || gu[1] != 7 {
					t.Errorf("%s, seed %d, %+v: trust %v, product %v, error %v", name, seed, c, l.Trust(), gu, err)
				}
			}
		}
	}
}

// Numbers near the ends of the range are seen between ordinary ones: the gain stays finite, and what is trusted is not wild.
func TestHugeNumbersDoNotMakeWildGains(t *testing.T) {
	for seed := range uint64(30) {
		for _, method := range []Regression{LeastSquares, Kalman, Window} {
			r := stream.New(seed, "huge")
			w := newTown(20, r)
			l := mustLearn(t, Learning{Method: method, Lag: State, Memory: 60})
			for k := range 400 {
				w.answer([]float64{r.Normal(), r.Normal()})
				o := w.some(20, r)
				if k%97 == 50 {
					o.P[3] = math.Copysign(math.Ldexp(1, 200*int(1+seed%5)), r.Normal())
				}
				if err := l.Observe(o); err != nil {
					t.Fatal(err)
				}
				if !rows.Finite(l.Gain()) || l.Trust() > 0 && rows.MaxAbs(l.Gain()) > 100 {
					t.Fatalf("seed %d, method %d, turn %d: gain %v, trust %v", seed, method, k, l.Gain(), l.Trust())
				}
			}
		}
	}
}

// A hostile observation is a typed error, and nothing is learned from it.
func TestObserveRefuses(t *testing.T) {
	r := stream.New(4, "refuse")
	w := newTown(10, r)
	l := mustLearn(t, Learning{Lag: State})
	stir(t, l, w, 30, 1, r, w.all)
	save := func() ([]byte, error) { return wire.Append(nil, "learned", l.Describe) }
	before, err := save()
	if err != nil {
		t.Fatal(err)
	}
	nan := []float64{math.NaN(), 0}
	for i, o := range []kedge.Observation{
		{U: nan, P: w.p, D: w.d}, {U: w.u, P: nan, D: []float64{1, 2}}, {U: w.u, P: []float64{1, 2}, D: nan}, {U: w.u[:1], P: w.p, D: w.d},
		{U: w.u, P: w.p[:3], D: w.d}, {U: w.u, P: w.p, D: w.d[:2]}, {U: w.u},
	} {
		var dim *kedge.DimError
		var finite *kedge.NotFiniteError
		if err := l.Observe(o); !errors.As(err, &dim) && !errors.As(err, &finite) {
			t.Errorf("observation %d gives %v", i, err)
		}
	}
	if after, _ := save(); !bytes.Equal(before, after) {
		t.Error("a refused observation has changed what was learned")
	}
}

func TestLearningRefuses(t *testing.T) {
	for i, c := range []Learning{{}, {Dims: kedge.Dims{Decision: 1, State: 1}, Share: 1}, {Dims: kedge.Dims{Decision: 1, State: 1}, Memory: math.NaN()},
		{Dims: kedge.Dims{Decision: 1, State: 1}, Form: Conditional}, {Dims: kedge.Dims{Decision: 2, State: 1, Trait: 1}, Controls: Alignment}} {
		if _, err := NewLearned(c); err == nil {
			t.Errorf("config %d is accepted", i)
		}
	}
}

func ExampleLearned() {
	// People answer p = 2u at once; the sensitivity is not told so.
	l, _ := NewLearned(Learning{Dims: kedge.Dims{Decision: 1, State: 1}, Lag: Naive})
	for k := range 20 {
		u := float64(k % 2)
		l.Observe(kedge.Observation{U: []float64{u}, P: []float64{2 * u}})
	}
	gu := []float64{0}
	err := l.PullRows(gu, nil, nil, nil, []float64{1})
	fmt.Printf("%.3f %.1f %v\n", gu[0], l.Trust(), err)
	// Output: 2.000 1.0 <nil>
}

// An answer of the mean is the same for everybody, so that traits need not be known: Gᵀ of the sum of what is pulled.
func TestAnswersOfTheMeanNeedNoTraits(t *testing.T) {
	l, w, r := mustLearn(t, Learning{Lag: Naive, Every: 1, Least: 1e-9}), newTown(40, stream.New(1)), stream.New(2)
	for range 40 {
		w.answer([]float64{r.Normal(), r.Normal()})
		if err := l.Observe(w.all()); err != nil {
			t.Fatal(err)
		}
	}
	with, without := make([]float64, 2), make([]float64, 2)
	if err := errors.Join(l.PullRows(with, nil, nil, w.d[:6], []float64{1, 2, 3, 4, 5, 6}), l.PullRows(without, nil, nil, nil, []float64{1, 2, 3, 4, 5, 6})); err != nil {
		t.Fatal(err)
	}
	g := l.Gain()
	if want := []float64{g[0]*9 + g[2]*12, g[1]*9 + g[3]*12}; rows.Distance(with, want) > 1e-9*rows.Norm(want) || rows.Distance(without, want) > 1e-9*rows.Norm(want) {
		t.Errorf("%v with traits and %v without, want %v", with, without, want)
	}
}

// By hand, with G₀ = 2, G₁ = 3 and G₂ = −1: traits (1, 4) answer by 2 + 3 − 4 = 1 and (−2, 5) by 2 − 6 − 5 = −9, so that 5 and 1 pull by 5 − 9 beside what is there. Everybody's trait is wanted, of nobody else.
func TestConditionalWantsEverybodysTrait(t *testing.T) {
	l, err := NewLearned(Learning{Dims: kedge.Dims{Decision: 1, State: 1, Trait: 2}, Form: Conditional, Lag: Naive})
	if err != nil {
		t.Fatal(err)
	}
	copy(l.gain, []float64{2, 3, -1})
	l.trust = 1
	gu, v := []float64{7}, []float64{5, 1}
	if err := l.PullRows(gu, nil, nil, []float64{1, 4, -2, 5}, v); err != nil || gu[0] != 3 {
		t.Errorf("%v, %v, want 3", gu, err)
	}
	for _, n := range []int{0, 2, 3, 5, 6} {
		func() {
			defer func() {
				if got, want := fmt.Sprint(recover()), fmt.Sprintf("sensitivity: d has %d entries, want 4", n); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			_ = l.PullRows(gu, nil, nil, make([]float64, n), v)
		}()
	}
}
