// Package moments finds the unknown numbers of a model where the same people are not seen again: from samples of other people every time, or from means of
// people nobody of whom is seen.
//
// A model that formula.Source.Roll prepared goes on from the people of the first sample, through the decisions of every time, and unknown numbers are
// those under which its moments on the way, not those where people settle, are nearest to those that were seen:
//
//	f, err := source.Roll([]string{"habit", "B[2, 2]"})
//	got, err := moments.Find(ctx, f, moments.Sections{
//		Exposure: moments.Exposure{Dates: 8, Beside: prices}, Time: time, States: states, Traits: traits,
//	}, unknowns, fit.Options{Starts: 3})
//
// Total does the same for means by time and region.
package moments

import (
	"context"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"gonum.org/v1/gonum/stat/distuv"
)

// Matched is what samples or means say of the unknown numbers. Of what it has from fit, rows are people of samples, or means; Spread is that of
// errors of means, nil of samples.
type Matched struct {
	fit.Fitted
	Freedom  float64 // degrees of freedom of Student's law for intervals: of samples, one less than there are people in the smallest
	Match    Match
	Moments  int        // that were matched, of which none says what others say
	Over     int        // more than there are unknowns; 0: whether the model fits cannot be tested
	Distance float64    // of what is left from nothing in units of its chance, squared (Hansen's J); NaN: not tested
	Chance   float64    // that a true model is as far away as that
	Gain     float64    // of means: the share of what is missed at a date that moves people on
	Seen     []MeanSeen // means beside what the model says of them
	Assumes  []string
	Warnings []string
}

// MeanSeen is a mean of an entry of the state at a time, and what the model says of it.
type MeanSeen struct {
	Time, Group, Entry int
	Mean, Error        float64 // Error is NaN where it is not known
	Predicted          float64
}

// Interval is where a number is with a probability such as 0.95, as far as errors tell; infinite where they do not.
func (m *Matched) Interval(j int, level float64) (low, high float64) {
	if math.IsInf(m.Error[j], 1) || math.IsNaN(m.Error[j]) {
		return math.Inf(-1), math.Inf(1)
	}
	by := distuv.StudentsT{Sigma: 1, Nu: max(1, m.Freedom)}.Quantile((1 + level) / 2)
	u := m.Unknowns[j]
	return max(u.Lower, m.Value[j]-float64(by*m.Error[j])), min(u.Upper, m.Value[j]+float64(by*m.Error[j]))
}

// Find fits a model to samples by two-step moments: those of all later times together, weighted by the inverse of their covariance, which has the chance of
// who is in each sample and, in what the model says of all times, that of who was in the first. Options.Repeats is not used.
func Find(ctx context.Context, f *formula.Roller, s Sections, unknowns []fit.Unknown, o fit.Options) (*Matched, error) {
	if err := s.check(f, unknowns); err != nil {
		return nil, err
	}
	x, err := newMarcher(f, s.tamed(), unknowns, o)
	if err != nil {
		return nil, err
	}
	p := &matching{marcher: x}
	x.misses = p.weighed
	p.roughly()
	best, agreed, err := x.lowest(ctx)
	if err != nil {
		return nil, err
	}
	for range 2 {
		if err := p.reweigh(ctx, best.Theta); err != nil {
			return nil, err
		}
		if best, err = x.on(ctx, best); err != nil {
			return nil, err
		}
	}
	out, free := x.matched(best, agreed, len(s.Time))
	out.Freedom, out.People = float64(x.smallest()-1), out.Rows
	if err := p.judge(ctx, out, best, free); err != nil {
		return nil, err
	}
	p.assume(out, s)
	return out, nil
}

// matched writes a place down, where so many starts came to, of so many rows; it tells which of the numbers no bound holds, that was found besides among them.
func (x *marcher) matched(best *fit.Foothold, agreed, rows int) (out *Matched, free []int) {
	k := x.f.Unknowns
	free = best.Free(x.unknowns)
	out = &Matched{Match: x.basis.match, Distance: math.NaN(), Chance: math.NaN(), Fitted: fit.Fitted{
		Unknowns: x.unknowns[:k:k], Value: best.Theta[:k:k], Loss: best.Loss, Tried: 1 + x.o.Starts, Agreed: agreed, Rows: rows,
		Held: make([]bool, k), Error: make([]float64, k), Cov: make([]float64, k*k),
	}}
	for j := range out.Held {
		out.Held[j] = !slices.Contains(free, j)
	}
	return out, free
}
