package kind

import (
	"errors"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// Trying is the settings of methods that try decisions beside their own.
type Trying struct {
	Delta     float64 // how far from it
	Perturbed string  // "anywhere", or kept "feasible"
}

// Describe describes the keys.
func (t *Trying) Describe(f *form.Form, _ *Host) {
	form.Field(f, "delta", &t.Delta, form.Positive(), form.Says("How far from its own decision the rule tries others.", "δ in u + δv, ‖v‖ = 1", "2"))
	form.Field(f, "perturbed", &t.Perturbed, form.OneOf(
		form.Choice("anywhere", "Outside of the set, too.", ""),
		form.Choice("feasible", "In the set: the rule's own decision stays as far inside. It wants a set with an inside, a ball or a box or such.", ""),
	).Or("anywhere"), form.Says("Where the decisions that are tried may lie.", "", "feasible"))
}

// Habits returns what others must know of a method that tries decisions.
func (t *Trying) Habits() Habits {
	return Habits{Draws: true, Reach: t.Delta, Inside: t.Perturbed == "feasible"}
}

// Stay keeps the decisions of a rule as far inside the set as the method tries others, if these must be feasible.
func (t *Trying) Stay(r *online.Rule, s *Site) error {
	if t.Perturbed != "feasible" {
		return nil
	}
	n := s.Dims().Decision
	narrow, ok := Shrink(s.Feasible, t.Delta, n)
	if _, roomy := Shrink(s.Feasible, 0, n); !ok && roomy {
		return s.Fail("delta", " is %s, which leaves no decision that is known to be as far inside the set; want less", strconv.FormatFloat(t.Delta, 'g', 4, 64))
	}
	if !ok {
		return s.Fail("perturbed", " is feasible, but the set of kind %s has no inside to keep away from; want ball, l1-ball, box, half-space, convex, or products and intersections of them", form.NameOf(s.Feasible))
	}
	made, err := s.Narrow(narrow)
	if err != nil {
		return s.Fail("delta", " is %s, which leaves no decision as far inside the set: %v", strconv.FormatFloat(t.Delta, 'g', 4, 64), err)
	}
	r.Set = made
	return nil
}

// explore gives a rule an estimator that tries decisions from inside the rule's set.
func (t *Trying) explore(r *online.Rule, s *Site, estimator func() (online.Estimator, error)) error {
	if err := t.Stay(r, s); err != nil {
		return err
	}
	e, err := estimator()
	if few := (*kedge.RangeError)(nil); errors.As(err, &few) {
		if key := map[string]string{"window": "window", "trials": "tries"}[few.Arg]; key != "" {
			return s.Fail(key, " is %v, want %s", few.Got, few.Want)
		}
	}
	if err != nil {
		return s.Fail("", ": %v", err)
	}
	r.Gradient = e
	return nil
}
