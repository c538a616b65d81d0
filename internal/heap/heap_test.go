package heap_test

import (
	"runtime/debug"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
)

// Memory that is taken is counted, once, to within what the allocator keeps at hand.
func TestTaken(t *testing.T) {
	var kept []byte
	for _, n := range []int{0, 1 << 20, 10 << 20} {
		got := heap.Taken(1<<20, func() { kept = make([]byte, n) })
		if len(kept) != n || !heap.Race && (got < int64(n) || got > int64(n)+256<<10) {
			t.Errorf("%d bytes are counted as %d", n, got)
		}
	}
}

// Whoever takes more than the bound does it again, to be counted exactly, and nobody else does; under the race detector nobody is counted.
func TestWhoIsCountedAgain(t *testing.T) {
	var kept []byte
	taking := func(bound int64, bytes int) (runs int, taken int64) {
		taken = heap.Taken(bound, func() { runs++; kept = make([]byte, bytes) })
		return runs, taken
	}
	want := 2
	if heap.Race {
		want = 1
	}
	if runs, taken := taking(1<<20, 8<<20); runs != want || len(kept) != 8<<20 || heap.Race != (taken == 0) {
		t.Errorf("too much is taken %d times: %d bytes", runs, taken)
	}
	if runs, _ := taking(1<<40, 8<<20); runs != 1 {
		t.Errorf("less than the bound is taken %d times", runs)
	}
	least := 2
	for range 100 { // somebody else may take something meanwhile
		runs, _ := taking(0, 0)
		least = min(least, runs)
	}
	if least != 1 {
		t.Error("what takes nothing is always done twice, for a bound of nothing")
	}
}

// The program says itself whether it was built for the race detector.
func TestRaceIsWhatTheProgramWasBuiltFor(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the program says nothing of itself")
	}
	built := slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	if heap.Race != built {
		t.Errorf("race is %t, built for it %t", heap.Race, built)
	}
}

// What is in use is counted, and what no longer is, is not; to within what the test before it, or the runtime, still lets go of.
func TestLive(t *testing.T) {
	before := heap.Live()
	kept := make([]byte, 8<<20)
	during := heap.Live()
	kept[0] = 1
	kept = nil
	after := heap.Live()
	if grown := during - before; grown < 7<<20 || grown > 9<<20 || after-before > 1<<20 {
		t.Errorf("8 MB more are counted as %d, none as %d", grown, after-before)
	}
}
