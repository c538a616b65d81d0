package emulated

import (
	"runtime"
	"testing"
	"unsafe"
)

// desk is where answers go to: memory that stays where it is.
type desk struct {
	out  [2]uint64
	text [1024]byte
	args [2]uint64
	list [2]uintptr
}

// at is the address of a part of it.
func (d *desk) at(offset uintptr) uintptr { return uintptr(unsafe.Pointer(d)) + offset }

// caller makes calls whose answers are told by a desk.
type caller struct {
	*testing.T
	*GPUs
	*desk
}

func opened(t *testing.T) caller {
	t.Helper()
	c := caller{t, New(), new(desk)}
	var pin runtime.Pinner
	pin.Pin(c.desk)
	t.Cleanup(pin.Unpin)
	c.is(0, "cuInit", 0)
	c.is(0, "cuDevicePrimaryCtxRetain", c.first(), 0)
	c.is(0, "cuCtxSetCurrent", uintptr(c.out[0]))
	return c
}

func (c caller) first() uintptr  { return c.at(unsafe.Offsetof(c.desk.out)) }
func (c caller) second() uintptr { return c.first() + 8 }

// is makes a call and says what it wants for an answer.
func (c caller) is(code int, name string, args ...uintptr) {
	c.Helper()
	if got := c.Call(name, args...); got != code {
		c.Errorf("%s says %d, want %d", name, got, code)
	}
}

// word writes a text on the desk and returns where it is.
func (c caller) word(s string) uintptr {
	c.text[copy(c.text[:], s)] = 0
	return c.at(unsafe.Offsetof(c.desk.text))
}

// What a driver says of its devices before anybody uses one.
func TestQuestions(t *testing.T) {
	c := opened(t)
	c.Count, c.Name = 2, "a GPU"
	c.is(0, "cuDriverGetVersion", c.first())
	c.is(0, "cuDeviceGetCount", c.second())
	if c.out != [2]uint64{12040, 2} {
		t.Errorf("version and count are %v", c.out)
	}
	c.is(0, "cuDeviceGet", c.first(), 1)
	c.is(codeNoDevice, "cuDeviceGet", c.second(), 2)
	c.is(0, "cuDeviceTotalMem_v2", c.second(), 1)
	if c.out != [2]uint64{1, 1 << 28} {
		t.Errorf("the second device has %v", c.out)
	}
	for attribute, want := range map[uintptr]uint64{75: 9, 76: 0} {
		if c.is(0, "cuDeviceGetAttribute", c.first(), attribute, 1); c.out[0] != want {
			t.Errorf("attribute %d is %d", attribute, c.out[0])
		}
	}
	room := c.word("xxxxxxxxxxxx")
	if c.is(0, "cuDeviceGetName", room, 4, 1); string(c.text[:6]) != "a G\x00xx" {
		t.Errorf("its name is %q", c.text[:6])
	}
	if c.is(0, "cuDeviceGetName", room, 9, 1); string(c.text[:6]) != "a GPU\x00" || c.Calls() != 12 {
		t.Errorf("its name is %q, after %d calls", c.text[:6], c.Calls())
	}
}

// Bytes go up, are worked on there, and come down when they are waited for; a device that is given back is empty.
func TestACourse(t *testing.T) {
	c := opened(t)
	c.is(0, "cuMemHostAlloc", c.first(), 64, 3)
	host := c.out[0]
	c.is(0, "cuMemAlloc_v2", c.first(), 64)
	slab := c.out[0]
	c.is(codeInvalid, "cuMemAlloc_v2", c.first(), 0)
	c.is(codeNoRoom, "cuMemAlloc_v2", c.first(), 1<<28-63)
	c.is(0, "cuMemGetInfo_v2", c.first(), c.second())
	if c.out != [2]uint64{1<<28 - 64, 1 << 28} {
		t.Errorf("free and all are %v", c.out)
	}
	c.is(0, "cuModuleLoadDataEx", c.first(), c.word(body("\tld.global.u64 %u0, [%at];\n\tadd.u64 %u0, %u0, 5;\n\tst.global.u64 [%at+8], %u0;\n")), 0, 0, 0)
	module := uintptr(c.out[0])
	c.is(codeNotFound, "cuModuleGetFunction", c.first(), module, c.word("other"))
	c.is(codeHandle, "cuModuleGetFunction", c.first(), 0, c.word("k"))
	c.is(codeHandle, "cuModuleGetFunction", c.first(), module+1, c.word("k"))
	c.is(0, "cuModuleGetFunction", c.first(), module, c.word("k"))
	kernel := uintptr(c.out[0])
	c.args[0], c.list[0] = slab, c.at(unsafe.Offsetof(c.desk.args))
	list := c.at(unsafe.Offsetof(c.desk.list))
	for i, wrong := range [][7]uintptr{{kernel, 0, 1, 1, 1, 1, 1}, {kernel, 1, 0, 1, 1, 1, 1}, {kernel, 1, 1, 2, 1, 1, 1}, {kernel, 1, 1, 1, 0, 1, 1}, {kernel, 1, 1, 1, 1025, 1, 1}, {kernel, 1, 1, 1, 1, 2, 1}, {kernel, 1, 1, 1, 1, 1, 2}} {
		if c.is(codeInvalid, "cuLaunchKernel", append(wrong[:], 0, 0, list, 0)...); t.Failed() {
			t.Fatalf("launch %d", i)
		}
	}
	c.is(codeHandle, "cuLaunchKernel", 0, 1, 1, 1, 1, 1, 1, 0, 0, list, 0)
	c.is(codeHandle, "cuLaunchKernel", kernel+1, 1, 1, 1, 1, 1, 1, 0, 0, list, 0)
	words := unsafe.Slice(at[uint64](uintptr(host)), 8)
	words[0] = 37
	c.is(0, "cuMemsetD8Async", uintptr(slab), 1, 64, 0)
	c.is(0, "cuMemcpyHtoDAsync_v2", uintptr(slab), uintptr(host), 8, 0)
	c.is(0, "cuLaunchKernel", kernel, 1, 1, 1, 1024, 1, 1, 0, 0, list, 0)
	c.is(0, "cuMemcpyDtoDAsync_v2", uintptr(slab)+16, uintptr(slab)+8, 8, 0)
	c.is(0, "cuMemcpyDtoHAsync_v2", uintptr(host)+8, uintptr(slab)+8, 24, 0)
	c.args[0] = 8 // which nobody reads any more
	if words[1] != 0 {
		t.Error("something is done before it is waited for")
	}
	c.is(0, "cuStreamSynchronize", 0)
	if words[1] != 42 || words[2] != 42 || words[3] != 0x0101010101010101 || words[4] != 0 {
		t.Errorf("what comes down is %x", words)
	}
	c.is(0, "cuMemcpyHtoDAsync_v2", uintptr(slab), uintptr(host), 64, 0)
	c.is(0, "cuMemFreeHost", uintptr(host)) // after what was asked for
	c.is(0, "cuMemFree_v2", uintptr(slab))
	if c.Taken() != 0 {
		t.Errorf("%d bytes are taken", c.Taken())
	}
	c.is(0, "cuMemAlloc_v2", c.first(), 64)
	c.is(0, "cuDevicePrimaryCtxRelease_v2", 0)
	c.is(codeNoContext, "cuMemGetInfo_v2", c.first(), c.second())
	if c.Taken() != 0 {
		t.Errorf("%d bytes are taken of a device that was given back", c.Taken())
	}
}

