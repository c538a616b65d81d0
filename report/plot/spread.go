package plot

import (
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
)

// mean is the mean of the finite numbers among values.
func mean(values []float64) float64 {
	s, _ := folder.SpreadOfFinite(values)
	return s.Mean
}

// measuredIn counts the finite numbers among values.
func measuredIn(values []float64) int {
	_, count := folder.SpreadOfFinite(values)
	return count
}

// middle is where the finite numbers among values lie but for the lowest and the highest tenth. There is at least one.
func middle(values []float64) (low, high float64) {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !phrase.Finite(v) })
	slices.Sort(sorted)
	return rows.Quantile(sorted, 0.1), rows.Quantile(sorted, 0.9)
}
