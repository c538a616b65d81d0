package fit

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/panel"
	"gonum.org/v1/gonum/mat"
)

func regressTraits(t testing.TB, s formula.Source, unknowns ...string) *formula.Regressor {
	t.Helper()
	f, err := s.RegressTraits(unknowns)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// wander simulates a log of people with traits that no column shows, with a decision for every row, shifts of times and, where holes says so, rows that are missing.
func wander(f *formula.Regressor, theta []float64, people, times int, mean, deviation, noise, shift float64, seed uint64, holes bool) (l Log) {
	r := rand.New(rand.NewPCG(seed, 9))
	shocks := make([]float64, times)
	for i := range shocks {
		shocks[i] = shift * r.NormFloat64()
	}
	out := make([]float64, f.Width())
	for person := range people {
		p, trait, beside := make([]float64, f.States), make([]float64, f.Traits), make([]float64, f.Beside)
		for j := range trait {
			trait[j] = mean + deviation*r.NormFloat64()
		}
		for e := range p {
			p[e] = r.NormFloat64()
		}
		for time := range times {
			for j := range beside {
				beside[j] = r.NormFloat64()
			}
			f.RowsOf(out, p, theta, trait, beside)
			next := append([]float64(nil), out[:f.States]...)
			for e := range next {
				next[e] += shocks[time] + noise*float64(1+e)*r.NormFloat64()
			}
			if !holes || r.IntN(5) > 0 {
				l.States, l.Beside, l.After = append(l.States, p...), append(l.Beside, beside...), append(l.After, next...)
				l.Person, l.Time = append(l.Person, 7*person), append(l.Time, 1990+time)
			}
			p = next
		}
	}
	return l
}

// Fixed traits of a linear model, with and without effects of times, are the within estimates of package panel, errors too, also where rows are missing
// and in any order of rows.
func TestFixedTraitsAreWithin(t *testing.T) {
	f := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Beside: []string{"w"}, Next: "a*p + b*q + c*w + d"}, "a", "b", "c")
	l := wander(f, []float64{0.6, -0.8, 0.3}, 25, 8, 1, 1, 0.2, 0.3, 1, true)
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(l.After), func(i, j int) {
		for _, x := range [][]float64{l.States, l.After} {
			x[i], x[j] = x[j], x[i]
		}
		for k := range 2 {
			l.Beside[2*i+k], l.Beside[2*j+k] = l.Beside[2*j+k], l.Beside[2*i+k]
		}
		l.Person[i], l.Person[j] = l.Person[j], l.Person[i]
		l.Time[i], l.Time[j] = l.Time[j], l.Time[i]
	})
	table := panel.Table{Y: l.After, Unit: l.Person, Time: l.Time, Names: []string{"a", "b", "c"}, X: [][]float64{l.States, nil, nil}}
	for i := range l.After {
		table.X[1], table.X[2] = append(table.X[1], l.Beside[2*i]), append(table.X[2], l.Beside[2*i+1])
	}
	for _, c := range []struct {
		effects panel.Effects
		times   bool
	}{{panel.ByUnit, false}, {panel.TwoWay, true}} {
		want, err := panel.Fit(table, panel.Design{Effects: c.effects})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Find(t.Context(), f, l, []Unknown{Free("a", 0), Free("b", 0), Free("c", 0)}, Options{Unseen: Fixed, Times: c.times})
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range want.Value {
			if !(math.Abs(got.Value[j]-v) <= 1e-9) || !(math.Abs(got.Error[j]-want.Error(j)) <= 1e-9) {
				t.Errorf("times %v: %s is %v ± %v, within %v ± %v", c.times, want.Names[j], got.Value[j], got.Error[j], v, want.Error(j))
			}
		}
		if math.Abs(got.Spread[0]-want.Sigma) > 0.02*want.Sigma || len(got.Traits) != 25 || !strings.Contains(strings.Join(got.Words, ""), "comes out too low") {
			t.Errorf("times %v: errors %v, within %v; %d traits; %v", c.times, got.Spread, want.Sigma, len(got.Traits), got.Words)
		}
	}
}

