package fit

import (
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
	v := &variance{lower: lower, inner: inner, pull: make([]float64, q), z: append([]float64(nil), d.z...), square: make([]float64, m), lines: make([]float64, m)}
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
	// M⁻¹Lᵀ, column by column, and L times that.
	half := make([]float64, q*q)
	for c := range q {
		column := append([]float64(nil), lower[c*q:(c+1)*q]...) // of Lᵀ
		dense.SolveCholesky(factor, column, q)
		for j := range q {
			half[j*q+c] = column[j]
		}
	}
	v.middle = product(lower, half, q, false)
	turned := make([]float64, q*q) // LM⁻¹
	for a := range q {
		for b := range q {
			turned[a*q+b] = half[b*q+a]
		}
	}
	v.each = product(inner, turned, q, false)
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
func (x *random) slopes(d *desk, s *point, v *variance, who int) {
	q := x.f.Traits
	for line, r := range d.r[:len(d.seen)] {
		rows.AddScaled(s.slope[:d.width], r, d.slope[line*d.width:(line+1)*d.width])
	}
	cause := x.cause(who)
	for j, g := range v.pull {
		rows.AddScaled(s.slope[x.mean+j*x.apart:x.mean+(j+1)*x.apart], g, cause)
	}
	explicit := 1.0 // of half of log |M|: where all of it comes by differences, nothing
	if !x.f.Affine {
		explicit = 0
	}
	at := x.triangle
	for a := range q {
		for b := range a + 1 {
			s.slope[at] += float64(v.pull[a]*v.z[b]) - float64(explicit*v.each[a*q+b])
			at++
		}
	}
	for e := range v.lines {
		s.slope[x.logs+e] += v.square[e] - v.lines[e] + float64(explicit*v.trace(v.own[e]))
	}
}

// metric adds the information that is expected of a person, that of means and that of variances apart.
func (x *random) metric(d *desk, s *point, v *variance, who int) {
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
				rows.AddScaled(s.normal[a*x.to+a:a*x.to+k], w, to[a:])
			}
		}
	}
	for a := range q {
		for b := range q {
			for i := range k {
				rows.AddScaled(s.normal[i*x.to+i:i*x.to+k], -float64(v.middle[a*q+b]*cross[a*k+i]), cross[b*k+i:(b+1)*k])
			}
		}
	}
	x.scoring(s, v)
}

// scoring adds the expected information of L and of logarithms of the sizes of errors [upper triangle].
func (x *random) scoring(s *point, v *variance) {
	q, n := x.f.Traits, x.to
	rest := product(v.inner, product(v.middle, v.inner, q, false), q, false)
	kept := make([]float64, q*q) // HᵀV⁻¹H
	for i := range kept {
		kept[i] = v.inner[i] - rest[i]
	}
	right := product(kept, v.lower, q, false)
	both := product(v.lower, right, q, true)
	at := x.triangle
	for a := range q {
		for b := range a + 1 {
			to := x.triangle
			for c := range q {
				for e := range c + 1 {
					if to >= at {
						s.normal[at*n+to] += float64(right[c*q+b]*right[a*q+e]) + float64(both[b*q+e]*kept[a*q+c])
					}
					to++
				}
			}
			at++
		}
	}
	left := identity(q) // I − PHᵀH
	off := product(v.middle, v.inner, q, false)
	for i := range left {
		left[i] -= off[i]
	}
	for e, own := range v.own {
		with := product(sandwiched(own, left, q), v.lower, q, false)
		at := x.triangle
		for a := range q {
			for b := range a + 1 {
				s.normal[at*n+x.logs+e] += 2 * with[a*q+b]
				at++
			}
		}
		s.normal[(x.logs+e)*n+x.logs+e] += float64(2 * (v.lines[e] - float64(2*v.trace(own))))
		through := product(v.middle, product(own, v.middle, q, false), q, false)
		for g := e; g < len(v.own); g++ {
			s.normal[(x.logs+e)*n+x.logs+g] += float64(2 * rows.Dot(through, v.own[g]))
		}
	}
}
