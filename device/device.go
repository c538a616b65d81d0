// Package device is an NVIDIA GPU by its driver: memory, kernels, errors. Only a program built with the tag gpu can open one; without it
// nothing is linked dynamically, and Open says how to get there.
//
// What the driver writes to goes into one block of memory that is pinned when a device is opened, or into memory that the driver itself
// gave. No address of anything else is handed to it: a stack may move under a call.
package device

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// AbsentError says that there is no device to open, and what to do about it.
type AbsentError struct{ Reason, Remedy string }

func (e *AbsentError) Error() string { return e.Reason + "; " + e.Remedy }

// DriverError is what a call of the driver came back with.
type DriverError struct {
	Call string
	Code int
	Name string
}

func (e *DriverError) Error() string {
	return fmt.Sprintf("the GPU's driver says %s (%d) to %s", e.Name, e.Code, e.Call)
}

// lasting are codes that end all use of a device in this process: it is lost, or a kernel has faulted. Others leave it as it is.
var lasting = []int{4, 46, 214, 219, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 720, 999}

func (e *DriverError) isLasting() bool { return slices.Contains(lasting, e.Code) }

// Info is what is known of a device before it is used.
type Info struct {
	Number     int    `json:"number"`
	Name       string `json:"name"`
	Bytes      int    `json:"bytes"`
	Free       int    `json:"free"`
	Driver     string `json:"driver"`     // the newest CUDA that the driver knows
	Capability string `json:"capability"` // of computing
	isAncient  bool   // kernels do not run on it
}

// Slab is a piece of a device's memory.
type Slab struct {
	at    uint64
	Bytes int
}

// At is the address of a byte of it.
func (m Slab) At(offset int) uint64 { return m.at + uint64(offset) }

// Locked is memory of this process that never moves, which kernels and copies of a device reach at full speed.
type Locked struct {
	at    uint64
	start unsafe.Pointer
	Bytes int
}

// At is the address of a byte of it, for kernels.
func (w *Locked) At(offset int) uint64 { return w.at + uint64(offset) }

// Doubles are numbers that begin at a byte of it.
func (w *Locked) Doubles(offset, n int) []float64 { return numbers[float64](w, offset, n) }

// Singles are numbers that begin at a byte of it.
func (w *Locked) Singles(offset, n int) []float32 { return numbers[float32](w, offset, n) }

// Words are whole numbers that begin at a byte of it.
func (w *Locked) Words(offset, n int) []uint64 { return numbers[uint64](w, offset, n) }

func numbers[T float64 | float32 | uint64](w *Locked, offset, n int) []T {
	w.mustHave(offset, n*int(unsafe.Sizeof(T(0))))
	return unsafe.Slice((*T)(unsafe.Add(w.start, offset)), n)
}

func (w *Locked) mustHave(offset, bytes int) {
	if offset < 0 || bytes < 0 || offset+bytes > w.Bytes {
		panic("device: a window is too small")
	}
}

// Kernel is a function that runs on a device.
type Kernel struct{ handle uint64 }

// desk is what the driver reads and writes: results, arguments of a launch and their addresses, a name.
type desk struct {
	out  [8]uint64
	args [16]uint64
	at   [16]uintptr
	name [256]byte
}

// Device is one that has been opened. Several goroutines may use it; what they ask for is done in turn.
type Device struct {
	mu      sync.Mutex
	lib     Driver
	context uintptr
	desk    *desk
	pin     runtime.Pinner
	lost    error
	Info    Info
}

func newDesk(pin *runtime.Pinner) *desk {
	d := new(desk)
	pin.Pin(d)
	for i := range d.args {
		d.at[i] = uintptr(unsafe.Pointer(&d.args[i]))
	}
	return d
}

// List returns the devices that a driver knows, that of the machine where it is nil. Without one the error is an *AbsentError.
func List(by Driver) (list []Info, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	d := &Device{desk: newDesk(&pin)}
	if d.lib, err = find(by); err != nil {
		return nil, err
	}
	count, err := d.start()
	for i := 0; i < count && err == nil; i++ {
		var one Info
		if one, err = d.describe(i); err == nil {
			list = append(list, one)
		}
	}
	return list, err
}

// start wakes the driver and returns how many devices there are.
func (d *Device) start() (count int, err error) {
	if err := d.call("cuInit", 0); err != nil {
		return 0, &AbsentError{"there is no GPU that can be used: " + err.Error(), "look at nvidia-smi, or run with --device cpu"}
	}
	err = d.call("cuDeviceGetCount", d.result(0))
	return int(int32(d.desk.out[0])), err
}

// result is the address of a result.
func (d *Device) result(i int) uintptr { return uintptr(unsafe.Pointer(&d.desk.out[i])) }

// call calls the driver.
func (d *Device) call(name string, args ...uintptr) error {
	if d.lost != nil {
		return d.lost
	}
	code := d.lib.Call(name, args...)
	if code == 0 {
		return nil
	}
	err := &DriverError{Call: name, Code: code, Name: cmp.Or(codeNames[code], "error")}
	if err.isLasting() {
		d.lost = err
	}
	return err
}

// codeNames are what the commonest codes mean.
var codeNames = map[int]string{
	1: "invalid value", 2: "out of memory", 100: "no such device", 101: "no such device", 700: "illegal address", 719: "launch failure",
	218: tooNew, 222: tooNew, 803: unfitting, 804: unfitting,
}

const (
	tooNew    = "kernels that are too new for it; a driver from 450 on is needed"
	unfitting = "driver and libraries that do not fit together"
)

// describe finds out about a device.
func (d *Device) describe(i int) (n Info, err error) {
	handle, err := d.handle(i)
	ask := func(name string, args ...uintptr) {
		if err == nil {
			err = d.call(name, args...)
		}
	}
	attribute := func(number uintptr) int {
		ask("cuDeviceGetAttribute", d.result(1), number, handle)
		return int(int32(d.desk.out[1]))
	}
	major, minor := attribute(75), attribute(76)
	n = Info{Number: i, Capability: fmt.Sprintf("%d.%d", major, minor), isAncient: major < 7}
	ask("cuDeviceGetName", uintptr(unsafe.Pointer(&d.desk.name[0])), uintptr(len(d.desk.name)-1), handle)
	n.Name, _, _ = strings.Cut(string(d.desk.name[:]), "\x00")
	ask("cuDeviceTotalMem_v2", d.result(0), handle)
	n.Bytes = int(d.desk.out[0])
	ask("cuDriverGetVersion", d.result(0))
	version := int(int32(d.desk.out[0]))
	n.Driver = fmt.Sprintf("CUDA %d.%d", version/1000, version%1000/10)
	return n, err
}

func (d *Device) handle(i int) (uintptr, error) {
	err := d.call("cuDeviceGet", d.result(0), uintptr(i))
	return uintptr(uint32(d.desk.out[0])), err
}
