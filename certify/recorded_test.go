package certify

import (
	"context"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
)

// certified are small problems of all kinds.
func certified(t *testing.T) map[string]problem {
	t.Helper()
	run := Premises{Step: 0.01, Batch: 2, Horizon: 300, Tau: 0.05, Sampled: true, Seed: 4}
	polar := polarizedModel(0.3, 0.2)
	polar.Traits = kedge.Block{Data: []float64{1, 0, 0, 0.6, 0.8, 0, 0, 0, 1, 0.8, 0, 0.6, 0, 0.6, 0.8}, Width: 3}
	polar.Sensitivity = &sensitivity.Polarized{Dim: 3, Lambda: 0.3, Sigma: 0.2}
	polar.Start = []float64{0.5, 0.5, 0.5}
	choice := dynamics.Choice{Dim: 3, Lambda1: 0.2, Lambda2: 0.6, Epsilon: 0.3}
	chosen := kedge.Model{
		Dynamics: choice, Objective: objective.Revenue{Entropy: 0.1}, Set: set.CappedSimplex{Sum: 2, Upper: 1.5}, Start: []float64{1, 0.5, 0.5}, Sensitivity: &sensitivity.Implicit{Dynamics: choice},
		Traits: kedge.Block{Data: []float64{0.2, 0.3, 0.5, 0.6, 0.3, 0.1, 0.1, 0.1, 0.8, 0.3, 0.3, 0.4}, Width: 3},
	}
	linear := lq2(t)
	f := linear.Dynamics.(*dynamics.Affine)
	gain, err := f.Gain()
	must(t, err)
	h, err := sensitivity.NewAffine(f.Dims(), gain)
	must(t, err)
	linear.Settler, linear.Sensitivity, linear.Set, linear.Start, linear.Premises = f, h, set.Whole{}, []float64{0.4, -0.3}, run
	all := map[string]problem{"polarized": {polar, run}, "choice": {chosen, run}, "linear": linear}
	at := run
	at.AtState, at.Optimum, at.Beyond = true, []float64{0.1, 0.2, 0.3}, []string{"something else"}
	all["polarized at states"] = problem{polar, at}
	whole := run
	whole.Everybody, whole.Batch, whole.Sampled, whole.Optimum = true, 4, false, []float64{0.1, 0.1}
	linear.Premises = whole
	all["everybody"] = linear
	linear.Premises, linear.Set = run, set.Ball{Radius: 1}
	linear.Dynamics = unnamed{f, f}
	all["sampled"] = linear
	linear = all["linear"]
	linear.Steps, linear.Optimum = SumSteps(300, func(k int) float64 { return 0.02 / math.Sqrt(float64(k+1)) }), []float64{0.1, 0.1}
	all["diminishing steps"] = linear
	linear = all["linear"]
	linear.Step, linear.Horizon, linear.Q = 0.0001, 100_000, []float64{2, 0.5, 0.5, 1}
	all["small steps, another metric"] = linear
	return all
}

var decimal = regexp.MustCompile(`-?\d+\.\d+(e[-+]\d+)?`)

// The same problem gives the same certificate as when this was recorded, all constants, bounds and words, in eight digits. Other tests say that they are right. Sums are those of one kind of processor.
func TestCertificatesAreAsRecorded(t *testing.T) {
	var got []string
	problems := certified(t)
	names := make([]string, 0, len(problems))
	for name := range problems {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c, err := Certify(context.Background(), problems[name].Model, problems[name].Premises)
		if err != nil {
			t.Fatal(name, err)
		}
		text, err := json.Marshal(c)
		must(t, err)
		for _, line := range strings.Split(strings.NewReplacer("},", "},\n", "],", "],\n").Replace(string(text)), "\n") {
			got = append(got, name+": "+decimal.ReplaceAllStringFunc(line, func(s string) string {
				v, err := strconv.ParseFloat(s, 64)
				must(t, err)
				return strconv.FormatFloat(v, 'g', 8, 64)
			}))
		}
	}
	evidence.AsRecorded(t, "testdata/certificates.txt", got)
}
