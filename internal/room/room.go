// Package room says how much memory and disk there is, before either is taken.
package room

import (
	"fmt"
	"math"
	"runtime/debug"
)

// Memory returns how much this process may take: what it was told, by GOMEMLIMIT or [SetMemory], or else, on Linux, what is free on the
// machine and in the control groups of the process. Elsewhere nobody knows.
func Memory() Supply {
	if set := debug.SetMemoryLimit(-1); set < math.MaxInt64 {
		return Supply{set, "of the limit that was set"}
	}
	return machine()
}

// SetMemory sets the limit by hand.
func SetMemory(bytes int64) { debug.SetMemoryLimit(bytes) }

// Size writes a number of bytes for people.
func Size(bytes float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	i := 0
	for bytes >= 999.5 && i < len(units)-1 {
		bytes /= 1000
		i++
	}
	return fmt.Sprintf("%.3g %s", bytes, units[i])
}
