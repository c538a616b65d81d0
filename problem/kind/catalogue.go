package kind

// Catalogue lists the kinds that specs can name, family by family, in the order in which they are told.
type Catalogue struct {
	Sets []Set // of feasible decisions
}

// Standard returns the kinds that kedge comes with.
func Standard() *Catalogue {
	return &Catalogue{
		Sets: []Set{
			&WholeSet{}, &BallSet{}, &BoxSet{}, &SimplexSet{}, &CappedSimplexSet{}, &HalfSpaceSet{}, &AffineSet{}, &ProductSet{},
			&IntersectionSet{},
		},
	}
}
