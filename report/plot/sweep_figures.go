package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/draw"
)

// SweepFigures draws where the algorithms of a sweep ended: lines over one numeric key, a heat map over two, and small
// multiples of either by a third key or one of words. Further keys are averaged over. There is no figure when nothing was
// measured or no key takes two values.
func SweepFigures(r *folder.SweepResult) ([]draw.Figure, error) {
	return draw.Render(SweepSketches(r)...)
}

// SweepSketches are the figures of a sweep, yet to be rendered.
func SweepSketches(r *folder.SweepResult) []draw.Sketch {
	sheet := SweepSheet(r.Name, r)
	gap, err := sheet.column("gap")
	if err != nil || measuredIn(gap.numbers) == 0 {
		return nil
	}
	failed := ""
	if n := r.Failed(); n > 0 {
		failed = fmt.Sprintf(" %s failed and are left out.", phrase.Count(n, "cell"))
	}
	var list []draw.Sketch
	for _, p := range sweepPlots(sheet) {
		d, err := p.data([]*Sheet{sheet})
		if err != nil {
			continue // too many panels to be seen
		}
		s, err := d.sketch()
		if err != nil {
			continue // an algorithm without a gap
		}
		s.Name, s.Title = p.Title, "Final gap to the optimum"
		if len(p.Where) > 0 {
			s.Title += ", " + strings.TrimPrefix(p.Where[0], "algorithm=")
		}
		s.Caption = strings.ToUpper(s.Caption[:1]) + s.Caption[1:] + bestCell(d) + failed
		list = append(list, s)
	}
	return list
}

// sweepPlots are the figures of a sweep by its keys. Their titles are file names.
func sweepPlots(s *Sheet) []Plot {
	numeric, words := s.keys()
	facet := ""
	switch {
	case len(words) > 0:
		facet = words[0].name
	case len(numeric) > 2:
		facet = fewest(numeric).name
		numeric = slices.DeleteFunc(numeric, func(c *series) bool { return c.name == facet })
	}
	switch len(numeric) {
	case 0:
		if facet == "" {
			return nil
		}
		return []Plot{{Kind: Heat, X: facet, By: "algorithm", Y: "gap", Title: "gap"}}
	case 1:
		return []Plot{{Kind: Line, X: numeric[0].name, Y: "gap", By: "algorithm", Facet: facet, Title: "gap"}}
	}
	heat := Plot{Kind: Heat, X: numeric[0].name, By: numeric[1].name, Y: "gap", Facet: facet, Title: "gap"}
	if facet == "" {
		heat.Facet = "algorithm"
		return []Plot{heat}
	}
	return eachAlgorithm(s, heat)
}

// eachAlgorithm repeats a plot for every algorithm.
func eachAlgorithm(s *Sheet, p Plot) []Plot {
	algorithm, _ := s.column("algorithm") // every sweep has it
	var list []Plot
	for i, name := range algorithm.values() {
		p.Where, p.Title = []string{"algorithm=" + name}, "gap-"+fileName(name, i)
		list = append(list, p)
	}
	return list
}

// fileName is a name if it can be part of a file's name anywhere, otherwise its number.
func fileName(name string, i int) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && len(name) <= 40 {
		return name
	}
	return strconv.Itoa(i + 1)
}

// fewest is the column with the fewest values.
func fewest(list []*series) *series {
	return slices.MinFunc(list, func(a, b *series) int { return cmp.Compare(len(a.values()), len(b.values())) })
}

// bestCell says where every algorithm came closest to the optimum.
func bestCell(d *plotted) string {
	algorithm, _ := d.column("algorithm") // every sweep has it
	var best []string
	for _, part := range split(algorithm, d.all()) {
		rows := slices.DeleteFunc(part.rows, func(i int) bool { return !phrase.Finite(d.y.numbers[i]) })
		if len(rows) == 0 {
			continue
		}
		row := slices.MinFunc(rows, func(a, b int) int { return cmp.Compare(d.y.numbers[a], d.y.numbers[b]) })
		best = append(best, fmt.Sprintf("%s comes closest at %s, to %s", part.name, d.cellName(row), phrase.Percent(d.y.numbers[row])))
	}
	if best == nil {
		return ""
	}
	return " " + strings.Join(best, "; ") + "."
}

// cellName names a cell by the keys of the figure.
func (d *plotted) cellName(row int) string {
	var parts []string
	for _, c := range []*series{d.x, d.by, d.facet} {
		if c != nil && c.swept {
			parts = append(parts, c.name+" = "+readable([]string{c.word(row)})[0])
		}
	}
	return strings.Join(parts, ", ")
}
