package fit

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/formula"
)

// However a log is judged, what people say adds up: a weight counts somebody so often, by the definition, and slopes are those of the loss, by differences.
func TestWhatPeopleSayAddsUp(t *testing.T) {
	shown := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	hidden := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d[2]", Next: "a*p + b*q^2 + d[0] + d[1]*q"}, "a", "b")
	bowed := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + tanh(d)"}, "a", "b")
	pair := regressTraits(t, formula.Source{Decision: "q", State: "p[2]", Trait: "d[2]", Next: "a*p + b*q + d"}, "a", "b")
	for name, x := range map[string]struct {
		f *formula.Regressor
		o Options
	}{
		"pooled": {shown, Options{}}, "student": {shown, Options{Laws: []ErrorLaw{{Student, 4}}}}, "times": {shown, Options{Times: true}}, "fixed": {hidden, Options{Unseen: Fixed}},
		"fixed, times": {hidden, Options{Unseen: Fixed, Times: true}}, "random": {hidden, Options{Unseen: Random}}, "random, origin": {hidden, Options{Unseen: Random, Origin: true}}, "random, bowed": {bowed, Options{Unseen: Random}},
		"random, times": {hidden, Options{Unseen: Random, Times: true}}, "random, pair": {pair, Options{Unseen: Random}},
	} {
		unknowns := []Unknown{Free("a", 0.45), Free("b", -0.3)}
		p, err := newSearch(x.f, wander(x.f, []float64{0.5, -0.4}, 4, 7, 0.3, 0.5, 0.3, 0, 2, false), unknowns, x.o)
		if err != nil {
			t.Fatal(name, err)
		}
		theta := make([]float64, len(p.unknowns))
		for j, u := range p.unknowns {
			theta[j] = u.Start + 0.02*float64(j%3)
		}
		at := func(theta, weight []float64) *Foothold {
			t.Helper()
			out, err := p.how.at(t.Context(), theta, p.spread, weight, 1)
			if err != nil {
				t.Fatal(name, err)
			}
			return out
		}
		once := at(theta, nil)
		for j := range theta {
			const h = 1e-4
			there := append([]float64(nil), theta...)
			there[j] += h
			up := at(there, nil).Loss
			there[j] -= 2 * h
			if slope := (at(there, nil).Loss - up) / (2 * h); !(math.Abs(once.Slope[j]-slope) <= 1e-4*(1+math.Abs(slope))) {
				t.Errorf("%s: the slope in %s is %v, by differences %v", name, p.unknowns[j].Name, once.Slope[j], slope)
			}
		}
		all := newFoothold(theta, len(theta), x.f.States)
		weighted := newFoothold(theta, len(theta), x.f.States)
		weights := []float64{2, 0, 1, 3}
		for i, w := range weights {
			one := make([]float64, 4)
			one[i] = 1
			alone := at(theta, one)
			all.add(alone)
			for range int(w) {
				weighted.add(alone)
			}
		}
		for what, pair := range map[string][2]*Foothold{"once each": {once, all}, "by weights": {at(theta, weights), weighted}} {
			a, b := pair[0], pair[1]
			for j := range a.Slope {
				if !(math.Abs(a.Slope[j]-b.Slope[j]) <= 1e-9*(1+math.Abs(b.Slope[j]))) || !(math.Abs(a.Normal[j*len(theta)+j]-b.Normal[j*len(theta)+j]) <= 1e-9*(1+b.Normal[j*len(theta)+j])) {
					t.Errorf("%s, %s: slope %v and curvature %v of %s, people alone %v and %v", name, what, a.Slope[j], a.Normal[j*len(theta)+j], p.unknowns[j].Name, b.Slope[j], b.Normal[j*len(theta)+j])
				}
			}
			if !(math.Abs(a.Loss-b.Loss) <= 1e-9*(1+math.Abs(b.Loss))) {
				t.Errorf("%s, %s: loss %v, people alone %v", name, what, a.Loss, b.Loss)
			}
		}
	}
}

