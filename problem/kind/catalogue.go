package kind

// Catalogue lists the kinds that specs can name, family by family, in the order in which they are told.
type Catalogue struct {
	Dynamics   []Dynamics
	Objectives []Objective
	Sets       []Set       // of feasible decisions
	Laws       []Law       // of traits and of first states
	Starts     []Start     // laws of the first decision
	Criteria   []Criterion // of constraints
	Methods    []Method    // of deciding
}

// Standard returns the kinds that kedge comes with.
func Standard() *Catalogue {
	return &Catalogue{
		Dynamics:   []Dynamics{&PolarizedDynamics{}, &ChoiceDynamics{}, &AffineDynamics{}, &FriedkinJohnsenDynamics{}},
		Objectives: []Objective{&AffinityObjective{}, &RevenueObjective{}, &QuadraticObjective{}, &LogisticObjective{}, &FormulaObjective{}},
		Sets: []Set{
			&WholeSet{}, &BallSet{}, &L1BallSet{}, &BoxSet{}, &SimplexSet{}, &CappedSimplexSet{}, &HalfSpaceSet{}, &AffineSet{}, &ProductSet{},
			&IntersectionSet{}, &ConvexSet{}, &FiniteSet{},
		},
		Laws: []Law{
			&SphereLaw{}, &CapLaw{}, &BimodalLaw{}, &DirichletLaw{}, &NormalLaw{}, &ProportionsLaw{}, &ValuesLaw{}, &FileLaw{},
		},
		Starts:   []Start{&ZeroStart{}, &SphereStart{}, &ProportionsStart{}, &ValuesStart{}},
		Criteria: []Criterion{&ExpectationCriterion{}, &CVaRCriterion{}, &ChanceCriterion{}, &WorstGroupCriterion{}},
		Methods: []Method{
			&VanillaMethod{}, &LazyMethod{}, &RepeatedGradientMethod{}, &RepeatedRiskMethod{}, &DelayedRiskMethod{}, &EpochMethod{},
			&CompositeMethod{}, &EpochCompositeMethod{}, &AdamMethod{}, &StormMethod{}, &OnePointMethod{}, &TwoPointMethod{},
			&DerivativeFreeMethod{}, &EpochDerivativeFreeMethod{}, &PerformativeMethod{}, &ReinforceMethod{}, &PlugInMethod{},
		},
	}
}
