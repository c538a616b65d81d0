package population_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// The bytes of an individual are those of the table in the documentation, and those that the runtime counts, to a tenth.
func TestMemoryOfAnIndividual(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	const n, dim = 100_000, 20
	law := population.Cap{Angle: 90}
	drawn, err := population.Redraw(law, n, dim, stream.New(1))
	if err != nil {
		t.Fatal(err)
	}
	stored := func() kedge.Rows {
		block, _ := population.Draw(law, n, dim, stream.New(1))
		return kedge.Block{Data: block, Width: dim}
	}
	short := func() kedge.Rows {
		s, _ := population.Shorten(drawn, nil)
		return s
	}
	redrawn := func() kedge.Rows { return drawn }
	for _, c := range []struct {
		name    string
		traits  func() kedge.Rows
		storage population.Storage
		want    int
	}{
		{"float64", stored, population.Float64, 480}, {"float64 redrawn", redrawn, population.Float64, 320},
		{"float32", short, population.Float32, 240}, {"float32 redrawn", redrawn, population.Float32, 160},
	} {
		before := float64(heap.Live())
		crowd := gather(t, population.Config{
			Dynamics: dynamics.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}, Traits: c.traits(), Storage: c.storage,
		})
		seen := (float64(heap.Live()) - before) / n
		t.Logf("%s: %d bytes an individual by the method, %.1f by the runtime", c.name, crowd.Bytes()/n, seen)
		if crowd.Bytes() != c.want*n || math.Abs(seen-float64(c.want)) > 0.1*float64(c.want) {
			t.Errorf("%s: %d bytes by the method, %.1f by the runtime, want %d", c.name, crowd.Bytes()/n, seen, c.want)
		}
	}
}
