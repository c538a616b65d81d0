package fit

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// variance is what the slopes of a person's likelihood in L and in sizes of errors are made of, everything in units of errors: with H the slopes in
// the trait, V = I + HLLᵀHᵀ and P = LM⁻¹Lᵀ, so that V⁻¹ = I − HPHᵀ.
type variance struct {
	lower, inner, middle []float64   // L, HᵀH and P
	own                  [][]float64 // of HᵀH what comes by each entry of the state
	pull, z              []float64   // Hᵀr, and z, at the best
	square, lines        []float64   // of errors, and how many, by entry
	each                 []float64   // HL M⁻¹: slope of half of log |M| in L
}

func newVariance(x *random, d *desk, inner, factor, lower []float64) *variance {
	q, m := x.f.Traits, x.f.States
	v := &variance{lower: lower, inner: inner, pull: make([]float64, q), z: slices.Clone(d.z), square: make([]float64, m), lines: make([]float64, m)}
	for range m {
		v.own = append(v.own, make([]float64, q*q))
	}
	for line, r := range d.r[:len(d.seen)] {
		e, own := d.seen[line], d.own[line*q:(line+1)*q]
		rows.AddScaled(v.pull, r, own)
		v.square[e] += float64(r * r)
		v.lines[e]++
		for j, w := range own {
			rows.AddScaled(v.own[e][j*q:(j+1)*q], w, own)
		}
	}
	along := slices.Clone(lower) // LM⁻¹, row by row
	for c := range q {
		dense.SolveCholesky(factor, along[c*q:(c+1)*q], q)
	}
	v.middle = dense.Product(lower, dense.Transposed(along, q), q)
	v.each = dense.Product(inner, along, q)
	return v
}

// trace is that of PA.
func (v *variance) trace(a []float64) float64 { return rows.Dot(v.middle, a) }

// cause is what the mean of a person's trait goes with.
func (x *random) cause(who int) []float64 {
	out := append(make([]float64, 0, x.apart), 1)
	m := x.f.States
	return append(out, x.l.States[x.first[who]*m:x.first[who]*m+x.apart-1]...)
}

// slopes adds those of a person's loss, signs turned, without what differences add.
func (x *random) slopes(d *desk, s *Foothold, v *variance, who int) {
	q := x.f.Traits
	for line, r := range d.r[:len(d.seen)] {
		rows.AddScaled(s.Slope[:d.width], r, d.slope[line*d.width:(line+1)*d.width])
	}
	cause := x.cause(who)
	for j, g := range v.pull {
		rows.AddScaled(s.Slope[x.mean+j*x.apart:x.mean+(j+1)*x.apart], g, cause)
	}
	explicit := 1.0 // of half of log |M|: where all of it comes by differences, nothing
	if !x.f.Affine {
		explicit = 0
	}
	for i, at := range x.below {
		s.Slope[x.triangle+i] += float64(v.pull[at[0]]*v.z[at[1]]) - float64(explicit*v.each[at[0]*q+at[1]])
	}
	for e := range v.lines {
		s.Slope[x.logs+e] += v.square[e] - v.lines[e] + float64(explicit*v.trace(v.own[e]))
	}
}

// metric adds the information that is expected of a person, that of means and that of variances apart.
func (x *random) metric(d *desk, s *Foothold, v *variance, who int) {
	q, k := x.f.Traits, x.triangle
	lines, cause := len(d.seen), x.cause(who)
	wide := make([]float64, lines*k) // slopes in unknowns, times and means
	cross := make([]float64, q*k)
	for line := range lines {
		to, own := wide[line*k:(line+1)*k], d.own[line*q:(line+1)*q]
		copy(to, d.slope[line*d.width:(line+1)*d.width])
		for j, h := range own {
			rows.AddScaled(to[x.mean+j*x.apart:x.mean+(j+1)*x.apart], h, cause)
		}
		for j, h := range own {
			rows.AddScaled(cross[j*k:(j+1)*k], h, to)
		}
		for a, w := range to {
			if w != 0 {
				rows.AddScaled(s.Normal[a*x.to+a:a*x.to+k], w, to[a:])
			}
		}
	}
	for a := range q {
		for b := range q {
			for i := range k {
				rows.AddScaled(s.Normal[i*x.to+i:i*x.to+k], -float64(v.middle[a*q+b]*cross[a*k+i]), cross[b*k+i:(b+1)*k])
			}
		}
	}
	x.scoring(s, v)
}

// scoring adds the expected information of L and of logarithms of the sizes of errors [upper triangle].
func (x *random) scoring(s *Foothold, v *variance) {
	q, n := x.f.Traits, x.to
	rest := dense.Product(v.inner, dense.Product(v.middle, v.inner, q), q)
	kept := make([]float64, q*q) // HᵀV⁻¹H
	rows.Sub(kept, v.inner, rest)
	right := dense.Product(kept, v.lower, q)
	both := dense.Product(dense.Transposed(v.lower, q), right, q)
	for i, at := range x.below {
		row := s.Normal[(x.triangle+i)*n+x.triangle:]
		for j, to := range x.below[i:] {
			a, b, c, e := at[0], at[1], to[0], to[1]
			row[i+j] += float64(right[c*q+b]*right[a*q+e]) + float64(both[b*q+e]*kept[a*q+c])
		}
	}
	left := identity(q) // I − PHᵀH
	off := dense.Product(v.middle, v.inner, q)
	rows.Sub(left, left, off)
	for e, own := range v.own {
		with := dense.Product(sandwiched(own, left, q), v.lower, q)
		for i, at := range x.below {
			s.Normal[(x.triangle+i)*n+x.logs+e] += 2 * with[at[0]*q+at[1]]
		}
		s.Normal[(x.logs+e)*n+x.logs+e] += float64(2 * (v.lines[e] - float64(2*v.trace(own))))
		through := dense.Product(v.middle, dense.Product(own, v.middle, q), q)
		for g := e; g < len(v.own); g++ {
			s.Normal[(x.logs+e)*n+x.logs+g] += float64(2 * rows.Dot(through, v.own[g]))
		}
	}
}
