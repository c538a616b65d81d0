package moments

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/formula"
)

// Moments other than means are matched where samples are large enough: ten people a moment at every later time, at the start two for each moment of all times, unless everybody is there,
// and of a group 600 moments at most. Of a linear model without noise second moments are not: they would say that there is none.
func TestSamplesThatAreLargeEnough(t *testing.T) {
	models := recordedModels(t)
	line, loud := models[0].f, models[3].f
	for _, c := range []struct {
		f              *formula.Roller
		match          Match
		moments, first int
		everybody      bool
		later          []int // people
		want           bool
	}{
		{loud, Squares, 2, 12, false, []int{20, 20, 20}, true}, {loud, Squares, 2, 11, false, []int{20, 20, 20}, false}, {loud, Squares, 2, 1, true, []int{20, 20, 20}, true},
		{loud, Squares, 2, 12, false, []int{20, 19, 20}, false}, {loud, Traits, 2, 11, false, []int{20, 20, 20}, false},
		{loud, Squares, 1, 1200, false, slices.Repeat([]int{10}, 600), true}, {loud, Squares, 1, 1202, false, slices.Repeat([]int{10}, 601), false}, {loud, Squares, 1, 1, true, slices.Repeat([]int{10}, 601), false},
		{line, Squares, 1, 2, false, []int{10}, false}, {line, Traits, 1, 2, false, []int{10}, true}, {loud, Squares, 1, 2, false, []int{10}, true},
	} {
		g := &cohort{weight: make([]float64, c.first), everybody: c.everybody}
		for _, n := range c.later {
			g.targets = append(g.targets, target{people: n})
		}
		x := &marcher{f: c.f, basis: &basis{match: c.match, factors: make([][2]int, c.moments)}, cohorts: []*cohort{g}}
		if got := x.large(); got != c.want {
			t.Errorf("%v of a linear model %t, %d moments of %d people, all %t, later %v: large %t", c.match, c.f.Affine, c.moments, c.first, c.everybody, c.later[:min(4, len(c.later))], got)
		}
	}
}