// What does not move within a person cannot be told beside a trait of everybody, whatever rounding leaves of it; and few people say little of how errors go together.
func TestWhatTraitsMakeUpFor(t *testing.T) {
	f := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + exp(b)*q + d"}, "a", "b")
	l := wander(f, []float64{0.6, 0.2}, 25, 8, 1, 1, 0.2, 0, 1, true)
	for i, who := range l.Person {
		l.Beside[i] = 0.1 * float64(who)
	}
	got, err := Find(t.Context(), f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{Unseen: Fixed})
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(got.Error[1], 1) || len(got.Blind) != 1 || math.IsInf(got.Error[0], 1) {
		t.Errorf("errors are %v, %v", got.Error, got.Blind)
	}
	few := wander(f, []float64{0.6, 0.2}, 2, 12, 1, 1, 0.2, 0, 1, false)
	got, err = Find(t.Context(), f, few, []Unknown{Free("a", 0), Free("b", 0)}, Options{Unseen: Fixed})
	if err != nil || !strings.Contains(strings.Join(got.Words, " "), "2 people say too little of how errors go together") || !(got.Error[0] > 0.01 && got.Error[1] > 0.01) {
		t.Errorf("errors of two people are %v, %v; %v", got.Error, got.Words, err)
	}
}

// Effects of times alone are those of package panel, which has a constant.
func TestTimesAlone(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q + c"}, "a", "b", "c")
	l := wander(f, []float64{0.6, -0.8, 0.3}, 25, 8, 0, 0, 0.2, 0.3, 1, false)
	got, err := Find(t.Context(), f, l, []Unknown{Free("a", 0), Free("b", 0), Free("c", 0)}, Options{Times: true})
	if err != nil {
		t.Fatal(err)
	}
	want, err := panel.Fit(panel.Table{Y: l.After, Unit: l.Person, Time: l.Time, Names: []string{"a", "b"}, X: [][]float64{l.States, l.Beside}}, panel.Design{Effects: panel.ByTime})
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range want.Value {
		if !(math.Abs(got.Value[j]-v) <= 1e-9) || !(math.Abs(got.Error[j]-want.Error(j)) <= 1e-9) {
			t.Errorf("%s is %v ± %v, by panel %v ± %v", want.Names[j], got.Value[j], got.Error[j], v, want.Error(j))
		}
	}
	if len(got.Shifts) != 7 {
		t.Errorf("shifts %v", got.Shifts)
	}
}

// marginal is less the logarithm of the likelihood of p' = a p + b q + c (d0 + d1 q) by its definition, person by person with dense matrices, and the a, b, mean of
// traits that generalized least squares gives with these variances.
func marginal(l Log, scale float64, omega *mat.SymDense, s float64) (minus float64, value []float64) {
	normal, right := mat.NewDense(4, 4, nil), mat.NewVecDense(4, nil)
	var constant float64
	for lo := 0; lo < len(l.Person); {
		hi := lo
		for hi < len(l.Person) && l.Person[hi] == l.Person[lo] {
			hi++
		}
		n := hi - lo
		x, h, y := mat.NewDense(n, 4, nil), mat.NewDense(n, 2, nil), mat.NewVecDense(n, append([]float64(nil), l.After[lo:hi]...))
		for i := range n {
			q := l.Beside[lo+i]
			x.SetRow(i, []float64{l.States[lo+i], q * q, scale, scale * q})
			h.SetRow(i, []float64{scale, scale * q})
		}
		var ho, v mat.Dense
		ho.Mul(h, omega)
		v.Mul(&ho, h.T())
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range n {
				sym.SetSym(i, j, (v.At(i, j)+v.At(j, i))/2)
			}
			sym.SetSym(i, i, sym.At(i, i)+s*s)
		}
		var c mat.Cholesky
		if !c.Factorize(sym) {
			panic("variances")
		}
		var vx mat.Dense
		var vy, b mat.VecDense
		_ = c.SolveTo(&vx, x)
		_ = c.SolveVecTo(&vy, y)
		var one mat.Dense
		one.Mul(x.T(), &vx)
		normal.Add(normal, &one)
		b.MulVec(x.T(), &vy)
		right.AddVec(right, &b)
		constant += c.LogDet()/2 + mat.Dot(y, &vy)/2
		lo = hi
	}
	var beta mat.VecDense
	_ = beta.SolveVec(normal, right)
	return constant - mat.Dot(&beta, right)/2, beta.RawVector().Data
}

