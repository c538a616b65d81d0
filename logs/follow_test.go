package logs

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

const single = `
iterations: 30
model:
  decision: q
  state: p
  trait: d
  let: {habit: "?", slope: "?"}
  next: habit*p + slope*q + d
  maximize: p*q
  subject to: 0 <= q <= 15
data: {file: log.csv, person: who, time: week, decision: [qa + 0.1*qb*da], states: [pa], effects: person}
algorithms: [{name: composite, step: 0.02, batch: 10}]
`

// What was found of people goes with the unknowns. Taking effects out of columns, and finding traits again where an unknown is a little off, are two ways to
// the same slopes; and of effects of people alone they are by hand the means of people's means of the column, with the other sign.
func TestTraitsGoWithUnknowns(t *testing.T) {
	evidence.OneGoroutine(t)
	for _, effects := range []string{"person", "both"} {
		spec := strings.Replace(single, "effects: person", "effects: "+effects, 1)
		var found [2]*Inference
		for i, method := range []string{Within, LeastSquares} {
			e, err := fitted(t, spec, shopLog(12, 15, false), Options{Method: method})
			if err != nil {
				t.Fatal(err)
			}
			found[i] = e
		}
		// Between effects of people and of times a constant can be moved, so that only the sum of the two is told.
		total := func(e *Inference, j int) (sum float64) {
			for _, by := range [][][]float64{e.crowd.ownBy, e.crowd.seasonBy} {
				if by != nil {
					sum += by[j][0]
				}
			}
			return sum
		}
		for j := range found[0].Found {
			a, b := total(found[0], j), total(found[1], j)
			if a == 0 || math.Abs(a-b) > 1e-4*math.Abs(a) { // a search ends within 1e-15 of the loss, its square root in numbers, which is divided by a small step
				t.Errorf("effects %s, %s: %v by columns, %v by finding traits again", effects, found[0].Found[j].Name, a, b)
			}
		}
		if effects != "person" {
			continue
		}
		l, sums, count := found[0].Log, map[int]float64{}, map[int]float64{}
		for i, row := range l.States.Data {
			if l.Turn[i] < 14 { // those before another
				sums[l.Person[i]] += row
				count[l.Person[i]]++
			}
		}
		mean := 0.0
		for who, sum := range sums {
			mean += sum / count[who] / float64(len(sums))
		}
		if got := found[0].crowd.ownBy[0][0]; math.Abs(got+mean) > 1e-9*mean {
			t.Errorf("the mean trait goes by %v with habit, want %v", got, -mean)
		}
	}
}
