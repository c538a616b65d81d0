// Package advice words what a result advises to do, which every report begins with.
package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
)

// Reasons are what others have found out about a result.
type Reasons struct {
	Follow     string   // the method that stays nearest to an optimum that moves; empty where it stays
	Value      float64  // of that method in the end
	Standing   string   // how much is known of the optimum
	Retraining string   // where retraining settles, in a sentence
	Doubts     []string // what spoils the result
}

// The sources of an answer that are no methods.
const (
	fromOptimum     = "optimum"
	fromEquilibrium = "equilibrium"
	fromDraws       = "draws"
)

// wording is advice under way.
type wording struct {
	*folder.Advice
	of    *folder.Result
	known Reasons
}

// Of says what to do by a result, and what may be wrong with that; nil where nothing is known.
func Of(r *folder.Result, known Reasons) *folder.Advice {
	value := folder.Estimate{Name: r.Names.Value.Name, Unit: r.Names.Value.Unit}
	a := wording{&folder.Advice{Value: value, Interval: "No interval is known.", Doubts: known.Doubts}, r, known}
	switch {
	case known.Follow != "":
		a.follow(known.Follow)
	case r.Equilibrium != nil:
		a.settle(fromEquilibrium, r.Equilibrium)
		a.Text = "The players come to rest at " + a.settings() + ": none of them gains by moving alone."
	case r.OverDraws != nil:
		a.settle(fromDraws, &r.OverDraws.Robust)
		a.Text = "Set " + a.settings() + "."
		a.wager(r.OverDraws)
	case len(r.Optimum.Decision) > 0:
		a.settle(fromOptimum, &r.Optimum)
		a.Text = "Set " + a.settings() + "."
		a.compare()
		if e := r.Optimum.Evidence; e != nil && e.Standing != folder.Proven {
			a.Doubts = slices.Concat([]string{"That nothing is better is not proven: the answer is " + known.Standing + "."}, known.Doubts)
		}
	default:
		return nil
	}
	return a.Advice
}

// settle answers with a point found offline.
func (a wording) settle(source string, p *folder.Point) {
	a.Source, a.Value.Value = source, p.Value
	s := p.Sampling
	for i, v := range p.Decision {
		called := a.of.NameOf(i)
		one := folder.Estimate{Name: called.Name, Unit: called.Unit, Value: v, Exact: i < len(p.Exact) && p.Exact[i]}
		if s != nil && s.Why == "" {
			one.Low, one.High = &s.Low[i], &s.High[i]
		}
		a.Decision = append(a.Decision, one)
	}
	switch {
	case s != nil && s.Why == "":
		a.Value.Low, a.Value.High = &s.Value.Low, &s.Value.High
		a.Interval = fmt.Sprintf("An interval holds what is best for all those of whom these %s are a sample, in 95 of 100 such samples, if the model is right.", phrase.CountGrouped(a.of.Individuals, "individual"))
	case s != nil && s.Value != nil:
		a.Value.Low, a.Value.High = &s.Value.Low, &s.Value.High
		a.Interval = fmt.Sprintf("The interval holds what this decision is worth for all those of whom these %s are a sample, in 95 of 100 such samples, if the model is right. "+
			"The decision itself has none: it is one of separate points, which either stays or jumps.", phrase.CountGrouped(a.of.Individuals, "individual"))
	case s != nil:
		a.Interval = "No interval says how much the answer owes to who happened to be there: " + s.Why + "."
	}
	if source == fromDraws {
		a.Interval = a.drawn(a.of.OverDraws)
	}
	does := map[bool]string{false: "It costs", true: "It earns"}[a.of.Maximize]
	if a.Value.Name != "" {
		does = "The " + a.Value.Name + " is"
	}
	a.Details = append(a.Details, does+" "+estimated(a.Value)+" once people have settled.", a.Interval)
}

