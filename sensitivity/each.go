package sensitivity

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
)

// PolarizedEach is Polarized for individuals with their own λ and σ, which follow the Dim entries of the initial opinion in a
// trait.
type PolarizedEach struct {
	Dim   int
	Floor float64 // as in Polarized
}

// ChoiceEach is Choice for individuals with their own λ₁, λ₂ and ε, which follow the Dim entries of the habit in a trait.
type ChoiceEach struct {
	Dim int
}

var (
	_ kedge.Sensitivity = (*PolarizedEach)(nil)
	_ kedge.Sensitivity = (*ChoiceEach)(nil)
)

// Check says whether the parameters are in their ranges; those of individuals are checked with every product.
func (s *PolarizedEach) Check() error { return (&Polarized{Dim: s.Dim, Floor: s.Floor}).Check() }

// Check says whether the parameters are in their ranges; those of individuals are checked with every product.
func (s *ChoiceEach) Check() error { return checkDim(s.Dim) }

// PullRows implements [kedge.Sensitivity].
func (s *PolarizedEach) PullRows(gu, p, u, d, v []float64) error {
	if err := s.Check(); err != nil {
		return err
	}
	uu := rows.Dot(u, u)
	return eachRow(gu, p, u, d, v, s.Dim, 2, block*(3+s.Dim), func(sum, space, p, trait, own, v []float64) error {
		one := Polarized{Dim: s.Dim, Lambda: own[0], Sigma: own[1], Floor: s.Floor}
		if err := one.Check(); err != nil {
			return err
		}
		if bad, margin := one.pullBlock(sum, space, p, u, trait, v, 1, s.Dim, uu); bad >= 0 {
			return one.refuse(margin)
		}
		return nil
	})
}

// PullRows implements [kedge.Sensitivity]. It does not read p.
func (s *ChoiceEach) PullRows(gu, p, u, d, v []float64) error {
	if err := s.Check(); err != nil {
		return err
	}
	return eachRow(gu, p, u, d, v, s.Dim, 3, 2*s.Dim, func(sum, space, _, _, own, v []float64) error {
		one := Choice{Dim: s.Dim, Lambda1: own[0], Lambda2: own[1], Epsilon: own[2]}
		if err := one.Check(); err != nil {
			return err
		}
		z, w := space[:s.Dim], space[s.Dim:]
		copy(w, v)
		one.answer(z, w, u)
		rows.AddScaled(sum, 1, w)
		return nil
	})
}

// eachRow sums the products of individuals whose traits of n entries are followed by some of their own, with so much space to work in.
func eachRow(gu, p, u, d, v []float64, n, own, space int, add func(sum, space, p, trait, own, v []float64) error) error {
	count := kedge.Count(p, n)
	mustBe("gu", gu, n)
	mustBe("u", u, n)
	mustBe("d", d, count*(n+own))
	mustBe("v", v, len(p))
	borrowed := scratch.Borrow(n + space)
	defer borrowed.Return()
	sum, rest := borrowed.X[:n], borrowed.X[n:]
	for i := range count {
		trait := kedge.Row(d, i, n+own)
		if err := add(sum, rest, kedge.Row(p, i, n), trait[:n], trait[n:], kedge.Row(v, i, n)); err != nil {
			return blameRow(i, err, p, u, d, v, count)
		}
	}
	return commit(gu, sum, p, u, d, v, count)
}
