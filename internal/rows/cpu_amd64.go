package rows

import "golang.org/x/sys/cpu"

// hasAVX2 tells whether the vector kernels can run here. Processors with AVX2 fuse products, too.
func hasAVX2() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasPOPCNT }

// hasAVX512 tells whether the wider ones can, which takes an operating system that keeps the wider registers.
func hasAVX512() bool { return cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL }

// hasIFMA tells whether those that multiply integers can.
func hasIFMA() bool { return hasAVX512() && cpu.X86.HasAVX512IFMA }