// By hand: a search begins with traits that matter as much as errors do, a trait that is added by their size, one that multiplies q by their size over that of q.
func TestWhereSpreadsOfTraitsBegin(t *testing.T) {
	f := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d[2]", Next: "a*p + b*q^2 + d[0] + d[1]*q"}, "a", "b")
	l := wander(f, []float64{0.5, -0.4}, 4, 7, 0.3, 0.5, 0.3, 0, 2, false)
	p, err := newSearch(f, l, []Unknown{Free("a", 0.45), Free("b", -0.3)}, Options{Unseen: Random})
	if err != nil {
		t.Fatal(err)
	}
	square := 0.0
	for _, q := range l.Beside {
		square += q * q / float64(len(l.Beside))
	}
	want := map[string]float64{
		"spread of traits 0 and 0": p.spread[0], "spread of traits 1 and 0": 0, "spread of traits 1 and 1": p.spread[0] / math.Sqrt(square), "spread of errors of entry 0": math.Log(p.spread[0]),
	}
	for _, u := range p.unknowns {
		if start, ok := want[u.Name]; ok && !(math.Abs(u.Start-start) <= 1e-12) {
			t.Errorf("%s begins at %v, want %v", u.Name, u.Start, start)
		}
		delete(want, u.Name)
	}
	if len(want) > 0 {
		t.Errorf("nothing begins for %v", want)
	}
}

// By hand: rows are cut behind every chunk where a person ends; where people are mixed there is one piece. What is kept has room for pieces of up to eight chunks.
func TestWhereRowsAreCut(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	of := func(rows ...int) (x pooled) {
		x.f, x.many = f, len(rows)
		for who, n := range rows {
			for range n {
				x.group = append(x.group, who)
			}
		}
		x.l.After = make([]float64, len(x.group))
		return x
	}
	for _, c := range []struct {
		rows, cuts []int
		kept       bool
	}{
		{[]int{chunk}, []int{0, chunk}, true}, {[]int{chunk, 1}, []int{0, chunk, chunk + 1}, true}, {[]int{chunk - 1, 5, chunk, 7}, []int{0, chunk + 4, 2*chunk + 4, 2*chunk + 11}, true},
		{[]int{5 * chunk, 5 * chunk, 5 * chunk}, []int{0, 5 * chunk, 10 * chunk, 15 * chunk}, true}, {[]int{8 * chunk, 2}, []int{0, 8 * chunk, 8*chunk + 2}, true},
		{[]int{2, 8 * chunk}, []int{0, 8*chunk + 2}, false}, {[]int{3, 4}, []int{0, 7}, true},
	} {
		x := of(c.rows...)
		if got := x.cuts(); !slices.Equal(got, c.cuts) {
			t.Errorf("%v rows are cut at %v, want %v", c.rows, got, c.cuts)
		}
		if kept := x.keep(); (kept != nil) != c.kept || kept != nil && (kept.scores.RawMatrix().Rows != len(c.rows) || kept.scores.RawMatrix().Cols != 2) {
			t.Errorf("%v rows: %+v is kept", c.rows, kept)
		}
	}
	mixed := of(2*chunk, 2*chunk)
	mixed.group[0], mixed.group[3*chunk] = 1, 0
	if got := mixed.cuts(); !slices.Equal(got, []int{0, 4 * chunk}) {
		t.Errorf("mixed rows are cut at %v", got)
	}
}

// By the definition Ay = x, where A is singular too and x a product with it: what others make up for is 0.
func TestSolvingSome(t *testing.T) {
	for name, b := range map[string][][]float64{ // A = Σ bbᵀ
		"regular": {{1, 2, 0}, {0, 1, 1}, {3, 0, 1}, {1, 1, 1}}, "the third is the sum of both": {{1, 0, 1}, {0, 2, 2}, {1, 1, 2}}, "nothing of the first": {{0, 1, 2}, {0, 3, 1}}, "one direction": {{1, 2, 3}}, "nothing": {{0, 0, 0}},
	} {
		const q, n = 3, 2
		a, x := make([]float64, q*q), make([]float64, q*n)
		for _, v := range b {
			for i := range q {
				for j := range q {
					a[i*q+j] += v[i] * v[j]
				}
			}
		}
		w := []float64{1, -2, 0.5, 3, 2, 1} // two columns
		for i := range q {
			for c := range n {
				for j := range q {
					x[i*n+c] += a[i*q+j] * w[j*n+c]
				}
			}
		}
		y := slices.Clone(x)
		solveSome(slices.Clone(a), y, q, n)
		for i := range q {
			for c := range n {
				product := 0.0
				for j := range q {
					product += a[i*q+j] * y[j*n+c]
				}
				if !(math.Abs(product-x[i*n+c]) <= 1e-12) {
					t.Errorf("%s: column %d of %v solves nothing", name, c, y)
				}
			}
		}
		if dead := map[string]int{"the third is the sum of both": 2, "nothing of the first": 0, "one direction": 1}; name != "regular" && (y[dead[name]*n] != 0 || y[dead[name]*n+1] != 0) {
			t.Errorf("%s: %v", name, y)
		}
	}
}

