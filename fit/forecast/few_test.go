package forecast

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/fit"
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
