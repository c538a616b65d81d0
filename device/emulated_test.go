package device_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/device/emulated"
)

// opened opens a GPU made of Go.
func opened(t *testing.T) (*emulated.GPUs, *device.Device) {
	t.Helper()
	d := emulated.New()
	dev, err := device.Open(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(dev.Close)
	return d, dev
}

// doubled is a kernel that doubles n numbers.
const doubled = `.version 7.0
.target sm_70
.address_size 64
.visible .entry doubled(.param .u64 at, .param .u64 n)
{
	.reg .u64 %at, %n, %i, %w; .reg .u32 %block, %lane; .reg .pred %p; .reg .f64 %x;
	ld.param.u64 %at, [at];
	ld.param.u64 %n, [n];
	mov.u32 %block, %ctaid.x;
	mov.u32 %lane, %tid.x;
	mul.wide.u32 %i, %block, 32;
	cvt.u64.u32 %w, %lane;
	add.u64 %i, %i, %w;
	setp.ge.u64 %p, %i, %n;
	@%p bra OUT;
	mad.lo.u64 %w, %i, 8, %at;
	ld.global.f64 %x, [%w];
	add.rn.f64 %x, %x, %x;
	st.global.f64 [%w], %x;
OUT:
	ret;
}
`

// Numbers go up, are doubled there and copied, and come down; memory is clean when it is taken, and goes back.
func TestNumbersGoUpAndDown(t *testing.T) {
	d, dev := opened(t)
	want := device.Info{Number: 0, Name: "emulated GPU", Bytes: 1 << 28, Free: 1 << 28, Driver: "CUDA 12.4", Capability: "9.0"}
	if got := dev.Info; got.Name != want.Name || got.Bytes != want.Bytes || got.Free != want.Free || got.Driver != want.Driver || got.Capability != want.Capability {
		t.Errorf("it is %+v", got)
	}
	const n = 100
	w, err := dev.Lock(16 * n)
	if err != nil {
		t.Fatal(err)
	}
	up, err := dev.Alloc(8 * n)
	if err != nil {
		t.Fatal(err)
	}
	clean, err := dev.Alloc(8 * n)
	if err != nil {
		t.Fatal(err)
	}
	if room, err := dev.Room(); err != nil || room != 1<<28-16*n || d.Taken() != 16*n {
		t.Errorf("%d bytes are free (%v), %d taken", room, err, d.Taken())
	}
	kernel, err := dev.Load(doubled, "doubled")
	if err != nil {
		t.Fatal(err)
	}
	numbers := w.Doubles(0, n)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	ask := func(list ...error) {
		t.Helper()
		if err := errors.Join(list...); err != nil {
			t.Fatal(err)
		}
	}
	ask(dev.Send(up, 8, w, 0, 8*(n-1)), dev.Launch(kernel, 4, 32, up.At(0), n), dev.Copy(clean, up, 8*50), dev.Fetch(w, 8*n, clean, 0, 8*n))
	if got := w.Doubles(8*n, n); slices.Max(got) != 0 {
		t.Error("something is there before it was waited for")
	}
	ask(dev.Wait())
	for i, v := range w.Doubles(8*n, n) {
		if want := max(0, 2*float64(i-1)); i < 50 && v != want || i >= 50 && v != 0 {
			t.Errorf("number %d is %v", i, v)
		}
	}
	dev.Free(up, clean, device.Slab{})
	dev.Unlock(w)
	dev.Unlock(nil)
	if d.Taken() != 0 {
		t.Errorf("%d bytes were not given back", d.Taken())
	}
}

// Views of a window are of the same bytes, and none goes beyond its end.
func TestViewsOfAWindow(t *testing.T) {
	_, dev := opened(t)
	w, err := dev.Lock(24)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Unlock(w)
	w.Words(8, 1)[0] = math.Float64bits(1.5)
	if w.Doubles(8, 1)[0] != 1.5 || w.Singles(12, 1)[0] != math.Float32frombits(uint32(math.Float64bits(1.5)>>32)) || w.At(8) != w.At(0)+8 {
		t.Error("views differ")
	}
	slab, err := dev.Alloc(0)
	if err != nil || slab.Bytes != 1 || slab.At(5) != slab.At(0)+5 {
		t.Errorf("no bytes: %+v, %v", slab, err)
	}
	if err := dev.Wait(); err != nil {
		t.Errorf("no bytes are cleared: %v", err) // beyond the one that there is
	}
	for name, beyond := range map[string]func(){
		"doubles": func() { w.Doubles(16, 2) }, "words": func() { w.Words(8, 3) }, "singles": func() { w.Singles(20, 2) }, "before": func() { w.Words(-8, 1) }, "negative": func() { w.Words(8, -1) },
		"sent": func() { _ = dev.Send(slab, 0, w, 16, 16) }, "fetched": func() { _ = dev.Fetch(w, 24, slab, 0, 1) },
		"arguments": func() { _ = dev.Launch(device.Kernel{}, 1, 1, make([]uint64, 17)...) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nobody minds", name)
				}
			}()
			beyond()
		}()
	}
	if got := len(w.Doubles(0, 3)) + len(w.Singles(0, 6)); got != 9 {
		t.Errorf("%d numbers, want all 9", got)
	}
}

