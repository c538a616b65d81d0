package moments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// FindAggregates fits a model to means by least squares of what it predicts one date ahead, entries of the state weighted by how large their errors are.
// After a date was seen everybody is moved by a share of what was missed, the gain, which is found too: all of it where shocks move people, nothing of it
// where means are seen with errors. Errors of numbers are from what is missed, which may go together within a group where there are enough groups,
// otherwise within a date; each group or date counts as if it had been left out of the fit.
func FindAggregates(ctx context.Context, f *formula.Roller, a Aggregates, unknowns []fit.Unknown, o fit.Options) (*Matched, error) {
	s, err := a.sections(f, unknowns)
	if err != nil {
		return nil, err
	}
	gain := fit.Unknown{Name: "the gain", Start: 0.5, Lower: 0, Upper: 1}
	x := newTotals(f, a, s, slices.Concat(unknowns, []fit.Unknown{gain}), o)
	p := &totals{marcher: x, spread: slices.Repeat([]float64{1}, f.States), share: a.shares()}
	x.misses = p.scaled
	best, agreed, err := x.lowest(ctx)
	if err != nil {
		return nil, err
	}
	if best, err = p.settle(ctx, best); err != nil {
		return nil, err
	}
	out, free := x.matched(best, agreed, len(a.Time))
	out.Gain, out.People = best.Theta[f.Unknowns], len(x.cohorts)
	for e, v := range p.spread {
		out.Spread = append(out.Spread, v*p.basis.unit[e])
	}
	if err := p.judge(ctx, a, out, best, free); err != nil {
		return nil, err
	}
	return out, nil
}

// totals looks for the least squares of means.
type totals struct {
	*marcher
	spread []float64 // of errors, in units of the basis
	share  []float64 // how much a row counts
}

// scaled are what means of a cohort are missed by, and the derivatives of what is predicted, in units of errors.
func (p *totals) scaled(ctx context.Context, theta []float64, at int) (r *mat.VecDense, a *mat.Dense, broken bool, err error) {
	g := p.cohorts[at]
	there, err := p.follow(ctx, theta, g)
	if err != nil || there.broken {
		return nil, nil, true, err
	}
	m, k := p.f.States, len(p.unknowns)
	r, a = mat.NewVecDense(len(there.mean), nil), mat.NewDense(len(there.mean), k, there.slope)
	for i, v := range there.mean {
		t := g.targets[i/m]
		by := math.Sqrt(p.share[t.people]) / p.spread[i%m]
		r.SetVec(i, by*(t.mean[i%m]-v))
		for j := range k {
			a.Set(i, j, by*a.At(i, j))
		}
	}
	return r, a, false, nil
}

// sections checks means and makes them samples of one.
func (a Aggregates) sections(f *formula.Roller, unknowns []fit.Unknown) (s Sections, err error) {
	rows := len(a.Time)
	if len(a.Mean) != rows*f.States || a.Group != nil && len(a.Group) != rows || a.Count != nil && len(a.Count) != rows {
		return s, wrong(-1, "%d times, %d means of %d entries, %d groups and %d counts are not of the same rows", rows, len(a.Mean), f.States, len(a.Group), len(a.Count))
	}
	if err := a.Start.check(f, a.Exposure); err != nil {
		return s, err
	}
	mean := slices.Clone(a.Mean)
	for i, n := range a.Count {
		if !(n > 0) || bad(n) {
			return s, wrong(i, "its count is %v", n)
		}
		for e := range f.States {
			mean[i*f.States+e] /= n
		}
	}
	start := a.Start
	start.Everybody = true
	s = Sections{Exposure: a.Exposure, Time: a.Time, Group: a.Group, States: mean, Start: &start, Match: Means}
	if err := s.check(f, unknowns); err != nil {
		return s, err
	}
	seen := map[[2]int]int{}
	for i, t := range a.Time {
		at := [2]int{t, groupOf(a.Group, i)}
		if before, known := seen[at]; known {
			return s, wrong(i, "time %d of group %d is in row %d too", t, at[1], before+1)
		}
		seen[at] = i
	}
	later := 0
	for _, t := range a.Time {
		if t > 0 {
			later++
		}
	}
	if later*f.States <= f.Unknowns {
		return s, wrong(-1, "%d means after the start say nothing of %d unknown numbers", later*f.States, f.Unknowns)
	}
	for _, i := range seen {
		if g := groupOf(a.Group, i); !a.Start.has(g, f.States) {
			return s, wrong(i, "nobody of group %d is there at the start", g)
		}
	}
	return s, nil
}

