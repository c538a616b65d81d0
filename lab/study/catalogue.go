package study

import "github.com/kedge-opt/kedge/internal/lists"

// All lists the studies.
func All() []Study {
	return []Study{
		shift(), rateExpectation(), rateTransient(), rateDistribution(), rateProbability(), rateDistributionProbability(),
		generalization(), batch(), timescale(), anticipation(), steering(),
	}
}

// Names lists the names of the studies.
func Names() []string { return lists.Of(All(), func(s Study) string { return s.Name }) }
