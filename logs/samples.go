package logs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/fit/moments"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/record"
	"github.com/kedge-opt/kedge/problem/world"
)

// Matching is the method for people who are not seen again.
const Matching = "moments"

// unseenAgain finds the numbers from samples of other people every time, or from means.
func (w *work) unseenAgain() error {
	d, l := w.spec.Data, w.log
	own := w.own()
	if d.Errors != nil {
		return &MisfitError{"data.errors", strings.Join(d.Errors, ", ") + " wants the same people again (data.kind: panel): of people who are not seen again moments are matched, whatever errors are"}
	}
	if d.Effects != record.NoEffects {
		return &MisfitError{"data.effects", d.Effects + " wants the same people again (data.kind: panel)"}
	}
	f, err := w.source.Roll(w.declared)
	if err != nil {
		return w.spec.FormulaMistakes(err)
	}
	var beside, traits []float64
	for row := range l.Rows() {
		all := w.beside(nil, row, own)
		traits, beside = append(traits, all[:own]...), append(beside, all[own:]...)
	}
	met, err := moments.Gather(l.Turn, l.Group, len(l.Groups), beside, d.From == record.AsAnswered)
	if err != nil {
		return w.inRow(err, l.Line)
	}
	met.Noise = w.noise()
	o := fit.Options{Starts: w.o.Starts, Seed: w.o.Seed, Workers: w.o.Workers}
	var m *moments.Matched
	if d.Kind == record.Sections {
		m, err = moments.Find(w.ctx, f, moments.Sections{Exposure: met, Time: l.Turn, Group: l.Group, States: l.States.Data, Traits: traits, Weight: l.Weight}, w.unknowns, o)
	} else {
		var start moments.Origin
		if start, err = w.origin(own, len(l.Groups)); err != nil {
			return err
		}
		m, err = moments.FindAggregates(w.ctx, f, w.means(met, start), w.unknowns, o)
	}
	if err != nil {
		return w.inRow(err, l.Line)
	}
	w.matched(m)
	return nil
}

// means are those of the log, which count by its weights.
func (w *work) means(met moments.Exposure, start moments.Origin) moments.Aggregates {
	l := w.log
	a := moments.Aggregates{Exposure: met, Start: start, Time: l.Turn, Group: l.Group, Mean: l.States.Data}
	if l.Weight == nil {
		return a
	}
	m := len(l.States.Names)
	a.Count, a.Mean = l.Weight, slices.Clone(a.Mean)
	for i := range a.Mean {
		a.Mean[i] *= l.Weight[i/m] // totals of so many
	}
	return a
}

func (w *work) noise() []population.Number {
	if w.spec.Model == nil {
		return nil
	}
	return lists.Of(w.spec.Model.Noise, func(n world.ModelNoise) population.Number { return n.Law })
}

// origin are the people of the spec, whom means are of, for every group.
func (w *work) origin(own, groups int) (o moments.Origin, err error) {
	if !w.spec.OwnPeople() {
		return o, &MisfitError{"population", "missing: a log of means does not say who people are, so that the spec must, with first states as they were at the first time"}
	}
	root := w.spec.Written()
	root.Drop("data")
	for _, u := range w.spec.Unknowns() {
		if w.spec.Model == nil {
			root.Get("dynamics").Put(u.Name, form.Finite().Write(u.Start()))
			continue
		}
		root.Get("model").Get("let").Put(u.Name, (&Inference{Found: slices.Repeat([]Inferred{{Value: Amount(u.Start())}}, u.Entries())}).value(u, 0))
	}
	found := &form.Mistakes{}
	s := problem.Read(w.spec.Kinds, root, found)
	if err := found.Join(); err != nil {
		return o, err
	}
	p, err := problem.BuildWithin(w.ctx, "people", s, w.files)
	if err != nil {
		return o, err
	}
	view := func(rows kedge.Rows) []float64 {
		n, width := rows.Size()
		return slices.Clone(rows.View(make([]float64, n*width), 0, n))
	}
	states, traits := view(p.States), view(p.Traits)
	for g := range max(1, groups) {
		o.States, o.Traits = append(o.States, states...), append(o.Traits, traits...)
		o.Group = append(o.Group, slices.Repeat([]int{g}, p.Individuals())...)
	}
	return o, nil
}

// matched writes down what was found.
func (w *work) matched(m *moments.Matched) {
	out := w.out
	out.Method = Matching
	w.found(&m.Fitted, "at its bound, where errors by derivatives say nothing", func(j int) (low, high float64) { return m.Interval(j, 0.95) })
	if w.untold(); !out.Told() {
		out.Cov = nil
	}
	out.Warn = append(out.Warn, m.Warnings...)
	out.Notes = append(out.Notes, m.Assumes...)
	if !math.IsNaN(m.Chance) {
		out.Notes = append(out.Notes, fmt.Sprintf("%d moments (%v); a true model is as far from them with chance %.3g (Hansen's J = %.3g).", m.Moments, m.Match, m.Chance, m.Distance))
	}
}
