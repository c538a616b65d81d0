package lab_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// A person of weight three is three people: in what decisions earn, in means and tails that are bounded, and so in what is best.
func TestWeightsCountAsSoManyPeople(t *testing.T) {
	if testing.Short() {
		t.Skip("searches two optima under bounds")
	}
	dir := t.TempDir()
	weighted, repeated := "income,age,w\n", "income,age,w\n"
	sum, people := 0.0, 0.0
	for i := range 12 {
		income, w := 9+float64(i*7%5)/2, 1+i*3%4
		row := fmt.Sprintf("%g,%g,", income, 6+float64(i*5%9)/2)
		sum, people = sum+income*float64(w), people+float64(w)
		weighted += fmt.Sprintf("%s%d\n", row, w)
		repeated += strings.Repeat(row+"1\n", w)
	}
	var results []*folder.Result
	for name, text := range map[string]string{"weighted": weighted, "repeated": repeated} {
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := problem.Parse(kind.Standard(), name, []byte(`
iterations: 1
trials: 1
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  next: 0.5*p + 0.5*(d - q)
  maximize: dot(p, q)
  subject to: 0 <= q <= 20
population: {file: `+name+`.csv, traits: [income, age], weight: w}
constraints:
  - {name: mean, kind: expectation, of: "p[0]", bound: 4.5}
  - {name: tail, kind: cvar, of: "p[1]", level: 0.8, bound: 4}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
`))
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.Build(name, s, os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, execute(t, p, lab.Options{}))
	}
	a, b := results[0], results[1]
	near(t, "optimum", a.Optimum.Decision, b.Optimum.Decision, 1e-9)
	near(t, "value", []float64{a.Optimum.Value}, []float64{b.Optimum.Value}, 1e-9)
	near(t, "stable point", a.Stable.Decision, b.Stable.Decision, 1e-9)
	// Settled people buy d − q on average: the bound on the mean holds the first price above half of what people want.
	near(t, "first price", a.Optimum.Decision[:1], []float64{sum/people - 4.5}, 1e-9)
}
