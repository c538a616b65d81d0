package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/steady"
)

// note adds what a reader must know.
func (r *run) note(format string, args ...any) {
	r.result.Notes = append(r.result.Notes, fmt.Sprintf(format, args...))
}

// mostMemories is how many individuals are asked whether they remember where they come from.
const mostMemories = 64

// remember says for how many people where they settle depends on where they come from.
func (r *run) remember() {
	p := r.problem
	found := steady.Remember(p.Alone(), p.Some(mostMemories), [][]float64{p.Start, r.meter.Optimum.Decision})
	if found.Either == 0 {
		return
	}
	r.note("Where people settle depends on where they come from: another start leads %d of the %d looked at to another steady state, %d from their own trait and %d from where they settle under the first decision or the optimum. "+
		"Values are those of people who come from their first states, as population.states says; those of people who have been elsewhere differ.", found.Either, found.Looked, found.FromTrait, found.FromOther)
}

// nameOf is what an entry is called.
func nameOf(called []kedge.Called, i int) string {
	return cmp.Or(kedge.CalledAt(called, i).Name, fmt.Sprintf("entry %d", i))
}

// mourn says which parts of people are gone once they have settled, whatever is decided.
func (r *run) mourn() {
	p := r.problem
	decisions := [][]float64{p.Start, r.meter.Optimum.Decision}
	for _, side := range []float64{-1, 1} { // and two on the other sides of the set
		u := slices.Repeat([]float64{side * (1 + rows.MaxAbs(p.Start))}, len(p.Start))
		if p.Set.Project(u) == nil {
			decisions = append(decisions, u)
		}
	}
	gone := steady.Vanished(p.Alone(), p.Some(mostMemories), decisions)
	names := lists.Of(gone, func(j int) string { return nameOf(p.Spec.Called().State, j) })
	if len(names) > 0 {
		r.note("Once people have settled nothing is left of %s, whatever is decided: that of all the people looked at is 0 under each of %d decisions. Settled values do not depend on it; "+
			"give the model what comes anew, or judge by record.rollout after so many steps.", phrase.Enumerate(names), len(decisions))
	}
}

// tally is at how many of all measured turns a number of a method is of a kind.
func tally(one folder.Run, column string, is func(v float64) bool) (n, all int) {
	for _, t := range one.Trials {
		for _, v := range t.Of(column) {
			all++
			if is(v) {
				n++
			}
		}
	}
	return n, all
}

// unsettled tells which methods deployed decisions under which not everybody settles.
func unsettled(r *folder.Result) (notes []string) {
	for _, one := range r.Runs {
		missing, all := tally(one, "value", math.IsNaN)
		if missing > 0 {
			notes = append(notes, fmt.Sprintf("%s was at decisions under which not everybody settles at %d of %d measured turns: there is no value there. Shorter steps or a smaller set keep away from them.", one.Name, missing, all))
		}
	}
	return notes
}

// mistrust tells in how many of the measured turns an algorithm that learns did not rely on what it had learned.
func mistrust(r *folder.Result) (notes []string) {
	for _, one := range r.Runs {
		learned, _ := tally(one, "trust", func(trust float64) bool { return trust >= 0 })
		vanilla, _ := tally(one, "trust", func(trust float64) bool { return trust == 0 })
		if vanilla > 0 && vanilla == learned {
			notes = append(notes, fmt.Sprintf("%s took vanilla steps at %d measured turns, because the population was so far from settled that the formula of its sensitivity has no answer there.", one.Name, vanilla))
		} else if vanilla > 0 {
			notes = append(notes, fmt.Sprintf("%s did not trust the sensitivity it had learned at %d of %d measured turns and took vanilla steps.", one.Name, vanilla, learned))
		}
	}
	return notes
}
