package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// Footprint is what an individual of a polarized crowd takes.
type Footprint struct {
	Storage  string  `json:"storage"`
	Traits   string  `json:"traits"`
	Computed float64 `json:"bytes"`          // by what is kept
	Measured float64 `json:"measured_bytes"` // by the heap
	Largest  float64 `json:"in_24_gb"`       // individuals that 24 GB hold
}

// Footprints are those of all ways to keep a crowd.
type Footprints []Footprint

// Memory measures what an individual takes.
func (*Workbench) Memory(context.Context) (Printer, error) { return footprints(100_000), nil }

func footprints(n int) (list Footprints) {
	for _, f := range []Footprint{{Storage: "float64"}, {Storage: "float32"}} {
		for _, f.Traits = range []string{"stored", "regenerated"} {
			f.measure(n)
			list = append(list, f)
		}
	}
	return list
}

// measure gathers n people and sees what they take.
func (f *Footprint) measure(n int) {
	storage := map[string]population.Storage{"float64": population.Float64, "float32": population.Float32}[f.Storage]
	before := heap.Live()
	crowd := must(population.Gather(population.Config{
		Dynamics: dynamics.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}, Traits: traitsOf(n, storage, f.Traits == "regenerated"), Storage: storage,
	}))
	f.Measured = float64(heap.Live()-before) / float64(n)
	f.Computed = float64(crowd.Bytes()) / float64(n)
	f.Largest = 24e9 / f.Computed
	runtime.KeepAlive(crowd)
}

// traitsOf are the traits of a hemisphere, kept as asked.
func traitsOf(n int, storage population.Storage, redrawn bool) kedge.Rows {
	drawn := must(population.Redraw(population.Cap{Angle: 90}, n, dim, stream.New(1, "people")))
	if redrawn {
		return drawn
	}
	if storage == population.Float32 {
		return must(population.Shorten(drawn, nil))
	}
	block := make([]float64, n*dim)
	drawn.View(block, 0, n)
	return kedge.Block{Data: block, Width: dim}
}

// Print writes one row a way to keep a crowd.
func (list Footprints) Print(w io.Writer) error {
	return printTable(w, 0, list, "storage\ttraits\tbytes an individual\tmeasured\tindividuals in 24 GB", func(f Footprint) string {
		return fmt.Sprintf("%s\t%s\t%.0f\t%.0f\t%.0f million", f.Storage, f.Traits, f.Computed, f.Measured, f.Largest/1e6)
	})
}
