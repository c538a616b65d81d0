package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/risk"
)

// equilibrium is the game of a run and the Nash equilibrium that its players are measured against.
type equilibrium struct {
	settled *game.SettledGame // nil: a single decision-maker
	nash    *loop.Target      // nil where none was found

	multipliers []float64 // of shared constraints at that equilibrium

	equilibria []optimum.Equilibrium // all that were found, Nash equilibria first
}

// nash returns what one trial of players is measured against.
func (r *run) nash() *loop.Nash {
	n := &loop.Nash{Residual: r.residual()}
	if r.game.nash != nil {
		own := *r.game.nash
		n.Equilibrium = &own
	}
	return n
}

// residual returns how far players would go along their own gradients. Shared constraints count at the multipliers of the equilibrium; where
// that is not known, nothing is.
func (r *run) residual() func(u []float64) (float64, error) {
	own := r.game.settled.Clone()
	if len(r.bounds.list) == 0 {
		return own.Residual
	}
	if r.game.nash == nil {
		return func([]float64) (float64, error) { return math.NaN(), nil }
	}
	list := lists.Of(r.bounds.list, (*risk.SettledConstraint).Clone)
	return func(u []float64) (float64, error) {
		price, one := make([]float64, len(u)), make([]float64, len(u))
		for j, c := range list {
			if _, err := c.Gradient(one, u); err != nil {
				return 0, err
			}
			rows.AddScaled(price, r.game.multipliers[j], one)
		}
		return own.PricedResidual(u, price)
	}
}

// outcomes is the section that puts equilibrium, optimum and what was played side by side.
func (r *run) outcomes() (*folder.Section, error) {
	if r.game.settled == nil {
		return nil, nil
	}
	s := &folder.Section{
		ID: "players", Title: "The players",
		Text: "What every player loses once the population has settled, at points found offline and at the last turn of the last trial of every method. The Nash " +
			"residual is how far a step along the players' own gradients would lead: 0 where nobody gains by moving alone. The price of anarchy is the ratio of what " +
			"all lose at the equilibrium to what they would lose together at best, of gains the other way round.",
		Columns: []string{"where", "decision"},
	}
	names := lists.Of(r.problem.Spec.Players, func(p problem.Player) string { return p.Name })
	s.Columns = slices.Concat(s.Columns, names, []string{"together", "Nash residual"})
	type point struct {
		name string
		u    []float64
	}
	points := []point{{"optimum for all", r.result.Optimum.Decision}, {"stable point", r.result.Stable.Decision}}
	for i, e := range r.game.equilibria {
		name := "Nash equilibrium"
		if !e.Nash {
			name = "local equilibrium"
		}
		if r.game.multipliers != nil {
			name = "shared-constraint Nash equilibrium, variational"
		}
		points = slices.Insert(points, i, point{name, e.Decision})
	}
	if len(r.bounds.list) > 0 {
		s.Text += " The players share constraints: nobody gains by moving alone within the bounds, which count in the residual at the equilibrium's multipliers; the stable point heeds none."
	}
	if n := r.game.nash; n != nil && (len(r.bounds.list) == 0 || r.bounds.best != nil) {
		if price, ok := game.PriceOfAnarchy(n.Loss, r.meter.Optimum.Loss); ok {
			s.Verdict = fmt.Sprintf("The price of anarchy is %.4g.", price)
		}
	}
	for _, one := range r.result.Runs {
		if n := len(one.Trials); n > 0 {
			points = append(points, point{one.Name, one.Trials[n-1].Decision})
		}
	}
	residual := r.residual()
	for _, p := range points {
		row, err := r.outcome(p.name, p.u, residual)
		if err != nil {
			return nil, err
		}
		s.Rows = append(s.Rows, row)
	}
	return s, nil
}

// outcome is a row of the table.
func (r *run) outcome(name string, u []float64, left func(u []float64) (float64, error)) ([]string, error) {
	losses := slices.Repeat([]float64{math.NaN()}, len(r.problem.Spec.Players))
	residual, sum := math.NaN(), math.NaN()
	if u != nil {
		if err := r.game.settled.Losses(losses, u); err != nil {
			return nil, err
		}
		var err error
		if residual, err = left(u); err != nil {
			return nil, err
		}
		sum = 0
	}
	row := []string{name, decided(u)}
	for _, l := range losses {
		row = append(row, signed(l))
		sum += l
	}
	if math.IsNaN(residual) && u != nil {
		return append(row, signed(sum), "–"), nil
	}
	return append(row, signed(sum), fmt.Sprintf("%.1e", residual)), nil
}

// decided writes a short decision, or the beginning of a long one.
func decided(u []float64) string {
	list := lists.Of(u[:min(4, len(u))], signed)
	if len(u) > 4 {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}
