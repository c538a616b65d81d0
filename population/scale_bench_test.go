package population_test

import (
	"fmt"
	"testing"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/population"
)

// One step of the polarized case study, by size, how the crowd is kept and how many work on it.
func BenchmarkRespond(b *testing.B) {
	const dim = 20
	u := make([]float64, dim)
	u[0] = 0.5
	for _, n := range []int{1000, 8000, 1_000_000} {
		for name, config := range ways(b, population.Cap{Angle: 90}, n, dim) {
			config.Dynamics = dynamics.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}
			for _, config.Workers = range []int{1, 2} {
				b.Run(fmt.Sprintf("%d/%s/%d", n, name, config.Workers), func(b *testing.B) { respond(b, config, u) })
			}
		}
	}
}

func respond(b *testing.B, config population.Config, u []float64) {
	c, err := population.Gather(config)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Respond(b.Context(), u); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.Size()), "ns/individual")
}
