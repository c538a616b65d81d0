package fit

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"gonum.org/v1/gonum/mat"
)

// By hand: of each direction the largest entry, the first of several as large, goes out of all others; then each has the length 1, but for one of nothing.
func TestDirectionsAreMadeSparse(t *testing.T) {
	for _, c := range []struct{ all, want [][]float64 }{
		{[][]float64{{1, 1}, {1, -1}}, [][]float64{{1, 0}, {0, -1}}}, {[][]float64{{0, 0}, {3, 4}}, [][]float64{{0, 0}, {0.6, 0.8}}}, {[][]float64{{0.3, -0.4}}, [][]float64{{0.6, -0.8}}}, {[][]float64{{-2}}, [][]float64{{-1}}},
		{[][]float64{{2, 0, 1}, {2, 1, 0}}, [][]float64{{2 / math.Sqrt(5), 0, 1 / math.Sqrt(5)}, {0, 1 / math.Sqrt2, -1 / math.Sqrt2}}},
	} {
		sparse(c.all)
		for i := range c.want {
			for j, v := range c.want[i] {
				if !(math.Abs(c.all[i][j]-v) <= 1e-15) {
					t.Errorf("direction %d is %v, want %v", i, c.all[i], c.want[i])
				}
			}
		}
	}
	loose := make([]bool, 4)
	d := direction([]Unknown{Free("a", 0), Free("b", 0), Free("c", 0), Free("d", 0)}, []float64{0.9e-4, 1.5e-4, -1.5e-4, 1}, []float64{1, 2, 4, 8}, loose)
	if !slices.Equal(d.Names, []string{"b", "c", "d"}) || !slices.Equal(d.By, []float64{1.5e-4 / 2, -1.5e-4 / 4, 1. / 8}) || !slices.Equal(loose, []bool{false, true, true, true}) {
		t.Errorf("%+v, loose %v", d, loose)
	}
}

// By hand: two columns at an angle θ have the singular values √(1 ± cos θ), so that θ/2 must be above a billionth for both to be told. A column of nothing is told by a prior alone.
func TestDerivativesThatTell(t *testing.T) {
	two := []Unknown{Free("a", 0), Free("b", 0)}
	for angle, blind := range map[float64]int{1.5e-9: 1, 1.9e-9: 1, 2.2e-9: 0, 3.5e-9: 0, 1: 0} {
		inverse, loose, found, err := Bread(mat.NewDense(3, 2, []float64{1, math.Cos(angle), 0, math.Sin(angle), 0, 0}), two)
		if err != nil || len(found) != blind || loose[0] != (blind > 0) || angle == 1 && !(math.Abs(inverse.At(0, 0)*math.Sin(1)*math.Sin(1)-1) <= 1e-12) {
			t.Errorf("at an angle of %v: %v, %v, %v", angle, mat.Formatted(inverse), found, err)
		}
	}
	known := Unknown{Name: "b", Mean: 3, Deviation: 2}
	inverse, loose, blind, err := Bread(mat.NewDense(2, 2, []float64{3, 0, 4, 0}), []Unknown{two[0], known})
	if err != nil || blind != nil || loose[0] || loose[1] || !mat.EqualApprox(inverse, mat.NewDense(2, 2, []float64{1. / 25, 0, 0, 4}), 1e-14) {
		t.Errorf("by a prior: %v, %v, %v", mat.Formatted(inverse), blind, err)
	}
	known.Deviation = 0.5
	if inverse, _, blind, err = Bread(mat.NewDense(2, 2, []float64{3, 0, 4, 0}), []Unknown{two[0], known}); err != nil || blind != nil || !(math.Abs(inverse.At(1, 1)-0.25) <= 1e-14) {
		t.Errorf("by a firm prior: %v, %v, %v", mat.Formatted(inverse), blind, err)
	}
	for n := 1; n <= 2; n++ {
		inverse, loose, blind, err = Bread(mat.NewDense(3, n, nil), two[:n])
		if err != nil || len(blind) != n || !slices.Equal(loose, slices.Repeat([]bool{true}, n)) || !mat.Equal(inverse, mat.NewDense(n, n, nil)) || math.Abs(blind[0].By[0]) != 1 {
			t.Errorf("of %d columns of nothing: %v, %+v, %v", n, mat.Formatted(inverse), blind, err)
		}
	}
}

