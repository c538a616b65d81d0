package fit

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Foothold is where a search is, with what the loss is there.
type Foothold struct {
	Theta  []float64
	Loss   float64
	Normal []float64 // JᵀJ
	Slope  []float64 // of the loss, with its sign turned
	Square []float64 // of errors, summed by entry of the state
}

func newFoothold(theta []float64, k, m int) *Foothold {
	return &Foothold{Theta: slices.Clone(theta), Normal: make([]float64, k*k), Slope: make([]float64, k), Square: make([]float64, m)}
}

// summed adds up what all pieces of a log say at a place.
func summed(theta []float64, m int, pieces []*Foothold) *Foothold {
	out := newFoothold(theta, len(theta), m)
	for _, s := range pieces {
		out.add(s)
	}
	return out
}

// add adds what other rows say.
func (p *Foothold) add(other *Foothold) {
	p.Loss += other.Loss
	rows.AddScaled(p.Normal, 1, other.Normal)
	rows.AddScaled(p.Slope, 1, other.Slope)
	rows.AddScaled(p.Square, 1, other.Square)
}

// scale counts all that is said so many times.
func (p *Foothold) scale(times float64) {
	p.Loss *= times
	rows.Scale(p.Normal, times)
	rows.Scale(p.Slope, times)
}

// gather adds a line of slopes with its error.
func (p *Foothold) gather(slope []float64, times, r float64) {
	k := len(slope)
	rows.AddScaled(p.Slope, times*r, slope)
	for a, v := range slope {
		if v != 0 {
			rows.AddScaled(p.Normal[a*k+a:(a+1)*k], times*v, slope[a:])
		}
	}
}

// Know adds what is known beforehand, fills the lower half of the normal equations from the upper one, and makes the loss infinite where
// that or a slope is no number.
func (p *Foothold) Know(unknowns []Unknown) {
	k := len(unknowns)
	for j, u := range unknowns {
		if u.Deviation > 0 {
			off := (p.Theta[j] - u.Mean) / u.Deviation
			p.Loss += float64(off * off / 2)
			p.Slope[j] -= off / u.Deviation
			p.Normal[j*k+j] += u.Known()
		}
	}
	for i := range k {
		for j := range i {
			p.Normal[i*k+j] = p.Normal[j*k+i]
		}
	}
	if math.IsNaN(p.Loss) || !rows.Finite(p.Normal) || !rows.Finite(p.Slope) { // no place to stay, or to go on from
		p.Loss = math.Inf(1)
	}
}

// Lowest descends from all starts and takes the best: the user's, and as many more as are asked for. It tells how many came to that loss, up to a billionth.
func Lowest(unknowns []Unknown, o Options, descend func(theta []float64) (*Foothold, error)) (best *Foothold, agreed int, err error) {
	return lowest(unknowns, len(unknowns), o, descend)
}

// lowest draws the first of the unknowns alone, which are asked for.
func lowest(unknowns []Unknown, asked int, o Options, descend func(theta []float64) (*Foothold, error)) (best *Foothold, agreed int, err error) {
	var losses []float64
	for n := range 1 + o.Starts {
		end, err := descend(startOf(unknowns, asked, o.Seed, n))
		if err != nil {
			return nil, 0, err
		}
		if end == nil {
			continue
		}
		losses = append(losses, end.Loss)
		if best == nil || end.Loss < best.Loss {
			best = end
		}
	}
	if best == nil {
		return nil, 0, &NoEndError{1 + o.Starts}
	}
	for _, loss := range losses {
		if loss-best.Loss <= 1e-9*(1+math.Abs(best.Loss)) {
			agreed++
		}
	}
	return best, agreed, nil
}

// startOf number 0 is the user's; of others those that were asked for are drawn, from the prior, from the range, or around the user's.
func startOf(unknowns []Unknown, asked int, seed uint64, n int) []float64 {
	s := stream.New(seed, "fit", "start", strconv.Itoa(n))
	theta := make([]float64, len(unknowns))
	for j, u := range unknowns {
		theta[j] = u.Start
		if n == 0 || j >= asked {
			continue
		}
		switch {
		case u.Deviation > 0:
			theta[j] = u.Mean + float64(u.Deviation*s.Normal())
		case !math.IsInf(u.Lower, 0) && !math.IsInf(u.Upper, 0):
			theta[j] = u.Lower + float64((u.Upper-u.Lower)*s.Float64())
		default:
			theta[j] = u.Start + float64(max(1, math.Abs(u.Start))*s.Normal())
		}
		theta[j] = min(max(theta[j], u.Lower), u.Upper)
	}
	return theta
}

