package fit

import (
	"context"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/gonum/mat"
)

// judge says how sure the numbers are: by the derivatives of predictions, and errors that may go together within a person.
func (p *search) judge(ctx context.Context, here *point, out *Fitted) error {
	k := len(p.unknowns)
	free := p.free(here)
	out.Held = make([]bool, p.asked)
	for j := range out.Held {
		out.Held[j] = !slices.Contains(free, j)
	}
	out.Error, out.Cov = make([]float64, p.asked), make([]float64, p.asked*p.asked)
	normal := here.normal
	if slices.ContainsFunc(p.unknowns, func(u Unknown) bool { return u.Deviation > 0 }) {
		normal = nil
	}
	factor, scores, err := p.how.scores(ctx, here.theta, p.spread, normal, p.o.Workers)
	if err != nil {
		return err
	}
	n := len(free)
	if n == 0 {
		return nil
	}
	design, some := mat.NewDense(k, n, nil), make([]Unknown, n)
	for i, g := range free {
		design.SetCol(i, mat.Col(nil, g, factor))
		some[i] = p.unknowns[g]
	}
	inverse, loose, blind, err := Bread(design, some)
	if err != nil {
		return err
	}
	out.Blind = blind
	p.sandwich(out, inverse, scores, free, loose)
	return nil
}

// sandwich writes the covariance of the free numbers that the user asks for.
func (p *search) sandwich(out *Fitted, inverse, scores *mat.Dense, free []int, loose []bool) {
	k, n := p.asked, len(free)
	some := mat.NewDense(out.People, n, nil)
	for i, g := range free {
		some.SetCol(i, mat.Col(nil, g, scores))
	}
	rows := float64(out.Rows * p.f.States)
	factor := (rows - 1) / max(1, rows-float64(n)-p.nuisance())
	if out.People > 1 {
		factor *= float64(out.People) / float64(out.People-1)
	}
	meat := mat.NewSymDense(n, nil)
	meat.SymOuterK(factor, some.T())
	var half, whole mat.Dense
	half.Mul(inverse, meat)
	whole.Mul(&half, inverse)
	if out.People < 2 { // nobody else tells how errors go together
		whole.Scale(rows/max(1, rows-float64(n)-p.nuisance()), inverse)
		out.Words = append(out.Words, "One person says nothing of how errors go together: standard errors take them as independent from row to row.")
	}
	for i, g := range free {
		if g >= k {
			break
		}
		for j, h := range free {
			if h >= k {
				break
			}
			out.Cov[g*k+h] = (whole.At(i, j) + whole.At(j, i)) / 2
			if loose[i] || loose[j] {
				out.Cov[g*k+h] = math.Inf(1)
			}
		}
		if out.Error[g] = math.Sqrt(out.Cov[g*k+g]); !loose[i] && !(out.Error[g] <= math.MaxFloat64) {
			out.Error[g], out.Cov[g*k+g] = math.Inf(1), math.Inf(1)
			out.Blind = append(out.Blind, Blindness{Names: []string{p.unknowns[g].Name}, By: []float64{1}})
		}
		out.origin.excess[g] = whole.At(i, i) / inverse.At(i, i)
	}
}

// bootstrap fits again and again with as many people, drawn anew with all their rows.
func (p *search) bootstrap(ctx context.Context, here *point, out *Fitted, o Options) error {
	people := p.people
	draws := make([][]float64, o.Repeats)
	err := crew.Share(max(1, o.Workers), o.Repeats, func(_, repeat int) error {
		s := stream.New(o.Seed, "fit", "bootstrap")
		s.Seek(uint64(repeat))
		count := make([]float64, people)
		for range people {
			count[s.Intn(people)]++
		}
		end, err := p.descend(ctx, here.theta, count, 1, firstly)
		if end != nil {
			draws[repeat] = end.theta[:p.asked]
		}
		return err
	})
	if err != nil {
		return err
	}
	out.Draws = make([]float64, 0, o.Repeats*p.asked)
	for _, d := range draws {
		if d == nil {
			out.Failed++
			continue
		}
		out.Draws = append(out.Draws, d...)
	}
	return nil
}
