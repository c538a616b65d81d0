package study

// All lists the studies.
func All() []Study {
	return []Study{
		shift(), rateExpectation(), rateTransient(), rateDistribution(), rateProbability(), rateDistributionProbability(),
		generalization(), batch(), timescale(), anticipation(), steering(),
	}
}

// Names lists the names of the studies.
func Names() []string {
	var list []string
	for _, s := range All() {
		list = append(list, s.Name)
	}
	return list
}
