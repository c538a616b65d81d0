package fit

import (
	"context"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// pooled is least squares over all rows, whosever they are.
type pooled struct {
	f     *formula.Regressor
	l     Log
	group []int // whose row it is, from 0
	many  int   // people
	kept  *kept // what people add at the last place, where that is kept
}

// chunk is how many rows are computed at a time. Sums are over chunks in their order, so that they do not depend on workers.
const chunk = 1024

func (x pooled) at(ctx context.Context, theta, spread, weight []float64, workers int) (*Foothold, error) {
	cuts := even(x.l.rows(x.f))
	if x.kept != nil {
		cuts = x.kept.pieces
	}
	out, err := sumOf(ctx, x.f, theta, cuts, workers, func(s *Foothold, room []float64, lo, hi int) { x.sum(s, room, theta, spread, weight, lo, hi) })
	if err == nil {
		x.kept.turn(out, spread)
	}
	return out, err
}

// sumOf adds up what pieces of rows say at a place.
func sumOf(ctx context.Context, f *formula.Regressor, theta []float64, cuts []int, workers int, add func(s *Foothold, room []float64, lo, hi int)) (*Foothold, error) {
	sums := make([]*Foothold, len(cuts)-1)
	err := share(f, cuts, workers, func(room []float64, piece int) error {
		sums[piece] = newFoothold(nil, len(theta), f.States)
		add(sums[piece], room, cuts[piece], cuts[piece+1])
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return summed(theta, f.States, sums), nil
}

// share calls do for the pieces between cuts of rows, with memory for all columns of a lane, one more, and a number for each unknown.
func share(f *formula.Regressor, cuts []int, workers int, do func(room []float64, piece int) error) error {
	hands := crew.Hands(max(1, workers), cuts[len(cuts)-1]*f.Width())
	rooms := make([][]float64, hands)
	return crew.Share(hands, len(cuts)-1, func(hand, piece int) error {
		if rooms[hand] == nil {
			rooms[hand] = make([]float64, lane*(f.Width()+1)+f.Unknowns)
		}
		return do(rooms[hand], piece)
	})
}

// even cuts rows into chunks.
func even(n int) (cuts []int) {
	for at := 0; at < n; at += chunk {
		cuts = append(cuts, at)
	}
	return append(cuts, n)
}

// lane is how many rows are computed at a time, as columns: products of columns are sums over many rows, and few rows stay near.
const lane = 256

// sum adds rows lo to hi.
func (x pooled) sum(s *Foothold, room, theta, spread, weight []float64, lo, hi int) {
	k, m := x.f.Unknowns, x.f.States
	products := room[:k]
	x.kept.clear(x.group, lo, hi)
	for at := lo; at < hi; at += lane {
		n := min(lane, hi-at)
		columns := x.columns(room[k:], theta, weight, at, n)
		if x.kept.isOn() {
			x.score(x.kept.scores, columns, spread, at, n)
		}
		for e := range m {
			by := 1 / spread[e] / spread[e]
			off, slopes := columns[e*n:(e+1)*n], columns[(m+e*k)*n:(m+(e+1)*k)*n]
			square := rows.Dot(off, off)
			s.Square[e] += square
			s.Loss += float64(square * by / 2)
			rows.Dots(products, off, slopes, n)
			rows.AddScaled(s.Slope, by, products)
			for a := range k {
				rows.Dots(products[:k-a], slopes[a*n:(a+1)*n], slopes[a*n:], n)
				rows.AddScaled(s.Normal[a*k+a:(a+1)*k], by, products[:k-a])
			}
		}
	}
}

// columns are the errors of n rows from lo on, entry by entry, and behind them their slopes, entry by entry and unknown by unknown, with the roots of weights.
func (x pooled) columns(room, theta, weight []float64, lo, n int) []float64 {
	m := x.f.States
	columns := room[:n*x.f.Width()]
	x.f.Columns(columns, x.l.States[lo*m:(lo+n)*m], theta, x.l.Beside[lo*x.f.Beside:(lo+n)*x.f.Beside])
	for e := range m {
		for i := range n {
			columns[e*n+i] = x.l.After[(lo+i)*m+e] - columns[e*n+i]
		}
	}
	if x.l.Weight == nil && weight == nil {
		return columns
	}
	for i := range n {
		w := x.l.weight(lo+i) * rows.Weight(weight, x.group[lo+i])
		by := math.Sqrt(w)
		for at := i; at < len(columns); at += n {
			if columns[at] *= by; by == 0 { // whatever it is, it does not count
				columns[at] = 0
			}
		}
	}
	return columns
}

// some is every so-manieth chunk of rows.
func (x pooled) some(step int) pooled {
	var taken []int
	for i := range x.l.rows(x.f) {
		if i/chunk%step == 0 {
			taken = append(taken, i)
		}
	}
	return pooled{f: x.f, l: x.l.Part(x.f, taken), many: x.many, group: pick(x.group, 1, taken)}
}

// sound is the least eigenvalue of normal equations, columns being of length 1, that are as good as all derivatives.
const sound = 1e-5

// scores come with the root of the normal equations or, where these would say too little of what is hard to tell, with the triangle of all derivatives.
func (x pooled) scores(ctx context.Context, theta, spread, normal []float64, workers int) (factor, scores *mat.Dense, err error) {
	k := x.f.Unknowns
	exact := true
	if normal != nil {
		var least float64
		factor, least = rootOf(mat.NewDense(k, k, normal))
		exact = !(least > sound)
	}
	if exact {
		factor = mat.NewDense(k, k, nil)
	}
	scores = mat.NewDense(x.many, k, nil)
	cuts := x.cuts()
	if exact { // one triangle after the other
		cuts = []int{0, x.l.rows(x.f)}
	}
	return factor, scores, share(x.f, cuts, workers, func(room []float64, piece int) error {
		for lo, hi := cuts[piece], cuts[piece+1]; lo < hi; lo += lane {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(lane, hi-lo)
			columns := x.columns(room, theta, nil, lo, n)
			x.score(scores, columns, spread, lo, n)
			if exact {
				x.stack(factor, columns, spread, n)
			}
		}
		return nil
	})
}

// cuts are rows between which everybody has all of his own: ends of chunks where rows stand person by person.
func (x pooled) cuts() []int {
	cuts, n := []int{0}, x.l.rows(x.f)
	if !slices.IsSorted(x.group) {
		return append(cuts, n)
	}
	for at := chunk; at < n; at += chunk {
		for at < n && x.group[at] == x.group[at-1] {
			at++
		}
		if at < n {
			cuts = append(cuts, at)
		}
	}
	return append(cuts, n)
}

// keep makes room where rows stand person by person and nobody has very many.
func (x pooled) keep() *kept {
	pieces := x.cuts()
	for i, hi := range pieces[1:] {
		if hi-pieces[i] > 8*chunk {
			return nil
		}
	}
	return &kept{pieces: pieces, scores: mat.NewDense(x.many, x.f.Unknowns, nil)}
}

// score adds what rows say to the slopes of their people, a person's rows behind each other together.
func (x pooled) score(scores *mat.Dense, columns, spread []float64, lo, n int) {
	k, m := x.f.Unknowns, x.f.States
	for e := range m {
		by, off, slopes := 1/spread[e]/spread[e], columns[e*n:(e+1)*n], columns[(m+e*k)*n:(m+(e+1)*k)*n]
		for from := 0; from < n; {
			to := from + 1
			for to < n && x.group[lo+to] == x.group[lo+from] {
				to++
			}
			score := scores.RawRowView(x.group[lo+from])
			for a := range score {
				score[a] += float64(by * along(off[from:to], slopes[a*n+from:a*n+to]))
			}
			from = to
		}
	}
}

// along is a product of few entries.
func along(x, y []float64) (sum float64) {
	y = y[:len(x)]
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// stack puts rows, in units of errors, under a triangle, and makes a triangle of that.
func (x pooled) stack(triangle *mat.Dense, columns, spread []float64, n int) {
	k, m := x.f.Unknowns, x.f.States
	stack := mat.NewDense(k+n*m, k, nil)
	copy(stack.RawMatrix().Data, triangle.RawMatrix().Data)
	for e := range m {
		for a := range k {
			for i := range n {
				stack.Set(k+i*m+e, a, columns[(m+e*k+a)*n+i]/spread[e])
			}
		}
	}
	under(triangle, stack)
}
