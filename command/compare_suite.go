package command

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kedge-opt/kedge/lab/compare"
)

// suiteLines is the table of a suite, methods down and problems, by their numbers, across.
func suiteLines(s style, r *compare.Comparison) []string {
	wide := 8
	for _, m := range r.Arenas[0].Rows {
		wide = max(wide, len(m.Method))
	}
	head := fmt.Sprintf("%-*s", wide, "")
	for i := range r.Arenas {
		head += fmt.Sprintf(" %4d", i+1)
	}
	lines := []string{s.bold(head)}
	for j, m := range r.Arenas[0].Rows {
		line := fmt.Sprintf("%-*s", wide, m.Method)
		for i := range r.Arenas {
			mark := r.Arenas[i].Letters(&r.Arenas[i].Rows[j])
			line += " " + strings.Repeat(" ", max(0, 4-utf8.RuneCountInString(mark))) + mark
		}
		lines = append(lines, line)
	}
	lines = append(lines, "")
	for _, text := range compare.Legend() {
		lines = append(lines, wrap(text, min(s.width, 100))...)
	}
	lines = append(lines, "", s.bold(fmt.Sprintf("%-18s %-22s %-22s %10s", "", "stable", "optimal", "value")))
	for i := range r.Arenas {
		a := &r.Arenas[i]
		lines = append(lines, fmt.Sprintf("%2d %-15s %-22s %-22s %10.6g%s", i+1, a.Name, entries(a.Stable), entries(a.Optimal), a.Value, alike(a)))
	}
	return append(lines, "", fmt.Sprintf("every method tried %d steps on %d trials apart from those that are told; the grids are in the report", r.Points, r.Tuning))
}

func alike(a *compare.Arena) string {
	if a.Separates {
		return ""
	}
	return "  cannot separate"
}

// entries are the first two of a decision.
func entries(u []float64) string {
	var list []string
	for _, v := range u[:min(2, len(u))] {
		list = append(list, fmt.Sprintf("%.6g", compare.Cleaned(v)))
	}
	if len(u) > 2 {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}
