package kind

// Catalogue lists the kinds that specs can name, family by family, in the order in which they are told.
type Catalogue struct {
	Sets    []Set    // of feasible decisions
	Methods []Method // of deciding
}

// Standard returns the kinds that kedge comes with.
func Standard() *Catalogue {
	return &Catalogue{
		Sets: []Set{
			&WholeSet{}, &BallSet{}, &BoxSet{}, &SimplexSet{}, &CappedSimplexSet{}, &HalfSpaceSet{}, &AffineSet{}, &ProductSet{},
			&IntersectionSet{},
		},
		Methods: []Method{
			&VanillaMethod{}, &LazyMethod{}, &RepeatedGradientMethod{}, &RepeatedRiskMethod{}, &DelayedRiskMethod{}, &EpochMethod{},
			&CompositeMethod{}, &EpochCompositeMethod{}, &AdamMethod{}, &StormMethod{}, &OnePointMethod{}, &TwoPointMethod{},
			&DerivativeFreeMethod{}, &EpochDerivativeFreeMethod{}, &PerformativeMethod{}, &ReinforceMethod{}, &PlugInMethod{},
		},
	}
}
