package sensitivity

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/wire"
)

var errEcho = errors.New("echo")

// echo is a sensitivity whose products are the decision that it is told, and that learns nothing but how often it was told.
type echo struct {
	observed int
	err      error
}

func (e *echo) PullRows(gu, _, u, _, _ []float64) error {
	for i, v := range u {
		gu[i] += v
	}
	return e.err
}

func (e *echo) Observe(kedge.Observation) error { e.observed++; return e.err }

func (e *echo) Trust() float64 { return 0.75 }

func pulled(w *Wrong, u ...float64) ([]float64, error) {
	g := slices.Repeat([]float64{10}, len(u))
	return g, w.PullRows(g, nil, u, nil, nil)
}

// By hand: products are added, scaled, and turned pair by pair; an entry without a pair stays.
func TestWrongByHand(t *testing.T) {
	for _, x := range []struct {
		scale, degrees float64
		want           []float64
	}{{0, 0, []float64{13, 14, 15}}, {1, 0, []float64{13, 14, 15}}, {-2, 0, []float64{4, 2, 0}}, {0, 90, []float64{6, 13, 15}}, {2, 180, []float64{4, 2, 20}}, {0, -90, []float64{14, 7, 15}}} {
		g, err := pulled(&Wrong{Of: &echo{}, Scale: x.scale, Degrees: x.degrees}, 3, 4, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range x.want {
			if !(math.Abs(g[i]-want) <= 1e-14*10) {
				t.Errorf("scale %v, %v degrees: %v, want %v", x.scale, x.degrees, g, x.want)
				break
			}
		}
	}
}

// With two turns' delay: before anything was deployed it is the decision itself, then the first, then that of two turns ago.
func TestWrongIsLate(t *testing.T) {
	of := &echo{}
	w := &Wrong{Of: of, Stale: 2}
	say := func(w *Wrong, want float64) {
		t.Helper()
		if g, err := pulled(w, 9); err != nil || g[0] != 10+want {
			t.Errorf("after %d turns the decision is %v (%v), want %v", of.observed, g[0]-10, err, want)
		}
	}
	say(w, 9)
	for k, want := range []float64{1, 1, 2, 3, 4} {
		if err := w.Observe(kedge.Observation{U: []float64{float64(k + 1)}}); err != nil {
			t.Fatal(err)
		}
		say(w, want)
	}
	if of.observed != 5 || w.Trust() != 0.75 || (&Wrong{Of: lostAnswer{}}).Trust() != 1 {
		t.Errorf("told %d times, trust %v", of.observed, w.Trust())
	}
	save := func(w *Wrong) []byte {
		b, err := wire.Append(nil, "wrong/1", w.Describe)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	again := &Wrong{Of: of, Stale: 2}
	if err := wire.Restore(save(w), "wrong/1", again.Describe); err != nil {
		t.Fatal(err)
	}
	say(again, 4)
	for stale, ok := range map[int]bool{0: false, 1: true, 2: true, 3: false} {
		if err := wire.Restore(save(w), "wrong/1", (&Wrong{Of: of, Stale: stale}).Describe); (err == nil) != ok {
			t.Errorf("two decisions for %d: %v", stale, err)
		}
	}
	w.u[0] = math.NaN()
	if err := wire.Restore(save(w), "wrong/1", again.Describe); err == nil {
		t.Error("a saved decision of NaN is taken")
	}
}

type lostAnswer struct{ kedge.Sensitivity }

// Whatever fails is told: what is spoiled, decisions that are no numbers or of another length, and parameters out of range.
func TestWrongTellsErrors(t *testing.T) {
	nan := math.NaN()
	if _, err := pulled(&Wrong{Of: &echo{err: errEcho}}, 1); !errors.Is(err, errEcho) {
		t.Errorf("a product that fails: %v", err)
	}
	if err := (&Wrong{Of: &echo{err: errEcho}, Stale: 1}).Observe(kedge.Observation{U: []float64{1}}); !errors.Is(err, errEcho) {
		t.Errorf("a learner that fails: %v", err)
	}
	w := &Wrong{Of: &echo{}, Stale: 2}
	if err := w.Observe(kedge.Observation{U: []float64{1, 2}}); err != nil {
		t.Fatal(err)
	}
	for name, u := range map[string][]float64{"NaN": {1, nan}, "too short": {1}, "too long": {1, 2, 3}} {
		if err := w.Observe(kedge.Observation{U: u}); err == nil {
			t.Errorf("a decision that is %s is taken", name)
		}
	}
	for name, w := range map[string]*Wrong{"scale": {Scale: nan}, "degrees": {Degrees: math.Inf(1)}, "stale": {Stale: -1}, "very stale": {Stale: 1<<20 + 1}} {
		if w.Of = (&echo{}); w.Check() == nil {
			t.Errorf("%s is taken", name)
		}
		if _, err := pulled(w, 1); err == nil {
			t.Errorf("a product with a bad %s", name)
		}
	}
	if err := (&Wrong{Of: &echo{}, Stale: 1 << 20}).Check(); err != nil {
		t.Error(err)
	}
}

// Differences want people who settle on both sides of a decision: of those who settle on one alone the error is told, and the decision is as it was.
func TestDifferencesWantBothSides(t *testing.T) {
	for _, above := range []bool{true, false} {
		f := dynamics.Func{Size: kedge.Dims{Decision: 1, State: 1, Trait: 1}, F: func(dst, p, u, d []float64) {
			if dst[0] = 0.5*p[0] + u[0] + d[0]; (u[0] > 0.3) == above && u[0] != 0.3 {
				dst[0] = math.NaN()
			}
		}}
		gu, u := []float64{7}, []float64{0.3}
		if err := (&Differences{Settler: dynamics.Settled(f)}).PullRows(gu, nil, u, []float64{2}, []float64{1}); err == nil || u[0] != 0.3 {
			t.Errorf("nobody above %v: %v at %v, %v", above, gu, u, err)
		}
	}
}
