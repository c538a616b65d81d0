package logs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

// Means of more people count more, by data.weight: of dates of which every second was seen with a large error, and hardly counts, numbers are those the
// log was made with, with errors far below those of all dates alike.
func TestMeansCountByWeight(t *testing.T) {
	const spec = `
iterations: 30
model:
  decision: q
  state: p
  trait: d
  let: {habit: "? in [0, 1]", answer: "?"}
  next: habit*p + answer*q + d
  maximize: p*q
  subject to: 0 <= q <= 15
data: {file: log.csv, kind: aggregates, time: t, decision: q, states: p, decision-from: before, weight: n}
algorithms: [{name: composite, step: 0.02, batch: 10}]
population: {size: 50, law: normal, mean: 0.3, deviation: 0.05}
`
	s := stream.New(4, "test", "means")
	log, p := "t,q,p,n\n", 0.3
	for date := range 40 {
		q, n := s.Float64(), 5.0
		if date%2 == 1 {
			n = 10000
		}
		log += fmt.Sprintf("%d,%v,%v,%v\n", date, q, p+0.5*s.Normal()/math.Sqrt(n), n)
		p = 0.5*p + 0.4*q + 0.3
	}
	weighted, err := fitted(t, spec, log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	alike, err := fitted(t, strings.Replace(spec, ", weight: n", "", 1), log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{0.5, 0.4} {
		got, other := weighted.Found[j], alike.Found[j]
		if off := math.Abs(float64(got.Value) - want); off > 3*float64(got.Error) || off > 0.02 || !(got.Error < other.Error/4) {
			t.Errorf("%s is %v ± %v, want %v; without weights %v ± %v", got.Name, got.Value, got.Error, want, other.Value, other.Error)
		}
	}
	if _, err := fitted(t, strings.Replace(spec, "weight: n", "weight: n - 5", 1), log, Options{}); err == nil || !strings.Contains(err.Error(), "its count is 0") {
		t.Errorf("means of nobody: %v", err)
	}
}

// A method of the linear table that takes no weights is refused for them, and not because of a model that is linear.
func TestMethodsThatKnowNoWeights(t *testing.T) {
	s, log := stream.New(3, "test", "weights"), "who,t,q,p,w\n"
	for i := range 20 {
		for date := range 6 {
			log += fmt.Sprintf("c%d,%d,%v,%v,%d\n", i, date, s.Float64(), s.Float64(), 1+date%2)
		}
	}
	if _, err := fitted(t, strings.Replace(pullSpec, "EFFECTS", "person, weight: w", 1), log, Options{Method: Within}); err == nil || !strings.Contains(err.Error(), "knows no weights") {
		t.Errorf("%v", err)
	}
	if _, err := fitted(t, strings.Replace(pullSpec, "EFFECTS", "person", 1), log, Options{Method: Within}); err != nil {
		t.Error(err)
	}
}
