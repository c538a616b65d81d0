package moments

import (
	"context"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/gonum/mat"
)

// marcher lets people go on as the model says, with the derivatives of where they come to.
type marcher struct {
	f        *formula.Roller
	c        Exposure
	unknowns []fit.Unknown
	o        fit.Options
	basis    *basis
	traits   int // of a person
	loud     bool
	copies   int
	cohorts  []*cohort

	// misses are what of a cohort is missed and the derivatives of what is predicted, in units of errors or weights; broken: somebody's state is no number.
	misses func(ctx context.Context, theta []float64, at int) (r *mat.VecDense, a *mat.Dense, broken bool, err error)
}

// cohort are the people of a group: those from whom the model goes on, and what was seen of the group later.
type cohort struct {
	group, since           int
	states, traits, weight []float64
	first                  int // the number of its first person
	everybody              bool
	targets                []target // in the order of time
}

func (g *cohort) people() int { return len(g.weight) }

// totals are the sums of weights and of their squares.
func (g *cohort) totals() (sum, squares float64) {
	for _, w := range g.weight {
		sum += w
		squares += float64(w * w)
	}
	return sum, squares
}

// target is what was seen of a group at a time.
type target struct {
	time   int
	people int
	mean   []float64 // by moment
	cov    []float64 // of these
}

// marched is where the people of a cohort come to: moments at the times of all targets, one after another.
type marched struct {
	mean, slope []float64
	cov         []float64 // of the mean, because other people could have been there; nil: not asked for
	broken      bool      // somebody's state is no number
}

// pace is how many rows go on at a time.
const pace = 256

