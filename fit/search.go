package fit

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/stream"
)

// search looks for the least loss of a log.
type search struct {
	f        *formula.Regressor
	l        Log
	unknowns []Unknown
	o        Options
	spread   []float64 // of errors, by entry of the state
	tried    int
	agreed   int
}

// chunk is how many rows are computed at a time. Sums are over chunks in their order, so that they do not depend on workers.
const chunk = 1024

func newSearch(f *formula.Regressor, l Log, unknowns []Unknown, o Options) *search {
	p := &search{f: f, l: l, unknowns: unknowns, o: o, spread: make([]float64, f.States)}
	n := l.rows(f)
	for j := range p.spread { // until errors are known: how far people move
		var sum float64
		for i := range n {
			d := l.After[i*f.States+j] - l.States[i*f.States+j]
			sum += float64(d * d)
		}
		p.spread[j] = math.Sqrt(sum / float64(n))
		if p.spread[j] == 0 {
			p.spread[j] = 1
		}
	}
	return p
}

// point is a place of a search with what the log says there.
type point struct {
	theta  []float64
	loss   float64
	normal []float64 // JᵀJ
	slope  []float64 // of the loss, with its sign turned
	square []float64 // of errors, summed by entry of the state
}

// tangled are sums over rows of a chunk.
type tangled struct {
	normal, slope, square []float64
	loss                  float64
}