// Random traits of a model that is affine in them are the most likely: generalized least squares, by dense matrices of every person, gives the same numbers
// with the variances that were found, and no variances near them are likelier.
func TestRandomTraitsAreTheMostLikely(t *testing.T) {
	f := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d[2]", Next: "a*p + b*q^2 + d[0] + d[1]*q"}, "a", "b")
	l := wander(f, []float64{0.5, -0.4}, 40, 6, 1, 0.5, 0.3, 0, 2, true)
	got, err := Find(t.Context(), f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{Unseen: Random})
	if err != nil {
		t.Fatal(err)
	}
	omega := func(a, b, c float64) *mat.SymDense { return mat.NewSymDense(2, []float64{a, b, b, c}) }
	at := []float64{got.TraitCov[0], got.TraitCov[1], got.TraitCov[3], got.Spread[0]}
	likelihood, value := marginal(l, 1, omega(at[0], at[1], at[2]), at[3])
	for j, v := range []float64{got.Value[0], got.Value[1], got.TraitMean[0], got.TraitMean[1]} {
		if !(math.Abs(v-value[j]) <= 1e-9) {
			t.Errorf("number %d is %v, by generalized least squares %v", j, v, value[j])
		}
	}
	if math.Abs(likelihood-got.Loss) > 1e-9*math.Abs(likelihood) {
		t.Errorf("loss %v, by the definition %v", got.Loss, likelihood)
	}
	for j := range at {
		const h = 1e-5
		slope := 0.0
		for _, by := range []float64{-h, h} {
			there := append([]float64(nil), at...)
			there[j] += by
			x, _ := marginal(l, 1, omega(there[0], there[1], there[2]), there[3])
			slope += x * by / (2 * h * h)
		}
		if !(math.Abs(slope) <= 1e-5) {
			t.Errorf("slope of the likelihood in variance %d is %v", j, slope)
		}
	}
	if !(math.Abs(got.Value[0]-0.5) < 4*got.Error[0]) || !(got.Error[0] < 0.1) || got.Agreed != 1 {
		t.Errorf("a is %v ± %v, was 0.5", got.Value[0], got.Error[0])
	}
}

