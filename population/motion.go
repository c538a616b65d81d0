package population

import (
	"errors"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
)

// Drift is how traits change. Every individual has a home, at first its trait. From step to step the home moves by Rate and by
// normal numbers of its own with the deviations Walk; the trait swings about the home with the season,
//
//	homeᵢ ← homeᵢ + Rate + Walk∘ξᵢ,  dᵢ = homeᵢ + Swing·sin(2πk/Period) at step k.
//
// Vectors have no entry (0), one for all coordinates or one for each.
type Drift struct {
	Rate   []float64
	Walk   []float64
	Swing  []float64
	Period float64 // steps of a season; more than 0 where something swings
}

// Churn is how people come and go: every step the share leaves, and as many newcomers take their places. A share that is not
// a whole number of individuals is kept over time: after k steps ⌊k·Share·n⌋ have left.
type Churn struct {
	Share  float64
	Law    Law // of the newcomers' traits: newcomer j is individual n+j of it
	States Law // of their first states; nil: the leading entries of the trait
}

// Motion is how the traits of a crowd move by themselves. It depends on its streams, the step and the individual alone, not on
// decisions or on who computes what: crowds of equal motions are made of the same people at every step.
type Motion struct {
	Drift Drift
	Churn Churn
	// Clock makes the last entry of every trait the number of the step, whatever else moves.
	Clock bool
	// Mend brings a trait that has drifted back to where traits live, such as the unit sphere; nil: they live everywhere. Any
	// goroutine may call it.
	Mend func(x []float64)

	Walks    *stream.Stream // of the random walks
	Leavers  *stream.Stream // of who leaves
	Arrivals *stream.Stream // of the newcomers' traits: that of the crowd's own law
	States   *stream.Stream // of the newcomers' first states, likewise
}

// check says what keeps the motion from moving n traits of dim entries and states of width entries.
func (m *Motion) check(n, dim, width int) error {
	d := &m.Drift
	steady := d.Period > 0 && d.Period <= math.MaxFloat64
	return errors.Join(
		checkEntries("rate", d.Rate, dim), checkDeviations("walk", d.Walk, dim), checkEntries("swing", d.Swing, dim),
		checkStream("walks", m.Walks, len(d.Walk) > 0), m.Churn.check(n, dim, width),
		checkStream("leavers", m.Leavers, m.Churn.Share > 0), checkStream("arrivals", m.Arrivals, m.Churn.Share > 0),
		checkStream("states", m.States, m.Churn.Share > 0 && m.Churn.States != nil),
		kedge.CheckRange("period", d.Period, steady || len(d.Swing) == 0, "a finite number of steps above 0"),
	)
}

func (c *Churn) check(n, dim, width int) error {
	err := checkShare(c.Share)
	switch {
	case err != nil || c.Share == 0:
		return err
	case c.Law == nil:
		return errors.New("newcomers need a law to be drawn from")
	}
	if _, table := c.Law.(Table); table {
		return errors.New("newcomers cannot be drawn from a table, which has everybody once")
	}
	if c.States != nil {
		return errors.Join(c.Law.Check(n, dim), c.States.Check(n, width))
	}
	if dim < width {
		return &kedge.DimError{Arg: "a trait that is to begin with the first state", Got: dim, Want: width}
	}
	return c.Law.Check(n, dim)
}

// left returns how many of n have left after so many steps.
func (c *Churn) left(n, steps int) int { return int(math.Floor(c.Share * float64(n) * float64(steps))) }

// seek moves to the range of an individual at a step. Ranges of different individuals or steps are different for up to 2³²
// of either.
func seek(s *stream.Stream, step, individual int) { s.Seek(uint64(step)<<32 | uint64(individual)) }

// season returns sin(2πk/period), the same bits on every processor.
func season(step int, period float64) float64 {
	part := math.Mod(float64(step), period) / period * 4 // quarters
	sign := 1.0
	if part >= 2 {
		part, sign = part-2, -1
	}
	if part > 1 {
		part = 2 - part
	}
	return sign * (1 - versine(90*(1-part)))
}

// Noise pushes everybody after every step of the dynamics: p⁺ = f(p, u, d) + w with normal w, by individual and step.
type Noise struct {
	Deviation []float64         // of the entries of w, one for all or one for each
	Mend      func(x []float64) // brings a pushed state back to where states live; nil: they live everywhere. Any goroutine calls it
	Stream    *stream.Stream    // is not moved
}

func (n *Noise) check(width int) error {
	return errors.Join(checkDeviations("deviation", n.Deviation, width), checkStream("noise", n.Stream, true))
}

// pusher is what one worker pushes with.
type pusher struct {
	from stream.Stream
	w    []float64
}

// push adds normal numbers of the deviations to x, those of an individual at a step.
func (w *pusher) push(x, deviation []float64, step, individual int) {
	seek(&w.from, step, individual)
	w.from.Normals(w.w)
	for j, v := range w.w {
		x[j] += float64(entry(deviation, j, 0) * v)
	}
}

// push pushes the individuals from number first on, one a row of p.
func (n *Noise) push(p []float64, width, first, step int, with *pusher) {
	for i := range kedge.Count(p, width) {
		x := kedge.Row(p, i, width)
		with.push(x, n.Deviation, step, first+i)
		if n.Mend != nil {
			n.Mend(x)
		}
	}
}
