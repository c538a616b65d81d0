package gpu

import (
	"testing"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/population"
)

// A kernel that faults takes the device away from the process; the crowd goes on on the CPU from there. It is the last test,
// because no other finds a device then.
func TestFaults(t *testing.T) {
	p := open(t)
	f := dynamics.Polarized{Dim: 20, Lambda: 0.4, Sigma: 0.5}
	traits := draw(t, people(p, 20_037), 20)
	here, there := both(t, p, population.Config{Dynamics: f, Traits: traits})
	p.faults[atTurns].Store(7)
	walk(t, here, there, affinity(f, traits), 12)
	if !there.retired || p.dev.Lost() == nil {
		t.Error("no kernel has faulted")
	}
}
