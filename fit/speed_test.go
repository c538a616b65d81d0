package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/formula"
)

// large is a log of a nonlinear model with ten unknowns.
func large(b testing.TB, rows int) (*formula.Regressor, Log, []Unknown) {
	f := regress(b, formula.Source{Decision: "q[3]", State: "p", Trait: "d[3]", Next: "keep*p + (1-keep)*(base + top*sigmoid(dot(pull, d) - dot(cost, q) + cross*q[0]*d[0]))"},
		"keep", "base", "top", "pull[3]", "cost[3]", "cross")
	theta := []float64{0.7, 0.2, 2, 0.5, -0.3, 0.8, 0.6, 0.4, -0.2, 0.3}
	r := rand.New(rand.NewPCG(1, 2))
	l := Log{States: make([]float64, rows), Beside: make([]float64, 6*rows), After: make([]float64, rows), Person: make([]int, rows)}
	for i := range l.States {
		l.States[i], l.Person[i] = r.NormFloat64(), i/10
	}
	for i := range l.Beside {
		l.Beside[i] = r.NormFloat64()
	}
	out := make([]float64, rows*f.Width())
	f.Rows(out, l.States, theta, l.Beside)
	for i := range l.After {
		l.After[i] = out[i*f.Width()] + 0.1*r.NormFloat64()
	}
	var unknowns []Unknown
	for i, name := range []string{"keep", "base", "top", "pull0", "pull1", "pull2", "cost0", "cost1", "cost2", "cross"} {
		unknowns = append(unknowns, Free(name, []float64{0.5, 0, 1, 0, 0, 0, 0, 0, 0, 0}[i]))
	}
	return f, l, unknowns
}

// plain is what pooled sums up, row by row.
func plain(f *formula.Regressor, l Log, theta, spread, weight []float64) *Foothold {
	k, m := f.Unknowns, f.States
	s, row := newFoothold(theta, k, m), make([]float64, f.Width())
	_, group := l.People()
	for i := range l.Person {
		f.Rows(row, l.States[i*m:(i+1)*m], theta, l.Beside[i*f.Beside:(i+1)*f.Beside])
		w := l.Weight[i] * weight[group[i]]
		for e := range m {
			r, j := l.After[i*m+e]-row[e], row[m+e*k:m+(e+1)*k]
			s.Square[e] += w * r * r
			s.Loss += w * r * r / 2 / spread[e] / spread[e]
			for a := range k {
				s.Slope[a] += w * r * j[a] / spread[e] / spread[e]
				for b := a; b < k; b++ {
					s.Normal[a*k+b] += w * j[a] * j[b] / spread[e] / spread[e]
				}
			}
		}
	}
	return s
}

// Sums over columns are those over rows, with weights of rows and of people, of which some are 0.
func TestColumnsAreRows(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "habit*p + (1-habit)*(d - B @ q)"}, "habit", "B[2, 2]")
	theta, spread := []float64{0.8, 1.2, -0.2, -0.3, 0.9}, []float64{0.3, 0.7}
	l := walk(f, theta, 170, 13, 2, 0.2, 1)
	r := rand.New(rand.NewPCG(3, 4))
	weight := make([]float64, 170)
	for i := range weight {
		weight[i] = float64(r.IntN(3))
	}
	for range l.Person {
		l.Weight = append(l.Weight, float64(r.IntN(4))/2)
	}
	many, group := l.People()
	theta[0] = 0.5
	got, err := pooled{f: f, l: l, group: group, many: many}.at(t.Context(), theta, spread, weight, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := plain(f, l, theta, spread, weight)
	for _, c := range []struct {
		name      string
		got, want []float64
	}{{"loss", []float64{got.Loss}, []float64{want.Loss}}, {"slope", got.Slope, want.Slope}, {"normal", got.Normal, want.Normal}, {"square", got.Square, want.Square}} {
		for i, v := range c.want {
			if math.Abs(c.got[i]-v) > 1e-12*want.Normal[0] {
				t.Errorf("%s %d is %v, row by row %v", c.name, i, c.got[i], v)
			}
		}
	}
}

