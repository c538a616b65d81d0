package fit

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"gonum.org/v1/gonum/mat"
)

// script is a log that says one thing after the other, wherever it is asked, and the last of them ever after. Every place passes for 0, so that the next one is the
// step that was taken.
type script struct {
	said  []Foothold
	asked *[][]float64 // places
}

func (x script) at(_ context.Context, theta, _, _ []float64, _ int) (*Foothold, error) {
	out := x.said[min(len(*x.asked), len(x.said)-1)]
	*x.asked = append(*x.asked, slices.Clone(theta))
	out.Theta, out.Slope, out.Normal = make([]float64, len(theta)), slices.Clone(out.Slope), slices.Clone(out.Normal)
	return &out, nil
}

func (script) scores(context.Context, []float64, []float64, []float64, int) (*mat.Dense, *mat.Dense, error) {
	return nil, nil, errLog
}

// reading is a search in a script for one number.
func reading(said ...Foothold) (*search, *[][]float64) {
	asked := new([][]float64)
	return &search{how: script{said, asked}, unknowns: []Unknown{Free("a", 0)}, asked: 1, spread: []float64{1}}, asked
}

// says is what is said of one number.
func says(loss, slope, normal float64) Foothold {
	return Foothold{Loss: loss, Slope: []float64{slope}, Normal: []float64{normal}, Square: []float64{1}}
}

// promising is the slope by which a damped step is expected to gain so much: a step of s/(1 + λ) along a slope s and a curvature of 1 gains s²/(1 + λ) − s²/2(1 + λ)².
func promising(gain, damping float64) float64 {
	x := 1 / (1 + damping)
	return math.Sqrt(gain / (x - x*x/2))
}

// shares is a loss of which a step gains so much of what is expected, one after the other and again from the first.
type shares struct {
	of    []float64
	loss  float64
	asked []float64
}

func (x *shares) at(_ context.Context, theta, _, _ []float64, _ int) (*Foothold, error) {
	out := says(x.loss, 1, 1)
	out.Theta = []float64{0}
	if n := len(x.asked); n > 0 {
		share, step := x.of[(n-1)%len(x.of)], theta[0]
		if out.Loss -= share * (step - step*step/2); share > 0 {
			x.loss = out.Loss
		}
	}
	x.asked = append(x.asked, theta[0])
	return &out, nil
}

func (*shares) scores(context.Context, []float64, []float64, []float64, int) (*mat.Dense, *mat.Dense, error) {
	return nil, nil, errLog
}

// Where a step gains the share ρ of what was expected the damping is multiplied by 1 − (2ρ − 1)³, but not by less than a third; otherwise by 2, 4, 8 … [Nielsen, Damping
// parameter in Marquardt's method, 1999]. It is never below 1e-15. A descent that still gains is given up after so many turns.
func TestDampingIsNielsens(t *testing.T) {
	of := slices.Concat([]float64{1, 0.5, 0.25, 0.9, -1, -1, -1, 0.5, 0.1, 2, -0.5, 1.25, -1, 0.75}, slices.Repeat([]float64{1}, 60), []float64{-1, -1, -1, -1, -1, 0.6})
	for name, c := range map[string]struct {
		damping float64
		turns   int
		descend func(x *shares) (*Foothold, error)
	}{
		"free": {1e-3, 300, func(x *shares) (*Foothold, error) {
			return Descend([]float64{0}, []Unknown{Free("a", 0)}, func(theta []float64) (*Foothold, error) { return x.at(t.Context(), theta, nil, nil, 1) })
		}},
		"firstly": {1e-3, 300, func(x *shares) (*Foothold, error) {
			return sharing(x).descend(t.Context(), []float64{0}, nil, 1, firstly)
		}},
		"loosely": {1e-3, 300, func(x *shares) (*Foothold, error) {
			return sharing(x).descend(t.Context(), []float64{0}, nil, 1, loosely)
		}},
		"nearby": {1e-6, 30, func(x *shares) (*Foothold, error) {
			return sharing(x).descend(t.Context(), []float64{0}, nil, 1, nearby)
		}},
	} {
		x := &shares{of: of}
		end, err := c.descend(x)
		if end != nil || err != nil || len(x.asked) != 1+c.turns {
			t.Errorf("%s: %+v, %v after %d looks", name, end, err, len(x.asked))
		}
		damping, grow := c.damping, 2.0
		for n, step := range x.asked[1:] {
			if !(math.Abs(step-1/(1+damping)) <= 4e-16) {
				t.Fatalf("%s: step %d is %v, damped by %v %v", name, n, step, damping, 1/(1+damping))
			}
			if share := of[n%len(of)]; share > 0 {
				damping, grow = max(damping*max(1./3, 1-math.Pow(2*share-1, 3)), 1e-15), 2
			} else {
				damping, grow = damping*grow, 2*grow
			}
		}
	}
}

