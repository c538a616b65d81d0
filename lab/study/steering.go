package study

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

// steering asks how far a decision moves polarized individuals [he2025, polarized steady state].
func steering() Study {
	return Study{
		Name: "steering", Title: "How far individuals are steered", Theorems: []string{"Theorem 12"},
		Question: "How do λ, the weight of habit, and σ, the strength of the reaction, move where an individual with polarized dynamics settles?",
		Theory: "An individual settles closer to the decision than it began if it agreed with it, and further away if it disagreed; it never changes sides, and it moves " +
			"the further the larger λ and σ are. For weak reactions it turns by σ‖u‖² sin θ cos θ/(1 − λ): in proportion to σ and to 1/(1 − λ). Its ∇h says how it answers a small change of the decision.",
		run: func(w *work) {
			n := w.size(100_000, 10_000)
			w.result.Design = fmt.Sprintf("%d random triples of an individual, a decision and (λ, σ), in 2 to 20 dimensions, settled exactly, and again with λ and then σ "+
				"made larger. Angles over λ and σ are of an individual that begins at 60° from a decision of length 1.", n)
			w.result.Trials = 1
			w.countViolations(n)
			w.compareAnswers(1000)
			w.weakReactions(4000)
			w.drawAngles()
		},
	}
}

// triple is an individual, a decision and the weights of the dynamics.
type triple struct {
	d, u          []float64
	lambda, sigma float64
}

func randomTriple(s *stream.Stream) triple {
	m := 2 + s.Intn(19)
	t := triple{d: make([]float64, m), u: make([]float64, m), lambda: 0.95 * s.Float64(), sigma: s.Float64()}
	s.Normals(t.d)
	s.Normals(t.u)
	rows.Scale(t.d, 1/rows.Norm(t.d))
	rows.Scale(t.u, s.Float64()/rows.Norm(t.u))
	return t
}

// settle is where the individual settles.
func (t triple) settle(lambda, sigma float64) []float64 {
	h := make([]float64, len(t.d))
	must(dynamics.Polarized{Dim: len(t.d), Lambda: lambda, Sigma: sigma}.Settle(h, t.u, t.d))
	return h
}

// violations counts what the theorem forbids of one triple: changing sides or coming closer to the middle, and moving less when λ or
// σ grows.
func (t triple) violations(more float64) (out [3]int) {
	const rounding = 1e-12
	cosine := func(h []float64) float64 { return rows.Dot(h, t.u) / rows.Norm(t.u) }
	began, settled := cosine(t.d), cosine(t.settle(t.lambda, t.sigma))
	habit, reaction := cosine(t.settle(t.lambda+float64(more*(0.99-t.lambda)), t.sigma)), cosine(t.settle(t.lambda, t.sigma+more))
	side := math.Copysign(1, began)
	for i, less := range []bool{side*settled < side*began-rounding, side*habit < side*settled-rounding, side*reaction < side*settled-rounding} {
		if less {
			out[i]++
		}
	}
	return out
}

// countViolations claims that none of n random triples does what the theorem forbids.
func (w *work) countViolations(n int) {
	const chunk = 1000
	counts := make([][3]int, n/chunk)
	w.each(len(counts), func(piece int) {
		s := w.stream("triples")
		s.Seek(uint64(piece))
		for range chunk {
			for i, v := range randomTriple(s).violations(s.Float64()) {
				counts[piece][i] += v
			}
		}
	})
	for i, what := range []string{"settle on the other side or nearer to the middle", "move less when λ grows", "move less when σ grows"} {
		total := 0
		for _, c := range counts {
			total += c[i]
		}
		v := float64(total)
		w.claim(Claim{What: fmt.Sprintf("Of %d individuals, those that %s", n, what), Measured: v, Low: v, High: v, Exact: true})
	}
}

// compareAnswers claims that the theorem's ∇h is that of difference quotients, where reactions are not too near to breaking up.
func (w *work) compareAnswers(n int) {
	s, most := w.stream("answers"), 0.0
	for tried := 0; tried < n; {
		t := randomTriple(s)
		if t.lambda+float64(t.sigma*rows.Dot(t.u, t.u)) < 0.9 {
			most = max(most, t.answerError(s))
			tried++
		}
	}
	w.claim(Claim{What: fmt.Sprintf("Largest error of ∇h beside difference quotients, of %d individuals", n), Measured: most, Low: most, High: most, Theory: 1e-5, Sure: true})
}

