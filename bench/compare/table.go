package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// rivals returns the sides beside kedge in the order of the columns; those of NumPy and JAX run whole loops.
func rivals() []string { return []string{paperSide, fastSide, jaxSide, cSide} }

func loops() []string { return rivals()[:3] }

// print writes the comparison as tables people read.
func (c comparison) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(cells ...string) { fmt.Fprintln(w, strings.Join(cells, "\t")+"\t") }
	row(append([]string{"median (best)", kedgeSide}, headings(rivals())...)...)
	for _, load := range workloads() {
		row(c.line(load)...)
	}
	fmt.Fprintln(w)
	row(append([]string{"whole case study, s", kedgeSide}, headings(loops())...)...)
	for _, s := range studies() {
		one, two := c.Studies[s.name].lines(s.name)
		row(one...)
		row(two...)
	}
	fmt.Fprintln(w)
	row("share of triad bandwidth", kedgeSide, cSide)
	for _, step := range []string{"polarized-step-1e6", "polarized-step-1e7"} {
		share := c.Shares[step]
		row(step, cell("%.0f %%", 100*share[kedgeSide]), cell("%.0f %%", 100*share[cSide]))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, m := range c.Missing {
		fmt.Fprintln(out, "missing:", m)
	}
	return nil
}

func headings(names []string) (cells []string) {
	for _, r := range names {
		cells = append(cells, r, "/kedge")
	}
	return cells
}

// line is the row of one workload.
func (c comparison) line(load workload) []string {
	cells := []string{load.name + label(load.unit), c.Figures[kedgeSide].cell(load)}
	for _, r := range rivals() {
		cells = append(cells, c.Figures[r].cell(load), cell("%.3g×", c.Ratios[load.name][r]))
	}
	return cells
}

func label(u unit) string { return [...]string{", µs/turn", ", ns/individual", ", GB/s"}[u] }

// cell is one median with the best beside it.
func (f Figures) cell(load workload) string {
	one, ok := f[load.name]
	if !ok {
		return "–"
	}
	scale := [...]float64{1e6, 1, 1}[load.unit]
	return number(scale**one.value(load.unit)) + " (" + number(scale*one.Best) + ")"
}

// number writes v with at least three digits and no exponent.
func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// lines are the rows of one case study: kedge with one worker and with two.
func (t studyTimes) lines(name string) (one, two []string) {
	one = []string{name, cell("%.4g", t.Seconds[kedgeSide])}
	two = []string{name + ", kedge with two workers", cell("%.4g", t.KedgeTwoWorkers)}
	for _, r := range loops() {
		one = append(one, cell("%.4g", t.Seconds[r]), cell("%.3g×", t.Ratios[r]))
		two = append(two, cell("%.4g", t.Seconds[r]), cell("%.3g×", t.RatiosTwo[r]))
	}
	return one, two
}

// cell formats a number, and a dash where there is none.
func cell(format string, v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf(format, v)
}
