package rows

import "golang.org/x/sys/cpu"

// hasAVX2 says whether the vector kernels can run here. It is a variable so that tests can take the plain path.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT
