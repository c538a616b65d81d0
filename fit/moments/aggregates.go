package moments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"gonum.org/v1/gonum/mat"
)

// FindAggregates fits a model to means by least squares of what it predicts all the way from the start, entries of the state weighted by how large
// their errors are. Errors of numbers are from what is left: that may go together within a group where there are enough groups, otherwise over time.
func FindAggregates(ctx context.Context, f *formula.Roller, a Aggregates, unknowns []fit.Unknown, o fit.Options) (*Matched, error) {
	s, err := a.sections(f, unknowns)
	if err != nil {
		return nil, err
	}
	p := &totals{matching: &matching{marcher: newTotals(f, a, s, unknowns, o)}, spread: make([]float64, f.States)}
	for e := range p.spread {
		p.spread[e] = 1
	}
	p.weigh(a)
	best, agreed, err := fit.Lowest(unknowns, o, func(theta []float64) (*fit.Foothold, error) { return p.descend(ctx, theta) })
	if err != nil {
		return nil, err
	}
	if best, err = p.settle(ctx, a, best); err != nil {
		return nil, err
	}
	out := &Matched{Match: Means, Distance: math.NaN(), Chance: math.NaN()}
	out.Fitted = fit.Fitted{Unknowns: unknowns, Value: best.Theta, Loss: best.Loss, Tried: 1 + o.Starts, Agreed: agreed, Rows: len(a.Time), People: len(p.cohorts)}
	for e, v := range p.spread {
		out.Spread = append(out.Spread, v*p.basis.unit[e])
	}
	if err := p.judge(ctx, a, out, best); err != nil {
		return nil, err
	}
	return out, nil
}

// totals looks for the least squares of means.
type totals struct {
	*matching
	spread []float64 // of errors, in units of the basis
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
		if groupOf(o.Group, i) == group && weightOf(o.Weight, i) > 0 {
			return true
		}
	}
	return false
}

// newTotals sorts means into groups and times.
func newTotals(f *formula.Roller, a Aggregates, s Sections, unknowns []fit.Unknown, o fit.Options) *marcher {
	x := &marcher{f: f, c: a.Exposure, unknowns: unknowns, o: o, copies: 1, traits: len(a.Start.Traits) * f.States / len(a.Start.States)}
	x.basis = newBasis(Means, f.States, 0, [2][]float64{s.States, nil}, [2][]float64{a.Start.States, nil})
	cells := make([][][]int, a.groups())
	for g := range cells {
		cells[g] = make([][]int, a.Dates)
	}
	for i, t := range a.Time {
		cells[groupOf(a.Group, i)][t] = append(cells[groupOf(a.Group, i)][t], i)
	}
	first := 0
	for g, dates := range cells {
		dates[0] = nil // nothing has moved yet
		c := x.cohort(s, g, dates)
		if c == nil {
			continue
		}
		c.first = first
		first += c.people()
		for i, t := range c.targets {
			row := dates[t.time][0]
			c.targets[i].mean = make([]float64, f.States)
			x.basis.scaled(c.targets[i].mean, s.States[row*f.States:(row+1)*f.States], nil)
			c.targets[i].people = row // whose count it has
		}
		x.cohorts = append(x.cohorts, c)
	}
	x.loud = len(f.Noise) > 0 && !f.Affine
	if x.loud {
		if x.copies = a.Copies; x.copies == 0 {
			x.copies = 10
		}
	}
	return x
}

// share is how much a mean counts, 1 on average.
func (a Aggregates) share(row int) float64 {
	if a.Count == nil {
		return 1
	}
	total := 0.0
	for _, n := range a.Count {
		total += n
	}
	return a.Count[row] / (total / float64(len(a.Count)))
}

// weigh weighs means by the sizes of errors.
func (p *totals) weigh(a Aggregates) {
	m := p.f.States
	p.factor = nil
	for _, g := range p.cohorts {
		l := mat.NewDense(len(g.targets)*m, len(g.targets)*m, nil)
		for i, t := range g.targets {
			for e := range m {
				l.Set(i*m+e, i*m+e, math.Sqrt(a.share(t.people))/p.spread[e])
			}
		}
		p.factor = append(p.factor, l)
	}
}

