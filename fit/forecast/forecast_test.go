package forecast

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
)

// made is a log of p' = a p + b q + e, where a may change halfway or differ by person, and errors may come back.
func made(people, times int, a func(person, time int) float64, echo float64, seed uint64) (l fit.Log) {
	r := rand.New(rand.NewPCG(seed, 3))
	for person := range people {
		p, e := r.NormFloat64(), 0.0
		for time := range times {
			q := r.NormFloat64()
			e = echo*e + 0.3*r.NormFloat64()
			next := a(person, time)*p + q + e
			l.States, l.Beside, l.After = append(l.States, p), append(l.Beside, q), append(l.After, next)
			l.Person, l.Time = append(l.Person, 10-person), append(l.Time, time)
			p = next
		}
	}
	return l
}

func always(a float64) func(int, int) float64 { return func(int, int) float64 { return a } }

func model(t *testing.T) (*formula.Regressor, []fit.Unknown) {
	t.Helper()
	f, err := formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}.Regress([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	return f, []fit.Unknown{fit.Free("a", 0), fit.Free("b", 0)}
}

// Forecasts of a model that is true miss by what its errors add up to: 0.3·√(1 + a² + a⁴ …); those by the last state and the static regression miss more.
func TestForecastsOfATrueModel(t *testing.T) {
	f, unknowns := model(t)
	got, err := Roll(t.Context(), f, made(60, 20, always(0.8), 0, 1), unknowns, fit.Options{}, Rolling{Steps: 3, Origins: 8})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Origins) != 8 || got.Origins[7] != 17 || got.Skipped != 0 {
		t.Fatalf("from %v, %d skipped", got.Origins, got.Skipped)
	}
	sum := 0.0
	for h, a := range got.Horizons {
		sum += math.Pow(0.64, float64(h))
		if want := 0.3 * math.Sqrt(sum); a.Forecasts != 60*8 || math.Abs(a.Error[Model][0]/want-1) > 0.1 {
			t.Errorf("%d steps: errors of %d forecasts are %v, want %v", a.Steps, a.Forecasts, a.Error[Model], want)
		}
		for _, w := range []Manner{Last, Usual, Static} {
			if !(a.Gain[w] > 3*a.GainError[w]) || !(a.Error[w][0] > a.Error[Model][0]) {
				t.Errorf("%d steps: errors %v of the model, of %v %v; gain %v ± %v", a.Steps, a.Error[Model], w, a.Error[w], a.Gain[w], a.GainError[w])
			}
		}
	}
}

// Of a walk at random, forecast under columns that say nothing, the model knows no more than the last state.
func TestForecastsOfAWalkAtRandom(t *testing.T) {
	f, unknowns := model(t)
	l := made(60, 20, always(1), 0, 2)
	for i := range l.After {
		l.After[i] -= l.Beside[i]
	}
	for i := range l.After[1:] {
		if l.Person[i] == l.Person[i+1] {
			l.States[i+1] = l.After[i]
			l.After[i+1] = l.States[i+1] + 0.3*math.Sin(float64(7*i*i))
		}
	}
	got, err := Roll(t.Context(), f, l, unknowns, fit.Options{}, Rolling{Steps: 2, Origins: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range got.Horizons {
		if math.Abs(a.Gain[Last]) > 0.05 {
			t.Errorf("%d steps: gain over the last state %v ± %v", a.Steps, a.Gain[Last], a.GainError[Last])
		}
	}
}

// Errors that come back are seen, and those that do not are not.
func TestEchoes(t *testing.T) {
	f, unknowns := model(t)
	for _, echo := range []float64{0, 0.4} {
		l := made(80, 15, always(0), echo, 3)
		fitted, err := fit.Find(t.Context(), f, l, unknowns, fit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fitted.Value[0], fitted.Value[1] = 0, 1 // the truth: what comes back would go into a
		got, err := Echoes(f, l, fitted)
		if err != nil {
			t.Fatal(err)
		}
		if e := got[0]; math.Abs(e.Share-echo) > 3*e.Error || !(e.Error < 0.05) || e.Pairs != 80*14 {
			t.Errorf("%+v, want %v", e, echo)
		}
	}
}

// A number that changes halfway, or differs between groups, is told from one that does not.
func TestNumbersThatDiffer(t *testing.T) {
	f, unknowns := model(t)
	for _, c := range []struct {
		name  string
		a     func(person, time int) float64
		halve bool
		want  bool
	}{
		{"steady", always(0.5), true, false},
		{"drift", func(_, time int) float64 { return 0.5 + 0.2*float64(time/8) }, true, true},
		{"alike", always(0.5), false, false},
		{"groups", func(person, _ int) float64 { return 0.3 + 0.3*float64(person%2) }, false, true},
	} {
		l := made(50, 16, c.a, 0, 4)
		label := Halves(l)
		for i, id := range l.Person {
			if !c.halve {
				label[i] = (id + 100) % 2
			}
		}
		got, err := Apart(t.Context(), f, l, unknowns, fit.Options{}, label)
		if err != nil {
			t.Fatal(err)
		}
		if differs := got[0].Chance < 0.01; differs != c.want || got[0].Name != "a" || got[1].Chance < 0.001 {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// Logs that are none are refused by all that asks them, in the same words.
func TestLogsThatCannotBeForecast(t *testing.T) {
	f, unknowns := model(t)
	l := made(3, 6, always(0.5), 0, 5)
	fitted, err := fit.Find(t.Context(), f, l, unknowns, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	twice, untimed := l, l
	twice.Time = append([]int(nil), l.Time...)
	twice.Time[1], untimed.Time = twice.Time[0], nil
	for want, l := range map[string]fit.Log{"row 2: repeats row 1": twice, "every row has a time": untimed} {
		label := make([]int, len(l.Person))
		label[0] = 1
		_, rolled := Roll(t.Context(), f, l, unknowns, fit.Options{}, Rolling{Steps: 1})
		_, apart := Apart(t.Context(), f, l, unknowns, fit.Options{}, label)
		_, echoes := Echoes(f, l, fitted)
		for _, err := range []error{rolled, apart, echoes} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}
