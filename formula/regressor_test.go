package formula

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// regressed are models with unknowns, values of them, and the bindings that put those in.
type regressed struct {
	source   Source
	unknowns []string
	theta    []float64
	let      func(theta []float64) []Binding
}

func regressedModels() []regressed {
	return []regressed{
		{
			Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Let: []Binding{{Name: "keep", Expr: "1 - habit"}}, Next: "habit*p + keep*(d - B @ q)"},
			[]string{"habit", "B[3, 3]"},
			[]float64{0.8, 1.2, -0.2, 0, -0.2, 0.9, -0.1, 0, -0.1, 0.5},
			func(v []float64) []Binding {
				return []Binding{{Name: "habit", Data: &Value{Data: v[:1]}}, {Name: "B", Data: &Value{Shape: []int{3, 3}, Data: v[1:]}}, {Name: "keep", Expr: "1 - habit"}}
			},
		},
		{
			Source{Decision: "q[4]", State: "p[4]", Trait: "d[4]", Next: "normalize(lambda*p + (1-lambda)*d + sigma*dot(p,q)*q)"},
			[]string{"sigma", "lambda"},
			[]float64{0.3, 0.5},
			func(v []float64) []Binding {
				return []Binding{{Name: "sigma", Data: &Value{Data: v[:1]}}, {Name: "lambda", Data: &Value{Data: v[1:]}}}
			},
		},
		{
			Source{Decision: "q", State: "p", Next: "a*p + exp(-b*q)/(1 + c^2)"},
			[]string{"a", "b", "c"},
			[]float64{0.3, 0.5, 0.7},
			func(v []float64) (list []Binding) {
				for i, name := range []string{"a", "b", "c"} {
					list = append(list, Binding{Name: name, Data: &Value{Data: v[i : i+1]}})
				}
				return list
			},
		},
	}
}

// Next states and derivatives of rows are those of the model with the unknowns put in, and of differences of that.
func TestRegressionsAreModelsWithUnknowns(t *testing.T) {
	for _, c := range regressedModels() {
		f, err := c.source.Regress(c.unknowns)
		if err != nil {
			t.Fatal(err)
		}
		if f.Unknowns != len(c.theta) {
			t.Fatalf("%d unknowns, want %d", f.Unknowns, len(c.theta))
		}
		model := func(theta []float64) Dynamics {
			s := c.source
			s.Let = c.let(theta)
			m, err := Compile(s)
			if err != nil {
				t.Fatal(err)
			}
			return m.Dynamics()
		}
		const rows = 70
		r := rand.New(rand.NewPCG(1, 2))
		decisions := f.Beside - model(c.theta).Dims().Trait
		states, beside := make([]float64, rows*f.States), make([]float64, rows*f.Beside)
		for _, x := range [][]float64{states, beside} {
			for i := range x {
				x[i] = r.NormFloat64()
			}
		}
		got := make([]float64, rows*f.Width())
		f.Rows(got, states, c.theta, beside)
		columns := make([]float64, len(got))
		f.Columns(columns, states, c.theta, beside)
		for i := range rows {
			for j := range f.Width() {
				if v := columns[j*rows+i]; v != got[i*f.Width()+j] {
					t.Fatalf("%s, row %d: %v in column %d, %v in the row", c.source.Next, i, v, j, got[i*f.Width()+j])
				}
			}
		}
		at := func(theta []float64, row int) []float64 {
			next := make([]float64, f.States)
			b := beside[row*f.Beside : (row+1)*f.Beside]
			traits := f.Beside - decisions
			model(theta).Next(next, states[row*f.States:(row+1)*f.States], b[traits:], b[:traits])
			return next
		}
		for _, row := range []int{0, 7, rows - 1} {
			here := got[row*f.Width() : (row+1)*f.Width()]
			for i, want := range at(c.theta, row) {
				if math.Abs(here[i]-want) > 1e-14*max(1, math.Abs(want)) {
					t.Errorf("%s, row %d: next %v, want %v", c.source.Next, row, here[i], want)
				}
			}
			for j := range c.theta {
				const h = 1e-5
				up, down := append([]float64(nil), c.theta...), append([]float64(nil), c.theta...)
				up[j] += h
				down[j] -= h
				high, low := at(up, row), at(down, row)
				for i := range f.States {
					want := (high[i] - low[i]) / (2 * h)
					if slope := here[f.States+i*f.Unknowns+j]; math.Abs(slope-want) > 1e-8*max(1, math.Abs(want)) {
						t.Errorf("%s, row %d: derivative of entry %d in unknown %d is %v, by differences %v", c.source.Next, row, i, j, slope, want)
					}
				}
			}
		}
	}
}

