package study

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// steering asks how far a decision moves polarized individuals [he2025, polarized steady state].
func steering() Study {
	return Study{
		Name: "steering", Title: "How far individuals are steered",
		Question: "How do λ, the weight of habit, and σ, the strength of the reaction, move where an individual with polarized dynamics settles?",
		Theory: "An individual settles closer to the decision than it began if it agreed with it, and further away if it disagreed; it never changes sides, and it moves " +
			"the further the larger λ and σ are. For weak reactions it turns by σ‖u‖² sin θ cos θ/(1 − λ): in proportion to σ and to 1/(1 − λ).",
		run: func(w *work) error {
			n := w.size(100_000, 10_000)
			w.result.Design = fmt.Sprintf("%d random triples of an individual, a decision and (λ, σ), in 2 to 20 dimensions, settled exactly, and again with λ and then σ "+
				"made larger. Angles over λ and σ are of an individual that begins at 60° from a decision of length 1.", n)
			w.result.Trials = 1
			if err := w.countViolations(n); err != nil {
				return err
			}
			if err := w.weakReactions(); err != nil {
				return err
			}
			return w.drawAngles()
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

// cosine is hᵀu/‖u‖ of where the individual settles.
func (t triple) cosine(lambda, sigma float64) (float64, error) {
	h := make([]float64, len(t.d))
	_, err := dynamics.Polarized{Dim: len(t.d), Lambda: lambda, Sigma: sigma}.Settle(h, t.u, t.d)
	return rows.Dot(h, t.u) / rows.Norm(t.u), err
}

// violations counts what the theorem forbids of one triple: changing sides or coming closer to the middle, and moving less when λ or
// σ grows.
func (t triple) violations(more float64) (out [3]int, err error) {
	const rounding = 1e-12
	began := rows.Dot(t.d, t.u) / rows.Norm(t.u)
	side := math.Copysign(1, began)
	c, err := t.cosine(t.lambda, t.sigma)
	if err != nil {
		return out, err
	}
	habit, err := t.cosine(t.lambda+more*(0.99-t.lambda), t.sigma)
	if err != nil {
		return out, err
	}
	reaction, err := t.cosine(t.lambda, t.sigma+more)
	for i, less := range []bool{side*c < side*began-rounding, side*habit < side*c-rounding, side*reaction < side*c-rounding} {
		if less {
			out[i]++
		}
	}
	return out, err
}

// countViolations claims that none of n random triples does what the theorem forbids.
func (w *work) countViolations(n int) error {
	const chunk = 1000
	counts := make([][3]int, n/chunk)
	err := w.each(len(counts), func(piece int) error {
		s := w.stream("triples")
		s.Seek(uint64(piece))
		for range chunk {
			found, err := randomTriple(s).violations(s.Float64())
			if err != nil {
				return err
			}
			for i, v := range found {
				counts[piece][i] += v
			}
		}
		return nil
	})
	for i, what := range []string{"settle on the other side or nearer to the middle", "move less when λ grows", "move less when σ grows"} {
		total := 0
		for _, c := range counts {
			total += c[i]
		}
		v := float64(total)
		w.claim(Claim{What: fmt.Sprintf("Of %d individuals, those that %s", n, what), Measured: v, Low: v, High: v, Exact: true})
	}
	return err
}

// weakReactions measures by what angle random individuals turn when σ is small, over σ and over 1 − λ.
func (w *work) weakReactions() error {
	const people = 4000
	reaction, habit := make([]sample, 6), make([]sample, 6)
	for i := range reaction {
		sigma, rest := 1e-4*math.Pow(2, float64(i)), math.Pow(2, -float64(i)/2)
		reaction[i], habit[i] = sample{sigma, make([]float64, people)}, sample{rest, make([]float64, people)}
	}
	for j := range people {
		t := randomTriple(w.stream("weak", fmt.Sprint(j)))
		for i := range reaction {
			var err error
			if reaction[i].values[j], err = t.turn(0.4, reaction[i].x); err != nil {
				return err
			}
			if habit[i].values[j], err = t.turn(1-habit[i].x, 1e-4); err != nil {
				return err
			}
		}
	}
	for _, c := range []struct {
		what   string
		list   []sample
		theory float64
	}{{"σ", reaction, 1}, {"1 − λ", habit, -1}} {
		w.claim(fitPower(c.list, average, w.stream("fit", c.what)).claimed("Exponent of the angle of weak reactions in "+c.what, c.theory).exactly())
	}
	w.drawWeak(reaction, habit)
	return nil
}

// turn is the angle by which an individual turns, in degrees.
func (t triple) turn(lambda, sigma float64) (float64, error) {
	h := make([]float64, len(t.d))
	_, err := dynamics.Polarized{Dim: len(t.d), Lambda: lambda, Sigma: sigma}.Settle(h, t.u, t.d)
	return 2 * math.Asin(min(1, rows.Distance(h, t.d)/2)) * 180 / math.Pi, err
}

func (w *work) drawWeak(reaction, habit []sample) {
	a, b := track{"over σ, λ = 0.4", reaction}, track{"over 1 − λ, σ = 0.0001", habit}
	s := marks(a)
	w.draw(Chart{
		Name: "weak", Title: "Weak reactions", X: "strength of the reaction σ", Y: "mean angle turned (degrees)", LogX: true, LogY: true,
		Series:  []Series{s, slopeLine("slope 1", s, 1)},
		Caption: "The mean angle by which random individuals turn, for λ = 0.4. The dashed line is proportional to σ.",
	})
	w.tabulate("x", a, b)
}

// drawAngles shows where an individual settles that begins at 60°, and where all settle by where they begin.
func (w *work) drawAngles() error {
	over := Chart{
		Name: "steering", Title: "Where an individual settles that begins at 60°", X: "weight of habit λ", Y: "angle to the decision (degrees)",
		Caption: "The larger λ and σ, the closer the individual comes to the decision. Without a reaction it stays at 60°.",
	}
	sides := Chart{
		Name: "sides", Title: "Nobody changes sides", X: "angle at the start (degrees)", Y: "angle when settled (degrees)",
		Caption: "Whoever begins below 90° is drawn to the decision, whoever begins above is pushed away. The dashed line is an individual that does not react.",
	}
	for _, sigma := range []float64{0.1, 0.3, 0.5} {
		a, err := curveOf(0, 0.9, func(lambda float64) (float64, error) { return settledAngle(60, lambda, sigma) })
		if err != nil {
			return err
		}
		b, err := curveOf(0, 180, func(from float64) (float64, error) { return settledAngle(from, 0.4, sigma) })
		if err != nil {
			return err
		}
		a.Name, b.Name = fmt.Sprintf("σ = %v", sigma), fmt.Sprintf("λ = 0.4, σ = %v", sigma)
		over.Series, sides.Series = append(over.Series, a), append(sides.Series, b)
	}
	sides.Series = append(sides.Series, Series{Name: "no reaction", X: []float64{0, 180}, Y: []float64{0, 180}, Theory: true})
	w.draw(over)
	w.draw(sides)
	return nil
}

// curveOf samples a function at 91 places, so that 90° is among those of half a turn.
func curveOf(from, to float64, of func(x float64) (float64, error)) (s Series, err error) {
	for i := 0; i <= 90 && err == nil; i++ {
		x, y := from+(to-from)*float64(i)/90, 0.0
		y, err = of(x)
		s.X, s.Y = append(s.X, x), append(s.Y, y)
	}
	return s, err
}

// settledAngle is where an individual settles that begins at an angle, in degrees, from a decision of length 1.
func settledAngle(from, lambda, sigma float64) (float64, error) {
	d, u, h := make([]float64, 2), []float64{1, 0}, make([]float64, 2)
	d[1], d[0] = math.Sincos(from * math.Pi / 180)
	_, err := dynamics.Polarized{Dim: 2, Lambda: lambda, Sigma: sigma}.Settle(h, u, d)
	return math.Atan2(h[1], h[0]) * 180 / math.Pi, err
}