// By its definition: a line of slopes adds its products, as often as it counts; those of a slope of 1 too.
func TestLinesAreGathered(t *testing.T) {
	p, slope := newFoothold(nil, 3, 1), []float64{1, 0, -2}
	p.gather(slope, 3, 0.5)
	if !slices.Equal(p.Slope, []float64{1.5, 0, -3}) || !slices.Equal(p.Normal, []float64{3, 0, -6, 0, 0, 0, 0, 0, 12}) {
		t.Errorf("%+v", p)
	}
}

// By hand, of 3·x − x² and the like: steps go to the bottom within the bounds, and say what that is expected to gain.
func TestSteps(t *testing.T) {
	p := &Foothold{Theta: []float64{1, 2}, Slope: []float64{3, -1}, Normal: []float64{2, 0, 0, 4}}
	near, far := Unknown{Lower: -9, Upper: 2}, Unknown{Lower: -9, Upper: 9}
	for _, c := range []struct {
		unknowns []Unknown
		free     []int
		damping  float64
		theta    []float64
		gain     float64
	}{
		{[]Unknown{far, far}, []int{0, 1}, 0, []float64{2.5, 1.75}, 9./4 + 1./8}, {[]Unknown{far, far}, []int{0}, 0, []float64{2.5, 2}, 9. / 4}, {[]Unknown{far, far}, []int{1}, 1, []float64{1, 1.875}, 1./8 - 1./32},
		{[]Unknown{near, far}, []int{0}, 0, []float64{2, 2}, 3 - 1}, {[]Unknown{{Lower: -9, Upper: 1}, far}, []int{0}, 0, nil, 0}, {[]Unknown{far, far}, nil, 0, nil, 0}, {[]Unknown{far, {Lower: 1.875, Upper: 9}}, []int{1}, 0, []float64{1, 1.875}, 1./8 - 4./128},
	} {
		theta, gain, ok := p.step(c.unknowns, c.free, c.damping)
		if !ok || (theta == nil) != (c.theta == nil) || !(math.Abs(gain-c.gain) <= 1e-14) {
			t.Fatalf("%+v: to %v, gaining %v, %v", c, theta, gain, ok)
		}
		for j, v := range c.theta {
			if !(math.Abs(theta[j]-v) <= 1e-14) {
				t.Errorf("%+v: to %v", c, theta)
			}
		}
	}
	unit := &Foothold{Theta: []float64{0}, Slope: []float64{1}, Normal: []float64{1}} // a step of exactly 1
	if theta, gain, ok := unit.step([]Unknown{far}, []int{0}, 0); !ok || theta == nil || theta[0] != 1 || gain != 0.5 {
		t.Errorf("to %v, gaining %v", theta, gain)
	}
	if _, _, ok := (&Foothold{Theta: []float64{0}, Slope: []float64{1}, Normal: []float64{-1}}).step([]Unknown{far}, []int{0}, 0); ok {
		t.Error("a step on a hill")
	}
}

