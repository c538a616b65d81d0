package rows

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// levels runs what is given on every instruction set that this processor has, the plain twins last.
func levels(run func(level string)) {
	avx2, avx512 := cpu.X86.HasAVX2, cpu.X86.HasAVX512F
	defer func() { cpu.X86.HasAVX2, cpu.X86.HasAVX512F = avx2, avx512 }()
	if hasAVX512() {
		run("AVX512")
	}
	cpu.X86.HasAVX512F = false
	if hasAVX2() {
		run("AVX2")
	}
	cpu.X86.HasAVX2 = false
	run("plain")
}

// Kernels run where the processor has all that they use, and nowhere else.
func TestWhatKernelsNeed(t *testing.T) {
	was := cpu.X86
	defer func() { cpu.X86 = was }()
	x := &cpu.X86
	flags := []*bool{&x.HasAVX2, &x.HasFMA, &x.HasPOPCNT, &x.HasAVX512F, &x.HasAVX512DQ, &x.HasAVX512VL, &x.HasAVX512IFMA}
	for _, set := range flags {
		*set = true
	}
	if !hasAVX2() || !hasAVX512() || !hasIFMA() {
		t.Error("a processor that has everything runs nothing")
	}
	for i, missing := range flags {
		*missing = false
		if narrow, wide, integers := i > 2, i < 3 || i == 6, i < 3; hasAVX2() != narrow || hasAVX512() != wide || hasIFMA() != integers {
			t.Errorf("without feature %d kernels run as %v, %v, %v, want %v, %v, %v", i, hasAVX2(), hasAVX512(), hasIFMA(), narrow, wide, integers)
		}
		*missing = true
	}
}
