package certify

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
)

// By hand: a state at a right angle to its trait is within 90 degrees, and within a millionth less, which is rounding; it is not within two. The second of two is named.
func TestEndsOfTheCone(t *testing.T) {
	p := problem{Model: kedge.Model{Traits: alternating(2, []float64{1, 0}), States: kedge.Block{Data: []float64{1, 0, 0, 1}, Width: 2}}}
	for degrees, inside := range map[float64]bool{91: true, 90: true, 90 - 0.9e-6: true, 90 - 1.5e-6: false, 90 - 2.5e-6: false, 89: false} {
		err := insideCone(p, degrees)
		var out *kedge.RangeError
		if (err == nil) != inside || !inside && (!errors.As(err, &out) || !(math.Abs(out.Got-90) <= 1e-12) || out.Arg != "the angle between the first state and the trait of individual 1") {
			t.Errorf("within %v degrees: %v", degrees, err)
		}
	}
}

// What one thing beyond the theorems is told of is an estimate, although every constant is a proof.
func TestOneThingBeyondTheTheorems(t *testing.T) {
	all := told(map[Key]float64{L: 1, Lp: 1, Smooth: 1, Rho1: 0.5, Rho2: 1, V0: 1, Gap: 1, M: 1, MV: 1})
	for want, beyond := range map[Known][]string{Proof: nil, Estimate: {"noise"}} {
		if _, known := (&Certificate{Constants: all, Beyond: beyond}).theory(problem{}, false); known != want {
			t.Errorf("beyond %q it is known as a %v, want a %v", beyond, known, want)
		}
	}
}

// Where a habit has an entry of 0 probabilities may come as near to it as they like, and nothing bounds the slope of the entropy; of the least that is above 0 it is bounded.
func TestEntropiesWithoutABound(t *testing.T) {
	c := told(map[Key]float64{Radius: 7})
	for least, bounded := range map[float64]bool{0: false, 1e-300: true, 0.5: true} {
		p := problem{Model: kedge.Model{Dynamics: dynamics.Choice{Dim: 2, Lambda1: 0.2, Lambda2: 0.5}, States: alternating(1, []float64{0.5, 0.5}), Traits: alternating(1, []float64{least, 1 - least})}}
		if s, ok := c.slopesOf(objective.Revenue{Entropy: 2}, p); ok != bounded {
			t.Errorf("a habit of %v: %+v, %v", least, s, ok)
		}
	}
}

// What does not contract for anybody is nobody's: its trait is −1.
func TestNobodysFault(t *testing.T) {
	rotation, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 2, Trait: 1}, []float64{0, 1, -1, 0}, []float64{1, 0}, []float64{1, 0})
	must(t, err)
	for name, err := range map[string]error{
		"rotation": new(Constants).addAffine(rotation, nil),
		"pull":     told(map[Key]float64{Radius: 1}).addPolarized(dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.65}),
		"cone":     told(map[Key]float64{Radius: 1}).addPolarized(dynamics.Polarized{Dim: 2, Lambda: 0.02, Sigma: 0.97}),
	} {
		var not *NotContractingError
		if !errors.As(err, &not) || not.Trait != -1 || !(not.Value >= 1) {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

// Metrics are symmetric to the last bit, whatever Q they are made of, and solve their equation.
func TestMetricsAreSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 7))
	for range 20 {
		n := 2 + r.IntN(4)
		a, root, q := schur(r, n, 0.9*r.Float64()), normals(r, n*n), make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				for k := range n {
					q[i*n+j] += root[i*n+k] * root[j*n+k]
				}
				if i == j {
					q[i*n+i]++
				}
				q[j*n+i] = q[i*n+j]
			}
		}
		p, _, err := weightedMetric(a, q, n)
		must(t, err)
		size := 0.0
		for _, v := range p {
			size = max(size, math.Abs(v))
		}
		for i := range n {
			for j := range n {
				off := q[i*n+j] - p[i*n+j]
				for k := range n {
					for l := range n {
						off += a[k*n+i] * p[k*n+l] * a[l*n+j]
					}
				}
				if p[i*n+j] != p[j*n+i] || !(math.Abs(off) <= 1e-11*size) {
					t.Fatalf("P[%d,%d] = %v, and %v the other way round; AᵀPA − P + Q is %v", i, j, p[i*n+j], p[j*n+i], off)
				}
			}
		}
	}
}

// By hand: two people at ±(0, 1) under A = [0.9 5; 0 0.9] are at ±(5k·0.9^(k−1), 0.9^k) after k turns, of which the gradient sees the first entry: farthest after nine and ten, in whatever unit the metric is.
func TestTheSpreadGrowsFirst(t *testing.T) {
	dim := kedge.Dims{Decision: 1, State: 2, Trait: 1}
	f, err := dynamics.NewAffine(dim, []float64{0.9, 5, 0, 0.9}, []float64{0, 0}, []float64{0, 0})
	must(t, err)
	phi, err := objective.NewQuadratic(dim, []float64{1}, []float64{1, 0}, nil, nil, nil)
	must(t, err)
	x, ok := asLinearQuadratic(problem{Model: kedge.Model{Dynamics: f, Objective: phi}})
	if !ok {
		t.Fatal("not linear-quadratic")
	}
	metric, err := Lyapunov(f.A(), 2)
	must(t, err)
	want := math.Pow(45*math.Pow(0.9, 8), 2)
	for _, unit := range []float64{1, 1e-6, 1e6} {
		scaled := make([]float64, 4)
		for i, v := range metric {
			scaled[i] = unit * v
		}
		near(t, "the largest variance", x.spread(kedge.Block{Data: []float64{0, 1, 0, -1}, Width: 2}, kedge.Block{Data: []float64{1, 1}, Width: 1}, scaled), want, 1e-6)
	}
}

// A step that is as long as the largest is allowed.
func TestTheLargestStepIsAllowed(t *testing.T) {
	for used, value := range map[float64]float64{0.5: 5, 1: 5, 1.001: math.NaN()} {
		if e := (Extension{Used: used, Largest: 1, Known: Proof}).filled(5); e.Value != value && !(math.IsNaN(value) && math.IsNaN(e.Value)) || (e.Why == "") != (used <= 1) {
			t.Errorf("a step of %v: %+v", used, e)
		}
	}
}

// Where there is no steady state there is no slope, and it is said by NaN.
func TestNoSlopesWithoutSteadyStates(t *testing.T) {
	f := dynamics.Polarized{Dim: 4, Lambda: 0.3, Sigma: 0.4}
	none, u := []float64{math.NaN(), 0, 0, 0}, []float64{1, 0, 0, 0}
	if g := affinitySlope(f, u, none); !math.IsNaN(g[0]) {
		t.Errorf("the slope of nothing is %v", g)
	}
	if g := responseAt(f, 1, none); !math.IsNaN(g[0]) || !math.IsNaN(g[1]) {
		t.Errorf("the response of nobody is %v", g)
	}
	if g := affinitySlope(f, u, []float64{0, 1, 0, 0}); math.IsNaN(g[0]) {
		t.Errorf("the slope of somebody is %v", g)
	}
}

// What is filled in has forgotten norms.
func TestFilledProblemsHaveForgotten(t *testing.T) {
	m := polarizedModel(0.3, 0.4)
	m.Dynamics = dynamics.PolarizedNorm{Polarized: m.Dynamics.(dynamics.Polarized)}
	p, err := problem{Model: m}.filled()
	if err != nil || !is[dynamics.Polarized](p.Dynamics) {
		t.Errorf("%T, %v", p.Dynamics, err)
	}
}
