package problem

import "github.com/kedge-opt/kedge"

// States returns a copy of the states of the given individuals, one a row, without what the trial's bookkeeping keeps beside
// them.
func (t *Trial) States(individuals []int) []float64 {
	return pick(t.Population.Look(), individuals, t.width)
}

// pick copies the leading entries of the given rows.
func pick(r kedge.Rows, individuals []int, leading int) []float64 {
	return kedge.Pick(kedge.Leading{Of: r, Entries: leading}, individuals).Data
}

// First returns the first states and the traits of the given individuals, one a row.
func (p *Problem) First(individuals []int) (states, traits []float64) {
	dim := p.Spec.Dims()
	return pick(p.States, individuals, dim.State), pick(p.Traits, individuals, dim.Trait)
}

// Some returns everybody or, of a larger population, so many individuals at equal distances.
func (p *Problem) Some(most int) []int { return kedge.Some(p.Individuals(), most) }

// withNorm are unit vectors with their norm, 1, as one entry more.
type withNorm struct{ of kedge.Rows }

func (r withNorm) Size() (rows, width int) {
	rows, width = r.of.Size()
	return rows, width + 1
}

func (r withNorm) View(room []float64, first, last int) []float64 {
	_, width := r.Size()
	units := r.of.View(make([]float64, (last-first)*(width-1)), first, last)
	for i := range last - first {
		row := kedge.Row(room, i, width)
		copy(row, kedge.Row(units, i, width-1))
		row[width-1] = 1
	}
	return room[:(last-first)*width]
}
