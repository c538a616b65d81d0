package fit

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"gonum.org/v1/gonum/mat"
)

// What a law says of an observation goes together: slopes are those of the loss by differences, also beyond where the law ends, and curvatures those of slopes. Losses
// are less the log of the densities that books give, up to what does not change with the mean or the scale.
func TestLawsGoTogether(t *testing.T) {
	const h = 1e-5
	close := func(name, what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-5*max(1, math.Abs(want))) {
			t.Errorf("%s: %s is %v, by differences %v", name, what, got, want)
		}
	}
	for _, x := range []struct {
		law    ErrorLaw
		y      []float64
		means  []float64
		scales []float64
	}{
		{ErrorLaw{Kind: Normal}, []float64{-3, 0.5, 4}, []float64{-1, 0.5, 7}, []float64{0.5, 2}}, {ErrorLaw{Student, 4}, []float64{-3, 0.5, 4}, []float64{-1, 0.5, 7}, []float64{0.5, 2}},
		{ErrorLaw{Kind: Poisson}, []float64{0, 1, 2.5, 30}, []float64{-2, 0.05, 0.2, 3, 40}, []float64{1}}, {ErrorLaw{Kind: Bernoulli}, []float64{0, 0.25, 1}, []float64{0.1, 0.5, 0.9}, []float64{1}},
	} {
		hasScale := x.law.hasScale()
		for _, y := range x.y {
			for _, mean := range x.means {
				for _, scale := range x.scales {
					at := func(mean, s float64) verdict { return x.law.of(y, mean, math.Exp(s), s, 0.1) }
					s := math.Log(scale)
					v, up, down, wide, slim := at(mean, s), at(mean+h, s), at(mean-h, s), at(mean, s+h), at(mean, s-h)
					close(x.law.String(), "the slope", v.score, (down.loss-up.loss)/(2*h))
					if !(v.curve > 0) || v.expected < 0 {
						t.Errorf("%s: curvatures %v and %v", x.law, v.curve, v.expected)
					}
					if hasScale {
						close(x.law.String(), "the bend", v.bend, (down.score-up.score)/(2*h))
						close(x.law.String(), "the slope in the scale", v.scaleScore, (slim.loss-wide.loss)/(2*h))
						close(x.law.String(), "the bend in the scale", v.scaleBend, (slim.scaleScore-wide.scaleScore)/(2*h))
						close(x.law.String(), "the bend in both", v.cross, (slim.score-wide.score)/(2*h))
					}
				}
			}
		}
	}
	for _, beyond := range []float64{-0.5, -1e-3, 1 + 1e-3, 2} { // chances that are none: slopes lead back
		v := answered(0.5, beyond)
		up, down := answered(0.5, beyond+1e-9), answered(0.5, beyond-1e-9)
		if slope := (down.loss - up.loss) / 2e-9; !(math.Abs(v.score/slope-1) <= 1e-3) || v.score*(0.5-beyond) < 0 {
			t.Errorf("a chance of %v: the slope %v, by differences %v", beyond, v.score, slope)
		}
	}
	for _, y := range []float64{0, 0.3, 1} {
		if v := answered(y, y); !(math.Abs(v.loss) <= 2e-6) {
			t.Errorf("the least loss of an answer of %v is %v", y, v.loss)
		}
	}
	for _, y := range []float64{0.5, 7} {
		if v := counted(y, y, 0.1); v.loss != 0 || v.score != 0 || v.expected != 1/y {
			t.Errorf("the least loss of a count of %v: %+v", y, v)
		}
	}
}

// What is expected of curvatures is their mean under the law, by adding up over a fine grid of what may be observed.
func TestExpectedCurvatures(t *testing.T) {
	for _, law := range []ErrorLaw{{Kind: Normal}, {Student, 4}, {Student, 9}} {
		for _, scale := range []float64{0.5, 2} {
			total, bend, scaleBend := 0.0, 0.0, 0.0
			var v verdict
			for k := -40_000; k <= 40_000; k++ {
				v = law.of(1+float64(k)*0.005*scale, 1, scale, math.Log(scale), 0)
				chance := math.Exp(-v.loss)
				total, bend, scaleBend = total+chance, bend+chance*v.bend, scaleBend+chance*v.scaleBend
			}
			if !(math.Abs(v.expected/(bend/total)-1) <= 1e-4) || !(math.Abs(v.scaleExpected/(scaleBend/total)-1) <= 1e-4) {
				t.Errorf("%s of scale %v: %v and %v are expected, the means are %v and %v", law, scale, v.expected, v.scaleExpected, bend/total, scaleBend/total)
			}
		}
	}
}

// Where the curvature as it is does not tell numbers apart, the one that is expected is reported: of Student's law with v degrees of freedom and the scale s that of a
// mean is (v + 1)/(v + 3)/s², that of the logarithm of the scale 2v/(v + 3), each times the weight of
// the row; of the normal law, v is infinite.
func TestExpectedCurvatureStandsIn(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p[2]", Next: "a*p + b*p"}, "a", "b")
	l := Log{
		States: []float64{1, 4, 2, 1, -1, 3, 3, 1}, After: []float64{0.5, 1, 1, 2, 1, 1, 3, 2}, Beside: make([]float64, 4),
		Weight: []float64{1, 0.5, 2, 0.25}, Person: []int{0, 0, 1, 1},
	}
	x, scales := newLikely(f, l, []ErrorLaw{{Student, 4}, {Normal, 0}}, []float64{1, 1})
	if len(scales) != 2 {
		t.Fatalf("scales are %v", scales)
	}
	factor, _, err := x.scores(t.Context(), []float64{0.3, 0.1, math.Log(0.5), math.Log(2)}, nil, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	mean, weights := 0.0, 0.0
	for i, w := range l.Weight {
		mean += w*l.States[2*i]*l.States[2*i]*5/7/(0.5*0.5) + w*l.States[2*i+1]*l.States[2*i+1]/(2*2)
		weights += w
	}
	var got mat.Dense
	got.Mul(factor.T(), factor)
	if want := mat.NewDense(4, 4, []float64{mean, mean, 0, 0, mean, mean, 0, 0, 0, 0, weights * 8 / 7, 0, 0, 0, 0, weights * 2}); !mat.EqualApprox(&got, want, 1e-12) {
		t.Errorf("the curvature is %v, want %v", mat.Formatted(&got), mat.Formatted(want))
	}
}
