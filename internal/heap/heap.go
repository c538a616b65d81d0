// Package heap measures memory, for tests and benchmarks.
package heap

import (
	"runtime"
	"runtime/metrics"
)

// Taken runs f and returns how many bytes it took from the heap, garbage included. The cheap count lags by what the allocator
// keeps at hand; where it is above the bound, f runs again and is counted exactly. Under the race detector, which takes memory of its own, f
// only runs, and has taken none.
func Taken(bound int64, f func()) int64 {
	if Race {
		f()
		return 0
	}
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

// Live is how many bytes are in use, garbage left out.
func Live() int64 {
	for range 3 { // finalizers and pools hold on to something for a round or two
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