func sharing(x *shares) *search {
	return &search{how: x, unknowns: []Unknown{Free("a", 0)}, asked: 1, spread: []float64{1}}
}

// By hand: a step that is expected to gain less than the gait says, beside 1 + the loss, is not taken; one that gains less than it says beside the loss is taken without a
// look; and any other is looked at.
func TestWhereDescentsEnd(t *testing.T) {
	for _, c := range []struct {
		name           string
		g              gait
		loss, promised float64
		looked, moved  bool
	}{
		{"firstly", firstly, 0, 0.7e-21, false, false}, {"firstly", firstly, 0, 1.5e-21, true, false}, {"firstly", firstly, 10, 0.7e-14, false, true}, {"firstly", firstly, -10, 0.7e-14, false, true}, {"firstly", firstly, 10, 1.5e-14, true, false},
		{"loosely", loosely, 0, 0.7e-8, false, false}, {"loosely", loosely, 0, 1.5e-8, true, false}, {"loosely", loosely, -10, 0.7e-7, false, false}, {"loosely", loosely, 10, 1.5e-7, true, false},
		{"nearby", nearby, 0, 0.7e-12, false, false}, {"nearby", nearby, 0, 1.5e-12, true, false}, {"nearby", nearby, 10, 0.7e-8, false, true}, {"nearby", nearby, 10, 1.5e-8, true, false},
		{"at a damping of 1", gait{1, 1e-9, 0, 9}, 0, 0.7e-9, false, false}, {"damped by more", gait{1.5, 1e-9, 0, 9}, 0, 0.7e-9, true, false},
	} {
		p, asked := reading(says(c.loss, promising(c.promised, c.g.damping), 1))
		end, err := p.descend(t.Context(), []float64{0}, nil, 1, c.g)
		if err != nil || c.looked != (len(*asked) > 1) || !c.looked && (end == nil || c.moved != (end.Theta[0] != 0) || c.moved != (end.Loss < c.loss)) {
			t.Errorf("%s, %v expected at a loss of %v: %+v after %d looks, %v", c.name, c.promised, c.loss, end, len(*asked), err)
		}
	}
}