func TestWhatCannotBeFitted(t *testing.T) {
	for _, c := range []struct {
		source   Source
		unknowns []string
		want     string
	}{
		{Source{Decision: "q", State: "p", Next: "p + q"}, []string{"a"}, "nothing unknown is in it"},
		{Source{Decision: "q", State: "p", Next: "a*p + q"}, nil, "0 unknown numbers"},
		{Source{Decision: "q", State: "p"}, []string{"a"}, "there is no next"},
		{Source{Decision: "q", State: "p", Next: "a*crowd(p) + q"}, []string{"a"}, "see the crowd"},
		{Source{Decision: "q", State: "p", Next: "a*p + b"}, []string{"a"}, "b"},
		{Source{Decision: "q", State: "p", Next: "a*p + q"}, []string{"a[0]"}, "lengths are whole numbers"},
		{Source{Decision: "q", State: "p", Next: "a*p + q"}, []string{"a", "a"}, "a is there already"},
	} {
		if _, err := c.source.Regress(c.unknowns); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, %v: %v, want %q", c.source, c.unknowns, err, c.want)
		}
	}
}

// Where the trait is to be found, its derivatives are those of differences too, and what is said of their form is true.
func TestTraitsToBeFound(t *testing.T) {
	for _, c := range []struct {
		source         Source
		unknowns       []string
		theta          []float64
		affine, steady bool
	}{
		{Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "habit*p + d - b*q"}, []string{"habit", "b"}, []float64{0.8, 1.2}, true, true},
		{Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "habit*p + (1-habit)*(d - b*q)"}, []string{"habit", "b"}, []float64{0.8, 1.2}, true, false},
		{Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + sigmoid(d*q)"}, []string{"a"}, []float64{0.4}, false, false},
		{Source{Decision: "q", State: "p[2]", Trait: "d[3]", Beside: []string{"w"}, Next: "a*p + q*d[0:2] + w*d[2]"}, []string{"a"}, []float64{0.4}, true, true},
	} {
		f, err := c.source.RegressTraits(c.unknowns)
		if err != nil {
			t.Fatal(err)
		}
		if f.Affine != c.affine || f.Steady != c.steady {
			t.Errorf("%s: affine %v, steady %v", c.source.Next, f.Affine, f.Steady)
		}
		plain, err := c.source.Regress(c.unknowns)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		draw := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			return x
		}
		state, trait, beside := draw(f.States), draw(f.Traits), draw(f.Beside)
		got, want := make([]float64, f.Width()), make([]float64, plain.Width())
		f.RowsOf(got, state, c.theta, trait, beside)
		at := func(trait []float64) []float64 {
			out := make([]float64, plain.Width())
			plain.Rows(out, state, c.theta, append(append([]float64(nil), trait...), beside...))
			return out
		}
		copy(want, at(trait))
		each := f.Unknowns + f.Traits
		for e := range f.States {
			if got[e] != want[e] {
				t.Errorf("%s: next %v, where traits are known %v", c.source.Next, got[e], want[e])
			}
			for j := range f.Unknowns {
				if a, b := got[f.States+e*each+j], want[f.States+e*f.Unknowns+j]; math.Abs(a-b) > 1e-14 {
					t.Errorf("%s: slope %v, where traits are known %v", c.source.Next, a, b)
				}
			}
			for j := range f.Traits {
				up, down := append([]float64(nil), trait...), append([]float64(nil), trait...)
				up[j] += 1e-5
				down[j] -= 1e-5
				slope := (at(up)[e] - at(down)[e]) / 2e-5
				if a := got[f.States+e*each+f.Unknowns+j]; math.Abs(a-slope) > 1e-8 {
					t.Errorf("%s: slope in trait %d is %v, by differences %v", c.source.Next, j, a, slope)
				}
			}
		}
	}
	for want, s := range map[string]Source{
		"no trait":     {Decision: "q", State: "p", Next: "a*p + q"},
		"is not in it": {Decision: "q", State: "p", Trait: "d", Next: "a*p + q"},
	} {
		if _, err := s.RegressTraits([]string{"a"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Values taken apart into their entries have the bits of the values, whatever they are made of and however long.
func TestColumnsHaveTheBitsOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	long, short := Source{Decision: "q[9]", State: "p[9]", Trait: "d[9]"}, Source{Decision: "q[6]", State: "p[3]", Trait: "d[6]"}
	for _, c := range []struct {
		source   Source
		next     string
		unknowns []string
		scatters bool
	}{
		{long, "a*p + dot(p, d)*q + sum(p)*d", []string{"a"}, true}, {long, "where(p > a, p, a*q) + min(d, q)", []string{"a"}, true}, {long, "[a*p[1:9], sum(q)]", []string{"a"}, true},
		{long, "p^3*a + abs(d)^1.5 - exp(-a)*tanh(q)", []string{"a"}, true}, {long, "a*sum(p*p) + mean(q)*p - sum([p, p]*[d, q])", []string{"a"}, true}, {long, "a*softmax(p) + q", []string{"a"}, false},
		{long, "normalize(p + a*d)", []string{"a"}, false}, {short, "b*p + dot(q, d)", []string{"b[3]"}, true}, {short, "sum(b)*p + q[0:3]", []string{"b[3]"}, true}, {short, "B @ d + p*dot(q, q)", []string{"B[3, 6]"}, true}, {short, "q @ B' + p", []string{"B[3, 6]"}, true},
		{short, "(outer(p, b) @ outer(q, d) @ [d, q][0:6])*0.1", []string{"b[6]"}, true}, {short, "B[:, 1:4] @ d[2:5] - p", []string{"B[3, 6]"}, true}, {short, "outer(p, d)'[2] + b", []string{"b[3]"}, true},
		{short, "q[0:3] @ (outer(p, b) @ outer(d, p))", []string{"b[6]"}, true}, {short, "p + 0 + b*(1/0.5)", []string{"b[3]"}, true},
	} {
		c.source.Next = c.next
		f, err := c.source.Regress(c.unknowns)
		if err != nil {
			t.Fatal(c.next, err)
		}
		if got := len(f.columns().outputs) == f.Width(); got != c.scatters {
			t.Errorf("%s is taken apart: %v", c.next, got)
		}
		for _, n := range []int{1, 7, 65, 300} {
			draw := func(n int) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = r.NormFloat64()
				}
				return x
			}
			states, unknowns, beside := draw(f.States*n), draw(f.Unknowns), draw(f.Beside*n)
			rows, columns := make([]float64, n*f.Width()), make([]float64, n*f.Width())
			f.Rows(rows, states, unknowns, beside)
			f.Columns(columns, states, unknowns, beside)
			for i, v := range rows {
				if got := columns[i%f.Width()*n+i/f.Width()]; got != v {
					t.Fatalf("%s: entry %d of row %d of %d is %v, in columns %v", c.next, i%f.Width(), i/f.Width(), n, v, got)
				}
			}
		}
	}
}
