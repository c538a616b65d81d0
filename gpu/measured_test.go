package gpu

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/population"
)

// Laps are the median and the best of as many rounds as are asked for, each of four, behind one that does not count: of a GPU that takes 100 ms for each at first, and then 40, 10, 30, 20 and 50 ms.
func TestLapsAreMeasured(t *testing.T) {
	evidence.OneGoroutine(t)
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

// Whatever call of the driver fails while laps are measured, it is told, and the crowd is measured as before when it does not fail any more.
func TestLapsTellErrors(t *testing.T) {
	calm(t)
	d := emulated.New()
	p := bare(t, d)
	f, traits := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, draw(t, 3, 2)
	_, there := both(t, p, population.Config{Dynamics: f, Traits: traits})
	begun := d.Calls()
	if _, err := there.Laps([]float64{1, 0}, 1); err != nil {
		t.Fatal(err)
	}
	calls := d.Calls() - begun
	for k := range calls {
		at := d.Calls() + k
		d.Fail = func(_ string, before int) int { return map[int]int{at: 2}[before] }
		var said *device.DriverError
		if l, err := there.Laps([]float64{1, 0}, 1); !errors.As(err, &said) || said.Code != 2 || d.Calls() != at+1 {
			t.Fatalf("call %d of %d fails: %+v, %v after %d more", k, calls, l, err, d.Calls()-at-1)
		}
	}
	d.Fail = nil
	if _, err := there.Laps([]float64{1, 0}, 1); err != nil {
		t.Error(err)
	}
}
