package transport_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/transport"
)

// vast has more costs than fit in memory, none of which is ever asked for.
type vast struct{ t *testing.T }

func (vast) Size() (n, m int) { return 1 << 20, 1 << 20 }

func (v vast) Row([]float64, int) { v.t.Error("a cost is asked for") }

// What does not fit is refused before anything is computed, and the error says how much it is.
func TestVastCostsAreRefused(t *testing.T) {
	var out *kedge.RangeError
	if _, err := transport.Assignment(context.Background(), vast{t}); !errors.As(err, &out) || out.Got != 1<<40 {
		t.Errorf("2²⁰ × 2²⁰ costs: %v", err)
	}
}
