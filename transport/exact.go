package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// MaxCosts is how many costs the exact methods hold in memory, 800 MB of them: 10,000 places on each side.
const MaxCosts = 100_000_000

// Flow is an amount of mass carried between two places.
type Flow struct {
	From, To int
	Mass     float64
}

// Plan is a cheapest way to carry one distribution over to another, and the proof that it is.
type Plan struct {
	// Value is the cost of the plan, Σ mass·c.
	Value float64
	// Flow lists what is carried, by From and then To, at most n+m−1 amounts.
	Flow []Flow
	// Left and Right are dual potentials: uᵢ + vⱼ ≤ cᵢⱼ for all i and j, in exact arithmetic. No plan costs less than
	// Σ aᵢuᵢ + Σ bⱼvⱼ.
	Left, Right []float64
	// Gap is Value less that bound, computed as Σ mass·(c − u − v), where no digits cancel.
	Gap float64
}

// Exact returns the optimal transport plan between weights a and b under a cost, by the network simplex method
// [cunningham1976, bonneel2011]:
//
//	min Σ cᵢⱼ πᵢⱼ over π ≥ 0, Σⱼ πᵢⱼ = aᵢ/Σa, Σᵢ πᵢⱼ = bⱼ/Σb
//
// For a metric its Value is the Wasserstein distance of order one [he2025, Wasserstein distance]. Nil weights are uniform; others
// are not negative, some may be zero, and sum to 1 within 1e-9, which is divided out. Masses are rounded to whole multiples of
// 2⁻⁶² (uniform ones not at all), in which the plan is exact: its rows and columns sum to them. The plan is optimal to about 32
// rounding units of the largest cost for each unit of mass, and Gap says what it is. Costs are of any sign, at most 1e300 in
// size and MaxCosts in number. The arguments are not changed. A context that ends stops the method, with its cause.
//
// Assignment is mostly faster where it applies.
func Exact(ctx context.Context, a, b []float64, c Cost) (Plan, error) {
	p, err := pose(ctx, a, b, c)
	if err != nil {
		return Plan{}, err
	}
	s := newSimplex(p.kept(), p.supply, p.demand)
	if err := s.solve(ctx); err != nil {
		return Plan{}, err
	}
	return p.plan(s), nil
}

// costTable writes all costs down, multiplied by a power of two where all are very small, and returns that.
func costTable(ctx context.Context, c Cost) (costs []float64, scale float64, err error) {
	n, m := c.Size()
	if n > MaxCosts/m {
		want := fmt.Sprintf("at most %d, which fit in memory; take samples of the points", MaxCosts)
		return nil, 0, &kedge.RangeError{Arg: "the number of costs", Got: float64(n) * float64(m), Want: want}
	}
	costs = make([]float64, n*m)
	for i := range n {
		row := costs[i*m : (i+1)*m]
		c.Row(row, i)
		if err := errors.Join(context.Cause(ctx), kedge.CheckFinite(fmt.Sprintf("row %d of the costs", i), row)); err != nil {
			return nil, 0, err
		}
	}
	switch size := rows.MaxAbs(costs); {
	case size > 1e300:
		return nil, 0, &kedge.RangeError{Arg: "the largest cost", Got: size, Want: "at most 1e300"}
	case size < 1e-150:
		scale = 0x1p500
		rows.Scale(costs, scale)
		return costs, scale, nil
	}
	return costs, 1, nil
}

// program is a transport problem, with the places that have mass.
type program struct {
	costs          []float64
	scale          float64 // that the costs are multiplied by
	m              int     // costs of a row
	left, right    []int   // places that have mass
	supply, demand []int64 // what they have, parts of the whole
	whole          int64
}

// pose states the problem of carrying weights a over to b.
func pose(ctx context.Context, a, b []float64, c Cost) (p program, err error) {
	n, m := c.Size()
	supply, demand, whole, err := shares(a, b, n, m)
	if err != nil {
		return p, err
	}
	p.m, p.whole = m, whole
	p.left, p.supply = places(supply)
	p.right, p.demand = places(demand)
	p.costs, p.scale, err = costTable(ctx, c)
	return p, err
}

// places lists where there is mass, and how much.
func places(all []int64) (at []int, mass []int64) {
	for i, v := range all {
		if v > 0 {
			at, mass = append(at, i), append(mass, v)
		}
	}
	return at, mass
}

// kept returns the costs between places that have mass.
func (p program) kept() []float64 {
	if len(p.left)*len(p.right) == len(p.costs) {
		return p.costs
	}
	out := make([]float64, 0, len(p.left)*len(p.right))
	for _, i := range p.left {
		for _, j := range p.right {
			out = append(out, p.costs[i*p.m+j])
		}
	}
	return out
}

