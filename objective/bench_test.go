package objective_test

import (
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/stream"
)

func BenchmarkEvalRows(b *testing.B) {
	quadratic, err := objective.NewQuadratic(kedge.Dims{Decision: 20, State: 20}, nil, nil, nil, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, of := range map[string]kedge.RowObjective{
		"affinity":  objective.Affinity{},
		"revenue":   objective.Revenue{Entropy: 0.1},
		"logistic":  objective.Logistic{Ridge: 0.1},
		"quadratic": quadratic,
		"weighted":  &objective.Weighted{Weight: 2, Of: objective.Affinity{}},
	} {
		b.Run(name, func(b *testing.B) {
			p, u, d := individuals(stream.New(7), kedge.Dims{Decision: 20, State: 20, Trait: 21}, 1000)
			gp, gu := make([]float64, len(p)), make([]float64, len(u))
			b.ReportAllocs()
			for b.Loop() {
				of.EvalRows(gp, gu, p, u, d)
			}
		})
	}
}
