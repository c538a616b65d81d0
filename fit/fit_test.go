package fit

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/panel"
)

func regress(t testing.TB, s formula.Source, unknowns ...string) *formula.Regressor {
	t.Helper()
	f, err := s.Regress(unknowns)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// walk simulates a log: people with traits see decisions that are drawn anew at every time, and move as the model says, with normal errors.
func walk(f *formula.Regressor, theta []float64, people, times, traits int, noise float64, seed uint64) (l Log) {
	r := rand.New(rand.NewPCG(seed, 7))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}
	decisions := make([][]float64, times)
	for i := range decisions {
		decisions[i] = draw(f.Beside - traits)
	}
	out := make([]float64, f.Width())
	for person := range people {
		p, d := draw(f.States), draw(traits)
		for _, q := range decisions {
			beside := append(append([]float64(nil), d...), q...)
			f.Rows(out, p, theta, beside)
			next := append([]float64(nil), out[:f.States]...)
			for i := range next {
				next[i] += noise * float64(1+i) * r.NormFloat64()
			}
			l.States, l.Beside, l.After, l.Person = append(l.States, p...), append(l.Beside, beside...), append(l.After, next...), append(l.Person, person)
			p = next
		}
	}
	return l
}

// A linear model fitted is that of least squares, errors that are clustered by person too.
func TestLinearModelsAreLeastSquares(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + g*d + c"}, "a", "b", "g", "c")
	l := walk(f, []float64{0.6, -0.8, 0.3, 1}, 30, 9, 1, 0.2, 1)
	got, err := Find(t.Context(), f, l, []Unknown{Free("a", 0), Free("b", 0), Free("g", 0), Free("c", 0)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	table := panel.Table{Y: l.After, Unit: l.Person, Names: []string{"a", "b", "g"}, X: make([][]float64, 3)}
	for i := range l.After {
		table.Time = append(table.Time, i)
		for j, v := range []float64{l.States[i], l.Beside[2*i+1], l.Beside[2*i]} {
			table.X[j] = append(table.X[j], v)
		}
	}
	want, err := panel.Fit(table, panel.Design{})
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range want.Value {
		if !(math.Abs(got.Value[j]-v) <= 1e-9) || !(math.Abs(got.Error[j]-want.Error(j)) <= 1e-9) {
			t.Errorf("%s is %v ± %v, by least squares %v ± %v", want.Names[j], got.Value[j], got.Error[j], v, want.Error(j))
		}
	}
}

// By hand: of two rows with p = 1, after which p is 1 and 3, a is 2, each is missed by 1, and the variance of a is 1. Of two people it is Σ(∓1)²/2² times (2 − 1)/(2 − 1)·2/1, of one who has
// both rows 2/(2 − 1) times 1/2, errors as large as they are.
func TestErrorsOfTwoRows(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + q"}, "a")
	for name, person := range map[string][]int{"two people": {0, 1}, "one person": {0, 0}} {
		l := Log{States: []float64{1, 1}, Beside: []float64{0, 0}, After: []float64{1, 3}, Person: person}
		got, err := Find(t.Context(), f, l, []Unknown{Free("a", 0)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(got.Value[0]-2) <= 1e-9) || !(math.Abs(got.Error[0]-1) <= 1e-9) {
			t.Errorf("%s: %v ± %v, want 2 ± 1", name, got.Value, got.Error)
		}
	}
}

// Numbers that made a log are found within four standard errors of it, from a start that is far away; and on any number of workers the same bits.
func TestNumbersThatMadeALogAreFound(t *testing.T) {
	unit := func(u Unknown) Unknown { u.Lower, u.Upper = 0, 1; return u }
	for _, c := range []struct {
		name     string
		source   formula.Source
		names    []string
		theta    []float64
		unknowns []Unknown
		traits   int
	}{
		{
			"pricing", formula.Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "habit*p + (1-habit)*(d - B @ q)"}, []string{"habit", "B[2, 2]"},
			[]float64{0.8, 1.2, -0.2, -0.3, 0.9},
			[]Unknown{unit(Free("habit", 0.5)), Free("B[0,0]", 0), Free("B[0,1]", 0), Free("B[1,0]", 0), Free("B[1,1]", 0)}, 2,
		},
		{
			"polarized", formula.Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Next: "normalize(lambda*p + (1-lambda)*d + sigma*dot(p,q)*q)"}, []string{"lambda", "sigma"},
			[]float64{0.4, 0.5}, []Unknown{unit(Free("lambda", 0.9)), unit(Free("sigma", 0.1))}, 3,
		},
		{
			"newsletter", formula.Source{Decision: "q", State: "p", Trait: "d", Next: "p + rate*(sigmoid(d + a*q - b*q^2) - p)"}, []string{"rate", "a", "b"},
			[]float64{0.3, 1, 0.4}, []Unknown{unit(Free("rate", 0.9)), Free("a", 0), Free("b", 0)}, 1,
		},
	} {
		f := regress(t, c.source, c.names...)
		l := walk(f, c.theta, 60, 12, c.traits, 0.02, 3)
		var before *Fitted
		for _, workers := range []int{1, 3} {
			got, err := Find(t.Context(), f, l, c.unknowns, Options{Starts: 2, Repeats: 20, Workers: workers})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			for j, v := range c.theta {
				if off := math.Abs(got.Value[j]-v) / got.Error[j]; !(off < 4) || !(got.Error[j] < 0.1) {
					t.Errorf("%s: %s is %v ± %v, was %v", c.name, c.unknowns[j].Name, got.Value[j], got.Error[j], v)
				}
			}
			for e, s := range got.Spread {
				if want := 0.02 * float64(1+e); !(math.Abs(s/want-1) <= 0.1) {
					t.Errorf("%s: errors of entry %d are %v, were %v", c.name, e, s, want)
				}
			}
			if got.Tried != 3 || got.Agreed < 1 || len(got.Draws) != 20*len(c.theta) || len(got.Blind) > 0 {
				t.Errorf("%s: %d starts, %d agreed, %d draws, blind %v", c.name, got.Tried, got.Agreed, len(got.Draws), got.Blind)
			}
			got.origin = nil // which knows of workers
			if before != nil && !reflect.DeepEqual(before, got) {
				t.Errorf("%s: %+v by one worker, by three %+v", c.name, before, got)
			}
			before = got
		}
	}
}

// What a log does not tell is said, with the names, and gets no error that looks like one.
func TestWhatALogDoesNotTell(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q[2]", State: "p", Trait: "d", Next: "a*p + dot(b, q) + 0*c*d"}, "a", "b[2]", "c")
	l := walk(f, []float64{0.5, 1, 1, 0}, 20, 6, 1, 0.1, 1)
	for i := range l.After { // both prices always the same
		l.Beside[3*i+2] = l.Beside[3*i+1]
	}
	got, err := Find(t.Context(), f, l, []Unknown{Free("a", 0), Free("b[0]", 0), Free("b[1]", 0), Free("c", 1)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, d := range got.Blind {
		all = append(all, d.String())
	}
	text := strings.Join(all, "\n")
	if !strings.Contains(text, "b[0] and b[1] cannot be told apart") || !strings.Contains(text, "c cannot be told: no prediction depends on it") {
		t.Errorf("blind:\n%s", text)
	}
	if !math.IsInf(got.Error[1], 1) || !math.IsInf(got.Error[2], 1) || !math.IsInf(got.Error[3], 1) || !(got.Error[0] < 0.1) {
		t.Errorf("errors %v", got.Error)
	}
}

// A number at its bound is marked; a prior pulls.
func TestBoundsAndPriors(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	l := walk(f, []float64{0.6, 1}, 20, 6, 0, 0.1, 1)
	a, b := Free("a", 0.1), Free("b", 0)
	a.Lower, a.Upper = 0, 0.4
	got, err := Find(t.Context(), f, l, []Unknown{a, b}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Value[0] != 0.4 || !got.Held[0] || got.Held[1] {
		t.Errorf("bounded: %v, held %v", got.Value, got.Held)
	}
	free, err := Find(t.Context(), f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Mean, b.Deviation = 5, 1e-6
	firm, err := Find(t.Context(), f, l, []Unknown{Free("a", 0), b}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(firm.Value[1]-5) <= 1e-4) || !(math.Abs(free.Value[1]-1) <= 0.1) {
		t.Errorf("b is %v under a firm prior of 5, %v without", firm.Value[1], free.Value[1])
	}
}

func TestLogsThatAreRefused(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + q"}, "a")
	good := walk(f, []float64{0.6}, 3, 3, 0, 0.1, 1)
	for _, c := range []struct {
		name   string
		spoil  func(l *Log, u *Unknown)
		wanted string
	}{
		{"NaN", func(l *Log, _ *Unknown) { l.After[4] = math.NaN() }, "row 5: a state after is NaN"},
		{"short", func(l *Log, _ *Unknown) { l.Beside = l.Beside[1:] }, "not of the same rows"},
		{"weight", func(l *Log, _ *Unknown) { l.Weight = []float64{1, 1, -1, 1, 1, 1, 1, 1, 1} }, "row 3: its weight is -1"},
		{"range", func(_ *Log, u *Unknown) { u.Lower = 2 }, "a: start 0 in [2, +Inf]"},
		{"one row", func(l *Log, _ *Unknown) { *l = Log{l.States[:1], l.Beside[:1], l.After[:1], l.Person[:1], nil, nil} }, "1 rows say nothing of 1 unknown numbers"},
	} {
		l := Log{append([]float64(nil), good.States...), good.Beside, append([]float64(nil), good.After...), good.Person, nil, nil}
		u := Free("a", 0)
		c.spoil(&l, &u)
		if _, err := Find(t.Context(), f, l, []Unknown{u}, Options{}); err == nil || !strings.Contains(err.Error(), c.wanted) {
			t.Errorf("%s: %v, want %q", c.name, err, c.wanted)
		}
	}
}