// at evaluates a place; weight nil: that of the log.
func (p *search) at(ctx context.Context, theta, weight []float64, workers int) (*point, error) {
	k, m := p.f.Unknowns, p.f.States
	n := p.l.rows(p.f)
	pieces := (n + chunk - 1) / chunk
	sums := make([]tangled, pieces)
	hands := crew.Hands(max(1, workers), n*p.f.Width())
	rooms := make([][]float64, hands)
	err := crew.Share(hands, pieces, func(hand, piece int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if rooms[hand] == nil {
			rooms[hand] = make([]float64, chunk*p.f.Width())
		}
		lo, hi := piece*chunk, min(n, (piece+1)*chunk)
		sums[piece] = p.sum(rooms[hand], theta, weight, lo, hi)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := &point{theta: slices.Clone(theta), normal: make([]float64, k*k), slope: make([]float64, k), square: make([]float64, m)}
	for _, s := range sums {
		out.loss += s.loss
		add(out.normal, s.normal)
		add(out.slope, s.slope)
		add(out.square, s.square)
	}
	for j, u := range p.unknowns {
		if u.Deviation > 0 {
			off := (theta[j] - u.Mean) / u.Deviation
			out.loss += float64(off * off / 2)
			out.slope[j] -= off / u.Deviation
			out.normal[j*k+j] += 1 / u.Deviation / u.Deviation
		}
	}
	for i := range k {
		for j := range i {
			out.normal[i*k+j] = out.normal[j*k+i]
		}
	}
	if math.IsNaN(out.loss) {
		out.loss = math.Inf(1)
	}
	return out, nil
}

func add(dst, x []float64) {
	for i, v := range x {
		dst[i] += v
	}
}

// sum adds up rows lo to hi.
func (p *search) sum(room, theta, weight []float64, lo, hi int) tangled {
	k, m, width := p.f.Unknowns, p.f.States, p.f.Width()
	s := tangled{normal: make([]float64, k*k), slope: make([]float64, k), square: make([]float64, m)}
	rows := room[:(hi-lo)*width]
	p.f.Rows(rows, p.l.States[lo*m:hi*m], theta, p.l.Beside[lo*p.f.Beside:hi*p.f.Beside])
	for i := lo; i < hi; i++ {
		row := rows[(i-lo)*width : (i-lo+1)*width]
		w := p.weightOf(weight, i)
		if w == 0 {
			continue
		}
		for e := range m {
			r := p.l.After[i*m+e] - row[e]
			s.square[e] += float64(w * float64(r*r))
			by := w / p.spread[e] / p.spread[e]
			s.loss += float64(float64(by*r) * r / 2)
			j := row[m+e*k : m+(e+1)*k]
			pull := by * r
			for a, x := range j {
				s.slope[a] += float64(pull * x)
				scaled := by * x
				line := s.normal[a*k : (a+1)*k]
				for b := a; b < k; b++ {
					line[b] += float64(scaled * j[b])
				}
			}
		}
	}
	return s
}

// weightOf is how much a row counts.
func (p *search) weightOf(weight []float64, i int) float64 {
	w := 1.0
	if p.l.Weight != nil {
		w = p.l.Weight[i]
	}
	if weight != nil {
		w *= weight[i]
	}
	return w
}

// fromAll takes the best of all starts.
func (p *search) fromAll(ctx context.Context) (*point, error) {
	var best *point
	var losses []float64
	for n := range 1 + p.o.Starts {
		end, err := p.descend(ctx, p.start(n), nil, p.o.Workers)
		if err != nil {
			return nil, err
		}
		p.tried++
		if end == nil {
			continue
		}
		losses = append(losses, end.loss)
		if best == nil || end.loss < best.loss {
			best = end
		}
	}
	if best == nil {
		return nil, &NoEndError{p.tried}
	}
	for _, loss := range losses {
		if loss-best.loss <= 1e-9*(1+best.loss) {
			p.agreed++
		}
	}
	return best, nil
}

// start number 0 is the user's; others are drawn, from the prior, from the range, or around the user's.
func (p *search) start(n int) []float64 {
	s := stream.New(p.o.Seed, "fit", "start", strconv.Itoa(n))
	theta := make([]float64, len(p.unknowns))
	for j, u := range p.unknowns {
		theta[j] = u.Start
		if n == 0 {
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

// descend goes down by Levenberg's and Marquardt's method within the bounds; nil: it came to no minimum.
func (p *search) descend(ctx context.Context, theta, weight []float64, workers int) (*point, error) {
	here, err := p.at(ctx, theta, weight, workers)
	if err != nil || math.IsInf(here.loss, 0) {
		return nil, err
	}
	damping, grow := 1e-3, 2.0
	for range 300 {
		step, predicted := p.step(here, damping)
		if step == nil {
			return here, nil
		}
		there, err := p.at(ctx, step, weight, workers)
		if err != nil {
			return nil, err
		}
		gain := here.loss - there.loss
		if !(gain > 0) {
			if predicted <= 1e-15*(1+here.loss) || damping > 1e15 {
				return here, nil
			}
			damping *= grow
			grow *= 2
			continue
		}
		ratio := gain / predicted
		damping *= max(1.0/3, 1-cubed(float64(2*ratio)-1))
		damping, grow = max(damping, 1e-15), 2
		ended := predicted <= 1e-15*(1+there.loss) && gain <= 1e-15*(1+there.loss)
		here = there
		if ended {
			return here, nil
		}
	}
	return nil, nil
}

func cubed(x float64) float64 { return float64(x * x * x) }

// step is where the model of the loss is least, at a damping, within the bounds, and by how much less that is supposed to be; nil: here.
func (p *search) step(here *point, damping float64) (theta []float64, predicted float64) {
	free := p.free(here)
	k, n := p.f.Unknowns, len(free)
	if n == 0 {
		return nil, 0
	}
	a, x := make([]float64, n*n), make([]float64, n)
	for i, g := range free {
		x[i] = here.slope[g]
		for j, h := range free {
			a[i*n+j] = here.normal[g*k+h]
		}
		a[i*n+i] += float64(damping * max(here.normal[g*k+g], 1e-300))
	}
	if at, _ := dense.Cholesky(a, n, 0); at < n {
		return nil, 0
	}
	dense.SolveCholesky(a, x, n)
	theta = slices.Clone(here.theta)
	moved := false
	for i, g := range free {
		u := p.unknowns[g]
		to := min(max(theta[g]+x[i], u.Lower), u.Upper)
		x[i] = to - theta[g]
		moved = moved || x[i] != 0
		theta[g] = to
	}
	if !moved {
		return nil, 0
	}
	for i, g := range free {
		predicted += float64(x[i] * here.slope[g])
		for j, h := range free {
			predicted -= float64(x[i] * here.normal[g*k+h] * x[j] / 2)
		}
	}
	return theta, max(predicted, 0)
}

// free are the unknowns that no bound holds.
func (p *search) free(here *point) (list []int) {
	for j, u := range p.unknowns {
		if held := here.theta[j] <= u.Lower && here.slope[j] <= 0 || here.theta[j] >= u.Upper && here.slope[j] >= 0; !held {
			list = append(list, j)
		}
	}
	return list
}

// weigh measures how large errors of each entry are, and goes on from there until that changes nothing.
func (p *search) weigh(ctx context.Context, best *point) error {
	total := 0.0
	for i := range p.l.rows(p.f) {
		total += p.weightOf(nil, i)
	}
	for range 50 {
		change := 0.0
		for e, s := range best.square {
			spread := math.Sqrt(s / total)
			if floor := 1e-12 * p.spread[e]; spread < floor { // a log without errors
				spread = floor
			}
			change = max(change, math.Abs(spread/p.spread[e]-1))
			p.spread[e] = spread
		}
		end, err := p.descend(ctx, best.theta, nil, p.o.Workers)
		if err != nil {
			return err
		}
		if end == nil {
			return &NoEndError{p.tried}
		}
		*best = *end
		if change < 1e-9 || len(p.spread) == 1 {
			return nil
		}
	}
	return nil
}