func (o Origin) has(group, states int) bool {
	for i := range len(o.States) / states {
		if groupOf(o.Group, i) == group && rows.Weight(o.Weight, i) > 0 {
			return true
		}
	}
	return false
}

// newTotals sorts means into groups and times.
func newTotals(f *formula.Roller, a Aggregates, s Sections, unknowns []fit.Unknown, o fit.Options) *marcher {
	x, cells := sorted(f, s, unknowns, o, 1) // at first nothing has moved yet
	x.basis = newBasis(Means, f.States, 0, [2][]float64{s.States, nil}, [2][]float64{a.Start.States, nil})
	for _, c := range x.cohorts {
		for i, t := range c.targets {
			row := cells[c.group][t.time][0]
			c.targets[i].mean = make([]float64, f.States)
			x.basis.scaled(c.targets[i].mean, s.States[row*f.States:(row+1)*f.States], nil)
			c.targets[i].people = row // whose count it has
		}
	}
	x.listen()
	return x
}

// shares are how much means count, 1 on average.
func (a Aggregates) shares() []float64 {
	if a.Count == nil {
		return slices.Repeat([]float64{1}, len(a.Time))
	}
	total := 0.0
	for _, n := range a.Count {
		total += n
	}
	return lists.Of(a.Count, func(n float64) float64 { return n / (total / float64(len(a.Count))) })
}

// settle measures how large errors of each entry are, and goes on until that changes nothing.
func (p *totals) settle(ctx context.Context, best *fit.Foothold) (*fit.Foothold, error) {
	m := p.f.States
	for range 50 {
		square, n := make([]float64, m), 0.0
		for at := range p.cohorts {
			r, _, broken, err := p.misses(ctx, best.Theta, at)
			if err != nil || broken {
				return nil, err
			}
			for i := range r.Len() {
				square[i%m] += float64(r.AtVec(i) * r.AtVec(i))
			}
			n += float64(r.Len() / m)
		}
		change := 0.0
		for e, v := range square {
			by := max(math.Sqrt(v/n), 1e-12/p.spread[e]) // of means without errors
			change = max(change, math.Abs(by-1))
			p.spread[e] *= by
		}
		var err error
		if best, err = p.on(ctx, best); err != nil || change < 1e-9 || m == 1 {
			return best, err
		}
	}
	return best, nil
}

// clusters is from how many groups on errors may go together within them in any way.
const clusters = 10

// judge says how sure numbers are.
func (p *totals) judge(ctx context.Context, a Aggregates, out *Matched, best *fit.Foothold, free []int) error {
	n := len(free)
	parts, byGroup := a.Dates, len(p.cohorts) >= clusters
	if byGroup {
		parts = len(p.cohorts)
	}
	d := &divided{scores: mat.NewDense(parts, max(1, n), nil), normals: make([]*mat.Dense, parts)}
	for at, g := range p.cohorts {
		r, slopes, broken, err := p.misses(ctx, best.Theta, at)
		if err != nil || broken {
			return err
		}
		for i := range r.Len() {
			part := at
			if !byGroup {
				part = g.targets[i/p.f.States].time
			}
			line := make([]float64, n)
			for c, j := range free {
				line[c] = slopes.At(i, j)
			}
			d.add(part, r.AtVec(i), line)
		}
		p.showMeans(out, g, r)
	}
	out.Moments = len(out.Seen)
	p.say(a, out)
	if n == 0 {
		return nil
	}
	b, err := p.bread(d.design, free)
	if err != nil {
		return err
	}
	gain := p.unknowns[p.f.Unknowns].Name
	out.Blind = slices.DeleteFunc(b.blind, func(d fit.Blindness) bool { return len(d.Names) == 1 && d.Names[0] == gain })
	meat, seen := d.leftOut(b.inverse)
	out.Freedom = max(1, seen-float64(n))
	if byGroup {
		out.Freedom = seen - 1
	}
	meat.Scale((seen-1)/seen, meat)
	p.write(out, b, meat)
	return nil
}

// divided are derivatives of what is predicted, and by part (a date or a group) their products with each other and with what is missed.
type divided struct {
	design  []float64
	scores  *mat.Dense
	normals []*mat.Dense // nil: nothing was seen of the part
}

