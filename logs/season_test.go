package logs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

// pullSpec is of a state that a decision pulls.
const pullSpec = `
iterations: 30
model:
  decision: q
  state: p
  trait: d
  let: {habit: "?", pull: "?"}
  next: habit*p + pull*q + d
  maximize: p - q^2
  subject to: 0 <= q <= 1
data: {file: log.csv, person: who, time: t, decision: q, states: p, effects: EFFECTS}
algorithms: [{name: composite, step: 0.02, batch: 10}]
`

// What all had in common at last is that of the last time that two rows of somebody tell of, with a warning, where at the end of the log nobody was seen a
// turn before: not 0, which would be another season than any that was found.
func TestTheLastSeasonIsOneThatWasFound(t *testing.T) {
	spec := strings.Replace(pullSpec, "EFFECTS", "both", 1)
	s := stream.New(6, "test", "season")
	common := make([]float64, 12)
	for i := range common {
		common[i] = 7 + s.Normal()
	}
	whole, late := "who,t,q,p\n", ""
	for i := range 30 {
		d, p := 0.3*s.Normal(), 14.0
		for date := range common {
			q := s.Float64()
			p = 0.5*p + 0.4*q + d + common[date] + 0.1*s.Normal()
			switch line := fmt.Sprintf("c%d,%d,%v,%v\n", i, date, q, p); date {
			case 10: // which is missing
			case 11:
				late += line
			default:
				whole += line
			}
		}
	}
	for _, method := range []string{"", LeastSquares} {
		want, err := fitted(t, spec, whole, Options{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		got, err := fitted(t, spec, whole+late, Options{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := want.crowd.season, got.crowd.season; len(a) != 1 || len(b) != 1 || a[0] == 0 || math.Abs(a[0]-b[0]) > 1e-9*math.Abs(a[0]) {
			t.Errorf("%s: the season is %v, and %v where a late time says nothing of it", got.Method, a, b)
		}
		if a, b := want.crowd.seasonBy, got.crowd.seasonBy; len(a) != len(b) || fmt.Sprintf("%.6f", a) != fmt.Sprintf("%.6f", b) {
			t.Errorf("%s: it goes with the numbers by %v and by %v", got.Method, a, b)
		}
		if text := "Of 11 nobody has a row a turn before: what all had in common at last is that of 9."; strings.Contains(fmt.Sprint(want.Warn), text) || !strings.Contains(fmt.Sprint(got.Warn), text) {
			t.Errorf("%s: %q, and %q", got.Method, want.Warn, got.Warn)
		}
	}
}