// Whatever judges a log ends with the context, and tells so.
func TestLogsEndWithTheContext(t *testing.T) {
	shown := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	hidden := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	ended, end := context.WithCancel(t.Context())
	end()
	for name, x := range map[string]struct {
		f *formula.Regressor
		o Options
	}{
		"pooled": {shown, Options{}}, "student": {shown, Options{Laws: []ErrorLaw{{Student, 4}}}}, "times": {shown, Options{Times: true}}, "fixed": {hidden, Options{Unseen: Fixed}}, "random": {hidden, Options{Unseen: Random}},
	} {
		l, unknowns := wander(x.f, []float64{0.5, -0.4}, 4, 7, 0.3, 0.5, 0.3, 0, 2, false), []Unknown{Free("a", 0.45), Free("b", -0.3)}
		p, err := newSearch(x.f, l, unknowns, x.o)
		if err != nil {
			t.Fatal(name, err)
		}
		theta := make([]float64, len(p.unknowns))
		for j, u := range p.unknowns {
			theta[j] = u.Start
		}
		if _, err := p.how.at(ended, theta, p.spread, nil, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: judged after the end (%v)", name, err)
		}
		if _, _, err := p.how.scores(ended, theta, p.spread, nil, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: scored after the end (%v)", name, err)
		}
		x.o.Repeats = 3
		if _, err := Find(ended, x.f, l, unknowns, x.o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: fitted after the end (%v)", name, err)
		}
	}
}

