package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/gonum/mat"
)

// judge says how sure the numbers are: by the derivatives of predictions, and errors that may go together within a person.
func (p *search) judge(ctx context.Context, here *Foothold, out *Fitted) error {
	k := len(p.unknowns)
	free := p.free(here)
	out.Held = make([]bool, p.asked)
	for j := range out.Held {
		out.Held[j] = !slices.Contains(free, j)
	}
	out.Error, out.Cov = make([]float64, p.asked), make([]float64, p.asked*p.asked)
	normal := here.Normal
	if slices.ContainsFunc(p.unknowns, func(u Unknown) bool { return u.Deviation > 0 }) {
		normal = nil
	}
	factor, scores, err := p.told(ctx, here, normal)
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

// told are scores with their factor: those that were kept on the way, or new ones.
func (p *search) told(ctx context.Context, here *Foothold, normal []float64) (factor, scores *mat.Dense, err error) {
	if scores, ok := p.kept.of(here, p.spread); ok && normal != nil {
		if factor, least := rootOf(mat.NewDense(len(here.Theta), len(here.Theta), normal)); least > sound {
			return factor, scores, nil
		}
	}
	p.kept = nil
	return p.how.scores(ctx, here.Theta, p.spread, normal, p.o.Workers)
}

// sandwich writes the covariance of the free numbers that the user asks for.
func (p *search) sandwich(out *Fitted, inverse, scores *mat.Dense, free []int, loose []bool) {
	k, n := p.asked, len(free)
	lines := float64(out.Rows * p.f.States)
	factor := (lines - 1) / max(1, lines-float64(n)-p.nuisance())
	if out.People > 1 {
		factor *= float64(out.People) / float64(out.People-1)
	}
	meat := squares(scores, free)
	meat.ScaleSym(factor, meat)
	for i, g := range free {
		meat.SetSym(i, i, meat.At(i, i)+p.unknowns[g].Known())
	}
	var half, whole mat.Dense
	half.Mul(inverse, meat)
	whole.Mul(&half, inverse)
	if out.People < 2 || p.o.Unseen == Fixed && out.People <= k { // too few tell how errors go together
		whole.Scale(lines/max(1, lines-float64(n)-p.nuisance()), inverse)
		who := "One person says nothing"
		if out.People > 1 {
			who = fmt.Sprintf("%d people say too little", out.People)
		}
		out.Apart = true
		out.Words = append(out.Words, who+" of how errors go together: standard errors take them as independent from row to row.")
	}
	out.Take(&whole, free, loose)
	for i, g := range free {
		if g >= k {
			break
		}
		if !loose[i] && !(out.Error[g] <= math.MaxFloat64) {
			out.Error[g], out.Cov[g*k+g] = math.Inf(1), math.Inf(1)
			out.Blind = append(out.Blind, Blindness{Names: []string{p.unknowns[g].Name}, By: []float64{1}})
		}
		out.origin.excess[g] = whole.At(i, i) / inverse.At(i, i)
	}
}

// Take takes the covariance of free numbers, of which those that were not asked for are left out; where one is loose it is infinite.
func (f *Fitted) Take(cov mat.Matrix, free []int, loose []bool) {
	k := len(f.Value)
	for i, g := range free {
		if g >= k {
			continue
		}
		for j, h := range free {
			if h >= k {
				continue
			}
			f.Cov[g*k+h] = (cov.At(i, j) + cov.At(j, i)) / 2
			if loose[i] || loose[j] {
				f.Cov[g*k+h] = math.Inf(1)
			}
		}
		f.Error[g] = math.Sqrt(f.Cov[g*k+g])
	}
}

// squares sums up the products of columns.
func squares(x *mat.Dense, of []int) *mat.SymDense {
	const side = 256 // by rows, as columns
	n, k := len(of), x.RawMatrix().Rows
	room, products, out := make([]float64, n*side), make([]float64, n), mat.NewSymDense(n, nil)
	for lo := 0; lo < k; lo += side {
		many := min(side, k-lo)
		for i := range many {
			row := x.RawRowView(lo + i)
			for a, j := range of {
				room[a*many+i] = row[j]
			}
		}
		for a := range n {
			rows.Dots(products[a:], room[a*many:(a+1)*many], room[a*many:n*many], many)
			for b := a; b < n; b++ {
				out.SetSym(a, b, out.At(a, b)+products[b])
			}
		}
	}
	return out
}

// bootstrap fits again and again with as many people, drawn anew with all their rows, and with priors that say what they might have said.
func (p *search) bootstrap(ctx context.Context, here *Foothold, out *Fitted, o Options) error {
	all, _ := p.l.People()
	draws := make([][]float64, o.Repeats)
	err := crew.Share(max(1, o.Workers), o.Repeats, func(_, repeat int) error {
		s := stream.New(o.Seed, "fit", "bootstrap")
		s.Seek(uint64(repeat))
		count := make([]float64, all)
		for range p.people {
			count[p.people[s.Intn(len(p.people))]]++
		}
		again := *p
		again.unknowns = drawnAnew(p.unknowns, o.Seed, repeat)
		end, err := again.descend(ctx, here.Theta, count, 1, firstly)
		if end != nil {
			draws[repeat] = end.Theta[:p.asked]
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

// drawnAnew are unknowns of which other things were known beforehand, as likely as those that were.
func drawnAnew(unknowns []Unknown, seed uint64, repeat int) []Unknown {
	s := stream.New(seed, "fit", "bootstrap", "priors")
	s.Seek(uint64(repeat))
	list := slices.Clone(unknowns)
	for j := range list {
		if u := &list[j]; u.Deviation > 0 {
			u.Mean += float64(u.Deviation * s.Normal())
		}
	}
	return list
}