// plan reads the plan from the tree.
func (p program) plan(s *simplex) Plan {
	var out Plan
	for v := range s.n + s.m {
		if s.flow[v] > 0 {
			i, j := v, s.parent[v]-s.n
			if v >= s.n {
				i, j = s.parent[v], v-s.n
			}
			out.Flow = append(out.Flow, Flow{p.left[i], p.right[j], float64(s.flow[v]) / float64(p.whole)})
		}
	}
	slices.SortFunc(out.Flow, func(x, y Flow) int { return cmp.Or(x.From-y.From, x.To-y.To) })
	right := slices.Repeat([]float64{math.Inf(-1)}, p.m)
	for k, j := range p.right {
		right[j] = s.pi[int(s.n)+k]
	}
	p.certify(&out, right)
	out.rescale(1 / p.scale)
	return out
}

// certify completes a plan by its value, feasible potentials by c-transforms from those of places on the right, −∞ where there is none, and what they prove.
func (p program) certify(out *Plan, right []float64) {
	out.Left, out.Right = leftTransform(p.costs, right), right
	for j, v := range right {
		if math.IsInf(v, -1) {
			right[j] = columnTransform(p.costs, out.Left, p.m, j)
		}
	}
	var value, gap rows.Total
	for _, f := range out.Flow {
		c := p.costs[f.From*p.m+f.To]
		slack := rows.Total{}.AddBoth(c, -out.Left[f.From]).Add(-out.Right[f.To])
		value, gap = value.Add(float64(f.Mass*c)), gap.Add(float64(f.Mass*slack.Value()))
	}
	out.Value, out.Gap = value.Value(), gap.Value()
}

// rescale multiplies all that is measured in costs.
func (p *Plan) rescale(by float64) {
	p.Value *= by
	p.Gap *= by
	scaleDown(p.Left, by)
	scaleDown(p.Right, by)
}

// scaleDown multiplies potentials by a power of two that may make them denormal, and rounds down, so that they stay feasible.
func scaleDown(x []float64, by float64) {
	for i, v := range x {
		if x[i] = v * by; x[i]/by > v {
			x[i] = math.Nextafter(x[i], math.Inf(-1))
		}
	}
}

// leftTransform returns the largest u with uᵢ + vⱼ ≤ cᵢⱼ, but for a rounding.
func leftTransform(costs, v []float64) []float64 {
	u := make([]float64, len(costs)/len(v))
	for i := range u {
		low, _ := lowestReduced(costs[i*len(v):(i+1)*len(v)], v)
		u[i] = stepDown(low)
	}
	return u
}

// columnTransform returns the largest vⱼ with uᵢ + vⱼ ≤ cᵢⱼ for all i, but for a rounding.
func columnTransform(costs, u []float64, m, j int) float64 {
	low := math.Inf(1)
	for i, ui := range u {
		low = min(low, costs[i*m+j]-ui)
	}
	return stepDown(low)
}

// stepDown returns a number that no difference is below which was rounded to x or more: 0 itself, as signs are not rounded away.
func stepDown(x float64) float64 {
	if x == 0 {
		return 0
	}
	return math.Nextafter(x, math.Inf(-1))
}

// shares returns the weights of n and m places as whole numbers that sum to the same whole.
func shares(a, b []float64, n, m int) (supply, demand []int64, whole int64, err error) {
	a, errA := weightsOf("a", a, "the left side of the costs", n)
	b, errB := weightsOf("b", b, "the right side of the costs", m)
	if err := errors.Join(errA, errB); err != nil {
		return nil, nil, 0, err
	}
	ma, errA := mass("a", a)
	mb, errB := mass("b", b)
	if err := errors.Join(errA, errB); err != nil {
		return nil, nil, 0, err
	}
	if uniform(a) && uniform(b) {
		whole = int64(n) * int64(m)
		return portions(whole, n), portions(whole, m), whole, nil
	}
	return rounded(a, ma), rounded(b, mb), wholeMass, nil
}

// wholeMass is the unit mass in units of 2⁻⁶².
const wholeMass = 1 << 62

// rounded returns a/mass in units of 2⁻⁶². What rounding leaves over goes to the largest.
func rounded(a []float64, mass float64) []int64 {
	out, rest, largest := make([]int64, len(a)), int64(wholeMass), 0
	for i, v := range a {
		out[i] = int64(math.Round(v / mass * wholeMass))
		rest -= out[i]
		if out[i] > out[largest] {
			largest = i
		}
	}
	out[largest] += rest
	return out
}

func uniform(a []float64) bool {
	return !slices.ContainsFunc(a, func(v float64) bool { return v != a[0] })
}

// portions parts a whole evenly.
func portions(whole int64, n int) []int64 { return slices.Repeat([]int64{whole / int64(n)}, n) }