// settle measures how large errors of each entry are, and goes on until that changes nothing.
func (p *totals) settle(ctx context.Context, a Aggregates, best *fit.Foothold) (*fit.Foothold, error) {
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
		p.weigh(a)
		end, err := p.descend(ctx, best.Theta)
		if err != nil {
			return nil, err
		}
		if end == nil {
			return nil, &fit.NoEndError{Starts: 1 + p.o.Starts}
		}
		if best = end; change < 1e-9 || m == 1 {
			break
		}
	}
	return best, nil
}

// clusters is from how many groups on errors may go together within them in any way.
const clusters = 10

// judge says how sure numbers are.
func (p *totals) judge(ctx context.Context, a Aggregates, out *Matched, best *fit.Foothold) error {
	k, m, free := p.f.Unknowns, p.f.States, best.Free(p.unknowns)
	n := len(free)
	out.Held, out.Error, out.Cov = make([]bool, k), make([]float64, k), make([]float64, k*k)
	for j := range out.Held {
		out.Held[j] = !slices.Contains(free, j)
	}
	var design []float64
	byGroup, byDate := mat.NewDense(len(p.cohorts), max(1, n), nil), mat.NewDense(a.Dates, max(1, n), nil)
	for at, g := range p.cohorts {
		r, d, broken, err := p.misses(ctx, best.Theta, at)
		if err != nil || broken {
			return err
		}
		for i := range r.Len() {
			for c, j := range free {
				design = append(design, d.At(i, j))
				score := float64(r.AtVec(i) * d.At(i, j))
				date := g.targets[i/m].time
				byGroup.Set(at, c, byGroup.At(at, c)+score)
				byDate.Set(date, c, byDate.At(date, c)+score)
			}
		}
		there, err := p.march(ctx, best.Theta, g, false)
		if err != nil {
			return err
		}
		p.showMeans(out, g, there)
	}
	out.Moments = len(out.Seen)
	p.say(a, out)
	if n == 0 {
		return nil
	}
	some := make([]fit.Unknown, n)
	for i, j := range free {
		some[i] = p.unknowns[j]
	}
	inverse, loose, blind, err := fit.Bread(mat.NewDense(len(design)/n, n, design), some)
	if err != nil {
		return err
	}
	out.Blind = blind
	rows := float64(out.Moments)
	var meat *mat.Dense
	if groups := float64(len(p.cohorts)); groups >= clusters {
		meat, out.Freedom = overall(byGroup, func(i, j int) float64 { return truth(i == j) * groups / (groups - 1) }), groups-1
	} else {
		dates := float64(a.Dates - 1)
		lag := math.Ceil(1.3 * math.Sqrt(dates))
		meat = overall(byDate, func(i, j int) float64 { return max(0, 1-math.Abs(float64(i-j))/lag) })
		out.Freedom = max(1, min(1.5*dates/lag, dates-float64(n)))
	}
	meat.Scale((rows-1)/max(1, rows-float64(n)), meat)
	write(out, inverse, meat, free, loose)
	return nil
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// overall sums products of scores, each by a weight.
func overall(scores *mat.Dense, weight func(i, j int) float64) *mat.Dense {
	rows, n := scores.Dims()
	out := mat.NewDense(n, n, nil)
	for i := range rows {
		for j := range rows {
			if w := weight(i, j); w != 0 {
				for a := range n {
					for b := range n {
						out.Set(a, b, out.At(a, b)+float64(w*scores.At(i, a)*scores.At(j, b)))
					}
				}
			}
		}
	}
	return out
}

// showMeans writes means beside what is predicted.
func (p *totals) showMeans(out *Matched, g *cohort, there *marched) {
	m := p.f.States
	for i, t := range g.targets {
		for e := range m {
			mid, unit := p.basis.mid[e], p.basis.unit[e]
			out.Seen = append(out.Seen, MeanSeen{t.time, g.group, e, mid + float64(unit*t.mean[e]), math.NaN(), mid + float64(unit*there.mean[i*m+e])})
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
		say(&out.Warnings, "errors are judged by %d dates alone: %s", a.Dates-1, few(a.Dates-1))
	}
	if last := lasting(out.Seen); last > 0.5 {
		say(&out.Warnings, "what the model misses lasts from date to date (autocorrelation %.2f): something else moves people too, and intervals may be too narrow", last)
	}
}

func few(dates int) string {
	if dates < 30 {
		return "that is few, and intervals may be too narrow"
	}
	return "intervals hold where errors are forgotten within a small part of them"
}
