package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
)

func TestBenchMeasuresEveryWorkload(t *testing.T) {
	b := Workbench{Rounds: 1, Turns: 200, Sizes: []int{1000, 2000}}
	list, err := b.figures(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var figures map[string]Timing
	if err := json.Unmarshal(text, &figures); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"polarized-vanilla-turn", "polarized-composite-turn", "choice-vanilla-turn", "choice-composite-turn",
		"choice-derivative-free-turn", "polarized-step-1e3", "polarized-steady-1e3", "polarized-step-2e3", "triad-2e3",
	} {
		f := figures[name]
		if !(f.SecondsPerTurn+f.NsPerIndividual+f.GBPerSecond > 0) || !(f.Best > 0) {
			t.Errorf("%s measured nothing: %+v", name, f)
		}
		if strings.HasSuffix(name, "turn") && (f.Allocations != 0 && !heap.Race || f.Turns != 200 || !(f.TwoWorkers > 0)) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	var out bytes.Buffer
	if err := list.Print(&out); err != nil || strings.Count(out.String(), "\n") != len(list)+1 {
		t.Errorf("table (%v):\n%s", err, out.String())
	}
}

// A cost of 3·n^1.5 has the exponent 1.5.
func TestGrowthIsFitted(t *testing.T) {
	g := Growth{Sizes: []int{10, 100, 1000}}
	for _, n := range g.Sizes {
		g.Seconds = append(g.Seconds, 3*math.Pow(float64(n), 1.5))
	}
	if g.fit(); math.Abs(g.Exponent-1.5) > 1e-12 {
		t.Errorf("exponent %v, want 1.5", g.Exponent)
	}
}

// What a crowd says it takes is what the heap says, but for rounding up.
func TestFootprintsAreMeasured(t *testing.T) {
	list := footprints(50_000)
	want := map[string]float64{"float64 stored": 480, "float64 regenerated": 320, "float32 stored": 240, "float32 regenerated": 160}
	for _, f := range list {
		if name := f.Storage + " " + f.Traits; f.Computed != want[name] || math.Abs(f.Measured-f.Computed) > 0.1*f.Computed {
			t.Errorf("%s: %v bytes by what is kept, %.0f by the heap, want %v", name, f.Computed, f.Measured, want[name])
		}
	}
	if len(list) != 4 {
		t.Errorf("%d ways to keep a crowd, want 4", len(list))
	}
}
