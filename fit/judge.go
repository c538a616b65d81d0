package fit

import (
	"context"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/gonum/mat"
)

// faint is the least singular value of derivatives, columns being of length 1, beside the largest, for a direction that the log tells.
const faint = 1e-9

// judge says how sure the numbers are: by the derivatives of predictions, and errors that may go together within a person.
func (p *search) judge(ctx context.Context, out *Fitted) error {
	k := p.f.Unknowns
	here, err := p.at(ctx, out.Value, nil, p.o.Workers)
	if err != nil {
		return err
	}
	free := p.free(here)
	out.Held = make([]bool, k)
	for j := range out.Held {
		out.Held[j] = !slices.Contains(free, j)
	}
	out.Error, out.Cov = make([]float64, k), make([]float64, k*k)
	people, group := p.people()
	out.People = people
	factor, scores, err := p.scores(ctx, out.Value, people, group)
	if err != nil {
		return err
	}
	n := len(free)
	if n == 0 {
		return nil
	}
	size := make([]float64, n) // of columns
	design := mat.NewDense(k+k, n, nil)
	for i, g := range free {
		for r := range k {
			design.Set(r, i, factor.At(r, g))
		}
		if u := p.unknowns[g]; u.Deviation > 0 {
			design.Set(k+g, i, 1/u.Deviation)
		}
		size[i] = mat.Norm(design.ColView(i), 2)
		if size[i] == 0 {
			size[i] = 1
		}
		for r := range 2 * k {
			design.Set(r, i, design.At(r, i)/size[i])
		}
	}
	var svd mat.SVD
	if !svd.Factorize(design, mat.SVDThin) {
		return &NoEndError{p.tried}
	}
	values := svd.Values(nil)
	var v mat.Dense
	svd.VTo(&v)
	inverse, loose := mat.NewDense(n, n, nil), make([]bool, n) // of the normal equations, in directions that are told
	for c, s := range values {
		if s <= faint*values[0] {
			out.Blind = append(out.Blind, p.direction(free, &v, c, size, loose))
			continue
		}
		for i := range n {
			for j := range n {
				inverse.Set(i, j, inverse.At(i, j)+float64(v.At(i, c)*v.At(j, c)/s/s/size[i]/size[j]))
			}
		}
	}
	p.sandwich(out, inverse, scores, free, loose)
	return nil
}

// direction names what takes part in one that the log does not tell.
func (p *search) direction(free []int, v *mat.Dense, c int, size []float64, loose []bool) (d Blindness) {
	for i, g := range free {
		if math.Abs(v.At(i, c)) > 1e-4 {
			loose[i] = true
			d.Names, d.By = append(d.Names, p.unknowns[g].Name), append(d.By, v.At(i, c)/size[i])
		}
	}
	return d
}

// sandwich writes the covariance of the free numbers.
func (p *search) sandwich(out *Fitted, inverse, scores *mat.Dense, free []int, loose []bool) {
	k, n := p.f.Unknowns, len(free)
	some := mat.NewDense(out.People, n, nil)
	for i, g := range free {
		some.SetCol(i, mat.Col(nil, g, scores))
	}
	rows := float64(out.Rows * p.f.States)
	factor := (rows - 1) / (rows - float64(n))
	if out.People > 1 {
		factor *= float64(out.People) / float64(out.People-1)
	}
	meat := mat.NewSymDense(n, nil)
	meat.SymOuterK(factor, some.T())
	var half, whole mat.Dense
	half.Mul(inverse, meat)
	whole.Mul(&half, inverse)
	for i, g := range free {
		for j, h := range free {
			out.Cov[g*k+h] = (whole.At(i, j) + whole.At(j, i)) / 2
			if loose[i] || loose[j] {
				out.Cov[g*k+h] = math.Inf(1)
			}
		}
		out.Error[g] = math.Sqrt(out.Cov[g*k+g])
	}
}

// people numbers people from 0.
func (p *search) people() (n int, group []int) {
	known := map[int]int{}
	group = make([]int, len(p.l.Person))
	for i, id := range p.l.Person {
		at, seen := known[id]
		if !seen {
			at = len(known)
			known[id] = at
		}
		group[i] = at
	}
	return len(known), group
}

// scores are the triangle R of all derivatives, in units of errors, and what each person adds to the slope of the loss.
func (p *search) scores(ctx context.Context, theta []float64, people int, group []int) (triangle, scores *mat.Dense, err error) {
	k, m, width := p.f.Unknowns, p.f.States, p.f.Width()
	triangle, scores = mat.NewDense(k, k, nil), mat.NewDense(people, k, nil)
	room := make([]float64, chunk*width)
	n := p.l.rows(p.f)
	for lo := 0; lo < n; lo += chunk {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		hi := min(n, lo+chunk)
		rows := room[:(hi-lo)*width]
		p.f.Rows(rows, p.l.States[lo*m:hi*m], theta, p.l.Beside[lo*p.f.Beside:hi*p.f.Beside])
		stack := mat.NewDense(k+(hi-lo)*m, k, nil)
		stack.Slice(0, k, 0, k).(*mat.Dense).Copy(triangle)
		for i := lo; i < hi; i++ {
			row, w := rows[(i-lo)*width:(i-lo+1)*width], p.weightOf(nil, i)
			score := scores.RawRowView(group[i])
			for e := range m {
				r := p.l.After[i*m+e] - row[e]
				line := stack.RawRowView(k + (i-lo)*m + e)
				for a, x := range row[m+e*k : m+(e+1)*k] {
					line[a] = math.Sqrt(w) * x / p.spread[e]
					score[a] += float64(w * r * x / p.spread[e] / p.spread[e])
				}
			}
		}
		var qr mat.QR
		qr.Factorize(stack)
		var r mat.Dense
		qr.RTo(&r)
		triangle.Copy(r.Slice(0, k, 0, k))
	}
	return triangle, scores, nil
}

// bootstrap fits again and again with as many people, drawn anew with all their rows.
func (p *search) bootstrap(ctx context.Context, out *Fitted, o Options) error {
	k := p.f.Unknowns
	people, group := p.people()
	draws := make([][]float64, o.Repeats)
	err := crew.Share(max(1, o.Workers), o.Repeats, func(_, repeat int) error {
		s := stream.New(o.Seed, "fit", "bootstrap")
		s.Seek(uint64(repeat))
		count := make([]float64, people)
		for range people {
			count[s.Intn(people)]++
		}
		weight := make([]float64, len(group))
		for i, g := range group {
			weight[i] = count[g]
		}
		end, err := p.descend(ctx, out.Value, weight, 1)
		if end != nil {
			draws[repeat] = end.theta
		}
		return err
	})
	if err != nil {
		return err
	}
	out.Draws = make([]float64, 0, o.Repeats*k)
	for _, d := range draws {
		if d == nil {
			out.Failed++
			continue
		}
		out.Draws = append(out.Draws, d...)
	}
	return nil
}
