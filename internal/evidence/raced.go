package evidence

import (
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
)

// OneGoroutine leaves a test that takes long out of runs under the race detector, which sees nothing where one goroutine works alone,
// and takes ten times as long there. Other tests have several goroutines do the same work.
func OneGoroutine(t testing.TB) {
	if heap.Race {
		t.Skip("one goroutine: the race detector sees nothing")
	}
}
