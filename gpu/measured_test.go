package gpu

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/device/emulated"
)

// Laps are the median and the best of as many rounds as are asked for, each of four, behind one that does not count: of a GPU that takes 100 ms for each at first, and then 40, 10, 30, 20 and 50 ms.
func TestLapsAreMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := emulated.New()
		c, _ := smallCrowd(t)
		_, there := both(t, bare(t, d), c)
		calls := map[string]int{}
		d.Fail = func(name string, _ int) int {
			if name == "cuLaunchKernel" || name == "cuMemcpyDtoDAsync_v2" {
				time.Sleep([]time.Duration{100, 40, 10, 30, 20, 50}[calls[name]/4%6] * time.Millisecond)
			}
			calls[name]++
			return 0
		}
		l, err := there.Laps(decision(3, 1), 5)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range []LapTime{l.Copy, l.Step, l.Value, l.Both} {
			if math.Abs(one.Median-0.03) > 1e-12 || math.Abs(one.Best-0.01) > 1e-12 {
				t.Errorf("%+v, want 0.03 and 0.01 s", one)
			}
		}
		for rounds, want := range map[int]int{-1: 2, 0: 2, 1: 2, 3: 4} {
			clear(calls)
			if _, err := there.Laps(decision(3, 1), rounds); err != nil || calls["cuMemcpyDtoDAsync_v2"] != 4*want || calls["cuLaunchKernel"] != 3*4*want {
				t.Errorf("%d rounds: %v, %v", rounds, calls, err)
			}
		}
	})
}

// What a survey tells of copies are the bytes that are read and written, by the time of a GPU that takes 20 ms for each: of a quarter of 16 MiB.
func TestCopiesOfASurvey(t *testing.T) {
	calm(t)
	synctest.Test(t, func(t *testing.T) {
		d := emulated.New()
		d.Bytes = 1 << 24
		d.Fail = func(name string, _ int) int {
			if name == "cuMemcpyDtoDAsync_v2" {
				time.Sleep(20 * time.Millisecond)
			}
			return 0
		}
		list, err := Survey(d)
		if want := 2 * float64(1<<22) / 0.02 / 1e9; err != nil || len(list) != 1 || math.Abs(list[0].Copied-want) > 1e-9 {
			t.Errorf("%+v, want %v GB/s; %v", list, want, err)
		}
	})
}
