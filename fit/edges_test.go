package fit

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/formula"
)

// The first looks and the last: of losses that come to a billionth of 1 + the least, so many agree.
func TestStartsThatAgree(t *testing.T) {
	for _, c := range []struct {
		losses []float64
		agreed int
	}{{[]float64{0, 1e-9, 0.5}, 2}, {[]float64{1.5e-9, 0, 1e-9}, 2}, {[]float64{1, 1 + 1.9e-9, 1 + 2.5e-9}, 2}, {[]float64{-1, -1 + 1.9e-9, -1 + 2.5e-9}, 2}, {[]float64{3, 3, 3}, 3}} {
		n := 0
		best, agreed, err := Lowest([]Unknown{Free("a", 0)}, Options{Starts: len(c.losses) - 1}, func([]float64) (*Foothold, error) {
			n++
			return &Foothold{Loss: c.losses[n-1]}, nil
		})
		if err != nil || best.Loss != slices.Min(c.losses) || agreed != c.agreed || n != len(c.losses) {
			t.Errorf("of %v %d agree with %v, want %d (%v)", c.losses, agreed, best, c.agreed, err)
		}
	}
	var none *NoEndError
	if _, _, err := Lowest(nil, Options{Starts: 4}, func([]float64) (*Foothold, error) { return nil, nil }); !errors.As(err, &none) || none.Starts != 5 {
		t.Errorf("from nowhere: %v", err)
	}
}

// Starts around a small number are as far from it as 1, whatever its sign.
func TestStartsAroundSmallNumbers(t *testing.T) {
	list := []Unknown{Free("small", 0.25), Free("large", -30)}
	const n = 400
	var square [2]float64
	for k := range n {
		for j, v := range startOf(list, 2, 3, 1+k) {
			off := v - list[j].Start
			square[j] += off * off / n
		}
	}
	for j, want := range []float64{1, 30} {
		if got := math.Sqrt(square[j]); !(math.Abs(got/want-1) <= 0.15) {
			t.Errorf("starts of %s are %v apart, want %v", list[j].Name, got, want)
		}
	}
}

// By hand, of Student's quantiles at 0.975 from tables: of n people n − 1 degrees of freedom, of one person the rows without the numbers, and one at least. Below 20 people that is said.
func TestIntervalsOfFewPeople(t *testing.T) {
	for _, c := range []struct {
		people, rows int
		quantile     float64
		said         bool
	}{{1, 2, 12.706205, true}, {1, 4, 4.302653, true}, {1, 5, 3.182446, true}, {2, 90, 12.706205, true}, {3, 90, 4.302653, true}, {19, 90, 2.100922, true}, {20, 90, 2.093024, false}} {
		f := &Fitted{Unknowns: []Unknown{Free("a", 0), Free("b", 0)}, Value: []float64{5, 0}, Error: []float64{2, 1}, Held: make([]bool, 2), People: c.people, Rows: c.rows}
		e, err := f.Interval(t.Context(), 0, 0.95)
		if err != nil || e.By != ByErrors || !(math.Abs(e.Upper-5-2*c.quantile) <= 1e-5) || !(math.Abs(5-e.Lower-2*c.quantile) <= 1e-5) || (e.Words != "") != c.said {
			t.Errorf("%+v: %+v, %v", c, e, err)
		}
	}
	f := &Fitted{Unknowns: []Unknown{{Name: "a", Lower: -3, Upper: 4}}, Value: []float64{1}, Error: []float64{1}, Held: make([]bool, 1), People: 30}
	for _, c := range []struct {
		j     int
		level float64
	}{{-1, 0.9}, {1, 0.9}, {0, 0}, {0, 1}, {0, -0.1}, {0, 1.5}, {0, math.NaN()}} {
		var bad *InputError
		if _, err := f.Interval(t.Context(), c.j, c.level); !errors.As(err, &bad) || bad.Row != -1 {
			t.Errorf("number %d at %v: %v", c.j, c.level, err)
		}
	}
	for _, e := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		f.Error[0] = e
		if got, err := f.Interval(t.Context(), 0, 0.9); err != nil || got.By != ByNothing || got.Lower != -3 || got.Upper != 4 {
			t.Errorf("with an error of %v: %+v, %v", e, got, err)
		}
	}
}

