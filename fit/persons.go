package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Unseen says what of people is taken of traits that no column shows.
type Unseen int

// Known traits stand beside states.
const (
	Known  Unseen = iota
	Fixed         // a trait is found for everybody, whatever it has to do with all else
	Random        // traits are normal, with a mean and a covariance that are found, and have nothing to do with all else
)

func (u Unseen) String() string {
	return [...]string{"known traits", "fixed traits", "random traits"}[min(max(u, Known), Random)]
}

// mostTraits bounds the entries of a trait that is to be found.
const mostTraits = 20

// mostTimes bounds what time effects add to the unknowns, as their normal equations are dense.
const mostTimes = 2000

// persons are the rows of a log by person, with what they have in common.
type persons struct {
	f      *formula.Regressor
	l      Log
	first  []int // rows of persons; one more
	times  []int // in their order, where they have effects
	time   []int // of rows, from 0
	shifts int   // numbers that times are of: entries of the state for every time but the first
	from   []float64
}

// newPersons sorts a log by person, who are numbered as they come, and within one by time.
func newPersons(f *formula.Regressor, l Log, o Options) (*persons, error) {
	people, group := l.People()
	order := kedge.Some(len(group), len(group))
	slices.SortStableFunc(order, func(a, b int) int {
		if group[a] != group[b] || l.Time == nil {
			return group[a] - group[b]
		}
		return cmp.Compare(l.Time[a], l.Time[b])
	})
	g := &persons{f: f, l: l.Part(f, order), first: make([]int, people+1), from: make([]float64, f.Traits)}
	copy(g.from, o.Trait)
	for _, who := range group {
		g.first[who+1]++
	}
	for i := range people {
		g.first[i+1] += g.first[i]
	}
	if !o.Times {
		return g, nil
	}
	g.times = slices.Compact(slices.Sorted(slices.Values(g.l.Time)))
	if g.shifts = (len(g.times) - 1) * f.States; g.shifts > mostTimes {
		return nil, &InputError{-1, fmt.Sprintf("effects of %d times are more than %d numbers: fewer times, or columns that say what moved them", len(g.times), mostTimes)}
	}
	for _, t := range g.l.Time {
		at, _ := slices.BinarySearch(g.times, t)
		g.time = append(g.time, at)
	}
	return g, nil
}

// names are those of what times add, without a bound or a prior.
func (g *persons) names() (list []Unknown) {
	if g.shifts == 0 {
		return nil
	}
	for _, t := range g.times[1:] {
		for e := range g.f.States {
			list = append(list, Free(fmt.Sprintf("time %d[%d]", t, e), 0))
		}
	}
	return list
}

// count is how many persons there are.
func (g *persons) count() int { return len(g.first) - 1 }

// desk is the memory for one person: errors and their slopes, in units of errors, a line for every entry of every row.
type desk struct {
	width         int // of slopes: unknowns and times
	room, trait   []float64
	r, slope, own []float64 // own: slopes in the trait
	seen          []int     // entry of the state of every line
	z             []float64
	small         [6][]float64
}

// grow gives the desk room for n rows.
func (d *desk) grow(f *formula.Regressor, n, width int) {
	d.width = width
	if lines := n * f.States; cap(d.r) < lines {
		d.room, d.trait = make([]float64, n*f.Width()), make([]float64, n*f.Traits)
		d.r, d.slope, d.own, d.seen = make([]float64, lines), make([]float64, lines*width), make([]float64, lines*f.Traits), make([]int, 0, lines)
	}
}

// table is a small matrix of the desk.
func (d *desk) table(k, n int) []float64 {
	if cap(d.small[k]) < n {
		d.small[k] = make([]float64, n)
	}
	d.small[k] = d.small[k][:n]
	clear(d.small[k])
	return d.small[k]
}

// fill computes the errors of a person with a trait, without slopes in the unknowns unless they are wanted, and returns half the sum of their squares.
func (g *persons) fill(d *desk, theta, spread, trait []float64, who int, slopes bool) (loss float64) {
	f, m, k, q := g.f, g.f.States, g.f.Unknowns, g.f.Traits
	lo, hi := g.first[who], g.first[who+1]
	d.grow(f, hi-lo, k+g.shifts)
	for i := range hi - lo {
		copy(d.trait[i*q:(i+1)*q], trait)
	}
	room := d.room[:(hi-lo)*f.Width()]
	f.RowsOf(room, g.l.States[lo*m:hi*m], theta[:k], d.trait[:(hi-lo)*q], g.l.Beside[lo*f.Beside:hi*f.Beside])
	d.seen = d.seen[:0]
	for i := lo; i < hi; i++ {
		w := g.l.weight(i)
		if w == 0 {
			continue
		}
		row := room[(i-lo)*f.Width() : (i-lo+1)*f.Width()]
		for e := range m {
			line, by := len(d.seen), math.Sqrt(w)/spread[e]
			r := g.l.After[i*m+e] - row[e]
			shift := -1
			if g.shifts > 0 && g.time[i] > 0 {
				shift = (g.time[i]-1)*m + e
				r -= theta[k+shift]
			}
			d.seen = append(d.seen, e)
			d.r = d.r[:line+1]
			d.r[line] = r * by
			loss += float64(d.r[line] * d.r[line] / 2)
			from := row[m+e*(k+q):]
			for j := range q {
				d.own[line*q+j] = from[k+j] * by
			}
			if !slopes {
				continue
			}
			to := d.slope[line*d.width : (line+1)*d.width]
			clear(to[k:])
			for j := range k {
				to[j] = from[j] * by
			}
			if shift >= 0 {
				to[k+shift] = by
			}
		}
	}
	return loss
}

