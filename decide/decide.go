// Package decide finds decisions where the numbers of a model are not known: of the model as each of many draws of its numbers has it. It tells how far
// apart the best decisions of the draws are, which decision is best over all of them, and what that costs where another would have been best.
package decide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/steady"
)

// Rule says what makes a decision best over draws.
type Rule struct {
	Kind Kind
	Part float64 // of CVaR: the part of the draws that counts, the worst
}

// Kind is a kind of rule.
type Kind string

// The rules.
const (
	Mean   Kind = "mean"   // the mean of settled losses
	CVaR   Kind = "cvar"   // the mean of the worst part of them
	Regret Kind = "regret" // the largest loss beyond the best of its draw
)

// ParseRule reads "mean", "regret" or "cvar 0.1".
func ParseRule(text string) (Rule, error) {
	switch words := strings.Fields(text); {
	case len(words) == 1 && (words[0] == string(Mean) || words[0] == string(Regret)):
		return Rule{Kind: Kind(words[0])}, nil
	case len(words) == 2 && words[0] == string(CVaR):
		if part, err := strconv.ParseFloat(words[1], 64); err == nil && part > 0 && part <= 1 {
			return Rule{CVaR, part}, nil
		}
	}
	return Rule{}, fmt.Errorf("%q is no rule; want mean, regret, or cvar and a part above 0 and up to 1, as in cvar 0.1", text)
}

// World is the model as one draw has it.
type World struct {
	Model kedge.Model
	Err   error // why there is none
}

// Question is what is to be decided.
type Question struct {
	Worlds []World
	Set    kedge.Set   // of decisions, whatever is true
	Plug   []float64   // the decision that the fitted numbers call for
	Starts [][]float64 // further decisions that searches begin at
	Effort optimum.Effort
	Rule   Rule

	Workers  int                   // 0: one
	Progress func(done, total int) // is told how many draws are done, from any goroutine; may be nil
}

// Drawn is what is best under one draw.
type Drawn struct {
	Decision []float64
	Loss     float64
	Err      error // why nothing is; then there is no decision
}

// Span is from the least to the greatest, infinite where that cannot be told.
type Span struct{ Low, High float64 }

// Known tells whether both ends are.
func (s Span) Known() bool { return !math.IsInf(s.Low, 0) && !math.IsInf(s.High, 0) && s.Low <= s.High }

// Choice is a decision judged under every draw.
type Choice struct {
	Decision []float64
	Losses   []float64 // under each draw; NaN where the draw has no answer, +Inf where the decision has no value there
	Mean     float64   // loss
	Reach    Span      // that holds the losses of 95 of 100 draws
	Tail     float64   // the mean of the worst tenth of losses, or of the part that the rule has
	Regret   float64   // the mean loss beyond the best of each draw
	Most     float64   // the largest of those
	MostAt   int       // the draw where it is
}

// Answer is what is known over draws.
type Answer struct {
	Draws    []Drawn
	Missing  int             // draws without an answer
	Why      error           // of the first
	Decision []Span          // that hold the best of 95 of 100 draws, entry by entry
	Best     Span            // and its loss
	Plug     Choice          // what the fitted numbers call for
	Robust   Choice          // what is best over the draws
	Search   *optimum.Search // for it
	Costs    float64         // the most that it loses against the plug-in under any draw
}

// NoAnswerError says that no draw has an answer.
type NoAnswerError struct {
	Draws int
	Err   error // of the first
}

func (e *NoAnswerError) Error() string {
	return fmt.Sprintf("none of %d draws has a best decision: %v", e.Draws, e.Err)
}

// Unwrap returns the cause.
func (e *NoAnswerError) Unwrap() error { return e.Err }

// Over answers a question. Draws under which nothing is best, because people do not settle or losses fall without end, are counted and left out of means; in
// intervals they may be anywhere. The bits of the answer do not depend on the number of workers.
func Over(ctx context.Context, q Question) (*Answer, error) {
	if len(q.Worlds) == 0 || len(q.Plug) == 0 {
		return nil, errors.New("decide: there are no draws, or nothing that the fitted numbers call for")
	}
	c, err := solve(ctx, q)
	if err != nil {
		return nil, err
	}
	for round := range mostRounds {
		if err := c.search(ctx); err != nil {
			return nil, err
		}
		found, err := c.judge(ctx)
		if err != nil {
			return nil, err
		}
		if !found || round == mostRounds-1 {
			break
		}
	}
	return c.report(), nil
}

// mostRounds is how often the search begins anew because a decision was better under a draw than what had been its best.
const mostRounds = 3

// council are the worlds that have an answer, and what they say.
type council struct {
	Question
	answer *Answer
	seats  []int // the draws that have an answer
	sets   []*steady.Objective
	work   int // entries that one evaluation of all settles
	loss   []float64
	slope  [][]float64
	weight []float64
	order  []int
}

// solve finds what is best under every draw.
func solve(ctx context.Context, q Question) (*council, error) {
	n := len(q.Worlds)
	found, sets := make([]Drawn, n), make([]*steady.Objective, n)
	var done atomic.Int64
	err := crew.Share(max(1, q.Workers), n, func(_, i int) error {
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
	c := &council{Question: q, answer: &Answer{Draws: found}}
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
func (q *Question) best(ctx context.Context, w World) (Drawn, *steady.Objective) {
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

// search finds what is best over the draws.
func (c *council) search(ctx context.Context) error {
	mean := make([]float64, len(c.Plug))
	for _, i := range c.seats {
		for j, v := range c.answer.Draws[i].Decision {
			mean[j] += v / float64(len(c.seats))
		}
	}
	starts := append([][]float64{c.Plug}, c.Starts...)
	if c.answer.Search != nil {
		starts = append(starts, c.answer.Search.Decision)
	}
	if c.Set.Project(mean) == nil {
		starts = append(starts, mean)
	}
	s, err := c.find(ctx, starts)
	if err != nil {
		return fmt.Errorf("find what is best over %d draws: %w", len(c.seats), err)
	}
	c.answer.Search = s
	return nil
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
		for j, v := range c.slope[i] {
			g[j] += float64(w * v)
		}
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
	for i, w := range c.weight {
		if w > 0 {
			value += float64(w * c.loss[i])
		}
	}
	return value
}

// worst gives weights that add up to 1 to the worst part of losses; order is room.
func worst(weight []float64, order []int, loss []float64, part float64) {
	clear(weight)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case loss[a] > loss[b]:
			return -1
		case loss[a] < loss[b]:
			return 1
		}
		return 0
	})
	count := max(1, part*float64(len(loss)))
	left := count
	for _, i := range order {
		weight[i] = min(1, left) / count
		if left--; left <= 0 {
			return
		}
	}
}
