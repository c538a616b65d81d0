package logs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

// Halves of a log of two people, who are fewer than the unknowns, have the errors that fits of these halves by themselves have: rows are taken as independent
// there too, for the scores of two people cancel.
func TestHalvesOfFewPeople(t *testing.T) {
	const spec = `
iterations: 30
model:
  decision: q
  state: p
  let: {habit: "?", base: "?", pull: "?"}
  next: habit*p + base + pull*q
  maximize: p - q^2
  subject to: 0 <= q <= 1
data: {file: log.csv, person: who, time: t, decision: q, states: pWHERE}
algorithms: [{name: composite, step: 0.02, batch: 10}]
`
	s, log := stream.New(9, "test", "halves"), "who,t,q,p\n"
	for i := range 2 {
		p := 0.5
		for date := range 41 {
			q := s.Float64()
			if date > 0 {
				p = 0.5*p + 0.3 + 0.4*q + 0.1*s.Normal()
			}
			log += fmt.Sprintf("c%d,%d,%v,%v\n", i, date, q, p)
		}
	}
	whole, err := fitted(t, strings.Replace(spec, "WHERE", "", 1), log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	half, err := fitted(t, strings.Replace(spec, "WHERE", ", where: t <= 20", 1), log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for j, one := range whole.Quality.Halves {
		want := half.Found[j]
		if off := math.Abs(float64(one.BeforeError/want.Error - 1)); off > 1e-4 || math.Abs(float64(one.Before-want.Value)) > 1e-6 {
			t.Errorf("%s is %v ± %v in the earlier half, by itself %v ± %v", one.Name, one.Before, one.BeforeError, want.Value, want.Error)
		}
	}
	for _, echo := range whole.Quality.Echoes {
		if math.Abs(float64(echo.Error)*math.Sqrt(78)-1) > 0.3 {
			t.Errorf("of %s %v comes back ± %v, want ± 1/√78", echo.State, echo.Share, echo.Error)
		}
	}
}