// Descend goes down by Levenberg's and Marquardt's method within the bounds; nil: it came to no minimum.
func Descend(theta []float64, unknowns []Unknown, at func(theta []float64) (*Foothold, error)) (*Foothold, error) {
	here, err := at(theta)
	if err != nil || math.IsInf(here.Loss, 0) {
		return nil, err
	}
	damping, grow := 1e-3, 2.0
	for range 300 {
		step, predicted, ok := here.step(unknowns, here.Free(unknowns), damping)
		switch {
		case !ok && damping <= 1e15: // too little of it for what is not told
			damping *= 10
			continue
		case step == nil:
			return here, nil
		}
		there, err := at(step)
		if err != nil {
			return nil, err
		}
		gain := here.Loss - there.Loss
		if !(gain > 0) {
			if predicted <= 1e-15*(1+math.Abs(here.Loss)) || damping > 1e15 {
				return here, nil
			}
			damping *= grow
			grow *= 2
			continue
		}
		ratio := gain / predicted
		damping *= max(1.0/3, 1-cubed(float64(2*ratio)-1))
		damping, grow = max(damping, 1e-15), 2
		ended := predicted <= 1e-15*(1+math.Abs(there.Loss)) && gain <= 1e-15*(1+math.Abs(there.Loss))
		here = there
		if ended {
			return here, nil
		}
	}
	return nil, nil
}

func cubed(x float64) float64 { return float64(x * x * x) }

// step is where the model of the loss is least, at a damping, within the bounds, and by how much less that is supposed to be; nil: here. It is
// not ok where the equations cannot be solved. Only free unknowns move.
func (p *Foothold) step(unknowns []Unknown, free []int, damping float64) (theta []float64, predicted float64, ok bool) {
	k, n := len(unknowns), len(free)
	if n == 0 {
		return nil, 0, true
	}
	a, x := make([]float64, n*n), make([]float64, n)
	for i, g := range free {
		x[i] = p.Slope[g]
		for j, h := range free {
			a[i*n+j] = p.Normal[g*k+h]
		}
		a[i*n+i] += float64(damping * max(p.Normal[g*k+g], 1e-300))
	}
	if at, _ := dense.Cholesky(a, n, 0); at < n {
		return nil, 0, false
	}
	dense.SolveCholesky(a, x, n)
	theta = slices.Clone(p.Theta)
	moved := false
	for i, g := range free {
		u := unknowns[g]
		to := min(max(theta[g]+x[i], u.Lower), u.Upper)
		x[i] = to - theta[g]
		moved = moved || x[i] != 0
		theta[g] = to
	}
	if !moved {
		return nil, 0, true
	}
	for i, g := range free {
		predicted += float64(x[i] * p.Slope[g])
		for j, h := range free {
			predicted -= float64(x[i] * p.Normal[g*k+h] * x[j] / 2)
		}
	}
	return theta, max(predicted, 0), true
}

// Free are the unknowns that no bound holds and that are not pinned.
func (p *Foothold) Free(unknowns []Unknown, pinned ...int) (list []int) {
	for j, u := range unknowns {
		if held := p.Theta[j] <= u.Lower && p.Slope[j] <= 0 || p.Theta[j] >= u.Upper && p.Slope[j] >= 0; !held && !slices.Contains(pinned, j) {
			list = append(list, j)
		}
	}
	return list
}

// Known is how much is known of it beforehand: what a prior adds to the squares of scores, as a row of the log would.
func (u Unknown) Known() float64 {
	if u.Deviation == 0 {
		return 0
	}
	return 1 / u.Deviation / u.Deviation
}

// CheckUnknowns refuses ranges, starts and priors that make no sense.
func CheckUnknowns(unknowns []Unknown) error {
	for _, u := range unknowns {
		if !(u.Lower <= u.Start && u.Start <= u.Upper) || u.Lower == u.Upper || math.IsInf(u.Start, 0) || u.Deviation < 0 || math.IsNaN(u.Mean+u.Deviation) {
			return &InputError{-1, fmt.Sprintf("%s: start %v in [%v, %v], prior %v ± %v make no sense", u.Name, u.Start, u.Lower, u.Upper, u.Mean, u.Deviation)}
		}
	}
	return nil
}
