package device_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/device/emulated"
)

// witness is a driver that notes what it is asked, and passes it on.
type witness struct {
	*emulated.GPUs
	asked map[string][][]uintptr
}

func (w *witness) Call(name string, args ...uintptr) int {
	w.asked[name] = append(w.asked[name], slices.Clone(args))
	return w.GPUs.Call(name, args...)
}

// The handle that a device has is that by which its context is taken and given back, with all that was on it; memory of the process is asked for
// as portable (1) and mapped (2), as the driver's book numbers them.
func TestHandlesAndFlags(t *testing.T) {
	d := &witness{emulated.New(), map[string][][]uintptr{}}
	d.Count = 3
	dev, err := device.Open(d, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dev.Lock(8); err != nil {
		t.Fatal(err)
	}
	if _, err := dev.Alloc(0); err != nil || d.Taken() != 1 {
		t.Errorf("nothing takes %d bytes (%v)", d.Taken(), err)
	}
	dev.Close()
	if d.Taken() != 0 || dev.Info.Number != 2 {
		t.Errorf("%d bytes are taken of a device that was given back: %+v", d.Taken(), dev.Info)
	}
	for name, want := range map[string][]uintptr{"cuDevicePrimaryCtxRetain": {2}, "cuDevicePrimaryCtxRelease_v2": {2}, "cuMemHostAlloc": {8, 3}, "cuDeviceTotalMem_v2": {2}, "cuInit": {0}} {
		if asked := d.asked[name]; len(asked) != 1 || !slices.Equal(asked[0][len(asked[0])-len(want):], want) {
			t.Errorf("%s is asked %v, want %v", name, asked, want)
		}
	}
}

// Nothing is given back to a device that does not know itself any more.
func TestClosingFails(t *testing.T) {
	d := &witness{emulated.New(), map[string][][]uintptr{}}
	dev, err := device.Open(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.Fail = func(name string, _ int) int { return map[string]int{"cuDeviceGet": 3}[name] }
	if dev.Close(); len(d.asked["cuDevicePrimaryCtxRelease_v2"]) != 0 {
		t.Errorf("released as %v", d.asked)
	}
}

// Whichever call of those that list two devices fails, the list ends there with its error; versions are those of the driver, and a long name is cut to the room for it.
func TestLists(t *testing.T) {
	d := emulated.New()
	d.Count, d.Version, d.Name = 2, 12000, strings.Repeat("x", 300)
	list, err := device.List(d)
	if err != nil || len(list) != 2 || list[0].Number != 0 || list[1].Number != 1 || list[1].Driver != "CUDA 12.0" || list[0].Name != d.Name[:254] {
		t.Fatalf("%+v, %v", list, err)
	}
	calls := d.Calls()
	for k := range calls {
		failing := emulated.New()
		failing.Count = 2
		failing.Fail = func(_ string, before int) int { return map[int]int{k: 3}[before] }
		want := map[bool]int{true: 1}[k >= 2+(calls-2)/2] // two calls, and as many for each of the devices
		if list, err := device.List(failing); err == nil || !strings.Contains(err.Error(), "(3) to cu") || len(list) != want {
			t.Errorf("call %d of %d fails: %d devices, %v", k, calls, len(list), err)
		}
	}
	for version, want := range map[int]string{11080: "CUDA 11.8", 9020: "CUDA 9.2", 13010: "CUDA 13.1"} {
		d.Version = version
		if list, err := device.List(d); err != nil || list[0].Driver != want {
			t.Errorf("%d is %+v, %v", version, list, err)
		}
	}
}

// A window lends no numbers at its end, and at its beginning.
func TestNoNumbersOfAWindow(t *testing.T) {
	_, dev := opened(t)
	w, err := dev.Lock(16)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Unlock(w)
	if len(w.Doubles(0, 0))+len(w.Words(16, 0))+len(w.Singles(16, 0)) != 0 {
		t.Error("none are some")
	}
}

// What a device had pinned is let go of when it is closed, and when it does not open: Go's collector ends a process that forgets that.
func TestPinsAreLetGo(t *testing.T) {
	d := emulated.New()
	for range 3 {
		dev, err := device.Open(d, 0)
		if err != nil {
			t.Fatal(err)
		}
		dev.Close()
		if _, err := device.Open(d, 7); err == nil {
			t.Fatal("a device of another number")
		}
		for range 2 {
			swept := make(chan struct{})
			runtime.SetFinalizer(&[64]byte{}, func(*[64]byte) { close(swept) })
			runtime.GC()
			<-swept
		}
	}
}

// Up to sixteen arguments reach a kernel, in their order.
func TestSixteenArguments(t *testing.T) {
	_, dev := opened(t)
	var params, code strings.Builder
	args := make([]uint64, 16)
	for i := range args {
		fmt.Fprintf(&params, ", .param .u64 p%d", i)
		fmt.Fprintf(&code, "\tld.param.u64 %%x, [p%d];\n\tst.global.u64 [%%at+%d], %%x;\n", i, 8*i)
		args[i] = uint64(100 + i)
	}
	text := strings.NewReplacer("PARAMS", params.String()[2:], "CODE", code.String()).Replace(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(PARAMS)\n{\n\t.reg .u64 %at, %x;\n\tld.param.u64 %at, [p0];\nCODE\tret;\n}\n")
	kernel, err := dev.Load(text, "k")
	if err != nil {
		t.Fatal(err)
	}
	w, err := dev.Lock(128)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Unlock(w)
	args[0] = w.At(0)
	if err := dev.Launch(kernel, 1, 1, args...); err != nil {
		t.Fatal(err)
	}
	if err := dev.Wait(); err != nil || !slices.Equal(w.Words(0, 16), args) {
		t.Errorf("%v arrive, want %v; %v", w.Words(0, 16), args, err)
	}
}
