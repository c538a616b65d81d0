// Package design finds which small changes of coming decisions teach the most of what matters: those that cut what is lost because numbers of a model are not
// known, within a budget of loss and a limit on how fast decisions change. It tells also what it would be worth to know each number.
package design

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Experiment is what is to be planned.
type Experiment struct {
	Model  *formula.Regressor
	At     []float64 // the numbers, all that the regressor has
	Drawn  []int     // which of them are not known
	Cov    []float64 // the covariance of those, row by row
	Weight []float64 // the curvature of regret in those, by Weigh
	Noise  float64   // the standard deviation of what happens to people beside the model, every step

	States, Traits []float64 // of the people who will be seen, one a row
	Base           []float64 // the decision that is changed
	Set            kedge.Set
	Slope, Curve   []float64 // of the settled loss there

	Turns   int
	Change  float64 // the most that an entry of the decision may change from turn to turn
	Budget  float64 // the most that may be lost by it, over all turns
	Starts  int     // 0: 8
	Seed    uint64
	Workers int // 0: one
}

// Timetable is what to set, turn by turn, and what that teaches.
type Timetable struct {
	Decisions [][]float64 `json:"decisions"`
	Lost      float64     `json:"lost"`       // by it over all turns, as settled losses have it
	Before    float64     `json:"before"`     // the mean regret of a turn, as things are, taken for quadratic
	Stay      float64     `json:"if_nothing"` // after as many turns of the decision as it is
	After     float64     `json:"after"`      // after these
	Errors    []float64   `json:"errors"`     // of the numbers that are not known, now
	Left      []float64   `json:"left"`       // and after these
}

// Weigh is the curvature of regret in numbers: draws of them, row by row, and the best decision of each say how decisions follow numbers, and the curvature of the settled loss what
// a decision that is off costs. It returns the covariance of the draws too.
func Weigh(draws, decisions [][]float64, curve []float64) (weight, cov []float64, err error) {
	if len(draws) < 2 || len(draws) != len(decisions) {
		return nil, nil, errors.New("design: want at least two draws, each with its decision")
	}
	k, n := len(draws[0]), len(decisions[0])
	cov = covariance(draws, draws)
	both := covariance(decisions, draws) // n×k
	firm := slices.Clone(cov)
	for j := range k {
		firm[j*k+j] += float64(1e-9*cov[j*k+j]) + 1e-300
	}
	if at, _ := dense.Cholesky(firm, k, 0); at < k {
		return nil, nil, errors.New("design: draws of a number that never differs say nothing of it")
	}
	follow := make([]float64, n*k)
	for i := range n {
		row := both[i*k : (i+1)*k]
		dense.SolveCholesky(firm, row, k)
		copy(follow[i*k:], row)
	}
	weight = make([]float64, k*k)
	for a := range k {
		for b := range k {
			for i := range n {
				for j := range n {
					weight[a*k+b] += float64(float64(follow[i*k+a]*curve[i*n+j]) * follow[j*k+b])
				}
			}
		}
	}
	return weight, cov, nil
}

func covariance(x, y [][]float64) []float64 {
	n, m := len(x[0]), len(y[0])
	a, b, out := mean(x), mean(y), make([]float64, n*m)
	for r := range x {
		for i := range n {
			for j := range m {
				out[i*m+j] += float64((x[r][i]-a[i])*(y[r][j]-b[j])) / float64(len(x)-1)
			}
		}
	}
	return out
}

func mean(x [][]float64) []float64 {
	out := make([]float64, len(x[0]))
	for _, row := range x {
		for j, v := range row {
			out[j] += v / float64(len(x))
		}
	}
	return out
}

// Worth is what it would be worth to know each number by itself: by how much the mean regret of a turn would fall.
func Worth(weight, cov []float64) []float64 {
	k := int(math.Sqrt(float64(len(cov))))
	out := make([]float64, k)
	for j := range k {
		sum := 0.0
		for a := range k {
			for b := range k {
				sum += float64(float64(cov[a*k+j]*weight[a*k+b]) * cov[b*k+j])
			}
		}
		if cov[j*k+j] > 0 {
			out[j] = max(0, sum/cov[j*k+j]/2)
		}
	}
	return out
}

// Plan finds decisions for the coming turns. The bits do not depend on the number of workers.
func (e *Experiment) Plan(ctx context.Context) (*Timetable, error) {
	if e.Turns < 1 || !(e.Noise > 0) || !(e.Change > 0) || !(e.Budget > 0) || len(e.Drawn) == 0 {
		return nil, errors.New("design: want turns, noise, a change, a budget above 0 and numbers that are not known")
	}
	starts := cmp.Or(e.Starts, 8)
	found := make([][][]float64, starts)
	left := make([]float64, starts)
	err := crew.Share(e.Workers, starts, func(_, i int) (err error) {
		found[i], left[i], err = e.climb(ctx, i)
		return err
	})
	if err != nil {
		return nil, err
	}
	best := 0
	for i, v := range left {
		if v < left[best] {
			best = i
		}
	}
	out := &Timetable{Decisions: found[best], Lost: e.lost(found[best]), Before: e.regret(e.Cov), Stay: e.after(e.stay()), After: left[best]}
	k := len(e.Drawn)
	post := e.posterior(found[best])
	for j := range k {
		out.Errors, out.Left = append(out.Errors, math.Sqrt(e.Cov[j*k+j])), append(out.Left, math.Sqrt(max(0, post[j*k+j])))
	}
	return out, nil
}

// climb improves decisions from one start, by differences.
func (e *Experiment) climb(ctx context.Context, start int) ([][]float64, float64, error) {
	n := len(e.Base)
	r := stream.New(e.Seed, "design", strconv.Itoa(start))
	x := e.stay()
	for t := range x {
		for j := range n {
			x[t][j] += float64(e.Change * r.Normal())
		}
	}
	e.allowed(x) // which changes it
	value := e.after(x)
	step := e.Change
	for range 60 {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		g, size := e.slopes(x, value)
		if size == 0 {
			break
		}
		moved := false
		for ; step > 1e-6*e.Change; step /= 2 {
			y := clone(x)
			for t := range y {
				rows.AddScaled(y[t], -step/size, g[t])
			}
			e.allowed(y)
			if v := e.after(y); v < value {
				gained := value - v
				x, value, moved = y, v, gained > 1e-7*value
				step *= 2
				break
			}
		}
		if !moved {
			break
		}
	}
	return x, value, nil
}

// slopes are those of what is left, by differences, and the largest of them.
func (e *Experiment) slopes(x [][]float64, value float64) (g [][]float64, size float64) {
	g = clone(x)
	h := float64(1e-3 * e.Change)
	for t := range x {
		for j := range x[t] {
			y := clone(x)
			y[t][j] += h
			g[t][j] = (e.after(y) - value) / h
			size = max(size, math.Abs(g[t][j]))
		}
	}
	return g, size
}
