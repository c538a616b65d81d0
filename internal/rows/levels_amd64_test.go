package rows

import "golang.org/x/sys/cpu"

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
