package rows

import "golang.org/x/sys/cpu"

// hasAVX2 tells whether the vector kernels can run here. Processors with AVX2 fuse products, too.
func hasAVX2() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasPOPCNT }
