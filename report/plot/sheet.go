package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
)

// Sheet is what plots are made of: named columns of equal length. A run has a row a measured turn of a trial, a sweep a row
// an algorithm of a cell.
type Sheet struct {
	Name    string // tells its rows from those of other sheets
	columns []*series
	rows    int
}

// series is one column: words, numbers, or both where words can be read as numbers. Low and high are the range around a
// number that is a mean.
type series struct {
	name      string
	label     string // words for an axis, where they differ from the name
	swept     bool   // a key of a sweep
	words     []string
	numbers   []float64
	low, high []float64

	different []string // the different entries, once they are asked for
	at        []int    // which of them every row has
}

func (c *series) numeric() bool { return c.numbers != nil }

// word is an entry as people write it.
func (c *series) word(i int) string {
	if c.words != nil {
		return c.words[i]
	}
	return phrase.Minus(strconv.FormatFloat(c.numbers[i], 'g', -1, 64))
}

func (c *series) pick(rows []int) *series {
	out := &series{name: c.name, label: c.label, swept: c.swept, words: choose(c.words, rows), numbers: choose(c.numbers, rows)}
	out.low, out.high = choose(c.low, rows), choose(c.high, rows)
	return out
}

// choose returns some entries of a list, nil of none.
func choose[T any](list []T, rows []int) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = list[row]
	}
	return out
}

// Columns names the columns of a sheet.
func (s *Sheet) Columns() []string {
	var names []string
	for _, c := range s.columns {
		names = append(names, c.name)
	}
	return names
}

// column finds a column by its name.
func (s *Sheet) column(name string) (*series, error) {
	for _, c := range s.columns {
		if c.name == name {
			return c, nil
		}
	}
	all := strings.Join(s.Columns(), ", ")
	if near := form.Nearest(name, s.Columns()); near != "" {
		return nil, fmt.Errorf("there is no column %q; did you mean %s? The columns are %s", name, near, all)
	}
	return nil, fmt.Errorf("there is no column %q; the columns are %s", name, all)
}

// RunSheet is the series of a run: algorithm, trial, k and everything that was measured.
func RunSheet(name string, r *folder.Result) *Sheet {
	s := &Sheet{Name: name}
	algorithm, trial, turn := &series{name: "algorithm"}, &series{name: "trial"}, &series{name: "k"}
	s.columns = append(s.columns, algorithm, trial, turn)
	measured := make([]*series, 0, 16)
	for _, c := range r.Columns() {
		measured = append(measured, &series{name: c.Name, label: c.Axis()})
	}
	for _, run := range r.Runs {
		for _, t := range run.Trials {
			for _, k := range t.K {
				algorithm.words = append(algorithm.words, run.Name)
				trial.numbers, turn.numbers = append(trial.numbers, float64(t.Index)), append(turn.numbers, float64(k))
			}
			for _, c := range measured {
				c.numbers = append(c.numbers, t.Of(c.name)...)
			}
			s.rows += len(t.K)
		}
	}
	s.columns = append(s.columns, measured...)
	return s
}

// labelOf is words for an axis.
func (c *series) labelOf() string {
	switch c.name {
	case "k":
		return "turn k"
	case "trial", "algorithm":
		return c.name
	}
	switch {
	case c.label == "":
		return c.name
	case c.low != nil:
		return "final " + c.label
	}
	return c.label
}

// join puts sheets below each other, with their names in a column when there are several. A sheet without a column has
// nothing there.
func join(sheets []*Sheet) *Sheet {
	if len(sheets) == 1 {
		return sheets[0]
	}
	all := &Sheet{}
	folder := &series{name: "folder"}
	for _, s := range sheets {
		for _, c := range s.columns {
			if !slices.Contains(all.Columns(), c.name) {
				all.columns = append(all.columns, &series{name: c.name, label: c.label, swept: c.swept})
			}
		}
		all.rows += s.rows
		folder.words = append(folder.words, slices.Repeat([]string{s.Name}, s.rows)...)
	}
	for _, c := range all.columns {
		c.gather(sheets)
	}
	all.columns = append([]*series{folder}, all.columns...)
	return all
}

// gather fills a column from the sheets that have it: with numbers if all have numbers, otherwise with words.
func (c *series) gather(sheets []*Sheet) {
	var parts []*series
	numeric, ranged, worded := true, true, true
	for _, s := range sheets {
		part, err := s.column(c.name)
		if err != nil {
			part = &series{words: make([]string, s.rows), numbers: absentNumbers(s.rows), low: absentNumbers(s.rows), high: absentNumbers(s.rows)}
		} else {
			numeric, ranged, worded = numeric && part.numeric(), ranged && part.low != nil, worded && part.words != nil
		}
		parts = append(parts, part)
	}
	for i, part := range parts {
		for row := range sheets[i].rows {
			if !numeric || worded {
				c.words = append(c.words, part.word(row))
			}
		}
		if numeric {
			c.numbers = append(c.numbers, part.numbers...)
		}
		if numeric && ranged {
			c.low, c.high = append(c.low, part.low...), append(c.high, part.high...)
		}
	}
}

func absentNumbers(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
