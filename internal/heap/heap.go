// Package heap measures memory in tests.
package heap

import (
	"runtime"
	"runtime/metrics"
)

// Taken runs f and returns how many bytes it took from the heap, garbage included. The cheap count lags by what the allocator
// keeps at hand; where it is above the bound, f runs again and is counted exactly.
func Taken(bound int64, f func()) int64 {
	before := count()
	f()
	if taken := count() - before; taken <= bound {
		return taken
	}
	return exactly(f)
}

func count() int64 {
	sample := [1]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample[:])
	return int64(sample[0].Value.Uint64())
}

func exactly(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
