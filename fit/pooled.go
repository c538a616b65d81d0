package fit

import (
	"context"
	"math"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/crew"
	"gonum.org/v1/gonum/mat"
)

// pooled is least squares over all rows, whosever they are.
type pooled struct {
	f     *formula.Regressor
	l     Log
	group []int // whose row it is, from 0
	many  int   // people
}

// chunk is how many rows are computed at a time. Sums are over chunks in their order, so that they do not depend on workers.
const chunk = 1024

func (x pooled) at(ctx context.Context, theta, spread, weight []float64, workers int) (*point, error) {
	k, m := x.f.Unknowns, x.f.States
	n := x.l.rows(x.f)
	pieces := (n + chunk - 1) / chunk
	sums := make([]*point, pieces)
	hands := crew.Hands(max(1, workers), n*x.f.Width())
	rooms := make([][]float64, hands)
	err := crew.Share(hands, pieces, func(hand, piece int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if rooms[hand] == nil {
			rooms[hand] = make([]float64, chunk*x.f.Width())
		}
		lo, hi := piece*chunk, min(n, (piece+1)*chunk)
		sums[piece] = x.sum(rooms[hand], theta, spread, weight, lo, hi)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := newPoint(theta, k, m)
	for _, s := range sums {
		out.add(s)
	}
	return out, nil
}

// rows computes rows lo to hi.
func (x pooled) rows(room, theta []float64, lo, hi int) []float64 {
	m := x.f.States
	out := room[:(hi-lo)*x.f.Width()]
	x.f.Rows(out, x.l.States[lo*m:hi*m], theta, x.l.Beside[lo*x.f.Beside:hi*x.f.Beside])
	return out
}

// sum adds up rows lo to hi.
func (x pooled) sum(room, theta, spread, weight []float64, lo, hi int) *point {
	k, m, width := x.f.Unknowns, x.f.States, x.f.Width()
	s := newPoint(nil, k, m)
	rows := x.rows(room, theta, lo, hi)
	for i := lo; i < hi; i++ {
		row := rows[(i-lo)*width : (i-lo+1)*width]
		w := x.l.weight(i)
		if weight != nil {
			w *= weight[x.group[i]]
		}
		if w == 0 {
			continue
		}
		for e := range m {
			r := x.l.After[i*m+e] - row[e]
			s.square[e] += float64(w * float64(r*r))
			by := w / spread[e] / spread[e]
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

// scores come by the triangle R of all derivatives, in units of errors.
func (x pooled) scores(ctx context.Context, theta, spread []float64) (triangle, scores *mat.Dense, err error) {
	k, m, width := x.f.Unknowns, x.f.States, x.f.Width()
	triangle, scores = mat.NewDense(k, k, nil), mat.NewDense(x.many, k, nil)
	room := make([]float64, chunk*width)
	n := x.l.rows(x.f)
	for lo := 0; lo < n; lo += chunk {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		hi := min(n, lo+chunk)
		rows := x.rows(room, theta, lo, hi)
		stack := mat.NewDense(k+(hi-lo)*m, k, nil)
		copy(stack.RawMatrix().Data, triangle.RawMatrix().Data)
		for i := lo; i < hi; i++ {
			row, w := rows[(i-lo)*width:(i-lo+1)*width], x.l.weight(i)
			score := scores.RawRowView(x.group[i])
			for e := range m {
				r := x.l.After[i*m+e] - row[e]
				line := stack.RawRowView(k + (i-lo)*m + e)
				for a, x := range row[m+e*k : m+(e+1)*k] {
					line[a] = math.Sqrt(w) * x / spread[e]
					score[a] += float64(w * r * x / spread[e] / spread[e])
				}
			}
		}
		under(triangle, stack)
	}
	return triangle, scores, nil
}

// under writes the triangle of the rows of a stack.
func under(triangle, stack *mat.Dense) {
	k, _ := triangle.Dims()
	var qr mat.QR
	qr.Factorize(stack)
	var r mat.Dense
	qr.RTo(&r)
	triangle.Copy(r.Slice(0, k, 0, k))
}
