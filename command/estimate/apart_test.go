package estimate

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/record"
)

// Of people who are too few to tell how errors go together it is not said that errors may do so: a line above says that they were taken as independent.
func TestErrorsOfFewPeopleAreNotSaidToGoTogether(t *testing.T) {
	e := &logs.Inference{Spec: &problem.Spec{Data: &record.DataSection{Effects: record.NoEffects, Errors: []string{"poisson"}}}}
	e.Linear = []logs.Linear{{Method: logs.Within, Title: "within people"}}
	for _, e.Apart = range []bool{false, true} {
		for _, e.Method = range []string{logs.LeastSquares, logs.Likelihood, logs.Within} {
			text := how(e)
			if strings.Contains(text, "may go together within a person.") == e.Apart || strings.Contains(text, "are taken as independent from row to row.") != e.Apart {
				t.Errorf("errors of rows apart %v: %s", e.Apart, text)
			}
		}
	}
}