// A number is held at a bound that the loss does not lead away from, which it does not either where it is flat; and where it is pinned.
func TestNumbersThatAreFree(t *testing.T) {
	u := Unknown{Lower: -1, Upper: 1}
	for _, c := range []struct {
		at, slope float64
		free      bool
	}{{-1, -2, false}, {-1, 0, false}, {-1, 0.5, true}, {0, -2, true}, {0, 0, true}, {0, 2, true}, {1, 2, false}, {1, 0, false}, {1, -0.5, true}, {-0.999, -2, true}, {0.999, 2, true}} {
		p := &Foothold{Theta: []float64{c.at, c.at}, Slope: []float64{c.slope, c.slope}}
		want := map[bool][]int{true: {0, 1}}[c.free]
		if got := p.Free([]Unknown{u, u}); !slices.Equal(got, want) {
			t.Errorf("%+v: %v", c, got)
		}
		if got := p.Free([]Unknown{u, u}, 1); len(got) != len(want)/2 || len(got) > 0 && got[0] != 0 {
			t.Errorf("%+v, the second pinned: %v", c, got)
		}
	}
	for deviation, known := range map[float64]float64{0: 0, 0.5: 4, 2: 0.25, 1: 1} {
		if got := (Unknown{Deviation: deviation}).Known(); got != known {
			t.Errorf("a prior of ± %v is worth %v, want %v", deviation, got, known)
		}
	}
}

// By the definition RᵀR is the part of a symmetric matrix in which it is not negative; the least eigenvalue is told once the diagonal is 1.
func TestRootsOfMatrices(t *testing.T) {
	for _, c := range []struct {
		of, want []float64
		least    float64
	}{
		{[]float64{4, 0, 0, 9}, []float64{4, 0, 0, 9}, 1}, {[]float64{4, 3, 3, 9}, []float64{4, 3, 3, 9}, 0.5}, {[]float64{4, 2, 4, 9}, []float64{4, 3, 3, 9}, 0.5}, {[]float64{0, 1, 1, 0}, []float64{0.5, 0.5, 0.5, 0.5}, -1}, {[]float64{4, 0, 0, 0}, []float64{4, 0, 0, 0}, 0}, {[]float64{-1, 0, 0, 4}, []float64{0, 0, 0, 4}, -1},
	} {
		root, least := rootOf(mat.NewDense(2, 2, c.of))
		var got mat.Dense
		if got.Mul(root.T(), root); !mat.EqualApprox(&got, mat.NewDense(2, 2, c.want), 1e-14) || !(math.Abs(least-c.least) <= 1e-14) {
			t.Errorf("of %v: %v, the least %v", c.of, mat.Formatted(&got), least)
		}
	}
	if _, least := rootOf(mat.NewDense(3, 3, slices.Repeat([]float64{math.NaN()}, 9))); least > sound {
		t.Errorf("of no numbers: %v", least)
	}
}

// Products of columns are the same however many rows there are; of whole numbers to the last bit.
func TestSumsOfProducts(t *testing.T) {
	for _, n := range []int{1, 2, 255, 256, 257, 511, 512, 513} {
		x, want := mat.NewDense(n, 3, nil), make([]float64, 4)
		for i := range n {
			a, b := float64(i%7-3), float64(i%5)
			x.SetRow(i, []float64{a, 100, b})
			want[0], want[1], want[3] = want[0]+b*b, want[1]+a*b, want[3]+a*a
		}
		want[2] = want[1]
		if got := squares(x, []int{2, 0}); !mat.Equal(got, mat.NewSymDense(2, want)) {
			t.Errorf("of %d rows: %v, want %v", n, mat.Formatted(got), want)
		}
	}
}

// By hand: rows are cut every 1024, which is what sums are over, and persons into 64 pieces at most, whoever works.
func TestHowLogsAreCut(t *testing.T) {
	for n, want := range map[int][]int{0: {0}, 1: {0, 1}, 1023: {0, 1023}, 1024: {0, 1024}, 1025: {0, 1024, 1025}, 2049: {0, 1024, 2048, 2049}} {
		if got := even(n); !slices.Equal(got, want) {
			t.Errorf("%d rows are cut at %v", n, got)
		}
	}
	for people, want := range map[int]int{1: 1, 63: 63, 64: 64, 65: 64, 1000: 64} {
		if got := (&persons{first: make([]int, people+1)}).pieces(); got != want {
			t.Errorf("%d people are in %d pieces", people, got)
		}
	}
}

