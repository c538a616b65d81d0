package study

import (
	"fmt"
	"strings"
)

// All lists the studies.
func All() []Study {
	return []Study{
		rateExpectation(), rateProbability(), rateDistribution(), generalization(),
		batch(), timescale(), anticipation(), steering(),
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

// Find returns the study of a name.
func Find(name string) (Study, error) {
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
	}
	return Study{}, fmt.Errorf("there is no study %q; the studies are %s", name, strings.Join(Names(), ", "))
}