// By hand: what is expected to gain 1e-15 of 1 + the loss or less, and was looked at, is the end: there, unless that is worse by more than 1e-13 or was damped by more than 1; more is tried
// again with more damping, up to 1e15.
func TestLooksThatAreTheLast(t *testing.T) {
	for _, c := range []struct {
		damping, promised, there float64
		looks                    int // 0: many
		end                      float64
	}{
		{1e-3, 0.7e-15, 0.7e-13, 2, 0.7e-13}, {1e-3, 0.7e-15, 1.5e-13, 2, 0}, {1e-3, 1.5e-15, 0.7e-13, 0, 0}, {1, 0.7e-15, 0.5e-13, 2, 0.5e-13}, {1.5, 0.7e-15, 0.5e-13, 2, 0},
	} {
		p, asked := reading(says(0, promising(c.promised, c.damping), 1), says(c.there, 1, 1))
		end, err := p.descend(t.Context(), []float64{0}, nil, 1, gait{c.damping, 1e-30, 0, 9})
		if err != nil || c.looks > 0 && (len(*asked) != c.looks || end == nil || end.Loss != c.end) || c.looks == 0 && len(*asked) < 3 {
			t.Errorf("%+v: %+v after %d looks, %v", c, end, len(*asked), err)
		}
	}
	for damping, looks := range map[float64]int{1e15: 3, 1.5e15: 2} {
		p, asked := reading(says(0, 1, 1e-15), says(1, 1, 1e-15))
		if end, err := p.descend(t.Context(), []float64{0}, nil, 1, gait{damping, 0, 0, 9}); err != nil || end == nil || end.Loss != 0 || len(*asked) != looks {
			t.Errorf("damped by %v: %+v after %d looks, %v", damping, end, len(*asked), err)
		}
	}
	saddle := Foothold{Slope: []float64{1, 1}, Normal: []float64{1, 3e15, 0, 1}, Square: []float64{1}} // can be solved damped by more than 3e15
	for damping, looked := range map[float64]bool{1e-3: true, 1e15: true, 1.5e15: false} {
		p, asked := reading(saddle)
		p.unknowns = []Unknown{Free("a", 0), Free("b", 0)}
		if end, err := p.descend(t.Context(), []float64{0, 0}, nil, 1, gait{damping, 0, 0, 40}); err != nil || end == nil || looked != (len(*asked) > 1) {
			t.Errorf("a saddle, damped by %v: %+v after %d looks, %v", damping, end, len(*asked), err)
		}
	}
}

// A descent does not begin where the loss has no end, on either side.
func TestDescentsFromWhereNothingIs(t *testing.T) {
	for _, loss := range []float64{math.Inf(1), math.Inf(-1)} {
		p, asked := reading(says(loss, 1, 1))
		if end, err := p.descend(t.Context(), []float64{0}, nil, 1, firstly); end != nil || err != nil || len(*asked) != 1 {
			t.Errorf("from %v: %+v after %d looks, %v", loss, end, len(*asked), err)
		}
		if end, err := Descend([]float64{0}, p.unknowns, func(theta []float64) (*Foothold, error) { return p.how.at(t.Context(), theta, nil, nil, 1) }); end != nil || err != nil || len(*asked) != 2 {
			t.Errorf("free from %v: %+v after %d looks, %v", loss, end, len(*asked), err)
		}
	}
}

// By hand: the last steps under a law go all of the way, as long as they are expected to gain less from one to the next, but gain something, 60 of them at most, and until the loss rises by
// more than 1e-12 of 1 + itself.
func TestLastStepsByLaws(t *testing.T) {
	var slower []Foothold
	for n := range 100 {
		slower = append(slower, says(0, 1/float64(1+n), 2))
	}
	still := says(0, 0, 2)
	for name, c := range map[string]struct {
		said  []Foothold
		looks int
		loss  float64
	}{
		"the same again": {[]Foothold{says(0, 1, 2)}, 2, 0}, "ever slower": {slower, 61, 0}, "what gains 1": {[]Foothold{says(0, 2, 2), says(0, 1, 2), still}, 3, 0}, "nothing": {[]Foothold{still}, 1, 0},
		"rises a little": {[]Foothold{says(0, 1, 2), says(0.7e-12, 0.5, 2), says(0.7e-12, 0, 2)}, 3, 0.7e-12}, "rises": {[]Foothold{says(0, 1, 2), says(1.5e-12, 0.5, 2)}, 2, 0},
		"rises from 1": {[]Foothold{says(-1, 1, 2), says(-1+1.5e-12, 0, 2)}, 2, -1 + 1.5e-12}, "rises from 1 by more": {[]Foothold{says(1, 1, 2), says(1+2.5e-12, 0, 2)}, 2, 1},
	} {
		p, asked := reading(c.said...)
		end, err := p.settle(t.Context(), &Foothold{Theta: []float64{7}})
		if err != nil || len(*asked) != c.looks || end.Loss != c.loss || (*asked)[0][0] != 7 {
			t.Errorf("%s: %+v after %d looks, want %v after %d (%v)", name, end, len(*asked), c.loss, c.looks, err)
		}
		if c.looks > 1 && !(math.Abs((*asked)[1][0]-c.said[0].Slope[0]/2) <= 1e-15) {
			t.Errorf("%s: the first step is %v", name, (*asked)[1])
		}
	}
}

