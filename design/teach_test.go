package design

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/set"
)

// anywhere takes all decisions.
func anywhere(n int) set.Box {
	b := set.Box{Lower: make([]float64, n), Upper: make([]float64, n)}
	for j := range n {
		b.Lower[j], b.Upper[j] = -1e9, 1e9
	}
	return b
}

// A covariance is learnt from one observation after the other, without an inverse of it: C − Chhᵀ C/(hᵀCh + s²) [Kalman]. So it may be singular, or be of
// numbers of very different sizes. People with traits d go on as the model expects, of p and r to a·p + b·q·d and c·r + b·q.
func TestWhatIsLeftIsLearntRowByRow(t *testing.T) {
	f, err := formula.Source{Decision: "q", State: "p[2]", Trait: "d", Next: "[a*p[0] + b*q*d, c*p[1] + b*q]"}.Regress([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	at, decisions := []float64{0.5, 2, -0.7}, [][]float64{{1}, {-0.5}, {3}}
	for name, c := range map[string]struct {
		drawn []int
		cov   []float64
	}{
		"regular": {[]int{0, 1}, []float64{0.4, 0.1, 0.1, 0.3}}, "small": {[]int{0, 1}, []float64{4e-9, 1e-9, 1e-9, 3e-9}}, "large": {[]int{2, 1}, []float64{4e9, 1e9, 1e9, 3e9}}, "one is known": {[]int{0, 1}, []float64{0.4, 0, 0, 0}}, "the first is known": {[]int{0, 1}, []float64{0, 0, 0, 0.4}},
		"both go together": {[]int{0, 1}, []float64{1, -1, -1, 1}}, "of two sizes": {[]int{1, 2}, []float64{4e-10, 0, 0, 3}}, "all go together": {[]int{0, 1, 2}, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}}, "three": {[]int{2, 0, 1}, []float64{3, 1, 0.5, 1, 2, -0.3, 0.5, -0.3, 1}},
	} {
		e := &Experiment{Model: f, At: at, Drawn: c.drawn, Cov: c.cov, Noise: 0.3, States: []float64{1, -2, 4, 0.5, -1, 2}, Traits: []float64{1, -2, 0.5}}
		want := slices.Clone(c.cov)
		for i, d := range e.Traits {
			p, r := e.States[2*i], e.States[2*i+1]
			for _, q := range decisions {
				for _, slopes := range [][]float64{{p, q[0] * d, 0}, {0, q[0], r}} {
					h := make([]float64, len(c.drawn))
					for j, u := range c.drawn {
						h[j] = slopes[u]
					}
					learn(want, h, 0.3*0.3)
				}
				p, r = 0.5*p+2*q[0]*d, -0.7*r+2*q[0]
			}
		}
		k := len(c.drawn)
		for i, v := range e.posterior(decisions) {
			if scale := math.Sqrt(c.cov[i/k*(k+1)] * c.cov[i%k*(k+1)]); !(math.Abs(v-want[i]) <= 1e-9*scale+1e-290) {
				t.Errorf("%s: entry %d is %v, learnt one by one %v", name, i, v, want[i])
			}
		}
	}
}

// learn takes one observation with the slopes h and errors of a variance.
func learn(cov, h []float64, variance float64) {
	k := len(h)
	with, all := make([]float64, k), variance
	for i := range k {
		for j := range k {
			with[i] += cov[i*k+j] * h[j]
		}
		all += with[i] * h[i]
	}
	for i := range k {
		for j := range k {
			cov[i*k+j] -= with[i] * with[j] / all
		}
	}
}

// What decisions lose is that of the paraboloid, turn by turn; by its definition.
func TestWhatDecisionsLose(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for n := 1; n <= 3; n++ {
		e := &Experiment{Base: make([]float64, n), Slope: make([]float64, n), Curve: make([]float64, n*n)}
		for _, list := range [][]float64{e.Base, e.Slope, e.Curve} {
			for i := range list {
				list[i] = r.NormFloat64()
			}
		}
		var x [][]float64
		want := 0.0
		for range 4 {
			u := make([]float64, n)
			for j := range u {
				u[j] = r.NormFloat64()
			}
			for j := range u {
				want += e.Slope[j] * (u[j] - e.Base[j])
				for k := range u {
					want += e.Curve[j*n+k] * (u[j] - e.Base[j]) * (u[k] - e.Base[k]) / 2
				}
			}
			x = append(x, u)
		}
		if got := e.lost(x); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%d entries: %v is lost, want %v", n, got, want)
		}
	}
}

// By hand, where a decision loses as much as it is: one that loses the budget stays, and of one that loses more the part is taken that does not, by 40 halves of the way.
func TestBudgetsAreKeptToTheLastBit(t *testing.T) {
	for lost, part := range map[float64]float64{1: 1, 2: 0.5, 4: 0.25, 1.5: math.Floor(0x1p40/1.5) / 0x1p40, 3: math.Floor(0x1p40/3) / 0x1p40, 7: math.Floor(0x1p40/7) / 0x1p40} {
		e := &Experiment{Base: []float64{0}, Slope: []float64{1}, Curve: []float64{0}, Change: 100, Budget: 1, Set: anywhere(1)}
		x := [][]float64{{lost}}
		if got := e.allowed(x); got[0][0] != part*lost || x[0][0] != got[0][0] {
			t.Errorf("what loses %v becomes %v, want %v", lost, got, part*lost)
		}
	}
}

// From turn to turn an entry goes as far as it may, and no further; the first from the decision as it is.
func TestChangesFromTurnToTurn(t *testing.T) {
	e := &Experiment{Base: []float64{1, 2}, Slope: []float64{0, 0}, Curve: make([]float64, 4), Change: 0.5, Budget: 1, Set: anywhere(2)}
	got := e.allowed([][]float64{{1.5, 1.5}, {1.5, 3.5}, {3.5, 2}, {3, 1.5}})
	want := [][]float64{{1.5, 1.5}, {1.5, 2}, {2, 2}, {2.5, 1.75}}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("turn %d: %v, want %v", i, got[i], want[i])
		}
	}
}

// shut is a set into which nothing is brought at one call.
type shut struct {
	set.Box
	calls *int
	at    int
}

func (s shut) Project(u []float64) error {
	if *s.calls++; *s.calls == s.at {
		return errors.New("shut")
	}
	return s.Box.Project(u)
}

// What cannot be brought into the set is as the turn before; what goes just as far as it may is left alone, to the last bit.
func TestWhatIsAllowed(t *testing.T) {
	calls := 0
	e := &Experiment{Base: []float64{1}, Slope: []float64{0}, Curve: []float64{0}, Change: 5, Budget: 1, Set: shut{anywhere(1), &calls, 2}}
	if got := e.allowed([][]float64{{2}, {4}, {3}}); got[0][0] != 2 || got[1][0] != 2 || got[2][0] != 3 {
		t.Errorf("%v", got)
	}
	from, to := 0.3, 0.9 // 0.3 + (0.9 − 0.3) is another number than 0.9
	e = &Experiment{Base: []float64{from}, Slope: []float64{0}, Curve: []float64{0}, Change: to - from, Budget: 1, Set: anywhere(1)}
	if got := e.allowed([][]float64{{to}}); got[0][0] != to {
		t.Errorf("%v, want %v", got, to)
	}
}
