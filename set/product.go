package set

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
)

// Product is {u = (u₁, u₂, …) : uₖ in the set of part k}.
type Product struct{ Parts []Part }

// Part is a set for the next Size entries of a decision.
type Part struct {
	Size int
	Set  kedge.Set
}

var _ kedge.Set = Product{}

// Check tells whether the parts have n entries together and each is a non-empty set of its size.
func (p Product) Check(n int) error {
	var err error
	total := 0
	for i, part := range p.Parts {
		e := kedge.CheckRange("Size", part.Size, part.Size >= 0, "a number ≥ 0")
		if e == nil {
			e = Check(part.Set, part.Size)
		}
		if e != nil {
			err = errors.Join(err, fmt.Errorf("part %d: %w", i, e))
		}
		total += part.Size
	}
	return errors.Join(err, kedge.CheckDim("Parts together", total, n))
}

// Project projects every part on its own set.
func (p Product) Project(u []float64) error {
	if err := errors.Join(p.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	var room [onStack]float64
	before := append(room[:0], u...)
	rest := u
	for i, part := range p.Parts {
		if err := part.Set.Project(rest[:part.Size:part.Size]); err != nil {
			copy(u, before)
			return fmt.Errorf("part %d: %w", i, err)
		}
		rest = rest[part.Size:]
	}
	return nil
}
