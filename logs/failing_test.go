package logs

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem"
)

// What was found is no problem where it cannot be written, or is asked for with a key that there is not.
func TestProblemsThatCannotBeMade(t *testing.T) {
	e, err := fitted(t, bareSpec, swung(0.5), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Problem(problem.Assign("seed=3")); err != nil {
		t.Error(err)
	}
	if _, err := e.Problem(problem.Assign("nothing=1")); err == nil || !strings.Contains(err.Error(), "unknown key nothing") {
		t.Errorf("with a key that there is not: %v", err)
	}
	e.Cov[0][0] = math.NaN()
	if _, err := e.Problem(); err == nil || !strings.Contains(err.Error(), "unsupported value: NaN") {
		t.Errorf("with a covariance that cannot be written: %v", err)
	}
}

// People whom means are of are those of the spec: where their file is not there, it is named.
func TestPeopleOfMeansWhoAreNotThere(t *testing.T) {
	_, means := sectionLog(6, 30)
	text := strings.NewReplacer("KIND", "aggregates", "TRAITS", "").Replace(sampled) + "population: {law: columns, file: gone.csv, traits: [d], states: [p]}\n"
	if _, err := fitted(t, text, means, Options{}); err == nil || !strings.Contains(err.Error(), "gone.csv") {
		t.Error(err)
	}
}
