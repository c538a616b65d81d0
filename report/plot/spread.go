package plot

import (
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
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
	return quantile(sorted, 0.1), quantile(sorted, 0.9)
}

// quantile interpolates between the order statistics of sorted numbers.
func quantile(sorted []float64, share float64) float64 {
	at := float64(share * float64(len(sorted)-1))
	i := int(at)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + float64((at-float64(i))*(sorted[j]-sorted[i]))
}
