package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/gpu"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/population"
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

// Rows that repeat are those that they repeat, however far on and however they are kept; without a device there is nothing to measure, and why is said.
func TestCrowdsForADevice(t *testing.T) {
	for _, kept := range []population.Storage{population.Float64, population.Float32} {
		rows := echoed(3*echoes+5, kept, func(x []float64) {})
		x, y := make([]float64, 4*dim), make([]float64, 4*dim)
		first, again := rows.View(x, 2, 6), rows.View(y, 2*echoes+2, 2*echoes+6)
		if n, width := rows.Size(); n != 3*echoes+5 || width != dim || !slices.Equal(first, again) || slices.Equal(first[:dim], first[dim:2*dim]) {
			t.Errorf("kept as %d: %d rows of %d, %v and %v", kept, n, width, first, again)
		}
		if short, ok := rows.(*shortEcho); ok {
			if data, mended := short.Short(echoes+2, echoes+3); !mended || float64(data[0]) != first[0] {
				t.Errorf("kept in single precision as %v, seen as %v", data[0], first[0])
			}
		}
	}
	var absent *device.AbsentError
	if _, err := new(Workbench).Device(9999)(context.Background()); !errors.As(err, &absent) {
		t.Errorf("a device that is not there: %v", err)
	}
	one := DeviceCrowd{People: 1e8, Kept: "float64"}
	one.fill(gpu.LapTimes{Copy: gpu.LapTime{Median: 0.0075, Best: 0.007}, Step: gpu.LapTime{Median: 0.011, Best: 0.0105}, Copied: 32e9, Moved: 48e9})
	if math.Abs(one.Share-48/0.011/(32/0.0075)) > 1e-12 || math.Abs(one.Step.Median-0.11) > 1e-12 || math.Abs(one.Copied-32/0.0075) > 1e-9 {
		t.Errorf("a step of 11 ms beside a copy of 7.5 ms is %+v", one)
	}
	var out bytes.Buffer
	table := DeviceTable{Device: "gpu:0", Rows: []DeviceCrowd{one, {People: 1e6, Kept: "float32", Trouble: "no room"}}}
	if err := table.Print(&out); err != nil || !strings.Contains(out.String(), "102.3 %") || !strings.Contains(out.String(), "no room") {
		t.Errorf("table (%v):\n%s", err, out.String())
	}
	if n := len((&Workbench{SkipLarge: true}).deviceRows()); n != 3 {
		t.Errorf("%d crowds without the large ones, want 3", n)
	}
}
