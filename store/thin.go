package store

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/session"
)

// PageOf thins series to buckets of as many decisions as it takes. Read visits the numbers of a name from a decision on.
func PageOf(names []string, from, newest, points int, read func(name string, from int, visit func(k int, v float64)) error) (*session.SeriesPage, error) {
	from, points = max(1, from), max(1, points)
	page := &session.SeriesPage{K: []int{}, Series: map[string]session.Extremes{}}
	width := max(1, (newest-from+points)/points)
	for k := from; k <= newest; k += width {
		page.K = append(page.K, k)
	}
	for _, name := range names {
		least, most := slices.Repeat(session.Sparse{math.NaN()}, len(page.K)), slices.Repeat(session.Sparse{math.NaN()}, len(page.K))
		err := read(name, from, func(k int, v float64) {
			if k < from || k > newest || math.IsNaN(v) {
				return
			}
			at := (k - from) / width
			if !(least[at] <= v) {
				least[at] = v
			}
			if !(most[at] >= v) {
				most[at] = v
			}
		})
		if err != nil {
			return nil, err
		}
		page.Series[name] = session.Extremes{Min: least, Max: most}
	}
	return page, nil
}
