package decide

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/steady"
)

// council are the worlds that have an answer, and what they say.
type council struct {
	Matter
	answer *Ruling
	seats  []int // the draws that have an answer
	sets   []*steady.Objective
	work   int // entries that one evaluation of all settles
	loss   []float64
	slope  [][]float64
	weight []float64
	order  []int
}

// solve finds what is best under every draw.
func solve(ctx context.Context, q Matter) (*council, error) {
	n := len(q.Worlds)
	found, sets := make([]Drawn, n), make([]*steady.Objective, n)
	var done atomic.Int64
	err := crew.Share(q.Workers, n, func(_, i int) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		found[i], sets[i] = q.best(ctx, q.Worlds[i])
		if q.Progress != nil {
			q.Progress(int(done.Add(1)), n)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	c := &council{Matter: q, answer: &Ruling{Draws: found}}
	for i, d := range found {
		if d.Err == nil {
			c.seats, c.sets = append(c.seats, i), append(c.sets, sets[i])
			rows, width := q.Worlds[i].Model.Traits.Size()
			c.work += rows * width
			continue
		}
		if c.answer.Missing++; c.answer.Why == nil {
			c.answer.Why = d.Err
		}
	}
	if len(c.seats) == 0 {
		return nil, &NoAnswerError{n, c.answer.Why}
	}
	c.loss, c.weight, c.order = make([]float64, len(c.seats)), make([]float64, len(c.seats)), make([]int, len(c.seats))
	for range c.seats {
		c.slope = append(c.slope, make([]float64, len(q.Plug)))
	}
	return c, nil
}

// best finds what is best in one world.
func (q *Matter) best(ctx context.Context, w World) (Drawn, *steady.Objective) {
	if w.Err != nil {
		return Drawn{Err: w.Err}, nil
	}
	f, err := steady.New(w.Model)
	if err != nil {
		return Drawn{Err: err}, nil
	}
	s, err := optimum.Find(ctx, f, q.Set, append([][]float64{q.Plug}, q.Starts...), q.Effort)
	if err != nil {
		return Drawn{Err: err}, nil
	}
	return Drawn{Decision: s.Decision, Loss: s.Loss}, f
}

// Gradient implements [optimum.Function]: the criterion of the rule.
func (c *council) Gradient(g, u []float64) (float64, error) {
	if err := c.evaluate(u, true); err != nil {
		return 0, err
	}
	return c.mix(g), nil
}

// mix returns the criterion of what was said last, and writes its slope.
func (c *council) mix(g []float64) float64 {
	value := c.weigh()
	clear(g)
	for i, w := range c.weight {
		if w == 0 {
			continue
		}
		rows.AddScaled(g, w, c.slope[i])
	}
	return value
}

// evaluate asks everybody about a decision.
func (c *council) evaluate(u []float64, slopes bool) error {
	return crew.Share(crew.Hands(c.Workers, c.work), len(c.sets), func(_, i int) (err error) {
		if !slopes {
			c.loss[i], err = c.sets[i].Value(u)
			if err != nil {
				c.loss[i] = math.Inf(1)
			}
			return nil
		}
		c.loss[i], err = c.sets[i].Gradient(c.slope[i], u)
		return err
	})
}

// weigh returns the criterion, and leaves how much each world counts for it.
func (c *council) weigh() (value float64) {
	n := float64(len(c.loss))
	switch c.Rule.Kind {
	case Regret:
		clear(c.weight)
		most := 0
		value = math.Inf(-1)
		for i, l := range c.loss {
			if r := l - c.answer.Draws[c.seats[i]].Loss; r > value {
				value, most = r, i
			}
		}
		c.weight[most] = 1
		return value
	case CVaR:
		worst(c.weight, c.order, c.loss, c.Rule.Part)
	default:
		for i := range c.weight {
			c.weight[i] = 1 / n
		}
	}
	return c.weighed()
}

// weighed is the mean of losses by their weights; what does not count may be infinite.
func (c *council) weighed() (sum float64) {
	for i, w := range c.weight {
		if w > 0 {
			sum += float64(w * c.loss[i])
		}
	}
	return sum
}

// byLoss orders losses from the least on. One that is not a number is the worst, which is why signs are changed: NaN comes before all others.
func byLoss(a, b float64) int { return cmp.Compare(-b, -a) }

// worst gives weights that add up to 1 to the worst part of losses; order is room.
func worst(weight []float64, order []int, loss []float64, part float64) {
	clear(weight)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return byLoss(loss[b], loss[a]) })
	count := max(1, part*float64(len(loss)))
	left := count
	for _, i := range order {
		weight[i] = min(1, left) / count
		if left--; left <= 0 {
			return
		}
	}
}
