package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Way is how the ends of a number were found.
type Way string

// ByErrors is value ± so many standard errors, with quantiles of Student's law for as many people.
const (
	ByErrors    Way = "standard errors"
	ByProfile   Way = "profile"   // where the log is as likely as it may be, all else following
	ByBootstrap Way = "bootstrap" // quantiles of the draws
	ByNothing   Way = "nothing"   // the log does not tell: the range is all that is known
)

// Ends are between which numbers one is, with a confidence, and how that was found.
type Ends struct {
	Lower, Upper float64
	By           Way
	Words        string // what is to be said of it
}

// few is how many people are so few that errors which go together within a person are known badly.
const few = 20

// Interval is where unknown j is with a confidence of level, as 0.95: by the bootstrap if its draws are enough for the level; by the profile of the
// loss near a bound, where errors by derivatives say little; otherwise by standard errors.
func (f *Fitted) Interval(ctx context.Context, j int, level float64) (e Ends, err error) {
	if j < 0 || j >= len(f.Value) || !(level > 0 && level < 1) {
		return e, &InputError{-1, fmt.Sprintf("the interval of number %d at level %v: there are %d numbers, and levels are above 0 and below 1", j, level, len(f.Value))}
	}
	u := f.Unknowns[j]
	if math.IsInf(f.Error[j], 0) || math.IsNaN(f.Error[j]) {
		return u.untold(), nil
	}
	freedom := float64(f.People - 1)
	if f.People < 2 {
		freedom = float64(f.Rows - len(f.Value))
	}
	q := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: max(1, freedom)}.Quantile((1 + level) / 2)
	if f.People < few {
		e.Words = fmt.Sprintf("%d people are few for errors that go together within a person: intervals are rough", f.People)
	}
	reach := float64(q * f.Error[j])
	isNear := f.Held[j] || f.Value[j]-reach < u.Lower || f.Value[j]+reach > u.Upper
	k := len(f.Value)
	switch draws := len(f.Draws) / k; {
	case isNear && f.origin != nil:
		return f.origin.profile(ctx, f, j, q, e)
	case float64(draws)*(1-level) >= 20 && f.Failed*10 <= draws:
		one := make([]float64, draws)
		for i := range one {
			one[i] = f.Draws[i*k+j]
		}
		slices.Sort(one)
		tail := (1 - level) / 2 * float64(draws-1)
		e.Lower, e.Upper, e.By = one[int(math.Floor(tail))], one[draws-1-int(math.Floor(tail))], ByBootstrap
		return e, nil
	}
	e.Lower, e.Upper, e.By = f.Value[j]-reach, f.Value[j]+reach, ByErrors
	return e, nil
}

// untold are the ends of a number of which the log says nothing.
func (u Unknown) untold() Ends {
	return Ends{u.Lower, u.Upper, ByNothing, u.Name + " cannot be told by the log: the range is all that is known"}
}

// origin is what a fit came from.
type origin struct {
	search *search
	best   *Foothold
	excess []float64 // how much larger the variance of a number is than were errors independent
}

// profile looks for where twice the loss, all else following, is q² above its least, in units of the variance that errors really have.
func (o *origin) profile(ctx context.Context, f *Fitted, j int, q float64, e Ends) (Ends, error) {
	u := f.Unknowns[j]
	excess := o.excess[j]
	if excess == 0 { // of a number that is held, that of the others
		excess = max(1, slices.Max(o.excess))
	}
	allowed := float64(q*q) / 2 * excess
	e.By = ByProfile
	e.Words = fmt.Sprintf("%s is near the end of its range [%v, %v]: the interval is where the log is likely enough, and cautious at the end", u.Name, u.Lower, u.Upper)
	step := f.Error[j] * q
	if f.Held[j] || step == 0 {
		normal := o.best.Normal[j*len(o.best.Theta)+j]
		if !(normal > 0) {
			return u.untold(), nil
		}
		step = q / math.Sqrt(normal)
	}
	var err error
	if e.Lower, err = o.climb(ctx, j, -step, u.Lower, allowed); err == nil {
		e.Upper, err = o.climb(ctx, j, step, u.Upper, allowed)
	}
	return e, err
}

// climb goes from the best place to one side until the loss is so much above: by steps that double, then by halving. The bound ends it.
func (o *origin) climb(ctx context.Context, j int, step, bound, allowed float64) (float64, error) {
	p := *o.search
	p.pinned = []int{j}
	from := o.best.Theta[j]
	isOver := func(at float64) (bool, error) {
		theta := slices.Clone(o.best.Theta)
		theta[j] = at
		end, err := p.descend(ctx, theta, nil, p.o.Workers, nearby)
		return end == nil || !(end.Loss-o.best.Loss <= allowed), err
	}
	inside, outside := from, from+step
	for range 15 {
		if step < 0 {
			outside = max(outside, bound)
		} else {
			outside = min(outside, bound)
		}
		over, err := isOver(outside)
		if err != nil {
			return 0, err
		}
		if over {
			break
		}
		if inside = outside; inside == bound {
			return bound, nil
		}
		step += step
		outside = inside + step
	}
	for range 20 {
		middle := inside + float64((outside-inside)/2)
		if math.Abs(outside-inside) <= 1e-4*math.Abs(outside-from) || middle == inside || middle == outside {
			break
		}
		over, err := isOver(middle)
		if err != nil {
			return 0, err
		}
		if over {
			outside = middle
		} else {
			inside = middle
		}
	}
	return outside, nil
}