// What is kept of the people of some rows is forgotten, and of nobody else; before a search has begun nothing is.
func TestPeopleAreForgotten(t *testing.T) {
	group := []int{0, 1, 1, 2, 3}
	for _, c := range []struct {
		begun  bool
		lo, hi int
		want   []float64
	}{{true, 0, 5, []float64{0, 0, 0, 0}}, {true, 1, 3, []float64{1, 0, 1, 1}}, {true, 1, 4, []float64{1, 0, 0, 1}}, {true, 4, 5, []float64{1, 1, 1, 0}}, {false, 0, 5, []float64{1, 1, 1, 1}}} {
		k := &kept{begun: c.begun, scores: mat.NewDense(4, 1, []float64{1, 1, 1, 1})}
		if k.clear(group, c.lo, c.hi); !slices.Equal(k.scores.RawMatrix().Data, c.want) {
			t.Errorf("%+v: %v", c, k.scores.RawMatrix().Data)
		}
	}
}

// Solving knows a pivot of 1.5e-12 of its diagonal from nothing, and one of 0.7e-12 not.
func TestPivotsThatAreNothing(t *testing.T) {
	for e, dead := range map[float64]bool{0.7e-12: true, 1.5e-12: false, 3e-12: false} {
		x := []float64{1, 2}
		solveSome([]float64{1, 1, 1, 1 + e}, x, 2, 1)
		if dead != (x[1] == 0) {
			t.Errorf("with %v more: %v", e, x)
		}
	}
}

// Scores come with a root of the normal equations where the least eigenvalue of those is above 1e-5, columns at an angle θ being of length 1 and 1 − cos θ that least, and else with a triangle.
func TestFactorsOfDerivatives(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q[2]", State: "p", Next: "a*q[0] + b*q[1]"}, "a", "b")
	for least, triangular := range map[float64]bool{0.7e-5: true, 1.4e-5: false, 3e-5: false} {
		angle := math.Acos(1 - least)
		l := Log{States: make([]float64, 2), After: []float64{1, 2}, Beside: []float64{1, math.Cos(angle), 0, math.Sin(angle)}, Person: []int{0, 1}}
		x := pooled{f: f, l: l, many: 2, group: l.Person}
		normal := []float64{1, math.Cos(angle), math.Cos(angle), 1}
		factor, _, err := x.scores(t.Context(), []float64{0, 0}, []float64{1}, normal, 1)
		var got mat.Dense
		got.Mul(factor.T(), factor)
		if err != nil || triangular != (factor.At(1, 0) == 0) || !mat.EqualApprox(&got, mat.NewDense(2, 2, normal), 1e-14) {
			t.Errorf("the least is %v: %v, %v", least, mat.Formatted(factor), err)
		}
	}
}

// By hand: covariances of what is loose are infinite, and numbers that nobody asked for are left out.
func TestCovariancesThatAreTaken(t *testing.T) {
	inf := math.Inf(1)
	f := &Fitted{Value: make([]float64, 3), Error: make([]float64, 3), Cov: make([]float64, 9)}
	f.Take(mat.NewDense(3, 3, []float64{4, 1, 7, 3, 9, 7, 7, 7, 7}), []int{0, 2, 5}, []bool{false, true, false})
	if !slices.Equal(f.Cov, []float64{4, 0, inf, 0, 0, 0, inf, 0, inf}) || !slices.Equal(f.Error, []float64{2, 0, inf}) {
		t.Errorf("%v, errors %v", f.Cov, f.Error)
	}
	f.Take(mat.NewDense(2, 2, []float64{4, 1, 3, 9}), []int{0, 2}, []bool{false, false})
	if !slices.Equal(f.Cov, []float64{4, 0, 2, 0, 0, 0, 2, 0, 9}) || !slices.Equal(f.Error, []float64{2, 0, 3}) {
		t.Errorf("%v, errors %v", f.Cov, f.Error)
	}
}