// march lets a cohort go on to its last target.
func (x *marcher) march(ctx context.Context, theta []float64, g *cohort, asked bool) (*marched, error) {
	size, k := len(g.targets)*x.basis.count(), x.f.Unknowns
	out := &marched{mean: make([]float64, size), slope: make([]float64, size*k)}
	each := max(1, pace/x.copies)
	pieces := (g.people() + each - 1) / each
	const round = 16 // so that memory does not grow with people
	var square, side []float64
	if asked {
		square, side = make([]float64, size*size), make([]float64, size)
	}
	total, total2 := g.totals()
	hands := crew.Hands(max(1, x.o.Workers), min(g.people(), round*each)*x.copies*x.f.Width()*x.c.Dates)
	rooms := make([]*march, hands)
	for from := 0; from < pieces; from += round {
		sums := make([]sum, min(round, pieces-from))
		err := crew.Share(hands, len(sums), func(hand, piece int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if rooms[hand] == nil {
				rooms[hand] = x.newMarch(each, size)
			}
			lo := (from + piece) * each
			sums[piece] = rooms[hand].run(theta, g, lo, min(g.people(), lo+each), asked)
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, s := range sums {
			out.broken = out.broken || s.broken
			rows.Add(out.mean, out.mean, s.mean)
			rows.Add(out.slope, out.slope, s.slope)
			rows.Add(square, square, s.square)
			rows.Add(side, side, s.side)
		}
	}
	rows.Scale(out.mean, 1/total)
	rows.Scale(out.slope, 1/total)
	if asked {
		out.cov = square
		g.center(out, side, total, total2)
	}
	return out, nil
}

// center makes sums of squares the covariance of means.
func (g *cohort) center(out *marched, side []float64, total, total2 float64) {
	size, n := len(out.mean), float64(g.people())
	by := 1 / total / total
	if !g.everybody {
		by *= n / (n - 1)
	}
	for i := range size {
		for j := range i + 1 {
			v := out.cov[i*size+j]
			if !g.everybody {
				v += float64(total2*out.mean[i]*out.mean[j]) - float64(side[i]*out.mean[j]) - float64(side[j]*out.mean[i])
			}
			out.cov[i*size+j], out.cov[j*size+i] = v*by, v*by
		}
	}
}

// sum is what some people add, by their weights.
type sum struct {
	mean, slope  []float64
	square, side []float64 // by squares of weights
	broken       bool
}

// march is the memory of a walk.
type march struct {
	x                          *marcher
	states, beside, noise, out []float64
	sensitive, next, draws     []float64
	z, each                    []float64
	person, mean               []float64 // moments of everybody's copies, one after another
	size, moments, perPiece    int
}

func (x *marcher) newMarch(each, size int) *march {
	f, rows := x.f, each*x.copies
	w := &march{x: x, size: size, moments: x.basis.count(), perPiece: each}
	w.states, w.beside, w.noise = make([]float64, rows*f.States), make([]float64, rows*f.Beside), make([]float64, rows*f.Shocks())
	w.out, w.sensitive, w.next = make([]float64, rows*f.Width()), make([]float64, rows*f.States*f.Unknowns), make([]float64, f.States*f.Unknowns)
	w.z, w.each = make([]float64, f.States+x.traits), make([]float64, x.basis.count())
	w.person, w.mean = make([]float64, rows*size), make([]float64, size)
	if x.loud {
		w.draws = make([]float64, rows*f.Shocks()*(x.c.Dates-1))
	}
	return w
}

// run lets people lo to hi of a cohort go on.
func (w *march) run(theta []float64, g *cohort, lo, hi int, asked bool) (s sum) {
	x, m, k := w.x, w.x.f.States, w.x.f.Unknowns
	rows := (hi - lo) * x.copies
	s.mean, s.slope = make([]float64, w.size), make([]float64, w.size*k)
	w.begin(g, lo, hi)
	at := 0
	for t := g.since; at < len(g.targets); t++ {
		if g.targets[at].time == t {
			s.broken = w.look(g, lo, rows, at, &s) || s.broken
			at++
		}
		if at == len(g.targets) || s.broken {
			break
		}
		w.step(theta, g, t, rows)
		for r := range rows {
			row := w.out[r*x.f.Width():]
			w.carry(w.sensitive[r*m*k:(r+1)*m*k], row[m:m+m*k], row[m+m*k:m+m*k+m*m])
			copy(w.states[r*m:(r+1)*m], row[:m])
		}
	}
	if asked {
		w.squares(g, lo, hi, &s)
	}
	return s
}

// begin puts people where they start, and draws their noise.
func (w *march) begin(g *cohort, lo, hi int) {
	x, m := w.x, w.x.f.States
	clear(w.sensitive)
	shocks, steps := x.f.Shocks(), x.c.Dates-1
	for i := lo; i < hi; i++ {
		if x.loud {
			s := stream.New(x.o.Seed, "fit", "moments", "noise")
			s.Seek(uint64(g.first + i))
			own := w.draws[(i-lo)*x.copies*steps*shocks:][:x.copies*steps*shocks]
			x.shocks(own, func(law population.Number) float64 { return law.Draw(s) })
		}
		for c := range x.copies {
			r := (i-lo)*x.copies + c
			copy(w.states[r*m:(r+1)*m], g.states[i*m:(i+1)*m])
			copy(w.beside[r*x.f.Beside:], g.traits[i*x.traits:(i+1)*x.traits])
		}
	}
	if !x.loud {
		x.shocks(w.noise, population.Number.Mean)
	}
}

// shocks writes what every law of noise has for its entries, again and again.
func (x *marcher) shocks(dst []float64, of func(law population.Number) float64) {
	for at := 0; at < len(dst); {
		for j, law := range x.c.Noise {
			for range x.f.Noise[j] {
				dst[at] = of(law)
				at++
			}
		}
	}
}

// step computes where rows are after a time.
func (w *march) step(theta []float64, g *cohort, t, rows int) {
	x, f := w.x, w.x.f
	width, shocks, steps := f.Beside-x.traits, f.Shocks(), x.c.Dates-1
	decision := x.c.Beside[(t*x.c.groups()+g.group)*width:][:width]
	for r := range rows {
		copy(w.beside[r*f.Beside+x.traits:(r+1)*f.Beside], decision)
		if x.loud {
			copy(w.noise[r*shocks:(r+1)*shocks], w.draws[(r*steps+t)*shocks:])
		}
	}
	f.Rows(w.out[:rows*f.Width()], w.states[:rows*f.States], theta, w.beside[:rows*f.Beside], w.noise[:rows*shocks])
}

// carry makes derivatives of a state in unknowns those of the next one: ∂f/∂θ + (∂f/∂p)S.
func (w *march) carry(sensitive, byUnknowns, byState []float64) {
	m, k := w.x.f.States, w.x.f.Unknowns
	for e := range m {
		row := w.next[e*k : (e+1)*k]
		copy(row, byUnknowns[e*k:(e+1)*k])
		for j := range m {
			if d := byState[e*m+j]; d != 0 {
				rows.AddScaled(row, d, sensitive[j*k:(j+1)*k])
			}
		}
	}
	copy(sensitive, w.next)
}

// look adds moments at a target; it tells whether a state is no number.
func (w *march) look(g *cohort, lo, rows, at int, s *sum) (broken bool) {
	x, m, k, n := w.x, w.x.f.States, w.x.f.Unknowns, w.moments
	for r := range rows {
		i := lo + r/x.copies
		share := g.weight[i] / float64(x.copies)
		x.basis.scaled(w.z, w.states[r*m:(r+1)*m], g.traits[i*x.traits:(i+1)*x.traits])
		own := w.person[r*w.size+at*n:][:n]
		x.basis.values(own, w.z)
		for j, v := range own {
			if bad(v) {
				return true
			}
			s.mean[at*n+j] += float64(share * v)
		}
		x.basis.slopes(s.slope[at*n*k:(at+1)*n*k], w.z, w.sensitive[r*m*k:(r+1)*m*k], k, share)
	}
	return false
}

// squares adds what people differ by: from each other, or, where there are no others, the copies of one by their noise.
func (w *march) squares(g *cohort, lo, hi int, s *sum) {
	size, copies := w.size, w.x.copies
	s.square, s.side = make([]float64, size*size), make([]float64, size)
	for i := lo; i < hi; i++ {
		clear(w.mean)
		for c := range copies {
			rows.Add(w.mean, w.mean, w.person[((i-lo)*copies+c)*size:])
		}
		rows.Scale(w.mean, 1/float64(copies))
		by := g.weight[i] * g.weight[i]
		if !g.everybody {
			rows.AddScaled(s.side, by, w.mean)
			outer(s.square, w.mean, by)
			continue
		}
		for c := range copies {
			if copies == 1 {
				break
			}
			own := w.person[((i-lo)*copies+c)*size:][:size]
			rows.Sub(own, own, w.mean)
			outer(s.square, own, by/float64(copies)/float64(copies-1))
		}
	}
}

// outer adds by·vvᵀ, its lower half.
func outer(dst, v []float64, by float64) {
	for a, p := range v {
		if p *= by; p != 0 {
			rows.AddScaled(dst[a*len(v):], p, v[:a+1])
		}
	}
}
