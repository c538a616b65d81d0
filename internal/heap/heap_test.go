package heap_test

import (
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
)

// Memory that is taken is counted, once, to within what the allocator keeps at hand.
func TestTaken(t *testing.T) {
	var kept []byte
	for _, n := range []int{0, 1 << 20, 10 << 20} {
		got := heap.Taken(1<<20, func() { kept = make([]byte, n) })
		if len(kept) != n || got < int64(n) || got > int64(n)+256<<10 {
			t.Errorf("%d bytes are counted as %d", n, got)
		}
	}
}
