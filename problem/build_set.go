package problem

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// buildSet makes the set of n-vectors at a path of the spec and checks it.
func (s *Spec) buildSet(path string, from *Set, n int) (kedge.Set, error) {
	made, err := s.makeSet(path, from, n)
	if err != nil {
		return nil, err
	}
	return made, s.wrap(path, set.Check(made, n))
}

func (s *Spec) makeSet(path string, from *Set, n int) (kedge.Set, error) {
	switch from.Kind {
	case "ball":
		return set.Ball{Radius: from.Radius, Center: from.Center.Expand(n)}, nil
	case "box":
		return set.Box{Lower: from.Lower.Expand(n), Upper: from.Upper.Expand(n)}, nil
	case "simplex":
		return set.Simplex{Sum: from.Sum}, nil
	case "capped-simplex":
		return s.makeCappedSimplex(path, from, n)
	case "half-space":
		return set.HalfSpace{Normal: from.Normal, Bound: from.Bound}, nil
	case "affine":
		made, err := set.NewAffine(from.Matrix.Flat(), from.RHS)
		return made, s.wrap(path, err)
	case "product":
		return s.makeProduct(path, from)
	case "intersection":
		return s.makeIntersection(path, from, n)
	default:
		return set.Whole{}, nil
	}
}

// makeCappedSimplex has an exact projection under one bound for all entries; under bounds of their own it is where a plane
// and a box meet.
func (s *Spec) makeCappedSimplex(path string, from *Set, n int) (kedge.Set, error) {
	if from.Upper.Each == nil {
		return set.CappedSimplex{Sum: from.Sum, Upper: from.Upper.All}, nil
	}
	ones := form.Vector{All: 1}.Expand(n)
	plane, err := set.NewAffine(ones, []float64{from.Sum})
	if err != nil {
		return nil, s.wrap(path, err)
	}
	return set.Intersection{Of: []kedge.Set{plane, set.Box{Lower: make([]float64, n), Upper: from.Upper.Each}}}, nil
}

func (s *Spec) makeProduct(path string, from *Set) (kedge.Set, error) {
	var made set.Product
	for i := range from.Parts {
		part := &from.Parts[i]
		one, err := s.buildSet(fmt.Sprintf("%s.parts.%d", path, i), part, part.Size)
		if err != nil {
			return nil, err
		}
		made.Parts = append(made.Parts, set.Part{Size: part.Size, Set: one})
	}
	return made, nil
}

func (s *Spec) makeIntersection(path string, from *Set, n int) (kedge.Set, error) {
	var made set.Intersection
	for i := range from.Of {
		one, err := s.buildSet(fmt.Sprintf("%s.of.%d", path, i), &from.Of[i], n)
		if err != nil {
			return nil, err
		}
		made.Of = append(made.Of, one)
	}
	return made, nil
}
