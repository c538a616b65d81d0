package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/report/page"
)

// plainMinus lets a terminal show a number that can be copied into a calculation.
func plainMinus(c page.TextCell) page.TextCell {
	return c.InShort(phrase.Typed(c.Text))
}

func inSmall(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// rangeCell shows the mean, and the range where there is one.
func rangeCell(s *compare.Range) page.TextCell {
	c := meanCell(s, phrase.Brief)
	if s != nil && s.Min < s.Max {
		c.Small = []string{phrase.Minus(fmt.Sprintf("%.2g", s.Min)) + " … " + phrase.Minus(fmt.Sprintf("%.2g", s.Max))}
	}
	return c
}

// meanCell shows the mean alone.
func meanCell(s *compare.Range, text func(float64) string) page.TextCell {
	if s == nil {
		return page.Words("–")
	}
	return plainMinus(page.Number(s.Mean, text))
}

// longest is how wide a terminal shows the names of methods.
func longest(rows []compare.Row) int {
	return slices.Max(append(lists.Of(rows, func(m compare.Row) int { return page.PrintedWidth(m.Method) }), 8))
}

// inDigits lets a terminal show a number with so many digits.
func inDigits(c page.TextCell, v float64, digits int) page.TextCell {
	if v == 0 {
		v = 0 // without its sign
	}
	return c.InShort(strconv.FormatFloat(v, 'g', digits, 64))
}

// terminalDigits is with how many digits a terminal shows a column.
func terminalDigits(column string) int {
	if column == "value" {
		return 9
	}
	return 3
}

func spreadCell(s *folder.Spread, text func(float64) string) page.TextCell {
	if s == nil {
		return page.Number(math.NaN(), text)
	}
	return page.Number(s.Mean, text, reach(*s, text)...)
}

// reach is from the least to the greatest, where they differ.
func reach(s folder.Spread, text func(float64) string) []string {
	if s.Min < s.Max {
		return []string{text(s.Min) + " … " + text(s.Max)}
	}
	return nil
}

func settingCell(v string) page.TextCell { return page.Words(setting(v)) }

// setting is the beginning of a value of a spec.
func setting(v string) string {
	const most = 60
	switch short := []rune(v); {
	case v == "":
		return phrase.Absent
	case len(short) > most:
		return string(short[:most]) + "…"
	}
	return v
}

// valueIn shows the value of a key in a cell, numbers with six digits.
func valueIn(c *folder.CellResult, key int) string {
	if n := c.Numbers[key]; phrase.Finite(n) {
		return phrase.Shortest(n)
	}
	return setting(c.Values[key])
}

// valueDigits is with how many digits the smallest gap can be seen in a value.
func valueDigits(r *folder.Result) int {
	n := 6
	for _, run := range r.Runs {
		if gap := final(run, "gap").Mean; gap > 0 {
			n = max(n, 2-int(math.Floor(portable.Log10(gap))))
		}
	}
	return min(n, 12)
}

// valueFormat shows values with so many digits that the smallest gap can be seen.
func valueFormat(r *folder.Result) func(float64) string {
	n := valueDigits(r)
	return func(v float64) string {
		if a := math.Abs(v); a < 1e-4 || a >= 1e9 {
			return phrase.Plain(v)
		}
		return phrase.Digits(v, n)
	}
}

func vectorWords(u []float64, most int) string {
	return firstOf(u, most, func(v float64) string { return phrase.Shortest(compare.Cleaned(v)) })
}

// firstOf writes so many numbers of a list at most; an ellipsis stands for the others.
func firstOf(u []float64, most int, write func(float64) string) string {
	list := lists.Of(u[:min(len(u), most)], write)
	if len(u) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}