// Each thing in which a log does not fit what is asked for.
func TestAsksThatDoNotFit(t *testing.T) {
	shown := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	hidden := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	wide := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d[21]", Next: "a*p + b*q + sum(d)"}, "a", "b")
	two := []Unknown{Free("a", 0), Free("b", 0)}
	of := func(f *formula.Regressor) Log {
		return wander(f, []float64{0.5, -0.4}, 4, 7, 0.3, 0.5, 0.3, 0, 2, false)
	}
	untimed := of(shown)
	untimed.Time = nil
	short := of(shown)
	short.Person = short.Person[1:]
	for words, x := range map[string]struct {
		f        *formula.Regressor
		l        Log
		unknowns []Unknown
		o        Options
	}{
		"1 unknowns are described": {shown, of(shown), two[:1], Options{}}, "are not of the same rows": {shown, short, two, Options{}}, "asked for known traits": {hidden, of(hidden), two, Options{}}, "asked for fixed traits": {shown, of(shown), two, Options{Unseen: Fixed}},
		"traits begin at [1 2], want 1": {hidden, of(hidden), two, Options{Unseen: Fixed, Trait: []float64{1, 2}}}, "traits begin at [NaN]": {hidden, of(hidden), two, Options{Unseen: Fixed, Trait: []float64{math.NaN()}}},
		"want 20 at most": {wide, of(wide), two, Options{Unseen: Fixed}}, "rows have no time": {shown, untimed, two, Options{Times: true}},
	} {
		var bad *InputError
		if _, err := Find(t.Context(), x.f, x.l, x.unknowns, x.o); !errors.As(err, &bad) || bad.Row != -1 || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
	few := wander(hidden, []float64{0.5, -0.4}, 3, 1, 0.3, 0.5, 0.3, 0, 2, false)
	if _, err := Find(t.Context(), hidden, few, two, Options{Unseen: Fixed}); !errors.As(err, new(*InputError)) {
		t.Errorf("three rows of three people: %v", err)
	}
}

// Whatever a log has of its rows it has of all of them: one number less, or more, of any one kind is refused.
func TestAllKindsOfNumbersAreOfTheSameRows(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p[2]", Next: "a*p + b*q"}, "a", "b")
	for _, by := range []int{-1, 1} {
		other := func(x []float64) []float64 { return append(slices.Clip(x), 0)[:len(x)+by] }
		for name, change := range map[string]func(l *Log){
			"states": func(l *Log) { l.States = other(l.States) }, "states after": func(l *Log) { l.After = other(l.After) }, "numbers beside": func(l *Log) { l.Beside = other(l.Beside) },
			"people":  func(l *Log) { l.Person = append(slices.Clip(l.Person), 0)[:len(l.Person)+by] },
			"weights": func(l *Log) { l.Weight = other(slices.Repeat([]float64{1}, len(l.Person))) },
			"times":   func(l *Log) { l.Time = append(make([]int, len(l.Person)), 0)[:len(l.Person)+by] },
		} {
			l := wander(f, []float64{0.5, -0.4}, 4, 7, 0.3, 0.5, 0.3, 0, 2, false)
			change(&l)
			if err := l.check(f, []Unknown{Free("a", 0), Free("b", 0)}, Options{}); err == nil || !strings.Contains(err.Error(), "are not of the same rows") {
				t.Errorf("%s, %+d: %v", name, by, err)
			}
		}
	}
}

// A row with the weight 0 is as if it were not there, and one with 2 as if it were there twice, also where traits are to be found.
func TestWeightsBesideTraits(t *testing.T) {
	f := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	two := []Unknown{Free("a", 0), Free("b", 0)}
	l := wander(f, []float64{0.5, -0.4}, 6, 7, 0.3, 0.5, 0.3, 0, 2, false)
	weighted, rows := l, Log{}
	for i := range l.After {
		w := float64(i % 3)
		weighted.Weight = append(weighted.Weight, w)
		for range int(w) {
			rows.States, rows.Beside, rows.After = append(rows.States, l.States[i]), append(rows.Beside, l.Beside[i]), append(rows.After, l.After[i])
			rows.Person, rows.Time = append(rows.Person, l.Person[i]), append(rows.Time, l.Time[i])
		}
	}
	a, err := Find(t.Context(), f, weighted, two, Options{Unseen: Fixed})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Find(t.Context(), f, rows, two, Options{Unseen: Fixed})
	if err != nil {
		t.Fatal(err)
	}
	for j := range a.Value {
		if !(math.Abs(a.Value[j]-b.Value[j]) <= 1e-8) {
			t.Errorf("%s is %v by weights, %v by rows", a.Unknowns[j].Name, a.Value[j], b.Value[j])
		}
	}
}

// Rows of weight 0 are as if they were not there in all that is told of unknown numbers, standard errors and numbers of people among it.
func TestRowsOfWeightZeroAreNotThere(t *testing.T) {
	known := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	unseen := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	two := []Unknown{Free("a", 0), Free("b", 0)}
	for _, c := range []struct {
		name string
		f    *formula.Regressor
		o    Options
	}{
		{"pooled", known, Options{Repeats: 5}}, {"heavy tails", known, Options{Laws: []ErrorLaw{{Student, 4}}, Repeats: 5}}, {"effects of times", known, Options{Times: true}},
		{"traits", unseen, Options{Unseen: Fixed, Repeats: 5}}, {"random traits", unseen, Options{Unseen: Random, Repeats: 3}},
	} {
		l := wander(unseen, []float64{0.5, -0.4}, 12, 7, 0.3, 0.5, 0.3, 0, 2, false)
		with, without := l, Log{}
		for i := range l.After {
			w := 1.5
			if i%4 == 1 || l.Person[i] == l.Person[30] {
				w = 0
			}
			with.Weight = append(with.Weight, w)
			if w > 0 {
				without.States, without.Beside, without.After = append(without.States, l.States[i]), append(without.Beside, l.Beside[i]), append(without.After, l.After[i])
				without.Person, without.Time, without.Weight = append(without.Person, l.Person[i]), append(without.Time, l.Time[i]), append(without.Weight, w)
			}
		}
		find := func(l Log) ([]float64, Ends, []string) {
			got, err := Find(t.Context(), c.f, l, two, c.o)
			if err != nil {
				t.Fatal(c.name, err)
			}
			ends, err := got.Interval(t.Context(), 0, 0.95)
			if err != nil {
				t.Fatal(c.name, err)
			}
			said := slices.Concat(got.Value, got.Error, got.Cov, got.Spread, []float64{got.Loss, float64(got.Rows), float64(got.People)}, got.Draws, got.Shifts)
			return append(said, ends.Lower, ends.Upper), ends, got.Words
		}
		a, ends, words := find(with)
		b, wanted, others := find(without)
		if ends.Words != wanted.Words || !slices.Equal(words, others) {
			t.Errorf("%s: with rows of weight 0 %q and %q, without %q and %q", c.name, ends.Words, words, wanted.Words, others)
		}
		for j := range b { // sums of other pieces, and where a search for random traits ends
			if !(math.Abs(a[j]-b[j]) <= 1e-7*(1+math.Abs(b[j]))) {
				t.Errorf("%s: number %d is %v with rows of weight 0, %v without", c.name, j, a[j], b[j])
			}
		}
	}
}