// A long log, of which a part is looked at first, ends where it ends without that; and errors by normal equations are those by all derivatives.
func TestLongLogs(t *testing.T) {
	f, l, unknowns := large(t, many+5000)
	got, err := Find(t.Context(), f, l, unknowns, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := newSearch(f, l, unknowns, Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := p.descend(t.Context(), startOf(p.unknowns, p.asked, p.o.Seed, 0), nil, 1, firstly)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range whole.Theta {
		if math.Abs(v-got.Value[j]) > 2e-3*got.Error[j] {
			t.Errorf("%s is %v, without a part first %v, ± %v", unknowns[j].Name, got.Value[j], v, got.Error[j])
		}
	}
	exact, _, err := p.how.scores(t.Context(), got.Value, got.Spread, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	here, err := p.how.at(t.Context(), got.Value, got.Spread, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	for j := range unknowns { // RᵀR are the normal equations
		sum := 0.0
		for i := range unknowns {
			sum += exact.At(i, j) * exact.At(i, j)
		}
		if want := here.Normal[j*len(unknowns)+j]; !(math.Abs(sum/want-1) <= 1e-10) {
			t.Errorf("%s: derivatives are of length² %v, by normal equations %v", unknowns[j].Name, sum, want)
		}
	}
}

// What people add, kept on the way, is what they add at that place; and no bit depends on workers.
func TestKeptOnTheWay(t *testing.T) {
	f, l, unknowns := large(t, many+5000)
	p, err := newSearch(f, l, unknowns, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	theta := []float64{0.6, 0.1, 1.5, 0.4, -0.2, 0.7, 0.5, 0.3, -0.1, 0.2}
	x := p.how.(pooled)
	x.kept = x.keep()
	for range 2 { // a first look keeps nothing
		if x.kept.at != nil {
			t.Fatal("kept at once")
		}
		if _, err := x.at(t.Context(), theta, p.spread, nil, 2); err != nil {
			t.Fatal(err)
		}
	}
	for _, there := range [][]float64{make([]float64, len(theta)), theta} { // nothing is left of a look before
		if _, err := x.at(t.Context(), there, p.spread, nil, 2); err != nil {
			t.Fatal(err)
		}
	}
	got, ok := x.kept.of(x.kept.at, []float64{3})
	_, want, err := p.how.scores(t.Context(), theta, []float64{3}, nil, 1)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for i, v := range want.RawMatrix().Data {
		if w := got.RawMatrix().Data[i]; math.Abs(v-w) > 1e-12*(1+math.Abs(v)) {
			t.Fatalf("number %d of person %d is %v, want %v", i%10, i/10, w, v)
		}
	}
	if _, ok := x.kept.of(&Foothold{}, []float64{3}); ok {
		t.Error("of another place")
	}
	one, err := Find(t.Context(), f, l, unknowns, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	three, err := Find(t.Context(), f, l, unknowns, Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(one.Value, three.Value) || !slices.Equal(one.Cov, three.Cov) {
		t.Errorf("%v and %v", one.Value, three.Value)
	}
}

// A search of a long log keeps what people add at its end, so that nobody goes through the log for that once more: by the definition, what is missed of each row
// times its slope, in units of errors. All of one person comes to the same end.
func TestLongSearchesKeepWhatPeopleAdd(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	r := rand.New(rand.NewPCG(5, 6))
	l := Log{States: make([]float64, many), Beside: make([]float64, many), After: make([]float64, many), Person: make([]int, many)}
	for i := range many {
		l.States[i], l.Beside[i], l.Person[i] = r.NormFloat64(), r.NormFloat64(), i/8
		l.After[i] = 0.5*l.States[i] - l.Beside[i] + 0.3*r.NormFloat64()
	}
	p, err := newSearch(f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	best, err := p.lowest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, ok := p.kept.of(best, p.spread)
	if !ok {
		t.Fatal("nothing is kept of where the search ended")
	}
	want := make([]float64, 2*many/8)
	for i, after := range l.After {
		missed := (after - best.Theta[0]*l.States[i] - best.Theta[1]*l.Beside[i]) / p.spread[0] / p.spread[0]
		want[i/8*2] += missed * l.States[i]
		want[i/8*2+1] += missed * l.Beside[i]
	}
	for i, v := range got.RawMatrix().Data {
		if !(math.Abs(v-want[i]) <= 1e-6*(1+math.Abs(want[i]))) { // the last step is not looked at
			t.Fatalf("number %d of person %d is %v, want %v", i%2, i/2, v, want[i])
		}
	}
	clear(l.Person) // nothing is kept of somebody who has so many rows, and that is no matter
	if p, err = newSearch(f, l, p.unknowns, Options{}); err != nil {
		t.Fatal(err)
	}
	if alone, err := p.lowest(t.Context()); err != nil || p.kept != nil || !(math.Abs(alone.Theta[0]-best.Theta[0])+math.Abs(alone.Theta[1]-best.Theta[1]) <= 1e-9) {
		t.Errorf("of one person: %+v, %v, kept %v", alone, err, p.kept != nil)
	}
}

// Where what a model predicts is beyond numbers at every start, a part of a long log leads nowhere, nor does a part of that part: a search says so.
func TestLongLogsWithoutAnEnd(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + exp(b*q)"}, "a", "b")
	l := Log{States: make([]float64, many), Beside: slices.Repeat([]float64{1}, many), After: make([]float64, many), Person: make([]int, many)}
	unknowns := []Unknown{Free("a", 0), Free("b", 1000)}
	if _, err := Find(t.Context(), f, l, unknowns, Options{}); !errors.As(err, new(*NoEndError)) {
		t.Errorf("found with %v", err)
	}
	p, err := newSearch(f, l, unknowns, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if end, err := p.roughly(t.Context(), p.how.(pooled), []float64{0, 1000}); end != nil || err != nil {
		t.Errorf("a part ends at %+v, %v", end, err)
	}
	if end, err := p.roughly(t.Context(), p.how.(pooled), []float64{1, -2}); err != nil || end == nil || !(end.Loss < 1e-6*many) { // exp(-b) goes to 0
		t.Errorf("a part ends at %+v, %v", end, err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := p.roughly(ended, p.how.(pooled), []float64{0, 0}); !errors.Is(err, context.Canceled) {
		t.Errorf("a part goes on behind the end of its context: %v", err)
	}
}

// By hand: every 16th chunk of a log tells that b is 1, of which the others only tell the square, so that a search from −0.9 comes to 1 if a part is looked at
// first, and otherwise to a little above −1. A part is looked at in part where that has 4096 rows, and a hundred for every unknown.
func TestWhereLongSearchesBegin(t *testing.T) {
	of := func(rows, more int) (*search, pooled, []float64) {
		f := regress(t, formula.Source{Decision: "q[2]", State: "p", Next: "b*q[0] + (b^2 - 1)*q[1] + 0*sum(c)"}, "b", fmt.Sprintf("c[%d]", more))
		l := Log{States: make([]float64, rows), Beside: make([]float64, 2*rows), After: make([]float64, rows), Person: make([]int, rows)}
		for i := range rows {
			l.Person[i] = i
			if i/chunk%part == 0 {
				l.Beside[2*i], l.After[i] = 1, 1
			} else {
				l.Beside[2*i+1] = 1
			}
		}
		unknowns := []Unknown{Free("b", -0.9)}
		for range more {
			unknowns = append(unknowns, Unknown{Name: "c", Lower: math.Inf(-1), Upper: math.Inf(1), Deviation: 1})
		}
		p, err := newSearch(f, l, unknowns, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p, p.how.(pooled), startOf(unknowns, 1, 1, 0)
	}
	for _, c := range []struct {
		rows, more int
		first      bool
	}{{many, 1, true}, {many, 39, true}, {many, 40, false}, {many - chunk, 1, false}, {many / 4, 1, false}} {
		p, x, theta := of(c.rows, c.more)
		end, err := p.roughly(t.Context(), x, theta)
		if err != nil || !(math.Abs(end.Theta[0]-1) < 1e-3) == c.first || !c.first && !(math.Abs(end.Theta[0]+1) < 0.1) {
			t.Errorf("%d rows of %d unknowns end at %+v, %v, a part first: %v", c.rows, 1+c.more, end, err, c.first)
		}
	}
	p, x, theta := of(2*part*chunk, 1)
	if end, err := p.roughly(t.Context(), x.some(part), theta); err != nil || !(math.Abs(end.Theta[0]-1) < 1e-3) {
		t.Errorf("of the part alone: %+v, %v", end, err)
	}
}

func BenchmarkFind(b *testing.B) {
	f, l, unknowns := large(b, 200_000)
	for b.Loop() {
		if _, err := Find(b.Context(), f, l, unknowns, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
