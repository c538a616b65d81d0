package study

import (
	"fmt"
	"math"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

// finite is a problem whose people are drawn from a law with r entries, and how the law itself judges decisions.
type finite struct {
	name    string
	r       int
	spec    string // with so many people and turns
	judge   func(p *problem.Problem, s *stream.Stream) appraiser
	every   bool // every turn is judged; else one of each stratum
	repeats int  // runs of a cell for every trial of the study
}

// appraiser returns ‖∇Φ̃(u)‖² of the law, and the variance of ∇Φ̃(u) where that is known from a sample of the law only.
type appraiser func(u []float64) (square, doubt float64)

// finites are two linear-quadratic problems, where the gradient of a law is that of its mean, and two of polarized people.
func finites() []finite {
	return []finite{
		{"pricing", 1, normalPeople("dim: 1, mean: 2, deviation: 1") + `
dynamics: {a: [[0.5]], b: [[-0.5]], e: [[0.5]]}
objective: {decision: 2, cross: -1, state: 0}`, byMean, true, 4},
		{"lq2", 2, normalPeople("dim: 2, mean: [1, -1], deviation: [1, 0.5]"), byMean, true, 4},
		{"polarized", 3, polarizedPeople(3), byQuadrature, false, 2},
		{"polarized", 10, polarizedPeople(10), byFreshPeople, false, 2},
	}
}

// freshRule is the composite rule with a step that fits the horizon, four people of a sample in every turn.
const freshRule = `
iterations: %[2]d
algorithms: [{name: composite, step: 0.5, schedule: horizon, batch: 4}]`

func normalPeople(law string) string {
	return "population: {size: %[1]d, law: normal, values: null, sampling: with-replacement, " + law + "}" + freshRule
}

// polarizedPeople begin on a hemisphere. Positions cost half of their square, so that the best one is inside of the ball and the
// projection never takes part. Their loss is flatter than that of lq2, and the step longer: a run must reach the optimum of its sample
// well before it ends, for what the sample costs not to grow with T.
func polarizedPeople(r int) string {
	return fmt.Sprintf(`population: {size: %%[1]d, dim: %d, law: cap, angle: 90, axis: %s, values: null, sampling: with-replacement}
dynamics: {kind: polarized, lambda: 0.3, sigma: 0.4, a: null, b: null, e: null}
objective: {decision: 1, cross: -1, state: 0}
set: {kind: ball, radius: 1}`, r, "[1"+strings.Repeat(", 0", r-1)+"]") + `
iterations: %[2]d
algorithms: [{name: composite, step: 2, schedule: horizon, batch: 4, at: settled}]`
}

// byMean is exact: the gradient of a linear-quadratic problem over a law is Hu + KFμ, with μ its mean.
func byMean(p *problem.Problem, _ *stream.Stream) appraiser {
	m := linearOf(p)
	h, pull := m.hessian(true), m.pulled(lawMean(p))
	n, _ := h.Dims()
	return func(u []float64) (float64, float64) {
		var g mat.VecDense
		g.MulVec(h, mat.NewVecDense(n, u))
		g.AddVec(&g, pull.ColView(0))
		return mat.Dot(&g, &g), 0
	}
}

// byQuadrature integrates over the hemisphere of three dimensions: Gauss–Legendre along the axis, where the first entry is uniform,
// and rings of equal weights around it.
func byQuadrature(p *problem.Problem, _ *stream.Stream) appraiser { return overRings(p, 10, 16) }

// hemisphere lists rings of the unit sphere around the first axis and their weights, which sum to 1.
func hemisphere(heights, around int) (weights []float64, rings [][]float64) {
	z, weights := make([]float64, heights), make([]float64, heights)
	quad.Legendre{}.FixedLocations(z, weights, 0, 1)
	for _, x := range z {
		var ring []float64
		for j := range around {
			sin, cos := portable.Sincos(2 * math.Pi * float64(j) / float64(around))
			across := math.Sqrt(1 - float64(x*x))
			ring = append(ring, x, across*cos, across*sin)
		}
		rings = append(rings, ring)
	}
	return weights, rings
}

func overRings(p *problem.Problem, heights, around int) appraiser {
	weights, rings := hemisphere(heights, around)
	parts := make([]*steady.Objective, len(rings))
	for i, ring := range rings {
		parts[i] = steadyOver(p, ring)
	}
	g, sum := make([]float64, 3), make([]float64, 3)
	return func(u []float64) (float64, float64) {
		clear(sum)
		for i, part := range parts {
			must(part.Gradient(g, u))
			rows.AddScaled(sum, weights[i], g)
		}
		return rows.Dot(sum, sum), 0
	}
}

// steadyOver is Φ̃ of other people, who begin where their traits are.
func steadyOver(p *problem.Problem, traits []float64) *steady.Objective {
	m, everybody := p.Model, kedge.Block{Data: traits, Width: p.Spec.Dims().Trait}
	m.Traits, m.States = everybody, everybody
	return must(steady.New(m))
}

// freshPeople is how many others judge in each of two halves.
const freshPeople = 250

// byFreshPeople judges by two samples of the law that the rule has never seen. The product of their gradients is ‖∇Φ̃‖² on average;
// the square of their mean would be more. A quarter of their squared distance is the variance of that mean.
func byFreshPeople(p *problem.Problem, s *stream.Stream) appraiser {
	dim := p.Spec.Dims()
	traits := onHemisphere(2*freshPeople, dim.Trait, s)
	half := len(traits) / 2
	halves := [2]*steady.Objective{steadyOver(p, traits[:half]), steadyOver(p, traits[half:])}
	a, b := make([]float64, dim.Decision), make([]float64, dim.Decision)
	return func(u []float64) (float64, float64) {
		must(halves[0].Gradient(a, u))
		must(halves[1].Gradient(b, u))
		apart := rows.Distance(a, b)
		return rows.Dot(a, b), apart * apart / 4
	}
}

// onHemisphere draws people around the first of r axes.
func onHemisphere(n, r int, s *stream.Stream) []float64 {
	axis := make([]float64, r)
	axis[0] = 1
	return must(population.Draw(population.Cap{Angle: 90, Axis: axis}, n, r, s))
}

// pick is a turn that is judged, and the share of all turns that it stands for.
type pick struct {
	turn  int
	share float64
}

// picks are turns to judge: all, or one at random of each stratum. Strata are a third as long as the turns before them at first,
// where much happens, and a twelfth of the run at most.
func picks(turns int, every bool, s *stream.Stream) (list []pick) {
	for first := 0; first < turns; {
		length := 1
		if !every {
			length = min(max(1, first/3), max(1, turns/12), turns-first)
		}
		list = append(list, pick{first + s.Intn(length), float64(length) / float64(turns)})
		first += length
	}
	return list
}

// judged runs the rule once on n people drawn anew, and returns the mean of ‖∇Φ̃‖² of the law over the turns, and that of the doubt.
func (w *work) judged(f finite, n, turns, trial int) (square, doubt float64) {
	name := fmt.Sprint(f.name, f.r, " ", n, " ", turns, " ", trial)
	p := w.finiteProblem(f, n, turns, trial)
	by, s := f.judge(p, w.stream("fresh", name)), w.stream("turns", name)
	ahead := picks(turns, f.every, s)
	for turn := range w.turns(p, 0) {
		if len(ahead) == 0 {
			break
		}
		if turn.k == ahead[0].turn {
			y, d := by(turn.u)
			square, doubt = square+float64(ahead[0].share*y), doubt+float64(ahead[0].share*d)
			ahead = ahead[1:]
		}
	}
	return square, doubt
}

// finiteProblem is a problem with people of its own for every run: its seed is made of what it says, the comment included.
func (w *work) finiteProblem(f finite, n, turns, trial int) *problem.Problem {
	return w.problem("lq2", fmt.Sprintf(f.spec+"\n# run %[3]d\n", n, turns, trial))
}

// overPeopleAndTurns measures every size and horizon, the longest runs first, and returns the standard error of
// the judge's gradient, too.
func (w *work) overPeopleAndTurns(f finite, sizes, horizons []int, trials int) (cells []cell, doubt float64) {
	for _, t := range horizons {
		for _, n := range sizes {
			cells = append(cells, cell{float64(n), float64(t), make([]float64, trials)})
		}
	}
	doubts := make([]float64, len(cells)*trials)
	w.each(len(doubts), func(piece int) {
		c := cells[len(cells)-1-piece/trials]
		t := piece % trials
		c.values[t], doubts[piece] = w.judged(f, int(c.n), int(c.t), t)
	})
	return cells, math.Sqrt(mean(doubts))
}

// fournierGuillin is how W₁² of N traits of r dimensions from their law shrinks, up to a factor [fournier2015].
func fournierGuillin(r int) func(n float64) float64 {
	return func(n float64) float64 {
		switch r {
		case 1:
			return 1 / n
		case 2:
			log := portable.Log(1 + n)
			return log * log / n
		}
		return portable.Pow(n, -2/float64(r))
	}
}
