package emulated

import (
	"testing"
	"unsafe"
)

// By hand: one GPU of today, with 256 MiB, and nobody has asked it anything.
func TestAGPUOfToday(t *testing.T) {
	d := New()
	if d.Name != "emulated GPU" || d.Count != 1 || d.Bytes != 268435456 || d.Major != 9 || d.Minor != 0 || d.Version != 12040 || d.Calls() != 0 || d.Taken() != 0 || d.Bent != "" {
		t.Errorf("%s, %d of %d bytes, %d.%d, driver %d; after %d calls %d bytes are taken", d.Name, d.Count, d.Bytes, d.Major, d.Minor, d.Version, d.Calls(), d.Taken())
	}
}

// What is asked before every call is heard only where it says something, and a call that it answers does nothing.
func TestWhoFailsCalls(t *testing.T) {
	c := opened(t)
	var asked []string
	answer := 0
	c.Fail = func(name string, _ int) int { asked = append(asked, name); return answer }
	c.is(0, "cuMemAlloc_v2", c.first(), 64)
	if c.Taken() != 64 || len(asked) != 1 || asked[0] != "cuMemAlloc_v2" {
		t.Errorf("%d bytes are taken after %q", c.Taken(), asked)
	}
	for _, answer = range []int{1, 2, 719} {
		c.is(answer, "cuMemAlloc_v2", c.first(), 64)
	}
	if c.Taken() != 64 || len(asked) != 4 {
		t.Errorf("%d bytes are taken after %q", c.Taken(), asked)
	}
	c.Fail = nil
	c.is(0, "cuMemGetInfo_v2", c.first(), c.second()) // no answer of these lasts
}

// Modules and kernels have numbers of their own, from 1 on; a text that is not known has none, and neither has a context of somebody else. One thread is enough.
func TestHandlesOfKernels(t *testing.T) {
	c := opened(t)
	c.is(codeNoContext, "cuCtxSetCurrent", context+1)
	c.is(codeBadText, "cuModuleLoadDataEx", c.first(), c.word("nothing"), 0, 0, 0)
	text := body("\tld.global.u64 %u0, [%at];\n\tadd.u64 %u0, %u0, 5;\n\tst.global.u64 [%at], %u0;\n")
	for module := range uint64(3) {
		if c.is(0, "cuModuleLoadDataEx", c.first(), c.word(text), 0, 0, 0); c.out[0] != module+1 {
			t.Errorf("module %d is %d", module, c.out[0])
		}
	}
	for kernel := range uint64(2) {
		if c.is(0, "cuModuleGetFunction", c.first(), 3, c.word("k")); c.out[0] != kernel+1 {
			t.Errorf("kernel %d is %d", kernel, c.out[0])
		}
	}
	c.is(codeHandle, "cuModuleGetFunction", c.first(), 4, c.word("k"))
	c.is(0, "cuMemHostAlloc", c.first(), 8, 3)
	host := c.out[0]
	c.args[0], c.list[0] = host, c.at(unsafe.Offsetof(c.desk.args))
	list := c.at(unsafe.Offsetof(c.desk.list))
	for _, k := range []uintptr{1, 2} {
		c.is(0, "cuLaunchKernel", k, 1, 1, 1, 1, 1, 1, 0, 0, list, 0)
	}
	c.is(codeHandle, "cuLaunchKernel", 3, 1, 1, 1, 1, 1, 1, 0, 0, list, 0)
	c.is(0, "cuStreamSynchronize", 0)
	if got := *at[uint64](uintptr(host)); got != 10 {
		t.Errorf("both kernels make %d of 0, want 10", got)
	}
}