// By hand: what is kept is of the last look, but not of the first, and in units of one error for all it is told in those of another.
func TestWhatIsKept(t *testing.T) {
	p, k := &Foothold{}, &kept{scores: mat.NewDense(1, 1, []float64{9})}
	if k.turn(p, []float64{2}); k.at != nil || !k.begun {
		t.Errorf("of the first look: %+v", k)
	}
	if k.turn(p, []float64{2}); k.at != p || !k.isOn() {
		t.Errorf("of the second: %+v", k)
	}
	for _, c := range []struct{ spread, want float64 }{{3, 4}, {6, 1}, {6, 1}, {3, 4}} {
		if got, ok := k.of(p, []float64{c.spread}); !ok || !(math.Abs(got.At(0, 0)-c.want) <= 1e-14) {
			t.Errorf("in units of %v: %v, %v", c.spread, got, ok)
		}
	}
	if _, ok := k.of(&Foothold{}, []float64{3}); ok {
		t.Error("of another place")
	}
	if _, ok := (*kept)(nil).of(p, nil); ok {
		t.Error("of nothing")
	}
	k.turn(p, []float64{2, 3})
	if _, ok := k.of(p, []float64{2, 3}); !ok {
		t.Error("of two errors: nothing")
	}
	if _, ok := k.of(p, []float64{2, 4}); ok {
		t.Error("in units of other errors")
	}
}

// Counts are not below 0, and answers from 0 to 1.
func TestObservationsThatLawsHave(t *testing.T) {
	for _, c := range []struct {
		law LawKind
		y   float64
		is  bool
	}{{Poisson, -0.5, false}, {Poisson, 0, true}, {Poisson, 7, true}, {Bernoulli, -0.5, false}, {Bernoulli, 0, true}, {Bernoulli, 1, true}, {Bernoulli, 1.5, false}, {Normal, -9, true}, {Student, 9, true}} {
		if got := (ErrorLaw{Kind: c.law}).fault(c.y); (got == "") != c.is {
			t.Errorf("%v of law %d: %q", c.y, c.law, got)
		}
	}
}

// By hand: a descent has come to its end where what is expected and what is gained are both no more than 1e-15 of 1 + the loss.
func TestWhereFreeDescentsEnd(t *testing.T) {
	for _, c := range []struct {
		promised, gained float64
		ended            bool
	}{{0.8e-15, 0.8e-15, true}, {1.5e-15, 0.8e-15, false}, {0.8e-15, 1.5e-15, false}} {
		slope := promising(c.promised, 1e-3)
		p, asked := reading(says(0, slope, 1), says(-c.gained, slope, 1), says(-c.gained, slope, 1))
		end, err := Descend([]float64{0}, p.unknowns, func(theta []float64) (*Foothold, error) { return p.how.at(t.Context(), theta, nil, nil, 1) })
		if err != nil || end == nil || c.ended != (len(*asked) == 2) {
			t.Errorf("%+v: %+v after %d looks, %v", c, end, len(*asked), err)
		}
	}
	for _, u := range []Unknown{{Start: 0.25, Lower: math.Inf(-1), Upper: 50}, {Start: 0.25, Lower: -50, Upper: math.Inf(1)}} { // around the start where one end is open
		for n := range 50 {
			if v := startOf([]Unknown{u}, 1, 3, 1+n)[0]; !(math.Abs(v-0.25) < 5) {
				t.Errorf("%+v: start %d is %v", u, n, v)
			}
		}
	}
}

// By hand: below a mean of ½ a count of 3 goes on by the parabola that has the loss ½ − 3 + 3·log 6, the slope 5 and, with the count and the mean over its square, the curvature 14 there.
func TestCountsBelowTheLeastMean(t *testing.T) {
	v := counted(3, 0.25, 0.5)
	if want := 0.5 - 3 + 3*math.Log(6) + 14*0.0625/2 + 5*0.25; !(math.Abs(v.loss-want) <= 1e-14) || v.score != 5+14*0.25 || v.curve != 14 || v.bend != 14 || v.expected != 14 {
		t.Errorf("%+v, want a loss of %v", v, want)
	}
}
