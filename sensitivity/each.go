package sensitivity

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// PolarizedEach is Polarized for individuals with their own λ and σ, which follow the Dim entries of the initial opinion in a
// trait.
type PolarizedEach struct {
	Dim   int
	Floor float64 // as in Polarized

	room room
}

// ChoiceEach is Choice for individuals with their own λ₁, λ₂ and ε, which follow the Dim entries of the habit in a trait.
type ChoiceEach struct {
	Dim int

	room room
}

var (
	_ kedge.Sensitivity = (*PolarizedEach)(nil)
	_ kedge.Sensitivity = (*ChoiceEach)(nil)
)

// Check says whether the parameters are in their ranges; those of individuals are checked with every product.
func (s *PolarizedEach) Check() error {
	one := Polarized{Dim: s.Dim, Floor: s.Floor}
	return one.Check()
}

// Check says whether the parameters are in their ranges; those of individuals are checked with every product.
func (s *ChoiceEach) Check() error { return checkDim(s.Dim) }

// PullRows implements [kedge.Sensitivity].
func (s *PolarizedEach) PullRows(gu, p, u, d, v []float64) error {
	if err := s.Check(); err != nil {
		return err
	}
	n, count := s.Dim, mustBeEach(gu, p, u, d, v, s.Dim, 2)
	borrowed := s.room.borrow(n + block*(3+n))
	defer s.room.giveBack(borrowed)
	sum, scratch := (*borrowed)[:n], (*borrowed)[n:]
	uu := rows.Dot(u, u)
	for i := range count {
		trait := kedge.Row(d, i, n+2)
		one := Polarized{Dim: n, Lambda: trait[n], Sigma: trait[n+1], Floor: s.Floor}
		if err := one.Check(); err != nil {
			return blameEach(p, u, d, v, count, i, err)
		}
		bad, margin := one.pullBlock(sum, scratch, kedge.Row(p, i, n), u, trait[:n], kedge.Row(v, i, n), 1, n, uu)
		if bad >= 0 {
			return refuse(i, margin, one.floor(), blame(p, u, d, v, count))
		}
	}
	return commit(gu, sum, p, u, d, v, count)
}

// PullRows implements [kedge.Sensitivity]. It does not read p.
func (s *ChoiceEach) PullRows(gu, p, u, d, v []float64) error {
	if err := s.Check(); err != nil {
		return err
	}
	n, count := s.Dim, mustBeEach(gu, p, u, d, v, s.Dim, 3)
	borrowed := s.room.borrow(3 * n)
	defer s.room.giveBack(borrowed)
	sum, z, w := (*borrowed)[:n], (*borrowed)[n:2*n], (*borrowed)[2*n:]
	for i := range count {
		own := kedge.Row(d, i, n+3)[n:]
		one := Choice{Dim: n, Lambda1: own[0], Lambda2: own[1], Epsilon: own[2]}
		if err := one.Check(); err != nil {
			return blameEach(p, u, d, v, count, i, err)
		}
		copy(w, kedge.Row(v, i, n))
		one.answer(z, w, u)
		rows.AddScaled(sum, 1, w)
	}
	return commit(gu, sum, p, u, d, v, count)
}

// mustBeEach panics unless all lengths fit traits of so many extra entries; it returns the number of rows.
func mustBeEach(gu, p, u, d, v []float64, n, extra int) int {
	count := kedge.Count(p, n)
	mustBe("gu", gu, n)
	mustBe("u", u, n)
	mustBe("d", d, count*(n+extra))
	mustBe("v", v, len(p))
	return count
}

// blameEach says whose fault the parameters of individual i are: that of an argument which is not finite, or their own.
func blameEach(p, u, d, v []float64, count, i int, err error) error {
	if fault := blame(p, u, d, v, count); fault != nil {
		return fault
	}
	return &kedge.RowError{Row: i, Err: err}
}
