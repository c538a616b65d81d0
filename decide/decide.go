// Package decide finds decisions where the numbers of a model are not known: of the model as each of many draws of its numbers has it. It tells how far
// apart the best decisions of the draws are, which decision is best over all of them, and what that costs where another would have been best.
package decide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/optimum"
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

// Matter is what is to be decided.
type Matter struct {
	Worlds []World
	Set    kedge.Set   // of decisions, whatever is true
	Plug   []float64   // the decision that the fitted numbers call for
	Starts [][]float64 // further decisions that searches begin at
	Beside [][]float64 // further decisions to judge
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

// Between is from the least to the greatest, infinite where that cannot be told.
type Between struct{ Low, High float64 }

// Known tells whether both ends are.
func (s Between) Known() bool {
	return !math.IsInf(s.Low, 0) && !math.IsInf(s.High, 0) && s.Low <= s.High
}

// Choice is a decision judged under every draw.
type Choice struct {
	Decision []float64
	Losses   []float64 // under each draw; NaN where the draw has no answer, +Inf where the decision has no value there
	Mean     float64   // loss
	Reach    Between   // that holds the losses of 95 of 100 draws
	Tail     float64   // the mean of the worst tenth of losses, or of the part that the rule has
	Regret   float64   // the mean loss beyond the best of each draw
	Most     float64   // the largest of those
	MostAt   int       // the draw where it is
}

// Ruling is what is known over draws.
type Ruling struct {
	Draws    []Drawn
	Missing  int             // draws without an answer
	Why      error           // of the first
	Decision []Between       // that hold the best of 95 of 100 draws, entry by entry
	Best     Between         // and its loss
	Plug     Choice          // what the fitted numbers call for
	Robust   Choice          // what is best over the draws
	Beside   []Choice        // what was asked about besides
	Search   *optimum.Search // for it
	Costs    float64         // the most that it loses against the plug-in under any draw
	Stretch  float64         // the most that it may lose against it where draws are few, and of few people: see [Reaches]; infinite where a draw has no answer
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
func Over(ctx context.Context, q Matter) (*Ruling, error) {
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
