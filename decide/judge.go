package decide

import (
	"context"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/optimum"
	"gonum.org/v1/gonum/stat/distuv"
)

// judge asks every world about both decisions, and tells whether one of them is better somewhere than what had been the best there; then that goes on from it.
func (c *council) judge(ctx context.Context) (found bool, err error) {
	for _, u := range [][]float64{c.Plug, c.answer.Search.Decision} {
		if err := c.evaluate(u, false); err != nil {
			return false, err
		}
		for i, l := range c.loss {
			d := &c.answer.Draws[c.seats[i]]
			if !(l < d.Loss-float64(1e-12*math.Abs(d.Loss))) {
				continue
			}
			d.Decision, d.Loss, found = slices.Clone(u), l, true
			p, err := optimum.Minimize(ctx, c.sets[i], c.Set, u, c.Effort)
			switch {
			case ctx.Err() != nil:
				return false, ctx.Err()
			case err == nil && p.Loss < d.Loss:
				d.Decision, d.Loss = p.Decision, p.Loss
			}
		}
	}
	return found && c.Rule.Kind == Regret, nil
}

// report says what is known.
func (c *council) report() *Ruling {
	a := c.answer
	a.Plug, a.Robust = c.choice(c.Plug), c.choice(a.Search.Decision)
	for _, u := range c.Beside {
		a.Beside = append(a.Beside, c.choice(u))
	}
	all := make([]float64, len(c.seats))
	for k, i := range c.seats {
		all[k] = a.Robust.Losses[i] - a.Plug.Losses[i]
	}
	a.Costs, a.Stretch = stretched(all, a.Missing)
	span := func(of func(d *Drawn) float64) Between {
		for k, i := range c.seats {
			all[k] = of(&a.Draws[i])
		}
		return within(all, a.Missing)
	}
	for j := range c.Plug {
		a.Decision = append(a.Decision, span(func(d *Drawn) float64 { return d.Decision[j] }))
	}
	a.Best = span(func(d *Drawn) float64 { return d.Loss })
	return a
}

// doubted and people are the chance that a cost is larger than its stretch, and how many people a log is taken to be of, where draws were normal.
const (
	doubted = 0.001
	people  = 10
)

// Reaches is how much further than the largest of n normal draws something goes with a chance of one in 1,000 if draws are as far apart as ten people
// tell: the largest of n draws stands where a normal law has n/(n+1) below it, and doubt by ten people is Student's.
func Reaches(n int) float64 {
	drawn := distuv.UnitNormal.Quantile(float64(n) / float64(n+1))
	return max(1, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: people}.Quantile(1-doubted)/drawn)
}

// stretched are the largest of costs, and that so much further from the middle one as Reaches says. Of few draws it cannot be told.
func stretched(costs []float64, missing int) (most, stretch float64) {
	sorted := slices.Clone(costs)
	slices.Sort(sorted)
	n := len(sorted)
	most, stretch = sorted[n-1], math.Inf(1)
	if missing > 0 || n < fewest {
		return most, stretch
	}
	middle := float64((sorted[(n-1)/2] + sorted[n/2]) / 2)
	return most, middle + float64(Reaches(n)*(most-middle))
}

// fewest is how many draws say how far costs go.
const fewest = 20

// choice judges a decision.
func (c *council) choice(u []float64) Choice {
	out := Choice{Decision: slices.Clone(u), Losses: slices.Repeat([]float64{math.NaN()}, len(c.Worlds)), Most: math.Inf(-1)}
	_ = c.evaluate(u, false) // a world that has no value there says +Inf
	n := float64(len(c.seats))
	for k, i := range c.seats {
		out.Losses[i] = c.loss[k]
		regret := max(0, c.loss[k]-c.answer.Draws[i].Loss)
		out.Mean += c.loss[k] / n
		out.Regret += regret / n
		if regret > out.Most {
			out.Most, out.MostAt = regret, i
		}
	}
	part := 0.1
	if c.Rule.Kind == CVaR {
		part = c.Rule.Part
	}
	worst(c.weight, c.order, c.loss, part)
	out.Tail = c.weighed()
	out.Reach = within(c.loss, c.answer.Missing)
	return out
}

// within returns what holds 95 of 100 of the numbers, of which others are missing and may be anything.
func within(list []float64, missing int) Between {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	n := len(sorted) + missing
	at := func(rank float64, first int, outside float64) float64 {
		low := int(math.Floor(rank))
		value := func(i int) float64 {
			if i -= first; i < 0 || i >= len(sorted) {
				return outside
			}
			return sorted[i]
		}
		a, b := value(low), value(low+1)
		switch share := rank - float64(low); {
		case a == b || share == 0:
			return a
		case math.IsInf(a, 0) || math.IsInf(b, 0):
			return outside
		default:
			return a + float64(share*(b-a))
		}
	}
	last := float64(n - 1)
	return Between{at(0.025*last, missing, math.Inf(-1)), at(0.975*last, 0, math.Inf(1))}
}
