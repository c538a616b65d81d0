package lab

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/gpu"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

func TestNamesOfDevices(t *testing.T) {
	for name, want := range map[string]int{"": -1, "cpu": -1, "auto": 0, "gpu": 0, "gpu:0": 0, "gpu:3": 3} {
		if got, err := DeviceNumber(name); got != want || err != nil {
			t.Errorf("%q is %d (%v), want %d", name, got, err, want)
		}
	}
	for _, name := range []string{"gpu:", "gpu:-1", "gpu:x", "tpu", "cpu:1", "GPU"} {
		if got, err := DeviceNumber(name); got != -1 || err == nil || !strings.Contains(err.Error(), "kedge devices") {
			t.Errorf("%q is %d: %v", name, got, err)
		}
	}
}

// Without a GPU auto goes on by the CPU, for large crowds too, and says nothing; who asks for one is told why there is none.
func TestNoDevice(t *testing.T) {
	if list, err := device.List(nil); err == nil && len(list) > 0 {
		t.Skip("there is a device")
	}
	text, _ := problem.Case("polarized")
	for _, size := range []string{"1000", "1000000"} {
		s, err := problem.Parse(kind.Standard(), "polarized", text, problem.Assign("population.size="+size))
		if err != nil {
			t.Fatal(err)
		}
		said := func(line string) { t.Errorf("%s people: %s", size, line) }
		for _, name := range []string{"", "cpu", "auto"} {
			if d, err := OpenDevice(name, s, said); err != nil || d.Board != nil || d.used() != "cpu" {
				t.Errorf("%s people on %q: %+v, %v", size, name, d, err)
			}
		}
		var absent *device.AbsentError
		if _, err := OpenDevice("gpu", s, said); !errors.As(err, &absent) || !strings.Contains(err.Error(), "--device cpu") {
			t.Errorf("%s people on a GPU: %v", size, err)
		}
	}
}

// Auto asks for a GPU from 2²⁰ numbers on, and says why it goes without one that is there; who asks for one is told in all cases.
func TestDevicesAreAskedForByLargeCrowds(t *testing.T) {
	text, _ := problem.Case("polarized")
	for size, asks := range map[int]bool{1: false, 1<<18 - 1: false, 1 << 18: true, 1<<18 + 1: true} {
		s, err := problem.Parse(kind.Standard(), "polarized", text, problem.Assign("population.dim=4"), problem.Assign(fmt.Sprint("population.size=", size)))
		if err != nil {
			t.Fatal(err)
		}
		ill := emulated.New()
		ill.Fail = func(name string, _ int) int { return map[bool]int{true: 2}[strings.Contains(name, "Alloc")] }
		var said []string
		say := func(line string) { said = append(said, line) }
		if d, err := OpenDeviceBy(ill, "auto", s, say); err != nil || d.Board != nil || d.Demand || (ill.Calls() > 0) != asks || (len(said) == 1 && strings.HasPrefix(said[0], "everything runs on the CPU: ")) != asks || len(said) > 1 {
			t.Errorf("%d people: %+v, %v, said %q", size, d, err, said)
		}
		said = nil
		if d, err := OpenDeviceBy(ill, "gpu", s, say); err == nil || !strings.HasPrefix(err.Error(), "--device gpu: ") || d.Board != nil || said != nil {
			t.Errorf("%d people: %+v, %v, said %q", size, d, err, said)
		}
	}
}

// A device that is there but moves nobody is not the one that moved people; what it cannot do is refused to who asked for it, and done by the CPU for who did not.
func TestDevicesThatAreNotUsed(t *testing.T) {
	idle := &gpu.Board{}
	if got := (OnDevice{Board: idle}).used(); got != "cpu" {
		t.Errorf("moved by %s", got)
	}
	few := []string{"population.size=9", "iterations=1"}
	for want, p := range map[string]*problem.Problem{
		"record.w1":     of(t, "choice", append(few, "record.w1=items")...),
		"record.theory": of(t, "polarized", append(few, "record.theory=true")...),
	} {
		r := &run{problem: p, Options: Options{Device: OnDevice{Board: idle, Demand: true}}}
		var unfit *gpu.UnfitError
		if _, err := r.gather(population.Config{}); !errors.As(err, &unfit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one of %s", err, want)
		}
	}
	moving := of(t, "lq2", "population.drift={rate: [0.1, 0]}")
	for _, p := range []*problem.Problem{moving, of(t, "lq2")} { // which has no kernel
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		r := &run{problem: p, Options: Options{Device: OnDevice{Board: idle}, Workers: 1}}
		if r.jury(f); f.Engine != nil || r.leave != nil {
			t.Error("a device judges what it has no kernel for")
		}
	}
	if (&run{problem: moving}).elsewhere() != nil {
		t.Error("crowds move on a device that is not there")
	}
}
