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

func (x pooled) at(ctx context.Context, theta, spread, weight []float64, workers int) (*point, error) {
	k, m := x.f.Unknowns, x.f.States
	n := x.l.rows(x.f)
	cuts := x.kept.cuts()
	if cuts == nil {
		cuts = even(n)
	}
	sums := make([]*point, len(cuts)-1)
	hands := crew.Hands(max(1, workers), n*x.f.Width())
	rooms := make([][]float64, hands)
	err := crew.Share(hands, len(sums), func(hand, piece int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if rooms[hand] == nil {
			rooms[hand] = make([]float64, lane*x.f.Width()+k)
		}
		sums[piece] = x.sum(rooms[hand], theta, spread, weight, cuts[piece], cuts[piece+1])
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := newPoint(theta, k, m)
	for _, s := range sums {
		out.add(s)
	}
	x.kept.turn(out, spread)
	return out, nil
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

// sum adds up rows lo to hi.
func (x pooled) sum(room, theta, spread, weight []float64, lo, hi int) *point {
	k, m := x.f.Unknowns, x.f.States
	s := newPoint(nil, k, m)
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
			s.square[e] += square
			s.loss += float64(square * by / 2)
			rows.Dots(products, off, slopes, n)
			rows.AddScaled(s.slope, by, products)
			for a := range k {
				rows.Dots(products[:k-a], slopes[a*n:(a+1)*n], slopes[a*n:], n)
				rows.AddScaled(s.normal[a*k+a:(a+1)*k], by, products[:k-a])
			}
		}
	}
	return s
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
		w := x.l.weight(lo + i)
		if weight != nil {
			w *= weight[x.group[lo+i]]
		}
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
	m, b := x.f.States, x.f.Beside
	out := pooled{f: x.f, many: x.many}
	for lo, n := 0, x.l.rows(x.f); lo < n; lo += step * chunk {
		hi := min(n, lo+chunk)
		out.group = append(out.group, x.group[lo:hi]...)
		out.l.States, out.l.After = append(out.l.States, x.l.States[lo*m:hi*m]...), append(out.l.After, x.l.After[lo*m:hi*m]...)
		out.l.Beside = append(out.l.Beside, x.l.Beside[lo*b:hi*b]...)
		if x.l.Weight != nil {
			out.l.Weight = append(out.l.Weight, x.l.Weight[lo:hi]...)
		}
	}
	return out
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
	hands := crew.Hands(max(1, workers), x.l.rows(x.f)*x.f.Width())
	rooms := make([][]float64, hands)
	return factor, scores, crew.Share(hands, len(cuts)-1, func(hand, piece int) error {
		if rooms[hand] == nil {
			rooms[hand] = make([]float64, lane*x.f.Width())
		}
		for lo, hi := cuts[piece], cuts[piece+1]; lo < hi; lo += lane {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(lane, hi-lo)
			columns := x.columns(rooms[hand], theta, nil, lo, n)
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