// By hand: a parabola of 8(θ − 3)²/2 is 2e above its least at 3 ± √(e/2), with q = 2 and a variance that is e times what it would be were errors independent; of a number that is held that of the others, 1 at least.
// Where no error says how far to go first, the curvature does; where that is 0 nothing is told.
func TestProfilesByHand(t *testing.T) {
	for _, c := range []struct {
		held   bool
		err    float64
		excess []float64
		want   float64
	}{{true, 0.2, []float64{0, 0.3}, math.Sqrt(0.5)}, {true, 0, []float64{0, 2.25}, 1.5 * math.Sqrt(0.5)}, {false, 0.2, []float64{4, 9}, math.Sqrt(2)}, {false, 0, []float64{0.25, 9}, 0.5 * math.Sqrt(0.5)}} {
		looks := 0
		u := Unknown{Name: "a", Lower: -90, Upper: 90}
		o := &origin{search: searching(parabola{[]float64{8, 2}, []float64{3, -1}, 5, &looks, 0}, u, Free("b", -1)), excess: c.excess}
		o.best = &Foothold{Theta: []float64{3, -1}, Loss: 5, Normal: []float64{8, 0, 0, 2}}
		f := &Fitted{Unknowns: o.search.unknowns, Error: []float64{c.err, 1}, Held: []bool{c.held, false}}
		e, err := o.profile(t.Context(), f, 0, 2, Ends{})
		if err != nil || e.By != ByProfile || !(math.Abs(e.Upper-3-c.want) <= 2e-4) || !(math.Abs(3-e.Lower-c.want) <= 2e-4) {
			t.Errorf("%+v: %+v, %v", c, e, err)
		}
		o.best.Normal[0] = 0
		if e, err = o.profile(t.Context(), f, 0, 2, Ends{}); c.held && (err != nil || e.By != ByNothing || e.Lower != -90) {
			t.Errorf("%+v without a curvature: %+v, %v", c, e, err)
		}
	}
}

