package guard

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/live"
)

// Of two equal shares 60 and 40 of 100 people are two deviations off: the chance of that is 2(1 − Φ(2)) = 0.0455002639 [any table of the normal law].
func TestFits(t *testing.T) {
	for _, one := range []struct {
		shares, people []float64
		want           float64
	}{
		{[]float64{0.5, 0.5}, []float64{60, 40}, 0.045500263896},
		{[]float64{0.49, 0.49}, []float64{60, 40}, 0.045500263896}, // rounded shares are of what they are together
		{[]float64{0.2, 0.3, 0.5}, []float64{20, 30, 50}, 1},
		{[]float64{1, 0}, []float64{10, 1}, 0},
		{[]float64{1, 0}, []float64{10, 0}, 1},
	} {
		if got := fits(one.shares, one.people); math.Abs(got-one.want) > 1e-11 {
			t.Errorf("%v of %v: %v, want %v", one.people, one.shares, got, one.want)
		}
	}
}

// Of two traits that are as strange the first is named: of both nobody was to be in the second half. Where nothing is strange nothing is.
func TestTheFirstOfTheStrangest(t *testing.T) {
	half := &live.Mix{Edges: []float64{0.5}, Shares: []float64{1, 0}}
	g := New(Duty{Live: live.New(), Dims: kedge.Dims{Decision: 1, State: 1, Trait: 2}, Mix: []bool{true, true}, Declared: []*live.Mix{half, half}})
	for _, c := range []struct {
		mix   [][]float64
		yes   bool
		trait int
		p     float64
	}{
		{[][]float64{{9, 1}, {9, 1}}, true, 0, 0},
		{[][]float64{{10, 0}, {9, 1}}, true, 1, 0},
		{[][]float64{{10, 0}, {10, 0}}, false, 0, 1},
	} {
		if yes, trait, p := g.strange(c.mix); yes != c.yes || trait != c.trait || p != c.p {
			t.Errorf("%v: strange %t, trait %d by chance %v", c.mix, yes, trait, p)
		}
	}
}