// answerError is by how much ∇h and a central difference quotient disagree about how a random number of the settled state answers a
// step of the decision in a random direction, as a share of the number's gradient where that is above 1.
func (t triple) answerError(s *stream.Stream) float64 {
	const step = 1e-5
	m := len(t.d)
	of, way, g := make([]float64, m), make([]float64, m), make([]float64, m)
	s.Normals(of)
	s.Normals(way)
	rows.Scale(of, 1/rows.Norm(of))
	rows.Scale(way, 1/rows.Norm(way))
	h := &sensitivity.Polarized{Dim: m, Lambda: t.lambda, Sigma: t.sigma}
	check(h.PullRows(g, t.settle(t.lambda, t.sigma), t.u, t.d, of))
	seen := func(by float64) float64 {
		moved := triple{d: t.d, u: append([]float64(nil), t.u...)}
		rows.AddScaled(moved.u, by, way)
		return rows.Dot(of, moved.settle(t.lambda, t.sigma))
	}
	return math.Abs((seen(step)-seen(-step))/(2*step)-rows.Dot(g, way)) / max(1, rows.Norm(g))
}

// weakReactions measures by what angle so many random individuals turn when σ is small, over σ and over 1 − λ.
func (w *work) weakReactions(people int) {
	var sigmas, rests []float64
	for i := range 6 {
		sigmas, rests = append(sigmas, 1e-4*portable.Pow(2, float64(i))), append(rests, portable.Pow(2, -float64(i)/2))
	}
	reaction, habit := emptySamples(sigmas, people), emptySamples(rests, people)
	for j := range people {
		t := randomTriple(w.stream("weak", fmt.Sprint(j)))
		for i := range reaction {
			reaction[i].values[j], habit[i].values[j] = t.turn(0.4, sigmas[i]), t.turn(1-rests[i], 1e-4)
		}
	}
	w.claim(fitPower(reaction, average, w.stream("fit", "σ")).claimed("Exponent of the angle of weak reactions in σ", 1).exactly())
	w.claim(fitPower(habit, average, w.stream("fit", "1 − λ")).claimed("Exponent of the angle of weak reactions in 1 − λ", -1).exactly())
	a, b := track{"over σ, λ = 0.4", reaction}, track{"over 1 − λ, σ = 0.0001", habit}
	s := marks(a)
	w.draw(Chart{
		Name: "weak", Title: "Weak reactions", X: "strength of the reaction σ", Y: "mean angle turned (degrees)", LogX: true, LogY: true,
		Series:  []Series{s, slopeLine("slope 1", s, 1)},
		Caption: "The mean angle by which random individuals turn, for λ = 0.4. The dashed line is proportional to σ.",
	})
	w.tabulate("x", a, b)
}

// turn is the angle by which an individual turns, in degrees.
func (t triple) turn(lambda, sigma float64) float64 {
	return 2 * portable.Asin(min(1, rows.Distance(t.settle(lambda, sigma), t.d)/2)) * 180 / math.Pi
}

// drawAngles shows where an individual settles that begins at 60°, and where all settle by where they begin.
func (w *work) drawAngles() {
	over := Chart{
		Name: "steering", Title: "Where an individual settles that begins at 60°", X: "weight of habit λ", Y: "angle to the decision (degrees)",
		Caption: "The larger λ and σ, the closer the individual comes to the decision. Without a reaction it stays at 60°.",
	}
	sides := Chart{
		Name: "sides", Title: "Nobody changes sides", X: "angle at the start (degrees)", Y: "angle when settled (degrees)",
		Caption: "Whoever begins below 90° is drawn to the decision, whoever begins above is pushed away. The dashed line is an individual that does not react.",
	}
	for _, sigma := range []float64{0.1, 0.3, 0.5} {
		a := curveOf(0, 0.9, func(lambda float64) float64 { return settledAngle(60, lambda, sigma) })
		b := curveOf(0, 180, func(from float64) float64 { return settledAngle(from, 0.4, sigma) })
		a.Name, b.Name = fmt.Sprintf("σ = %v", sigma), fmt.Sprintf("λ = 0.4, σ = %v", sigma)
		over.Series, sides.Series = append(over.Series, a), append(sides.Series, b)
	}
	sides.Series = append(sides.Series, Series{Name: "no reaction", X: []float64{0, 180}, Y: []float64{0, 180}, Theory: true})
	w.draw(over)
	w.draw(sides)
}

// curveOf samples a function at 91 places, so that 90° is among those of half a turn.
func curveOf(from, to float64, of func(x float64) float64) (s Series) {
	for i := range 91 {
		x := from + (to-from)*float64(i)/90
		s.X, s.Y = append(s.X, x), append(s.Y, of(x))
	}
	return s
}

// settledAngle is where an individual settles that begins at an angle, in degrees, from a decision of length 1.
func settledAngle(from, lambda, sigma float64) float64 {
	sin, cos := portable.Sincos(from * math.Pi / 180)
	h := triple{d: []float64{cos, sin}, u: []float64{1, 0}}.settle(lambda, sigma)
	return portable.Atan2(h[1], h[0]) * 180 / math.Pi
}
