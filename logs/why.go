package logs

import (
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/record"
)

// why says in words what a log does not tell, and, where that shows, which decisions and numbers beside them never moved, or always together.
func (w *work) why(plain string) string {
	what, _, _ := strings.Cut(plain, ": ")
	still, common, pairs := w.stuck()
	var reasons []string
	if still != nil {
		reasons = append(reasons, phrase.Enumerate(still)+" never moved")
	}
	if common != nil {
		reasons = append(reasons, phrase.Enumerate(common)+" moved for all alike, which effects of times take out")
	}
	if pairs != nil {
		reasons = append(reasons, together(pairs))
	}
	if reasons == nil {
		return plain
	}
	return what + ": " + strings.Join(reasons, ", and ")
}

// found writes the numbers down with the ends of their intervals, and what cannot be told.
func (w *work) found(f *fit.Fitted, atBound string, ends func(j int) (low, high float64)) {
	out, k := w.out, len(w.unknowns)
	out.Tried, out.Agreed = f.Tried, f.Agreed
	for j, u := range w.unknowns {
		low, high := ends(j)
		one := Inferred{Name: u.Name, Value: Amount(f.Value[j]), Error: Amount(f.Error[j]), Low: Amount(low), High: Amount(high)}
		switch {
		case math.IsInf(f.Error[j], 1) || math.IsNaN(f.Error[j]) || math.IsNaN(f.Value[j]) || slices.Contains(w.dark, u.Name) && u.Deviation == 0:
			one = Inferred{Name: u.Name, Value: unknown(), Error: unknown(), Low: unknown(), High: unknown(), Note: "cannot be told"}
		case f.Held[j]:
			one.Error, one.Low, one.High, one.Note = unknown(), unknown(), unknown(), atBound
		}
		out.Found, out.Cov = append(out.Found, one), append(out.Cov, f.Cov[j*k:(j+1)*k])
	}
	for _, b := range f.Blind {
		out.Blind = append(out.Blind, w.why(b.String()))
	}
}

// untold adds those of which nothing was found to what cannot be told, if no direction names them.
func (w *work) untold() {
	var names []string
	for _, f := range w.out.Found {
		if !f.Value.Known() && !slices.ContainsFunc(w.out.Blind, func(text string) bool { return strings.Contains(text, f.Name) }) {
			names = append(names, f.Name)
		}
	}
	if names != nil {
		because := "errors have no end"
		if slices.Contains(w.dark, names[0]) {
			because = "nothing that goes with it moves once effects are taken out"
		}
		w.out.Blind = append(w.out.Blind, w.why(phrase.Enumerate(names)+" cannot be told: "+because))
	}
}

func together(pairs [][2]string) string {
	words := lists.Of(pairs, func(p [2]string) string { return p[0] + " and " + p[1] })
	return strings.Join(words, ", ") + " always moved together"
}

// stuck finds decisions and covariates that never moved, those that moved for all alike where times have effects, and pairs that always moved together,
// in the rows of pairs.
func (w *work) stuck() (still, common []string, pairs [][2]string) {
	l := w.log
	var names []string
	var columns [][]float64
	for _, part := range []*record.Columns{&l.Decision, &l.Beside} {
		for j, name := range part.Names {
			column := w.column(part, j)
			if slices.Min(column) == slices.Max(column) {
				still = append(still, name)
				continue
			}
			if w.ofTimes() && w.alike(column) {
				common = append(common, name)
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
	return still, common, pairs
}

// column is one of the rows that tell: those of pairs or, where nobody is seen again, all.
func (w *work) column(part *record.Columns, j int) (out []float64) {
	rows := w.pairs.After
	switch {
	case w.spec.Data.Kind != record.Panel:
		for row := range w.log.Rows() {
			out = append(out, part.Row(row)[j])
		}
		return out
	case w.spec.Data.From == record.AsBefore:
		rows = w.pairs.Before
	}
	for _, row := range rows {
		out = append(out, part.Row(row)[j])
	}
	return out
}

// alike tells whether a column is the same for all at every time.
func (w *work) alike(column []float64) bool {
	at := map[int]float64{}
	for i, turn := range w.turn {
		if v, seen := at[turn]; seen && v != column[i] {
			return false
		}
		at[turn] = column[i]
	}
	return true
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