// There is one stream, the one that needs no making: what is meant for another is refused, and so are dynamic shared memory, a second list of arguments and
// options of a compiler. Nothing of it is done.
func TestOneStream(t *testing.T) {
	c := opened(t)
	c.is(0, "cuMemHostAlloc", c.first(), 16, 3)
	host := uintptr(c.out[0])
	c.is(0, "cuMemAlloc_v2", c.first(), 16)
	slab := uintptr(c.out[0])
	for _, options := range [][3]uintptr{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		c.is(codeInvalid, "cuModuleLoadDataEx", append([]uintptr{c.first(), c.word(body("\tret;\n"))}, options[:]...)...)
	}
	c.is(0, "cuModuleLoadDataEx", c.first(), c.word(body("\tst.global.u64 [%at], %u0;\n")), 0, 0, 0)
	c.is(0, "cuModuleGetFunction", c.first(), uintptr(c.out[0]), c.word("k"))
	kernel := uintptr(c.out[0])
	c.args[0], c.list[0] = uint64(slab), c.at(unsafe.Offsetof(c.desk.args))
	list := c.at(unsafe.Offsetof(c.desk.list))
	for _, other := range []uintptr{1, 2} {
		c.is(codeHandle, "cuMemsetD8Async", slab, 1, 16, other)
		c.is(codeHandle, "cuMemcpyHtoDAsync_v2", slab, host, 8, other)
		c.is(codeHandle, "cuMemcpyDtoHAsync_v2", host, slab, 8, other)
		c.is(codeHandle, "cuMemcpyDtoDAsync_v2", slab, slab+8, 8, other)
		c.is(codeHandle, "cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, other, list, 0)
		c.is(codeHandle, "cuStreamSynchronize", other)
	}
	c.is(codeInvalid, "cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 1, 0, list, 0)
	c.is(codeInvalid, "cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, 0, list, 1)
	c.is(0, "cuStreamSynchronize", 0)
	c.is(0, "cuMemcpyDtoHAsync_v2", host, slab, 16, 0)
	c.is(0, "cuStreamSynchronize", 0)
	for i, v := range unsafe.Slice(at[byte](host), 16) {
		if v != leftover {
			t.Fatalf("byte %d is %x: something was done", i, v)
		}
	}
}

// A fault is told by every call from then on, and what was asked for behind it is not done.
func TestAFaultIsTheEnd(t *testing.T) {
	c := opened(t)
	c.is(0, "cuMemHostAlloc", c.first(), 8, 3)
	host := uintptr(c.out[0])
	c.is(0, "cuMemAlloc_v2", c.first(), 8)
	slab := uintptr(c.out[0])
	c.is(0, "cuMemsetD8Async", slab, 1, 9, 0)
	c.is(0, "cuMemcpyDtoHAsync_v2", host, slab, 8, 0)
	c.is(codeInvalid, "cuStreamSynchronize", 0)
	c.is(codeInvalid, "cuMemGetInfo_v2", c.first(), c.second())
	if *at[uint64](host) != 0 {
		t.Error("the device worked on after a fault")
	}
	c.Fail = func(name string, before int) int { return map[string]int{"cuInit": before}[name] }
	c.is(c.Calls(), "cuInit", 0)
}
