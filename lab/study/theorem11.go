package study

import (
	"fmt"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"gonum.org/v1/gonum/mat"
)

// decisionsForTheLaw measures Theorem 11: both exponents of every problem, and for linear-quadratic ones the part of N itself.
func (w *work) decisionsForTheLaw(problems []finite, sizes, horizons []int) (tracks []track) {
	for _, f := range problems {
		trials := f.repeats * w.trials(20, 10)
		cells, doubt := w.overPeopleAndTurns(f, sizes, horizons, trials)
		law, people, turns := fitSurface(cells, w.stream("fit", "surface", fmt.Sprint(f.r)))
		places := emptySamples(sizes, 1)
		w.claim(people.claimed(fmt.Sprintf("Theorem 11, exponent in N of mean ‖∇Φ̃‖² of the law, r = %d", f.r), fitted(places, fournierGuillin(f.r))))
		w.claim(turns.claimed(fmt.Sprintf("Theorem 11, exponent in T of mean ‖∇Φ̃‖² of the law, r = %d", f.r), -0.5))
		if f.every {
			w.claim(meanClaimed(fmt.Sprintf("Lemma 10, ‖∇Φ̃ − ∇Φ̃ᴺ‖² of N people as a multiple of the exact mean, r = %d", f.r), w.apartFromLaw(f, sizes, horizons[0], trials), 1).exactly())
		}
		w.result.Reasons = append(w.result.Reasons, f.words(law, law.misfit(levels(cells)), doubt))
		own := f.tracks(cells, sizes)
		w.drawCells(f, law, own, sizes)
		tracks = append(tracks, own...)
	}
	w.show(w.finiteProblem(finites()[1], sizes[0], horizons[0], 0))
	return tracks
}

// words say what was fitted, how well it fits and how well the judge knows the law.
func (f finite) words(law surface, misfit, doubt float64) string {
	text := fmt.Sprintf("%s, r = %d: y ≈ %s·N^%s + %s·T^%s, at most %s off in a cell", f.name, f.r, phrase.Brief(portable.Exp(law[0])), phrase.Brief(law[1]), phrase.Brief(portable.Exp(law[2])), phrase.Brief(law[3]), phrase.Percent(misfit))
	if doubt > 0 {
		text += fmt.Sprintf("; by fresh people ∇Φ̃ of the law is known with a standard error of %s", phrase.Brief(doubt))
	}
	return text + "."
}

// apartFromLaw are the values of ‖∇Φ̃ − ∇Φ̃ᴺ‖² = ‖KF(μ − μᴺ)‖² of the populations of the runs, divided by their exact mean tr KFΣFᵀKᵀ/N.
func (w *work) apartFromLaw(f finite, sizes []int, horizon, trials int) (list []float64) {
	for _, n := range sizes {
		for t := range trials {
			p := w.finiteProblem(f, n, horizon, t)
			m, mu := linearOf(p), lawMean(p)
			traits, width := traitsOf(p)
			mu.Sub(mu, meanRow(traits, width))
			off := m.pulled(mu)
			list = append(list, float64(n)*mat.Dot(off.ColView(0), off.ColView(0))/m.lawSpread(p))
		}
	}
	return list
}

// tracks are the cells of every size, over the horizon.
func (f finite) tracks(cells []cell, sizes []int) (list []track) {
	for _, n := range sizes {
		one := track{name: fmt.Sprintf("%s, r = %d, N = %d", f.name, f.r, n)}
		for _, c := range cells {
			if c.n == float64(n) {
				one.list = append(one.list, sample{c.t, c.values})
			}
		}
		list = append(list, one)
	}
	return list
}

// drawCells shows what was measured over the horizon, a series a size, on the fitted law.
func (w *work) drawCells(f finite, law surface, tracks []track, sizes []int) {
	c := Chart{
		Name: fmt.Sprintf("law-%d", f.r), Title: fmt.Sprintf("Decisions of N people, judged by the law: %s, r = %d", f.name, f.r),
		X: "horizon T", Y: "mean squared gradient of the law", LogX: true, LogY: true,
		Caption: fmt.Sprintf("Means over runs with their 95 %% intervals. Dashed: a·N^%s + b·T^%s, fitted to all of them.", phrase.Brief(law[1]), phrase.Brief(law[3])),
	}
	for i, n := range sizes {
		s := marks(tracks[i])
		s.Name = fmt.Sprintf("N = %d", n)
		fit := lists.Of(s.X, func(x float64) float64 { return law.at(float64(n), x) })
		c.Series = append(c.Series, s, Series{X: s.X, Y: fit, Theory: true, Like: s.Name})
	}
	w.draw(c)
}
