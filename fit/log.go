package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Log is what was seen: for every row where somebody was, what stood beside that (the trait, the decision, other columns), and where he was a step later.
type Log struct {
	States, Beside, After []float64 // row by row
	Person                []int     // whose row it is: errors of one person may have to do with each other
	Weight                []float64 // how much a row counts; nil: all alike
	Time                  []int     // when it was, where times have effects or the order of a person's rows is asked for
}

// Unknown is what is asked of one number.
type Unknown struct {
	Name         string
	Start        float64
	Lower, Upper float64 // infinite where there is no bound
	Mean         float64 // of what is known beforehand, if Deviation is above 0
	Deviation    float64
}

// Free is a number of which nothing is known.
func Free(name string, start float64) Unknown {
	return Unknown{Name: name, Start: start, Lower: math.Inf(-1), Upper: math.Inf(1)}
}

// InputError says what of a log or of the unknowns cannot be used.
type InputError struct {
	Row  int // from 0; -1: not of a row
	What string
}

func (e *InputError) Error() string {
	if e.Row < 0 {
		return e.What
	}
	return fmt.Sprintf("row %d: %s", e.Row+1, e.What)
}

func (l Log) rows(f *formula.Regressor) int { return len(l.After) / f.States }

// weight is how much a row counts.
func (l Log) weight(i int) float64 { return rows.Weight(l.Weight, i) }

// evened are weights whose mean over rows that count is 1, as it is without weights: a unit of weights makes nothing more certain.
func evened(weight []float64) []float64 {
	if weight == nil {
		return nil
	}
	largest, sum, count := slices.Max(weight), 0.0, 0.0
	for _, w := range weight {
		if w > 0 {
			sum, count = sum+w/largest, count+1
		}
	}
	return lists.Of(weight, func(w float64) float64 { return w / largest * (count / sum) })
}

// total is how much all rows count.
func (l Log) total(f *formula.Regressor) (sum float64) {
	for i := range l.rows(f) {
		sum += l.weight(i)
	}
	return sum
}

// People numbers people from 0 as they come: how many there are, and whose each row is.
func (l Log) People() (n int, group []int) {
	var known map[int]int // where they do not come in the order of their numbers
	group = make([]int, len(l.Person))
	for i, id := range l.Person {
		switch {
		case i > 0 && id == l.Person[i-1]:
			group[i] = group[i-1]
			continue
		case known == nil && (i == 0 || id > l.Person[i-1]):
			group[i] = n
			n++
			continue
		case known == nil:
			known = map[int]int{}
			for j, who := range group[:i] {
				known[l.Person[j]] = who
			}
		}
		at, seen := known[id]
		if !seen {
			at = n
			known[id] = at
			n++
		}
		group[i] = at
	}
	return n, group
}

// Part is the log of some rows.
func (l Log) Part(f *formula.Regressor, rows []int) Log {
	return Log{
		States: pick(l.States, f.States, rows), Beside: pick(l.Beside, f.Beside, rows), After: pick(l.After, f.States, rows),
		Person: pick(l.Person, 1, rows), Weight: pick(l.Weight, 1, rows), Time: pick(l.Time, 1, rows),
	}
}

// pick takes some rows of a table that has so many columns; nil: there is none.
func pick[T any](table []T, columns int, rows []int) []T {
	if table == nil {
		return nil
	}
	out := make([]T, 0, len(rows)*columns)
	for _, i := range rows {
		out = append(out, table[i*columns:(i+1)*columns]...)
	}
	return out
}

// counting is how many rows count, and the numbers of the people who have such rows.
func (l Log) counting(f *formula.Regressor) (rows int, who []int) {
	n, group := l.People()
	counts := make([]bool, n)
	for i := range l.rows(f) {
		if l.weight(i) > 0 {
			rows++
			counts[group[i]] = true
		}
	}
	for i, yes := range counts {
		if yes {
			who = append(who, i)
		}
	}
	return rows, who
}