// A kernel that reaches for what is not there takes the device away: every later call says so, and all know it.
func TestAFaultLasts(t *testing.T) {
	_, dev := opened(t)
	kernel, err := dev.Load(doubled, "doubled")
	if err != nil || dev.Lost() != nil {
		t.Fatal(err, dev.Lost())
	}
	if err := dev.Launch(kernel, 1, 32, 8, 1); err != nil {
		t.Fatal(err)
	}
	const want = "the GPU's driver says illegal address (700) to cuStreamSynchronize"
	if err := dev.Wait(); err == nil || err.Error() != want || dev.Lost() != err {
		t.Errorf("%v, and is lost by %v", err, dev.Lost())
	}
	if _, err := dev.Alloc(8); err == nil || err.Error() != want {
		t.Errorf("memory after a fault: %v", err)
	}
}

// Whatever the driver refuses is told by its name and code, and leaves the device as it was.
func TestWhatTheDriverRefuses(t *testing.T) {
	d, dev := opened(t)
	kernel, err := dev.Load(doubled, "doubled")
	if err != nil {
		t.Fatal(err)
	}
	for want, call := range map[string]func() error{
		"out of memory (2) to cuMemAlloc_v2": func() error { _, err := dev.Alloc(1 << 29); return err },
		"kernels that are too new for it; a driver from 450 on is needed (218) to cuModuleLoadDataEx": func() error { _, err := dev.Load("nothing", "doubled"); return err },
		"error (500) to cuModuleGetFunction":  func() error { _, err := dev.Load(doubled, "tripled"); return err },
		"invalid value (1) to cuLaunchKernel": func() error { return dev.Launch(kernel, 0, 32, 0, 0) },
		"error (400) to cuLaunchKernel":       func() error { return dev.Launch(device.Kernel{}, 1, 32) },
		"invalid value (1) to cuMemHostAlloc": func() error { _, err := dev.Lock(0); return err },
	} {
		if err := call(); err == nil || err.Error() != "the GPU's driver says "+want || dev.Lost() != nil {
			t.Errorf("%v, want %s; lost: %v", err, want, dev.Lost())
		}
	}
	d.Fail = func(name string, _ int) int { return map[string]int{"cuMemsetD8Async": 2}[name] }
	if m, err := dev.Alloc(8); err == nil || m != (device.Slab{}) || d.Taken() != 0 {
		t.Errorf("memory that cannot be cleared: %+v, %v, %d bytes taken", m, err, d.Taken())
	}
	for code, want := range map[int]string{1: "invalid value", 2: "out of memory", 100: "no such device", 101: "no such device", 222: "450", 719: "launch failure", 803: "fit together", 804: "fit together", 5: "error"} {
		d.Fail = func(string, int) int { return code }
		_, err := device.Open(d, 0)
		var absent *device.AbsentError
		if !errors.As(err, &absent) || !strings.Contains(absent.Reason, want) || !strings.Contains(absent.Remedy, "--device cpu") {
			t.Errorf("a driver that says %d: %v", code, err)
		}
	}
}

// Every call that fails while a device is opened is told, and one that is too old, or not there, is named.
func TestDevicesThatDoNotOpen(t *testing.T) {
	d := emulated.New()
	if dev, err := device.Open(d, 0); err != nil {
		t.Fatal(err)
	} else {
		dev.Close()
	}
	for k := range d.Calls() - 2 { // the last two close it
		d := emulated.New()
		d.Fail = func(_ string, before int) int { return map[int]int{k: 3}[before] }
		if _, err := device.Open(d, 0); err == nil || !strings.Contains(err.Error(), "(3) to cu") {
			t.Errorf("call %d fails: %v", k, err)
		}
		if list, err := device.List(d); err != nil && len(list) > 0 {
			t.Errorf("call %d failed: %v", k, err)
		}
	}
	d.Count, d.Major, d.Minor = 2, 6, 1
	for number, want := range map[int]string{
		-1: "there is no GPU -1: the driver knows 2", 2: "there is no GPU 2: the driver knows 2; see kedge devices", 1: "emulated GPU has compute capability 6.1, kernels need 7.0",
	} {
		if _, err := device.Open(d, number); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("GPU %d: %v", number, err)
		}
	}
	if list, err := device.List(d); err != nil || len(list) != 2 || list[1].Number != 1 || list[1].Capability != "6.1" {
		t.Errorf("%+v, %v", list, err)
	}
	d.Major = 7
	if dev, err := device.Open(d, 1); err != nil || dev.Info.Number != 1 {
		t.Errorf("the second: %v", err)
	}
}