// settle finds the trait base + along·z of a person that predicts best, |z|² counting ridge times; it leaves the desk filled there, and z in it.
func (g *persons) settle(d *desk, theta, spread, base, along []float64, ridge float64, who int) (loss float64) {
	if g.f.Traits == 0 {
		return g.fill(d, theta, spread, nil, who, true)
	}
	d.z = slices.Grow(d.z[:0], g.f.Traits)[:g.f.Traits]
	clear(d.z)
	return g.settleFrom(d, theta, spread, base, along, ridge, who)
}

// settleFrom is settle from the z that is in the desk.
func (g *persons) settleFrom(d *desk, theta, spread, base, along []float64, ridge float64, who int) (loss float64) {
	q := g.f.Traits
	z, trait, trial := d.z, d.table(0, q), d.table(1, q)
	at := func(z []float64) float64 {
		copy(trait, base)
		rows.AddMul(trait, along, z)
		return g.fill(d, theta, spread, trait, who, false) + float64(ridge*rows.Dot(z, z)/2)
	}
	loss = at(z)
	damping := 0.0
	for turn := range 60 {
		step, predicted := d.inner(along, ridge, damping, q)
		if !(predicted > 1e-24*(1+math.Abs(loss))) || g.f.Affine && turn == 3 {
			break
		}
		rows.Add(trial, z, step)
		there := at(trial)
		if !(there <= loss) {
			if g.f.Affine || damping > 1e12 || predicted <= 1e-15*(1+loss) {
				break
			}
			at(z) // what was filled is of z again
			damping = max(float64(damping*10), 1e-3)
			continue
		}
		copy(z, trial)
		loss, damping = there, damping/10
		if damping < 1e-12 {
			damping = 0
		}
	}
	copy(trait, base)
	rows.AddMul(trait, along, z)
	return g.fill(d, theta, spread, trait, who, true) + float64(ridge*rows.Dot(z, z)/2)
}

// inner is the step of z that would be best were errors affine, and what it would gain.
func (d *desk) inner(along []float64, ridge, damping float64, q int) (step []float64, predicted float64) {
	turned, normal, step := d.table(2, q), d.table(3, q*q), d.table(4, q)
	for line, r := range d.r[:len(d.seen)] {
		clear(turned)
		rows.AddMulT(turned, along, d.own[line*q:(line+1)*q])
		rows.AddScaled(step, r, turned)
		for j, v := range turned {
			rows.AddScaled(normal[j*q:(j+1)*q], v, turned)
		}
	}
	for j := range q {
		normal[j*q+j] += ridge + float64(damping*normal[j*q+j])
		step[j] -= float64(ridge * d.z[j])
	}
	slope := d.table(5, q)
	copy(slope, step)
	solveSome(normal, step, q, 1)
	return step, rows.Dot(slope, step) / 2
}

// solveSome replaces n columns of x, which stand side by side, by solutions of Ay = x for a matrix that may be singular: entries that others
// before them make up for are 0. It destroys A.
func solveSome(a, x []float64, q, n int) {
	live := make([]bool, q)
	for i := range q {
		diagonal := a[i*q+i]
		for j := range i {
			if !live[j] {
				a[i*q+j] = 0
				continue
			}
			a[i*q+j] = (a[i*q+j] - rows.Dot(a[i*q:i*q+j], a[j*q:j*q+j])) / a[j*q+j]
		}
		pivot := a[i*q+i] - rows.Dot(a[i*q:i*q+i], a[i*q:i*q+i])
		live[i] = pivot > 1e-12*diagonal
		a[i*q+i] = 1
		if live[i] {
			a[i*q+i] = math.Sqrt(pivot)
		}
	}
	for i := range q { // columns of what is not live are 0 already
		if !live[i] {
			clear(a[i*q : i*q+i])
		}
	}
	column := make([]float64, q)
	for c := range n {
		for i := range q {
			if column[i] = x[i*n+c]; !live[i] {
				column[i] = 0
			}
		}
		dense.SolveCholesky(a, column, q)
		for i := range q {
			x[i*n+c] = column[i]
		}
	}
}

// pieces is how many of them persons are shared out in, whoever works.
func (g *persons) pieces() int { return min(g.count(), 64) }

// share calls do for persons, in pieces.
func (g *persons) share(ctx context.Context, workers int, do func(d *desk, piece, who int)) error {
	people, pieces := g.count(), g.pieces()
	hands := crew.Hands(max(1, workers), len(g.l.After)*(g.f.Unknowns+g.f.Traits)*4)
	desks := make([]desk, hands)
	return crew.Share(hands, pieces, func(hand, piece int) error {
		for who := piece * people / pieces; who < (piece+1)*people/pieces; who++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(&desks[hand], piece, who)
		}
		return nil
	})
}

// sum adds up what persons say at a place, each as often as he counts.
func (g *persons) sum(ctx context.Context, theta, weight []float64, workers int, add func(d *desk, s *Foothold, who int, times float64)) (*Foothold, error) {
	sums := make([]*Foothold, g.pieces())
	for piece := range sums {
		sums[piece] = newFoothold(nil, len(theta), g.f.States)
	}
	err := g.share(ctx, workers, func(d *desk, piece, who int) {
		if times := rows.Weight(weight, who); times != 0 {
			add(d, sums[piece], who, times)
		}
	})
	if err != nil {
		return nil, err
	}
	return summed(theta, g.f.States, sums), nil
}
