package study

import (
	"fmt"
	"strings"
)

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

// Find returns the study of a name, or of a statement of the paper as in theorem-11.
func Find(name string) (Study, error) {
	for _, s := range Statements() {
		if s.slug() == name {
			name = s.Study()
		}
	}
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
	}
	return Study{}, fmt.Errorf("there is no study %q; the studies are %s, and theorem-11 stands for the one that measures it", name, strings.Join(Names(), ", "))
}