// Where slopes in the trait depend on an unknown, the likelihood does so too: with c·d for d it is the same as with d of another size.
func TestRandomTraitsUnderAFactor(t *testing.T) {
	plain := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	habit := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + (1-a)*(b*q + d)"}, "a", "b")
	bowed := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + (1-a)*(b*q + log(exp(d)))"}, "a", "b")
	l := wander(habit, []float64{0.6, -0.8}, 40, 6, 1, 0.5, 0.3, 0, 3, false)
	unknowns := []Unknown{Free("a", 0.3), Free("b", 0)}
	one, err := Find(t.Context(), plain, l, unknowns, Options{Unseen: Random})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*formula.Regressor{habit, bowed} {
		got, err := Find(t.Context(), f, l, unknowns, Options{Unseen: Random, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		stays := got.Value[0]
		if !(math.Abs(stays-one.Value[0]) <= 1e-7) || !(math.Abs(got.Value[1]*(1-stays)-one.Value[1]) <= 1e-7) || math.Abs(got.Loss-one.Loss) > 1e-8*math.Abs(one.Loss) {
			t.Errorf("%v, loss %v; without the factor %v, loss %v", got.Value, got.Loss, one.Value, one.Loss)
		}
		if !(math.Abs(got.Error[0]-one.Error[0]) <= 1e-5) || !(math.Abs(got.TraitMean[0]*(1-stays)-one.TraitMean[0]) <= 1e-6) {
			t.Errorf("error %v, mean %v; without the factor %v, %v", got.Error[0], got.TraitMean[0], one.Error[0], one.TraitMean[0])
		}
		if exact := strings.Contains(got.Words[0], "exactly"); exact != (f == habit) {
			t.Errorf("%v", got.Words)
		}
	}
}

// Traits inside of a function are found too, fixed and random, and on any number of workers the same bits.
func TestTraitsInsideOfAFunction(t *testing.T) {
	f := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "p + rate*(sigmoid(d + a*q) - p)"}, "rate", "a")
	l := wander(f, []float64{0.3, 1}, 25, 16, 0.5, 0.5, 0.01, 0, 4, false)
	unknowns := []Unknown{Free("rate", 0.6), Free("a", 0)}
	for _, unseen := range []Unseen{Fixed, Random} {
		var before *Fitted
		for _, workers := range []int{1, 3} {
			got, err := Find(t.Context(), f, l, unknowns, Options{Unseen: unseen, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range []float64{0.3, 1} {
				if off := math.Abs(got.Value[j]-v) / got.Error[j]; !(off < 4) || !(got.Error[j] < 0.1) {
					t.Errorf("%v: %s is %v ± %v, was %v", unseen, unknowns[j].Name, got.Value[j], got.Error[j], v)
				}
			}
			got.origin = nil // which knows of workers
			if before != nil && !reflect.DeepEqual(before, got) {
				t.Errorf("%v: %+v by one worker, by three %+v", unseen, before, got)
			}
			before = got
		}
	}
}

// By hand: sigmoid(d) = 0.9 at d = ln 9. From 4, where it is flat, the full step goes to −0.65 and is worse; as much worse are those that are damped by a thousandth to a tenth, and only from one that is
// damped by more the trait is found.
func TestTraitsBeyondTheFirstStep(t *testing.T) {
	f := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "sigmoid(d) + a*q"}, "a")
	g, err := newPersons(f, Log{States: []float64{0, 0}, Beside: []float64{0, 0}, After: []float64{0.9, 0.9}, Person: []int{0, 0}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := new(desk)
	if loss := g.settle(d, []float64{0}, []float64{1}, []float64{4}, []float64{1}, 0, 0); !(math.Abs(4+d.z[0]-math.Log(9)) <= 1e-9) || !(loss <= 1e-18) {
		t.Errorf("the trait is %v with a loss of %v, want %v", 4+d.z[0], loss, math.Log(9))
	}
}

// Where people had settled before the log begins, random traits that have nothing to do with first states find too much habit; with a mean that goes with
// first states they do not.
func TestTraitsOfPeopleWhoHadSettled(t *testing.T) {
	evidence.OneGoroutine(t)
	f := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	r := rand.New(rand.NewPCG(8, 8))
	var l Log
	for person := range 300 {
		d := r.NormFloat64()
		p := d/0.4 + 0.3*r.NormFloat64()
		for time := range 5 {
			q := r.NormFloat64()
			next := 0.6*p + q + d + 0.3*r.NormFloat64()
			l.States, l.Beside, l.After = append(l.States, p), append(l.Beside, q), append(l.After, next)
			l.Person, l.Time = append(l.Person, person), append(l.Time, time)
			p = next
		}
	}
	for _, origin := range []bool{false, true} {
		got, err := Find(t.Context(), f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{Unseen: Random, Origin: origin})
		if err != nil {
			t.Fatal(err)
		}
		if off := (got.Value[0] - 0.6) / got.Error[0]; origin && !(math.Abs(off) <= 2) || !origin && off < 2.5 {
			t.Errorf("by first states %v: a is %v ± %v, was 0.6", origin, got.Value[0], got.Error[0])
		}
	}
}
