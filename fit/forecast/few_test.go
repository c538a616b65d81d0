package forecast

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
)

// What errors of one person have to do with each other is not told by one person or two, whose scores cancel: of 400 rows whose errors have nothing to do
// with each other the share that comes back has an error of about 1/√400, as a correlation of n pairs of nothing has the variance 1/n, however many people they are of, and a gain over no change is
// not known without any error.
func TestFewPeopleAreNotSure(t *testing.T) {
	f, unknowns := model(t)
	for _, people := range []int{1, 2, 4} {
		l := made(people, 400/people, always(0.5), 0, 5)
		fitted, err := fit.Find(t.Context(), f, l, unknowns, fit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Echoes(f, l, fitted)
		if err != nil {
			t.Fatal(err)
		}
		if e := got[0]; math.Abs(e.Error*20-1) > 0.2 || math.Abs(e.Share) > 3*e.Error {
			t.Errorf("%d people: %v of an error comes back ± %v, want about 0 ± 0.05", people, e.Share, e.Error)
		}
		rolled, err := Roll(t.Context(), f, l, unknowns, fit.Options{}, Rolling{Steps: 2, Origins: 8})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range rolled.Horizons {
			if !(h.GainError[Last] > 0.02) || h.GainError[Model] != 0 {
				t.Errorf("%d people, %d steps: the gain is %v ± %v", people, h.Steps, h.Gain[Last], h.GainError[Last])
			}
		}
	}
}

// By hand, of everybody's three errors, squares of the first two being 2: of 1, 1, −1 and of 1, 1, 1 beside 1, −1, 1 nothing comes back, and the scores of a person are 1 − 1, or
// twice 1 or −1. Below 20 people the error is at least that of scores that have nothing to do with each other, which add up to 2 a person. Of 1, 1, 1 all comes back. A unit
// of errors changes nothing, and of an entry without errors nothing is known.
func TestErrorsOfEchoes(t *testing.T) {
	f, err := formula.Source{Decision: "q", State: "p[2]", Next: "[a*p[0], a*p[1] + b*q]"}.Regress([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	none := &fit.Fitted{Value: []float64{0, 0}} // predicts 0: errors are what follows
	cancel, add, stay := [2][3]float64{{1, 1, -1}, {1, 1, -1}}, [2][3]float64{{1, 1, 1}, {1, -1, 1}}, [2][3]float64{{1, 1, 1}, {1, 1, 1}}
	for _, c := range []struct {
		people      int
		errors      [2][3]float64
		share, want float64 // the error, times the sum of squares, squared
	}{
		{18, cancel, 0, 2 * 18}, {19, cancel, 0, 2 * 19}, {20, cancel, 0, 0}, {21, cancel, 0, 0}, {18, add, 0, 4 * 18}, {20, add, 0, 4 * 20}, {19, stay, 1, 0},
	} {
		var l fit.Log
		for person := range c.people {
			since := 5 * (person % 2) // where those before have their last
			for time, e := range c.errors[person%2] {
				l.After, l.Person, l.Time = append(l.After, 0, e/8), append(l.Person, person), append(l.Time, since+time)
			}
			l.After, l.Person, l.Time = append(l.After, 0, 50), append(l.Person, person), append(l.Time, since+4) // not a step later
		}
		l.States, l.Beside = make([]float64, len(l.After)), make([]float64, len(l.Person))
		got, err := Echoes(f, l, none)
		if err != nil {
			t.Fatal(err)
		}
		want := math.Sqrt(c.want) / float64(2*c.people)
		if e := got[1]; e.Share != c.share || e.Pairs != 2*c.people || !(math.Abs(e.Error-want) <= 1e-12) {
			t.Errorf("%d people with errors %v: %+v, want %v ± %v", c.people, c.errors, e, c.share, want)
		}
		if e := got[0]; !math.IsNaN(e.Share) || !math.IsInf(e.Error, 1) || e.Pairs != 2*c.people {
			t.Errorf("%d people without errors: %+v", c.people, e)
		}
	}
}

// By hand, of one forecast of two entries, the first of which the last state met: the second counts alone, where 3² is missed by the last state, 1² by the model and 2² by the usual.
func TestEntriesThatTheLastStateMet(t *testing.T) {
	var all tally
	all.add(0, 1, []float64{1, 2}, [ways][]float64{Model: {4, 3}, Last: {1, 5}, Usual: {9, 0}, Static: {1, 2}})
	h := all.horizon(3, 2)
	if h.Steps != 3 || h.Forecasts != 1 {
		t.Errorf("%+v", h)
	}
	for w, want := range map[Manner]float64{Model: 0, Last: 8. / 9, Usual: 3. / 9, Static: -1. / 9} {
		if !(math.Abs(h.Gain[w]-want) <= 1e-15) || !(h.GainError[w] <= 1e-15) {
			t.Errorf("over %v the gain is %v ± %v, want %v", w, h.Gain[w], h.GainError[w], want)
		}
	}
	if !slices.Equal(h.Error[Last], []float64{0, 3}) || !slices.Equal(h.Error[Model], []float64{3, 1}) {
		t.Errorf("errors %v", h.Error)
	}
}

// A thousand parts are fitted apart, one more is refused; what is wrong is told of no row.
func TestMostParts(t *testing.T) {
	f, unknowns := model(t)
	l := made(7, 143, always(0.5), 0, 5) // 1001 rows
	label := make([]int, len(l.Person))
	for i := range label {
		label[i] = i
	}
	var bad *fit.InputError
	if _, err := Apart(t.Context(), f, l, unknowns, fit.Options{}, label); !errors.As(err, &bad) || bad.Row != -1 {
		t.Errorf("1001 parts: %v", err)
	}
	label[1000] = 0
	got, err := Apart(t.Context(), f, l, unknowns, fit.Options{}, label)
	if err != nil || len(got[0].Values) != 1000 || !math.IsNaN(got[0].Chance) {
		t.Errorf("1000 parts: %v", err)
	}
	if _, err := Roll(t.Context(), f, l, unknowns, fit.Options{}, Rolling{Steps: 0}); !errors.As(err, &bad) || bad.Row != -1 {
		t.Errorf("no steps: %v", err)
	}
	if _, err := Echoes(f, fit.Log{}, &fit.Fitted{}); !errors.As(err, &bad) || bad.Row != -1 {
		t.Errorf("no rows: %v", err)
	}
	l.Person[5], l.Time[5] = l.Person[3], l.Time[3]
	if _, err := Echoes(f, l, &fit.Fitted{}); !errors.As(err, &bad) || bad.Row != 5 || bad.What != "repeats row 4: one person has two rows of time 3" {
		t.Errorf("a row twice: %v", err)
	}
}
