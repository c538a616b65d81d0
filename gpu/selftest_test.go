package gpu

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/steady"
)

// A GPU that computes the step of other dynamics, or their settled value, is found by what it makes, whichever of its kernels does.
func TestWrongKernelsAreFound(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	people := draw(t, tested, 2)
	for name, x := range map[string]struct {
		plant func(is, other *kernels)
		want  string
	}{
		"a step":  {func(is, other *kernels) { is.next = other.next }, "polarized: a sample differs: "},
		"a value": {func(is, other *kernels) { is.value = other.value }, "polarized: its settled value is "},
		"both":    {func(is, other *kernels) { is.both = other.both }, "polarized: its settled value is "},
	} {
		p := bare(t, emulated.New())
		long := &traits{tiles: &tiles{format: ptx.Float64}}
		is, err := p.kernels(f, ptx.Float64, long)
		if err != nil {
			t.Fatal(err)
		}
		other, err := p.kernels(dynamics.Polarized{Dim: 2, Lambda: 0.3, Sigma: 0.25}, ptx.Float64, long)
		if err != nil {
			t.Fatal(err)
		}
		x.plant(is, other)
		err = p.agrees("polarized", population.Config{Dynamics: f, Traits: people}, []float64{0.6, 0.8})
		if err == nil || !strings.HasPrefix(err.Error(), x.want) {
			t.Errorf("%s of other dynamics: %v, want %s", name, err, x.want)
		}
	}
}

// said is an engine that has an answer ready.
type said struct {
	sum float64
	ok  bool
}

func (s said) Sum([]float64) (float64, kedge.Residual, bool) { return s.sum, kedge.Residual{}, s.ok }

// A settled value that is another, or that an engine cannot tell, is refused, and so is a decision that nobody settles under; an engine that leaves gradients
// to the CPU has shown nothing, although they are right.
func TestEnginesThatAreWrongOrCannot(t *testing.T) {
	c, m := smallCrowd(t)
	u := decision(3, 1)
	right := gradientOf(t, m, nil)(u)[6] * tested // as if there were so many
	for _, x := range []struct {
		e    said
		u    []float64
		want string
	}{
		{said{right + 1, true}, u, "crowd: its settled value is "},
		{said{math.NaN(), true}, u, "crowd: its settled value is NaN"},
		{said{right, false}, u, "crowd: its settled value is "},
		{said{right, true}, []float64{math.NaN(), 0, 0}, ""},
	} {
		if err := agreeing("crowd", m, x.e, x.u); err == nil || !strings.HasPrefix(err.Error(), x.want) || x.want == "" && strings.HasPrefix(err.Error(), "crowd: ") {
			t.Errorf("%+v at %v: %v", x.e, x.u, err)
		}
	}
	p := bare(t, emulated.New())
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := crowd.Engine(m)
	f, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := agreeingGradient("its gradient", f, f.Gradient, e, u); err != nil {
		t.Errorf("what is summed there: %v", err)
	}
	crowd.Leave()
	if err := agreeingGradient("its gradient", f, f.Gradient, e, u); !errors.Is(err, errFlagged) {
		t.Errorf("once nothing is summed there: %v", err)
	}
	if err := agreeingGradient("its gradient", f, f.Gradient, e, []float64{math.NaN(), 0, 0}); err == nil || errors.Is(err, errFlagged) {
		t.Errorf("at no decision: %v", err)
	}
}