// compare says what retraining loses against the answer.
func (a wording) compare() {
	p, best := &a.of.Stable, &a.of.Optimum
	if !phrase.Finite(p.Gap) || len(p.Decision) == 0 {
		return
	}
	if p.Gap < 1e-12 {
		if a.known.Retraining != "" {
			a.Details = append(a.Details, a.known.Retraining)
		}
		return
	}
	lost := math.Abs(best.Value - p.Value)
	a.Retraining = &folder.Loss{Decision: p.Decision, Value: p.Value, Lost: lost, Relative: p.Gap}
	a.Details = append(a.Details, fmt.Sprintf("Plain retraining would settle at %s and lose %s, %s.",
		a.listed(lists.Of(p.Decision, func(v float64) string { return phrase.Digits(v, 4) }), nil), a.of.Names.Value.In(phrase.Digits(lost, 3)), phrase.Percent(p.Gap)))
}

// follow answers with the method that stays nearest to an optimum that moves.
func (a wording) follow(method string) {
	a.Source, a.Value.Value = method, a.known.Value
	i := slices.IndexFunc(a.of.Runs, func(run folder.Run) bool { return run.Name == method })
	ends := a.of.Decisions(&a.of.Runs[i])
	a.Decision = lists.Of(ends, func(e folder.DecisionSpread) folder.Estimate {
		return folder.Estimate{Name: e.Name, Unit: e.Unit, Value: e.Mean, Low: e.Low, High: e.High}
	})
	if slices.ContainsFunc(ends, func(e folder.DecisionSpread) bool { return e.Low != nil }) {
		a.Interval = "An interval holds the mean of many such trials, in 95 of 100 cases."
	}
	a.Text = "The optimum moves: let " + method + " decide every turn, which follows it most closely."
	a.Details = append(a.Details, "After the last turn it set "+a.settings()+".", a.Interval)
}

// settings are the entries of the decision in words: "apples = 5.16 EUR (5.02 … 5.30), pears = …" or "q = 5.16, 7.03".
func (a wording) settings() string {
	numbers := lists.Of(a.Decision, func(e folder.Estimate) string { n, _ := digits(e); return n })
	ranges := lists.Of(a.Decision, func(e folder.Estimate) string { _, r := digits(e); return r })
	return a.listed(numbers, ranges)
}

// Up to mostSettings entries of a decision stand in a sentence; of more, a few.
const (
	mostSettings = 8
	fewSettings  = 3
)

// listed joins numbers of the decision's entries, with what stands behind each.
func (a wording) listed(numbers, behind []string) string {
	named := len(a.of.Names.Decision) > 0 && a.of.Names.Decision[0].Name != ""
	var list []string
	shown := len(numbers)
	if shown > mostSettings {
		shown, behind = fewSettings, nil
	}
	for i, number := range numbers[:shown] {
		called := a.of.NameOf(i)
		number = called.In(number)
		if named {
			number = called.Name + " = " + number
		}
		if behind != nil && behind[i] != "" {
			number += " " + behind[i]
		}
		list = append(list, number)
	}
	if n := len(numbers); n > mostSettings {
		list = append(list, fmt.Sprintf("… (%d entries, all in the table of decisions)", n))
	}
	words := strings.Join(list, ", ")
	if named {
		return words
	}
	return cmp.Or(a.of.Names.Symbol, "u") + " = " + words
}

// estimated is an estimate in words, with its unit.
func estimated(e folder.Estimate) string {
	number, reach := digits(e)
	return strings.TrimRight(kedge.Called{Unit: e.Unit}.In(number)+" "+reach, " ")
}

// digits writes an estimate with four digits, or as many as its interval gives a meaning to, and the interval in parentheses.
func digits(e folder.Estimate) (number, reach string) {
	number = phrase.Digits(e.Value, 4)
	if e.Exact {
		number = phrase.Exact(e.Value)
	}
	if e.Low == nil || e.High == nil {
		return number, ""
	}
	half := (*e.High - *e.Low) / 2
	size := math.Abs(e.Value)
	if !(half > 1e-9*size) {
		return number, ""
	}
	decimals := max(0, 1-int(math.Floor(portable.Log10(half))))
	write := func(v float64) string { return phrase.Fixed(v, decimals) }
	if decimals > 6 || max(size, half) >= 1e9 {
		write = func(v float64) string { return phrase.Digits(v, 4) }
	} else if half < 1e-3*size {
		number = write(e.Value)
	}
	low, high := write(*e.Low), write(*e.High)
	if low == high {
		return number, "" // narrower than what is written
	}
	return number, "(" + low + "\u00a0…\u00a0" + high + ")"
}
