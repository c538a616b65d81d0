package logs

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/steady"
)

// rules gives those of a spec that names none a step, by how the settled value of what was found bends around the decisions of the log.
func (w *work) rules() error {
	e := w.out
	if !w.spec.Bare || !e.Told() {
		return nil
	}
	e.step = 0.01
	made, err := e.Files("")
	if err != nil {
		return err
	}
	how := "which is a guess"
	if p, err := e.problem(made); err == nil {
		if f, err := steady.New(p.Model); err == nil {
			u, reach := w.usualDecision()
			if step := stepBy(f, u, reach); step > 0 {
				e.step, how = step, "by how its settled value bends"
			}
		}
	}
	e.Notes = append(e.Notes, fmt.Sprintf("The spec names no algorithms: %s has composite and vanilla, 2000 turns and a step of %v, %s.", SpecFile, e.step, how))
	return nil
}

// usualDecision is the mean decision of the log, and how far its entries went.
func (w *work) usualDecision() (mean, reach []float64) {
	d := &w.log.Decision
	n := len(d.Names)
	mean, reach = make([]float64, n), make([]float64, n)
	least, most := slices.Clone(d.Row(0)), slices.Clone(d.Row(0))
	for i := range w.log.Rows() {
		for j, v := range d.Row(i) {
			mean[j] += v / float64(w.log.Rows())
			least[j], most[j] = min(least[j], v), max(most[j], v)
		}
	}
	rows.Sub(reach, most, least)
	return mean, reach
}

// stepBy is a step with one digit that goes half of the way to where a paraboloid has its bottom, and not further than decisions ever went; 0: there is none.
func stepBy(f *steady.Objective, u, reach []float64) float64 {
	n := len(u)
	here, there := make([]float64, n), make([]float64, n)
	if _, err := f.Gradient(here, u); err != nil {
		return 0
	}
	bend, far := 0.0, rows.MaxAbs(reach)
	for j := range u {
		v := slices.Clone(u)
		v[j] += float64(1e-3 * max(reach[j], math.Abs(u[j]), 1e-6))
		if _, err := f.Gradient(there, v); err != nil {
			return 0
		}
		sum := 0.0
		for i := range there {
			sum += math.Abs(there[i] - here[i])
		}
		bend = max(bend, sum/(v[j]-u[j]))
	}
	step := 0.5 / bend
	if far > 0 {
		step = min(step, far/rows.MaxAbs(here)) // without end at the bottom
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(step, 'e', 0, 64), 64) // which wrote it
	if !(short > 0) || math.IsInf(short, 0) {
		return 0
	}
	return short
}
