// Package forecast says whether a fitted model is any good: how it forecasts beside simpler ways, whether errors follow from earlier ones, and
// whether its numbers stay the same over time and over groups of people.
package forecast

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
)

// check refuses logs without times, and with two rows of one person at one time.
func check(f *formula.Regressor, l fit.Log) (order []int, err error) {
	n := len(l.Person)
	if len(l.Time) != n || len(l.After) != n*f.States || len(l.States) != n*f.States || len(l.Beside) != n*f.Beside || n == 0 {
		return nil, &fit.InputError{Row: -1, What: fmt.Sprintf("%d rows, %d times, %d states, %d states after and %d numbers beside: every row has a time here, and all of them", n, len(l.Time), len(l.States), len(l.After), len(l.Beside))}
	}
	order = kedge.Some(n, n)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(l.Person[a], l.Person[b]), cmp.Compare(l.Time[a], l.Time[b]))
	})
	for k, i := range order[1:] {
		if before := order[k]; l.Person[i] == l.Person[before] && l.Time[i] == l.Time[before] {
			return nil, &fit.InputError{Row: i, What: fmt.Sprintf("repeats row %d: one person has two rows of time %d", before+1, l.Time[i])}
		}
	}
	return order, nil
}
