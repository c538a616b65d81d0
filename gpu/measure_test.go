package gpu

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// repeated are some rows again and again, so that large crowds need no time to be drawn.
type repeated struct {
	of    *population.Float32s
	n     int
	every int
}

func (r *repeated) Size() (rows, width int) { return r.n, 20 }

func (r *repeated) View(room []float64, first, last int) []float64 {
	return r.of.View(room, first%r.every, first%r.every+last-first)
}

// repeatedShort are those in single precision.
type repeatedShort struct{ repeated }

func (r *repeatedShort) Short(first, last int) ([]float32, bool) {
	return r.of.Short(first%r.every, first%r.every+last-first)
}

// What steps, values and turns take beside a copy of as many bytes on the same device. It takes a device with room, and minutes.
func TestMeasure(t *testing.T) {
	if os.Getenv("KEDGE_TORTURE") == "" {
		t.Skip("takes minutes; KEDGE_TORTURE=1 runs it")
	}
	p := open(t)
	f := dynamics.Polarized{Dim: 20, Lambda: 0.4, Sigma: 0.5}
	const every = 128 << 10
	some, err := population.Shorten(draw(t, every, 20), mend)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		n       int
		storage population.Storage
	}{{1e5, 0}, {1e6, 0}, {1e7, 0}, {1e8, 0}, {1e6, 1}, {1e7, 1}, {1e8, 1}, {5e8, 1}} {
		var traits kedge.Rows = &repeated{some, one.n, every}
		if one.storage == population.Float32 {
			traits = &repeatedShort{repeated{some, one.n, every}}
		}
		config := population.Config{Dynamics: f, Traits: traits, Storage: one.storage, Pick: population.WithReplacement{Source: stream.New(2, "samples")}}
		begun := time.Now()
		c, err := p.Gather(config, runtime.NumCPU())
		if err != nil {
			t.Errorf("%d people: %v", one.n, err)
			continue
		}
		t.Logf("%d people of format %d are there after %.1f s", one.n, one.storage, time.Since(begun).Seconds())
		measure(t, p, c, traits)
		c.Leave()
		p.forget(traits)
	}
}

// measure prints what one crowd takes.
func measure(t *testing.T, p *Board, c *RemoteCrowd, traits kedge.Rows) {
	t.Helper()
	u := decision(20, 1)
	if err := c.share(u); err != nil {
		t.Fatal(err)
	}
	bytes := c.states[0].Bytes
	moved := 2*float64(bytes) + float64(c.traits.Bytes)
	copied, err := fastest(7, func() error { return p.dev.Copy(c.states[1].Slab, c.states[0].Slab, bytes) }, p.dev.Wait)
	if err != nil {
		t.Fatal(err)
	}
	speed := 2 * float64(bytes) / copied
	for name, k := range map[string]int{"step": 0, "value": 1, "both": 2} {
		kernel := []*device.Kernel{c.code.next, c.code.value, c.code.both}[k]
		took, err := fastest(7, func() error { return c.launch(*kernel, c.sums.At(0)) }, p.dev.Wait)
		if err != nil {
			t.Fatal(err)
		}
		if k == 1 {
			t.Logf("  %s: %.4f ns an individual", name, 1e9*took/float64(c.size))
			continue
		}
		t.Logf("  %s: %.4f ns an individual, %.0f GB/s, %.0f %% of a copy (%.0f GB/s)", name, 1e9*took/float64(c.size), moved/took/1e9, 100*moved/took/speed, speed/1e9)
	}
	e := c.Engine(affinity(c.f, traits))
	x, y := make([]float64, 50*20), make([]float64, 50*20)
	turn := func() error {
		if _, _, ok := e.Sum(u); !ok {
			t.Fatal("no value")
		}
		if err := c.Respond(context.Background(), u); err != nil {
			return err
		}
		_, err := c.Sample(x, y)
		return err
	}
	took, err := fastest(20, turn, p.dev.Wait)
	t.Logf("  value, step and sample as turns take them: %.1f µs, %.2f of a copy of the bytes moved (%v)", 1e6*took, took/(moved/speed), err)
}
