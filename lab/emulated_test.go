package lab_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/gpu"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/population"
)

// moved are runs that a GPU can move people for, of more than a tile.
var moved = []struct {
	base string
	sets []string
}{
	{"polarized", []string{"population.size=140", "population.dim=3", "iterations=4", "trials=2", "record.every=2", "optimum.starts=1"}},
	{"polarized", []string{"population.size=140", "population.dim=3", "population.storage=float32", "iterations=3", "trials=1", "optimum.starts=1"}},
	{"choice", []string{"population.size=150", "population.dim=5", "set.sum=20", "iterations=4", "trials=1", "record.w1=none"}},
	{"examples/buses.yaml", []string{"population.size=150", "iterations=4", "trials=1"}},
	{"examples/classification.yaml", []string{"population.size=150", "iterations=4", "trials=1"}},
}

// calm keeps the race detector away: a GPU made of Go is many times slower under it, and here all is done by one worker.
func calm(t *testing.T) {
	t.Helper()
	if heap.Race {
		t.Skip("of one goroutine")
	}
}

// onGPU runs a problem on a GPU made of Go, which is lost after so many calls, and returns what it says, what was said of the GPU, and how many calls there were.
func onGPU(t *testing.T, lostAfter int, base string, sets []string) (lines []string, said string, calls int) {
	t.Helper()
	d := emulated.New()
	s, p := built(t, "there", base, sets)
	on, err := lab.OpenDeviceBy(d, "gpu", s, func(line string) { said += line + "\n" })
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	first := d.Calls()
	d.Fail = func(_ string, before int) int {
		if before < first+lostAfter {
			return 0
		}
		return 719
	}
	r, err := lab.Execute(t.Context(), p, lab.Options{Workers: 1, Device: on})
	if err != nil {
		t.Fatal(err)
	}
	if !on.Board.Used() {
		t.Error("nobody moved there")
	}
	return told(t, r), said, d.Calls() - first
}

// Results do not depend on where people move, and not on a GPU that is lost on the way.
func TestRunsOnAGPUHaveTheBytesOfTheCPU(t *testing.T) {
	calm(t)
	all := moved
	if testing.Short() {
		all = all[2:] // a search on a GPU made of Go takes its time
	}
	for _, one := range all {
		t.Run(one.base, func(t *testing.T) {
			_, p := built(t, "there", one.base, one.sets)
			r, err := lab.Execute(t.Context(), p, lab.Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			want := told(t, r)
			got, said, calls := onGPU(t, math.MaxInt/2, one.base, one.sets)
			if !slices.Equal(got, want) || said != "" {
				t.Errorf("other bytes: %s; it says %q", differing(got, want), said)
			}
			got, said, _ = onGPU(t, calls/2, one.base, one.sets)
			if !slices.Equal(got, want) || !strings.Contains(said, "launch failure") || !strings.Contains(said, "the same bytes") {
				t.Errorf("a GPU that is lost says %q; other bytes: %s", said, differing(got, want))
			}
		})
	}
}

// differing are lines that are not the same.
func differing(got, want []string) (list []string) {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			list = append(list, got[i]+" ≠ "+want[i])
		}
	}
	return list
}

// What a GPU does not do is refused to who asked for one, with the remedy; who did not ask is told nothing, and has the CPU's bytes.
func TestWhatAGPURefuses(t *testing.T) {
	calm(t)
	d := emulated.New()
	for want, sets := range map[string][]string{
		"record.w1":     {"population.size=9", "iterations=1", "trials=1", "record.w1=items"},
		"record.theory": {"population.size=9", "iterations=1", "trials=1", "record.w1=none", "record.theory=true"},
	} {
		s, p := built(t, "there", "choice", sets)
		on, err := lab.OpenDeviceBy(d, "gpu:0", s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lab.Execute(t.Context(), p, lab.Options{Workers: 1, Device: on}); err == nil || !lab.Unfit(err) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "say --device cpu") {
			t.Errorf("%v, want one of %s", err, want)
		}
		on.Demand = false
		if _, err := lab.Execute(t.Context(), p, lab.Options{Workers: 1, Device: on}); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		on.Close()
	}
	if lab.Unfit(errors.New("another")) || lab.Unfit(nil) {
		t.Error("others are taken for what a GPU does not do")
	}
}

// Auto takes a GPU for large crowds that have room there; who asked for one is told why there is none. In single precision five million people of four numbers take 240 MB of 268, and 320 MB where their traits are
// regenerated, which are then in double precision.
func TestWhenAGPUIsTaken(t *testing.T) {
	calm(t)
	d := emulated.New()
	var said []string
	tell := func(line string) { said = append(said, line) }
	for _, one := range []struct {
		of     string
		size   int
		traits string
		taken  bool
		says   string
	}{
		{"auto", 1e5, "stored", false, ""}, {"auto", 5e6, "stored", true, ""}, {"auto", 5e6, "regenerated", false, "everything runs on the CPU: the GPU does not do this: "}, {"cpu", 3e5, "stored", false, ""}, {"gpu", 10, "stored", true, ""},
	} {
		said = nil
		s, _ := built(t, "there", "polarized", []string{"population.dim=4", "population.size=10"})
		s.Population.Size, s.Population.Storage, s.Population.Traits = one.size, population.Float32, one.traits
		on, err := lab.OpenDeviceBy(d, one.of, s, tell)
		if err != nil || (on.Board != nil) != one.taken || !strings.HasPrefix(strings.Join(said, "\n"), one.says) || (len(said) > 0) != (one.says != "") {
			t.Errorf("%s for %d people, %s: taken %t, %v, %q", one.of, one.size, one.traits, on.Board != nil, err, said)
		}
		on.Close()
	}
	s, _ := built(t, "there", "polarized", []string{"population.dim=4", "population.size=10"})
	s.Population.Size = 9e6
	calls := map[string]int{}
	d.Fail = func(name string, _ int) int { calls[name]++; return 0 }
	var unfit *gpu.UnfitError
	if _, err := lab.OpenDeviceBy(d, "gpu", s, tell); !errors.As(err, &unfit) || !strings.HasPrefix(err.Error(), "--device gpu: ") || d.Taken() != 0 {
		t.Errorf("a crowd that has no room: %v", err)
	}
	if taken, given := calls["cuDevicePrimaryCtxRetain"], calls["cuDevicePrimaryCtxRelease_v2"]; taken != 1 || given != 1 {
		t.Errorf("the GPU without room was opened %d times and closed %d times", taken, given)
	}
}
