package logs

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/record"
)

// MisfitError says that a log does not have what the model is made of.
type MisfitError struct{ Key, What string }

func (e *MisfitError) Error() string { return e.Key + ": " + e.What }

// clock is the name of the time in formulas.
const clock = "t"

// arrange puts pairs of rows as fits want them.
func (w *work) arrange() error {
	d, l := w.spec.Data, w.log
	dims, own := w.spec.Dims(), w.own()
	switch {
	case w.spec.Model != nil && len(w.spec.Model.Groups) > 0:
		return &MisfitError{"model.groups", "groups with values of their own cannot be fitted; want a trait of data.traits in their place"}
	case len(l.States.Names) != dims.State:
		return misfit("data.states", l.States.Names, "a state", dims.State)
	case len(l.Decision.Names) != dims.Decision:
		return misfit("data.decision", l.Decision.Names, "a decision", dims.Decision)
	case d.Traits == nil && w.namesTrait() && d.Kind != record.Aggregates && !w.ofPeople():
		return &MisfitError{"data.traits", fmt.Sprintf("missing, and model.next names the trait %s; want columns, or data.effects: %s to find it for everybody", formula.Declare(w.source.Trait).Name, record.OfPeople)}
	case d.Traits != nil && w.ofPeople():
		return &MisfitError{"data.effects", d.Effects + " finds the trait of everybody, which data.traits gives; one must go"}
	case d.Traits != nil && len(l.Traits.Names) != own:
		return misfit("data.traits", l.Traits.Names, "a trait", own)
	case d.Kind == record.Panel && len(w.pairs.After) == 0:
		return &MisfitError{"data.time", fmt.Sprintf("nobody has two rows a turn apart (data.step: %s); want another step, or data.person and data.time as they are", d.Step)}
	}
	w.fill(own)
	return nil
}

func misfit(key string, names []string, what string, want int) error {
	return &MisfitError{key, fmt.Sprintf("gives %s (%s), %s has %d", form.Entries(len(names)), phrase.Enumerate(names), what, want)}
}

// own is how many entries of the trait do not move by themselves.
func (w *work) own() int { return w.spec.Dims().Trait - len(w.source.Beside) }

func (w *work) ofPeople() bool { return w.spec.Data.HasPeople() }

func (w *work) ofTimes() bool { return w.spec.Data.HasTimes() }

// namesTrait tells whether the next state depends on the trait by name, here or through what model.let calls.
func (w *work) namesTrait() bool {
	free := w.source
	name := formula.Declare(free.Trait).Name
	free.Trait = ""
	free.Minimize, free.Maximize = "", ""
	return name != "" && free.Mentions(name)
}

// fill writes the rows of a fit: states before and after, and beside them trait, decision and covariates.
func (w *work) fill(own int) {
	l, n := w.log, len(w.pairs.After)
	w.turn = make([]int, n)
	w.rows = fit.Log{Person: make([]int, n), Time: w.turn}
	for i, after := range w.pairs.After {
		before := w.pairs.Before[i]
		at := after
		if w.spec.Data.From == record.AsBefore {
			at = before
		}
		w.rows.Person[i], w.turn[i] = l.Person[after], l.Turn[after]
		w.rows.States = append(w.rows.States, l.States.Row(before)...)
		w.rows.After = append(w.rows.After, l.States.Row(after)...)
		w.rows.Beside = w.beside(w.rows.Beside, at, own)
		if l.Weight != nil {
			w.rows.Weight = append(w.rows.Weight, l.Weight[after])
		}
	}
}

// beside appends what a row of the log has beside its state.
func (w *work) beside(to []float64, row, own int) []float64 {
	l := w.log
	if l.Traits.Names != nil {
		to = append(to, l.Traits.Row(row)...)
	} else if len(w.out.crowd.own) > 0 {
		to = append(to, w.out.crowd.of(l.Person[row], own)...)
	} else {
		to = append(to, make([]float64, own)...)
	}
	to = append(to, l.Decision.Row(row)...)
	for _, name := range w.source.Beside {
		if j := slices.Index(l.Beside.Names, name); j >= 0 {
			to = append(to, l.Beside.Row(row)[j])
		} else {
			to = append(to, float64(l.Turn[row])) // the clock
		}
	}
	return to
}
