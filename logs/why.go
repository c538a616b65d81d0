package logs

import (
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/record"
)

// why says in words what a log does not tell: which decisions and numbers beside them never moved, or always together.
func (w *work) why(names []string, plain string) string {
	still, pairs := w.stuck()
	what, _, _ := strings.Cut(plain, ": ")
	switch {
	case len(names) == 0 || len(still)+len(pairs) == 0:
		return plain
	case len(still) > 0 && len(pairs) > 0:
		return what + ": " + moved(still) + ", and " + together(pairs)
	case len(still) > 0:
		return what + ": " + moved(still)
	}
	return what + ": " + together(pairs)
}

func moved(still []string) string { return phrase.Enumerate(still) + " never moved" }

func together(pairs [][2]string) string {
	var words []string
	for _, p := range pairs {
		words = append(words, p[0]+" and "+p[1])
	}
	return strings.Join(words, ", ") + " always moved together"
}

// stuck finds decisions and covariates that never moved, and pairs of them that always moved together, in the rows of pairs.
func (w *work) stuck() (still []string, pairs [][2]string) {
	l := w.log
	var names []string
	var columns [][]float64
	for _, part := range []*record.Columns{&l.Decision, &l.Beside} {
		for j, name := range part.Names {
			column := make([]float64, len(w.pairs.After))
			for i, row := range w.pairs.After {
				if w.spec.Data.From == record.AsBefore {
					row = w.pairs.Before[i]
				}
				column[i] = part.Row(row)[j]
			}
			if slices.Min(column) == slices.Max(column) {
				still = append(still, name)
				continue
			}
			names, columns = append(names, name), append(columns, unit(column))
		}
	}
	for i := range columns {
		for j := range i {
			sum := 0.0
			for r, v := range columns[i] {
				sum += float64(v * columns[j][r])
			}
			if math.Abs(sum) > 1-1e-9 {
				pairs = append(pairs, [2]string{names[j], names[i]})
			}
		}
	}
	return still, pairs
}

// unit takes the mean out of a column and makes its length 1.
func unit(x []float64) []float64 {
	mean, size := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i, v := range x {
		x[i] = v - mean
		size = max(size, math.Abs(x[i]))
	}
	sum := 0.0
	for i := range x {
		x[i] /= size
		sum += float64(x[i] * x[i])
	}
	for i := range x {
		x[i] /= math.Sqrt(sum)
	}
	return x
}
