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
		if len(kept) != n || !heap.Race && (got < int64(n) || got > int64(n)+256<<10) {
			t.Errorf("%d bytes are counted as %d", n, got)
		}
	}
}

// What is in use is counted, and what no longer is, is not; to within what the test before it, or the runtime, still lets go of.
func TestLive(t *testing.T) {
	before := heap.Live()
	kept := make([]byte, 8<<20)
	during := heap.Live()
	kept[0] = 1
	kept = nil
	after := heap.Live()
	if grown := during - before; grown < 7<<20 || grown > 9<<20 || after-before > 1<<20 {
		t.Errorf("8 MB more are counted as %d, none as %d", grown, after-before)
	}
}