// most is the largest number that a log may have.
const most = 1e140

// check refuses logs that do not fit the model.
func (l Log) check(f *formula.Regressor, unknowns []Unknown, o Options) error {
	n := l.rows(f)
	switch {
	case len(unknowns) != f.Unknowns:
		return &InputError{-1, fmt.Sprintf("%d unknowns are described, the model has %d", len(unknowns), f.Unknowns)}
	case len(l.After) != n*f.States || len(l.States) != n*f.States || len(l.Beside) != n*f.Beside || len(l.Person) != n || l.Weight != nil && len(l.Weight) != n || l.Time != nil && len(l.Time) != n:
		return &InputError{-1, fmt.Sprintf("%d states, %d states after, %d numbers beside, %d people, %d weights and %d times are not of the same rows", len(l.States), len(l.After), len(l.Beside), len(l.Person), len(l.Weight), len(l.Time))}
	case (o.Unseen == Known) != (f.Traits == 0):
		return &InputError{-1, fmt.Sprintf("%d entries of traits are to be found by the model, and the fit is asked for %s", f.Traits, o.Unseen)}
	case o.Trait != nil && len(o.Trait) != f.Traits || !rows.Finite(o.Trait):
		return &InputError{-1, fmt.Sprintf("traits begin at %v, want %d numbers", o.Trait, f.Traits)}
	case f.Traits > mostTraits:
		return &InputError{-1, fmt.Sprintf("traits of %d entries, want %d at most where they are to be found", f.Traits, mostTraits)}
	case o.Times && l.Time == nil:
		return &InputError{-1, "effects of times are asked for, and rows have no time"}
	case n*f.States <= f.Unknowns:
		return &InputError{-1, fmt.Sprintf("%d rows say nothing of %d unknown numbers", n, f.Unknowns)}
	}
	for _, c := range []struct {
		what string
		x    []float64
		each int
	}{{"a state", l.States, f.States}, {"a number beside", l.Beside, f.Beside}, {"a state after", l.After, f.States}, {"a weight", l.Weight, 1}} {
		for i, v := range c.x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &InputError{i / c.each, fmt.Sprintf("%s is %v", c.what, v)}
			}
			if math.Abs(v) > most {
				return &InputError{i / c.each, fmt.Sprintf("%s is %v, whose square is beyond numbers: another unit", c.what, v)}
			}
		}
	}
	for i, w := range l.Weight {
		if w < 0 {
			return &InputError{i, fmt.Sprintf("its weight is %v", w)}
		}
	}
	if count, _ := l.counting(f); count*f.States <= f.Unknowns {
		return &InputError{-1, fmt.Sprintf("%d rows with a weight say nothing of %d unknown numbers", count, f.Unknowns)}
	}
	if err := l.checkLaws(f, o); err != nil {
		return err
	}
	return CheckUnknowns(unknowns)
}

// checkLaws refuses laws that do not fit the model or the log.
func (l Log) checkLaws(f *formula.Regressor, o Options) error {
	switch {
	case o.Laws == nil:
		return nil
	case len(o.Laws) != f.States:
		return &InputError{-1, "as many laws of errors are wanted as a state has entries"}
	case !isNormal(o.Laws) && (o.Unseen != Known || o.Times):
		return &InputError{-1, "errors that are not normal go with traits that are known and without effects of times"}
	}
	for i, y := range l.After {
		if fault := o.Laws[i%f.States].fault(y); fault != "" {
			return &InputError{i / f.States, fault}
		}
	}
	return nil
}

// moves is how far people move: the size of errors until they are known.
func moves(f *formula.Regressor, l Log) []float64 {
	spread := make([]float64, f.States)
	n := l.rows(f)
	for j := range spread {
		var sum float64
		for i := range n {
			d := l.After[i*f.States+j] - l.States[i*f.States+j]
			sum += float64(d * d)
		}
		spread[j] = cmp.Or(math.Sqrt(sum/float64(n)), 1)
	}
	return spread
}