// By hand, of 8(θ − 3)²/2 ≤ 4 as far as 4: where the loss is just allowed the climb goes on; from 3 by 0.3, 0.6 and 1.2 it is over, and 14 halves of 1.2 make that known to a ten thousandth of the way. Of an end that is much
// nearer than the first step 20 halves are what is done.
func TestClimbsAreAsLongAsTheyMust(t *testing.T) {
	looks := 0
	climb := func(bend, step float64) float64 {
		looks = 0
		o := &origin{search: searching(parabola{[]float64{bend, 2}, []float64{3, -1}, 5, &looks, 0}, Free("a", 3), Free("b", -1)), best: &Foothold{Theta: []float64{3, -1}, Loss: 5}}
		got, err := o.climb(t.Context(), 0, step, math.Inf(1), 4)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := climb(8, 1); !(got > 4 && got < 4.0002) {
		t.Errorf("by a step to where it is just allowed: %v", got)
	}
	if climb(8, 0.3); looks != 3+14 {
		t.Errorf("%d looks, want 17", looks)
	}
	if got := climb(8e12, 50); got != 3+50*0x1p-20 || looks != 1+20 {
		t.Errorf("to what is near: %v after %d looks", got, looks)
	}
}

// Means and chances at the very edges of what laws have.
func TestMeansAtTheEdges(t *testing.T) {
	poisson, bernoulli := ErrorLaw{Kind: Poisson}, ErrorLaw{Kind: Bernoulli}
	for _, c := range []struct {
		law  ErrorLaw
		mean float64
		is   bool
	}{{poisson, 0, false}, {poisson, 1e-300, true}, {poisson, -1, false}, {poisson, math.NaN(), false}, {bernoulli, 0, false}, {bernoulli, 1e-300, true}, {bernoulli, 1, false}, {bernoulli, 0.999, true}, {bernoulli, 1.5, false}, {ErrorLaw{}, -1, true}, {ErrorLaw{Student, 4}, 0, true}} {
		if got := c.law.misses(c.mean); (got == "") != c.is {
			t.Errorf("%s, a mean of %v: %q", c.law, c.mean, got)
		}
	}
	if v := counted(3, 0.5, 0.5); v.curve != 2 || v.score != 5 || v.bend != 2 {
		t.Errorf("a count where the parabola begins: %+v", v)
	}
	for _, y := range []float64{0, 0.25, 1} {
		for _, c := range []struct{ mean, at float64 }{{0.7e-6, 1e-6}, {1e-6, 1e-6}, {1.5e-6, 1.5e-6}, {0.3, 0.3}, {1 - 1.5e-6, 1 - 1.5e-6}, {1 - 1e-6, 1 - 1e-6}, {1 - 0.5e-6, 1 - 1e-6}, {-2, 1e-6}, {3, 1 - 1e-6}} {
			curve := 1 / c.at / (1 - c.at)
			score, off := (y-c.at)*curve, c.mean-c.at
			loss := entropy(y, y) - entropy(y, c.at)
			if off != 0 { // a parabola with the slope of there, as steep as it gets
				curve = y/c.at/c.at + (1-y)/(1-c.at)/(1-c.at) + 1e6
				loss += curve*off*off/2 - score*off
				score -= curve * off
			}
			v := answered(y, c.mean)
			for i, pair := range [][2]float64{{v.loss, loss}, {v.score, score}, {v.curve, curve}, {v.bend, curve}, {v.expected, curve}} {
				if !(math.Abs(pair[0]-pair[1]) <= 1e-9*(1+math.Abs(pair[1]))) {
					t.Errorf("an answer of %v, a chance of %v: number %d is %v, want %v", y, c.mean, i, pair[0], pair[1])
				}
			}
		}
	}
}

// entropy is y·log x + (1 − y)·log(1 − x), of nothing 0.
func entropy(y, x float64) (sum float64) {
	if y > 0 {
		sum += y * math.Log(x)
	}
	if y < 1 {
		sum += (1 - y) * math.Log(1-x)
	}
	return sum
}

// By hand: of the counts 1 and 3, each with the mean a, a is 2, and squares are (1 + 1)/2 beside one row that is left.
func TestExcessOfTwoCounts(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + q"}, "a")
	l := Log{States: []float64{1, 1}, Beside: []float64{0, 0}, After: []float64{1, 3}, Person: []int{0, 1}}
	got, err := Find(t.Context(), f, l, []Unknown{Free("a", 1)}, Options{Laws: []ErrorLaw{{Kind: Poisson}}})
	if err != nil || !(math.Abs(got.Value[0]-2) <= 1e-9) || !(math.Abs(got.Excess[0]-1) <= 1e-9) || !math.IsNaN(got.Scale[0]) {
		t.Errorf("%+v, %v", got, err)
	}
	x, scales := newLikely(f, Log{States: []float64{1, 1}, Beside: []float64{0, 0}, After: []float64{-2, 6}, Person: []int{0, 1}}, []ErrorLaw{{Student, 4}}, []float64{math.E})
	if u := scales[0]; !(math.Abs(x.near[0]-4e-6) <= 1e-20) || !(math.Abs(u.Start-1) <= 1e-15) || u.Lower != u.Start-30 || u.Upper != u.Start+30 {
		t.Errorf("near %v, scale %+v", x.near, u)
	}
}

// What is wrong with a log is told of the row, or of none.
func TestRowsThatAreWrong(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + q"}, "a")
	for text, spoil := range map[string]func(l *Log){
		"row 4: a weight is NaN":         func(l *Log) { l.Weight = []float64{1, 1, 1, math.NaN(), 1} },
		"row 3: a number beside is -Inf": func(l *Log) { l.Beside[2] = math.Inf(-1) },
		"row 1: a state is +Inf":         func(l *Log) { l.States[0] = math.Inf(1) },
		"row 5: a state after is -2e+140, whose square is beyond numbers: another unit": func(l *Log) { l.After[4] = -2e140 },
		"row 2: its weight is -0.5": func(l *Log) { l.Weight = []float64{1, -0.5, 1, 1, 1} },
	} {
		l := Log{States: []float64{1, 2, 3, 4, 5}, Beside: []float64{1, 0, 1, 2, 1}, After: []float64{1, 2, 2, 5, 1e140}, Person: []int{0, 0, 1, 1, 2}}
		u := []Unknown{Free("a", 0)}
		if err := l.check(f, u, Options{}); err != nil {
			t.Fatal(err)
		}
		if spoil(&l); l.check(f, u, Options{}) == nil || l.check(f, u, Options{}).Error() != text {
			t.Errorf("%v, want %s", l.check(f, u, Options{}), text)
		}
	}
	if got := (&InputError{0, "it is wrong"}).Error(); got != "row 1: it is wrong" {
		t.Error(got)
	}
	if got := (&InputError{-1, "it is wrong"}).Error(); got != "it is wrong" {
		t.Error(got)
	}
	wide := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d[20]", Next: "a*p + q + sum(d)"}, "a")
	l := wander(wide, []float64{0.5}, 2, 30, 0, 1, 0.1, 0, 1, false)
	if err := l.check(wide, []Unknown{Free("a", 0)}, Options{Unseen: Fixed}); err != nil {
		t.Errorf("twenty traits: %v", err)
	}
	endless := Unknown{Name: "a", Start: math.Inf(-1), Lower: math.Inf(-1), Upper: 0}
	var bad *InputError
	if err := CheckUnknowns([]Unknown{endless}); !errors.As(err, &bad) || bad.Row != -1 {
		t.Errorf("from −∞: %v", err)
	}
}

// By hand: of two people with a trait each and two rows each 3 numbers are told by 4 rows, and with one row less by none; a search with traits wants more rows than numbers.
func TestAsManyRowsAsNumbers(t *testing.T) {
	f := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + q + d"}, "a")
	for rows, fits := range map[int]bool{4: true, 3: false} {
		l := Log{States: []float64{1, 2, 3, 5}[:rows], Beside: make([]float64, rows), After: []float64{2, 1, 4, 4}[:rows], Person: []int{0, 0, 1, 1}[:rows]}
		var bad *InputError
		if _, err := newSearch(f, l, []Unknown{Free("a", 0)}, Options{Unseen: Fixed}); (err == nil) != fits || !fits && (!errors.As(err, &bad) || bad.Row != -1) {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
	line := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + q"}, "a")
	for repeats, want := range map[int]int{0: 0, 1: 1, 2: 2} {
		l := walk(line, []float64{0.5}, 4, 5, 0, 0.1, 1)
		got, err := Find(t.Context(), line, l, []Unknown{Free("a", 0)}, Options{Repeats: repeats})
		if err != nil || len(got.Draws)+got.Failed != want || (got.Draws == nil) != (want == 0) {
			t.Errorf("%d repeats: %v, %v", repeats, got.Draws, err)
		}
	}
	free, known := Free("a", 0), Unknown{Name: "b", Mean: 2, Deviation: 0.5}
	one, two := drawnAnew([]Unknown{known, known}, 3, 4), drawnAnew([]Unknown{free, known, free, known}, 3, 4) // nothing is drawn for what is not known
	if two[0] != free || two[2] != free || two[1] != one[0] || two[3] != one[1] || one[0].Mean == 2 || one[0].Mean == one[1].Mean {
		t.Errorf("%+v and %+v", one, two)
	}
}
