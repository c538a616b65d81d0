package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
)

// spread is a quantity over trials; all NaN when no trial has it.
type spread struct {
	mean, low, high float64
	count           int
}

// over gathers the finite numbers among values.
func over(values []float64) spread {
	s := spread{low: math.Inf(1), high: math.Inf(-1)}
	sum := 0.0
	for _, v := range values {
		if !phrase.Finite(v) {
			continue
		}
		sum += v
		s.low, s.high = min(s.low, v), max(s.high, v)
		s.count++
	}
	if s.count == 0 {
		return spread{mean: math.NaN(), low: math.NaN(), high: math.NaN()}
	}
	// Rounding can push the mean of equal numbers past them.
	s.mean = min(max(sum/float64(s.count), s.low), s.high)
	return s
}

// quantiles is over with the lowest and the highest tenth cut off.
func quantiles(values []float64) spread {
	s := over(values)
	if s.count > 0 {
		sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !phrase.Finite(v) })
		slices.Sort(sorted)
		s.low, s.high = quantile(sorted, 0.1), quantile(sorted, 0.9)
	}
	return s
}

// quantile interpolates between the order statistics of sorted numbers.
func quantile(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + float64((at-float64(i))*(sorted[j]-sorted[i]))
}

// row is a spread at one place of the horizontal axis, most often a turn.
type row struct {
	x float64
	spread
}

// rowsOf lines the trials of a run up by turn and leaves out turns at which nothing was measured. Of several columns it takes
// the greatest.
func rowsOf(run lab.Run, columns ...string) []row {
	at := map[int][]float64{}
	for _, t := range run.Trials {
		for i, v := range greatest(&t, columns) {
			at[t.K[i]] = append(at[t.K[i]], v)
		}
	}
	var rows []row
	for k, values := range at {
		if s := over(values); s.count > 0 {
			rows = append(rows, row{float64(k), s})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.x, b.x) })
	return rows
}

// greatest is the greatest of some columns at every turn of a trial, nil when it has none of them.
func greatest(t *lab.Trial, columns []string) []float64 {
	var most []float64
	for _, name := range columns {
		switch values := t.Of(name); {
		case most == nil:
			most = values
		case values != nil:
			most = slices.Clone(most)
			for i, v := range values {
				most[i] = max(most[i], v)
			}
		}
	}
	return most
}

// final is a column after the last measured turn, over trials.
func final(run lab.Run, column string) spread { return over(run.Final(column)) }

// thin keeps at most limit rows, among them the first, the last and every bucket's extremes, so that a thinned picture
// shows the same outline.
func thin(rows []row, limit int) []row {
	const perBucket = 4
	buckets := (limit - 2) / perBucket
	if len(rows) <= limit || buckets < 1 {
		return rows
	}
	last := len(rows) - 1
	keep := []int{0}
	for b := range buckets {
		from, to := 1+b*(last-1)/buckets, 1+(b+1)*(last-1)/buckets
		keep = append(keep, extremes(rows, from, to)...)
	}
	keep = append(keep, last)
	out := make([]row, len(keep))
	for i, j := range keep {
		out[i] = rows[j]
	}
	return out
}

// extremes returns where in rows[from:to] the mean is least and greatest, the band lowest and highest, in order.
func extremes(rows []row, from, to int) []int {
	at := [4]int{from, from, from, from}
	for i := from + 1; i < to; i++ {
		for j, lower := range [4]bool{
			rows[i].mean < rows[at[0]].mean, rows[i].mean > rows[at[1]].mean,
			rows[i].low < rows[at[2]].low, rows[i].high > rows[at[3]].high,
		} {
			if lower {
				at[j] = i
			}
		}
	}
	slices.Sort(at[:])
	return slices.Compact(at[:])
}

// tiniest is the smallest number worth showing: below it a relative error is rounding.
const tiniest = 1e-16

// floorOf returns the least positive number of the rows, at least tiniest, and whether anything lies below it.
func floorOf(all ...[]row) (floor float64, below bool) {
	floor, lowest := math.Inf(1), math.Inf(1)
	for _, rows := range all {
		for _, r := range rows {
			for _, v := range [3]float64{r.low, r.mean, r.high} {
				lowest = min(lowest, v)
				if v >= tiniest {
					floor = min(floor, v)
				}
			}
		}
	}
	if math.IsInf(floor, 1) {
		floor = tiniest
	}
	return floor, lowest < floor
}

// raise lifts what lies below the floor onto it.
func raise(rows []row, floor float64) []row {
	out := slices.Clone(rows)
	for i := range out {
		s := &out[i].spread
		s.low, s.mean, s.high = max(s.low, floor), max(s.mean, floor), max(s.high, floor)
	}
	return out
}
