package moments

import (
	"context"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
)

// flock is the memory of people who are followed, all of a cohort at once.
type flock struct {
	*march
	sensitive []float64 // of every row, in unknowns and the gain
	pieces    [][]float64
}

// follow says what a model predicts of the means of a cohort one date ahead, in units of the basis, all people being moved, after a date was seen, by a share
// (the gain, the last of the numbers) of what the model missed: all of it where shocks enter the states themselves, nothing of it where means are only seen
// with errors.
func (x *marcher) follow(ctx context.Context, theta []float64, g *cohort) (*marched, error) {
	k, m, rows := x.f.Unknowns, x.f.States, g.people()*x.copies
	unknowns, gain := theta[:k], theta[k]
	w := &flock{march: x.newMarch(g.people(), 0), sensitive: make([]float64, rows*m*(k+1)), pieces: make([][]float64, (rows+pace-1)/pace)}
	w.begin(g, 0, g.people())
	out := &marched{}
	total, _ := g.totals()
	at := 0
	for t := g.since; at < len(g.targets); t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.step(unknowns, g, t, rows)
		if err := w.advance(g); err != nil {
			return nil, err
		}
		if g.targets[at].time != t+1 {
			continue
		}
		mean := w.sum(total)
		if w.record(out, mean, g.targets[at].mean); out.broken {
			return out, nil
		}
		w.shift(mean, g.targets[at].mean, gain)
		at++
	}
	return out, nil
}

// advance takes next states, carries derivatives through the step, and sums up by pieces: means, then their derivatives.
func (w *flock) advance(g *cohort) error {
	x, m, k := w.x, w.x.f.States, w.x.f.Unknowns
	n := g.people() * x.copies
	return crew.Share(crew.Hands(max(1, x.o.Workers), n*x.f.Width()), len(w.pieces), func(_, piece int) error {
		sum, next := make([]float64, m*(k+2)), make([]float64, m*(k+1))
		for r := piece * pace; r < min(n, (piece+1)*pace); r++ {
			row := w.out[r*x.f.Width() : (r+1)*x.f.Width()]
			own := w.sensitive[r*m*(k+1) : (r+1)*m*(k+1)]
			for e := range m {
				line := next[e*(k+1) : (e+1)*(k+1)]
				copy(line, row[m+e*k:m+(e+1)*k])
				line[k] = 0
				for j := range m {
					rows.AddScaled(line, row[m+m*k+e*m+j], own[j*(k+1):(j+1)*(k+1)])
				}
			}
			copy(own, next)
			copy(w.states[r*m:(r+1)*m], row[:m])
			by := g.weight[r/x.copies] / float64(x.copies)
			rows.AddScaled(sum[:m], by, row[:m])
			rows.AddScaled(sum[m:], by, next)
		}
		w.pieces[piece] = sum
		return nil
	})
}

// sum is the mean of all, and behind it its derivatives.
func (w *flock) sum(total float64) []float64 {
	mean := make([]float64, len(w.pieces[0]))
	for _, piece := range w.pieces {
		rows.Add(mean, mean, piece)
	}
	rows.Scale(mean, 1/total)
	return mean
}

// record writes down what is predicted of a target.
func (w *flock) record(out *marched, mean, seen []float64) {
	m, b := w.x.f.States, w.x.basis
	for e, v := range mean[:m] {
		z := (v - b.mid[e]) / b.unit[e]
		out.broken = out.broken || bad(z) || bad(seen[e])
		out.mean = append(out.mean, z)
	}
	width := len(mean)/m - 1
	for i, v := range mean[m:] {
		out.slope = append(out.slope, v/b.unit[i/width])
	}
}

// shift moves everybody by the gain times what is missed, derivatives too.
func (w *flock) shift(mean, seen []float64, gain float64) {
	m, k, b := w.x.f.States, w.x.f.Unknowns, w.x.basis
	by, slope := make([]float64, m), make([]float64, m*(k+1))
	for e := range m {
		miss := b.mid[e] + float64(b.unit[e]*seen[e]) - mean[e]
		by[e] = gain * miss
		for a := range k + 1 {
			slope[e*(k+1)+a] = -gain * mean[m+e*(k+1)+a]
		}
		slope[e*(k+1)+k] += miss
	}
	for r := range len(w.states) / m {
		rows.Add(w.states[r*m:(r+1)*m], w.states[r*m:(r+1)*m], by)
		rows.Add(w.sensitive[r*m*(k+1):(r+1)*m*(k+1)], w.sensitive[r*m*(k+1):(r+1)*m*(k+1)], slope)
	}
}