// By hand: of one entry and without a prior errors are as large as what is left, and nothing is looked at again. Otherwise that goes on until no error changes by a billionth; of a log without errors
// they are a trillionth of what they were.
func TestErrorsAreWeighed(t *testing.T) {
	one := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + q"}, "a")
	two := regress(t, formula.Source{Decision: "q", State: "p[2]", Next: "a*p + q"}, "a")
	known := Free("a", 0)
	known.Mean, known.Deviation = 0, 0.5
	for name, c := range map[string]struct {
		f      *formula.Regressor
		u      Unknown
		square []float64
		looks  int
		spread []float64
	}{
		"one": {one, Free("a", 0), []float64{4}, 0, []float64{2}}, "no error": {one, Free("a", 0), []float64{0}, 0, []float64{3e-12}}, "one with a prior": {one, known, []float64{4}, 1, []float64{2}},
		"two": {two, Free("a", 0), []float64{4, 9}, 2, []float64{2, 3}}, "two without errors": {two, Free("a", 0), []float64{0, 9}, 50, nil},
		"two that change": {two, Free("a", 0), []float64{9 * (1 + 3e-9), 9}, 2, nil}, "two that hardly change": {two, Free("a", 0), []float64{9 * (1 + 1.4e-9), 9}, 1, nil},
	} {
		said := Foothold{Slope: []float64{0}, Normal: []float64{1}, Square: c.square}
		p, asked := reading(said)
		p.f, p.l, p.unknowns, p.spread = c.f, Log{After: make([]float64, len(c.square))}, []Unknown{c.u}, slices.Repeat([]float64{3}, len(c.square))
		best, err := p.weigh(t.Context(), &Foothold{Theta: []float64{0}, Loss: 18, Slope: []float64{9}, Normal: []float64{9}, Square: c.square})
		if err != nil || len(*asked) != c.looks || c.spread != nil && !slices.Equal(p.spread, c.spread) {
			t.Errorf("%s: spread %v after %d looks, %v", name, p.spread, len(*asked), err)
		}
		if by := 9 / (p.spread[0] * p.spread[0]); c.looks == 0 && !(math.Abs(best.Loss/by-18) <= 1e-12 && math.Abs(best.Slope[0]/by-9) <= 1e-12 && math.Abs(best.Normal[0]/by-9) <= 1e-12) {
			t.Errorf("%s: %+v", name, best)
		}
	}
	p, _ := reading(says(math.Inf(1), 1, 1))
	p.f, p.l, p.spread, p.o.Starts = two, Log{After: []float64{1, 1}}, []float64{1, 1}, 2
	var none *NoEndError
	if _, err := p.weigh(t.Context(), &Foothold{Theta: []float64{0}, Square: []float64{1, 1}}); !errors.As(err, &none) || none.Starts != 3 {
		t.Errorf("to no end: %v", err)
	}
}

// telling asks whether normal equations stand for the factor of derivatives.
type telling struct {
	evaluator
	by *bool
}

func (x telling) scores(_ context.Context, _, _, normal []float64, _ int) (*mat.Dense, *mat.Dense, error) {
	*x.by = normal != nil
	return nil, nil, errLog
}

// Normal equations stand for derivatives only where they hold no prior.
func TestNormalEquationsWithoutPriors(t *testing.T) {
	known := Free("b", 0)
	known.Mean, known.Deviation = 1, 0.5
	for _, c := range []struct {
		unknowns []Unknown
		want     bool
	}{{[]Unknown{Free("a", 0), Free("b", 0)}, true}, {[]Unknown{Free("a", 0), known}, false}} {
		p, by := &search{unknowns: c.unknowns, asked: 2}, false
		p.how = telling{nil, &by}
		if err := p.judge(t.Context(), newFoothold([]float64{0, 0}, 2, 1), &Fitted{}); !errors.Is(err, errLog) || by != c.want {
			t.Errorf("%+v: normal equations stand for derivatives: %v (%v)", c.unknowns, by, err)
		}
	}
}