func (d *divided) add(part int, miss float64, line []float64) {
	n := len(line)
	if d.normals[part] == nil {
		d.normals[part] = mat.NewDense(max(1, n), max(1, n), nil)
	}
	if n == 0 {
		return
	}
	v := mat.NewVecDense(n, line)
	d.normals[part].RankOne(d.normals[part], 1, v, v)
	for c, x := range line {
		d.scores.Set(part, c, d.scores.At(part, c)+float64(miss*x))
	}
	d.design = append(d.design, line...)
}

// leftOut sums products of scores, each as it would be had its part been left out of the fit: what is missed there is small partly because the fit saw it.
// It tells how many parts there are.
func (d *divided) leftOut(inverse *mat.Dense) (meat *mat.Dense, seen float64) {
	_, n := d.scores.Dims()
	meat = mat.NewDense(n, n, nil)
	for part, normal := range d.normals {
		if normal == nil {
			continue
		}
		seen++
		var rest mat.Dense // I − N·(ΣN)⁻¹
		rest.Mul(normal, inverse)
		rest.Scale(-1, &rest)
		for i := range n {
			rest.Set(i, i, 1+rest.At(i, i))
		}
		own := mat.NewVecDense(n, mat.Row(nil, part, d.scores))
		var out mat.VecDense
		if err := out.SolveVec(&rest, own); err != nil {
			out.CloneFromVec(own) // without the part nothing would be told
		}
		meat.RankOne(meat, 1, &out, &out)
	}
	return meat, seen
}

// showMeans writes means beside what is predicted of them a date before.
func (p *totals) showMeans(out *Matched, g *cohort, r *mat.VecDense) {
	m := p.f.States
	for i, t := range g.targets {
		for e := range m {
			mean := p.basis.mid[e] + float64(p.basis.unit[e]*t.mean[e])
			miss := r.AtVec(i*m+e) * p.spread[e] / math.Sqrt(p.share[t.people]) * p.basis.unit[e]
			out.Seen = append(out.Seen, MeanSeen{t.time, g.group, e, mean, math.NaN(), mean - float64(miss)})
		}
	}
}

// lasting is how much of what is missed at a time is missed at the next.
func lasting(seen []MeanSeen) float64 {
	var with, own float64
	at := map[[3]int]float64{}
	for _, s := range seen {
		at[[3]int{s.Time, s.Group, s.Entry}] = s.Mean - s.Predicted
	}
	for _, s := range seen {
		r := s.Mean - s.Predicted
		own += float64(r * r)
		with += float64(r * at[[3]int{s.Time - 1, s.Group, s.Entry}])
	}
	if own == 0 {
		return 0
	}
	return with / own
}

// say says what has to be true for the numbers to be, and where it may not.
func (p *totals) say(a Aggregates, out *Matched) {
	say := func(list *[]string, format string, args ...any) { *list = append(*list, fmt.Sprintf(format, args...)) }
	say(&out.Assumes, "states and traits at the start are those of the people given, who met the decisions of their group and nothing else")
	switch {
	case p.loud:
		say(&out.Assumes, "noise is as the model says, drawn %d times for everybody", p.copies)
	case len(p.f.Noise) == 0 && !p.f.Affine:
		say(&out.Assumes, "nothing but the decisions moves people: the model has no noise")
	default:
		say(&out.Assumes, "noise of people has mean zero, or that of its law: means of a linear model do not depend on it")
	}
	if groups := len(p.cohorts); groups >= clusters {
		say(&out.Assumes, "errors of different groups have nothing to do with each other")
		if groups < 30 {
			say(&out.Warnings, "%d groups are few for errors that go together within groups: intervals are wide by Student's law of %d degrees, and may still be too narrow", groups, groups-1)
		}
	} else {
		say(&out.Assumes, "what is missed at different dates has nothing to do with each other")
		if a.Dates-1 < 30 {
			say(&out.Warnings, "errors are judged by %d dates alone: that is few, and intervals may be too narrow", a.Dates-1)
		}
	}
	if last := lasting(out.Seen); math.Abs(last) > max(0.3, 2/math.Sqrt(float64(len(out.Seen)))) {
		say(&out.Warnings, "what the model misses a date ahead goes on at the next (autocorrelation %.2f): something else moves people too, and intervals may be too narrow", last)
	}
}
