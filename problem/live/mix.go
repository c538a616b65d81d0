package live

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/problem/form"
)

// Mix is how people are known to be divided by a trait.
type Mix struct {
	Of     form.Chosen // traits that are divided so
	Edges  []float64   // between bins, ascending; who is on an edge belongs below it
	Shares []float64   // of people in each bin, one more than edges
}

func describeMix(f *form.Form, m *Mix) {
	form.Field(f, "of", &m.Of, form.SomeEntries(), form.Says("The traits that are divided so, by number or by name.", "d", "[0]"))
	form.Field(f, "edges", &m.Edges, form.Numbers(form.Finite()), form.Says("The edges between bins, ascending. Who is on one belongs to the bin below it.", "", "[18, 65]"))
	form.Field(f, "shares", &m.Shares, form.Numbers(form.Share()), form.Says("The shares of people in the bins, one more than edges; together 1.", "", "[0.2, 0.6, 0.2]"))
}

// offOne is by how much shares may miss 1 together, as they are rounded in tables.
const offOne = 0.01

// checkMixes refuses mixes that are none.
func (l *Arrangement) checkMixes(c *form.Check) {
	for i, m := range l.Declared {
		path := fmt.Sprintf("live.mix.declared.%d", i)
		if !c.Sound(path) {
			continue
		}
		sum := 0.0
		for _, s := range m.Shares {
			sum += s
		}
		c.FailIf(!slices.IsSorted(m.Edges), form.Paths(path+".edges"), "%s.edges are %v, want rising numbers", path, m.Edges)
		c.FailIf(len(m.Shares) != len(m.Edges)+1, form.Paths(path+".shares"), "%s.shares are %d, want one for each of the %d bins between edges", path, len(m.Shares), len(m.Edges)+1)
		c.FailIf(!(math.Abs(sum-1) <= offOne), form.Paths(path+".shares"), "%s.shares are %v together, want 1", path, sum)
	}
}
