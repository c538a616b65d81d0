package gpu

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/steady"
)

// A GPU that computes the step of other dynamics, or their settled value, is found by what it makes, whichever of its kernels does.
func TestWrongKernelsAreFound(t *testing.T) {
	evidence.OneGoroutine(t)
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
	right := gradientOf(t, m, nil)(u)[6]
	for _, x := range []struct {
		e    said
		u    []float64
		want string
	}{
		{said{2 * tested, true}, u, fmt.Sprintf("crowd: its settled value is 2, want %v", right)},
		{said{math.NaN(), true}, u, fmt.Sprintf("crowd: its settled value is NaN, want %v", right)},
		{said{right * tested, false}, u, "crowd: its settled value is "},
		{said{right * tested, true}, []float64{math.NaN(), 0, 0}, ""},
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

// A value that agrees does not make good for gradients that an engine leaves to the CPU.
func TestAValueAloneIsNotEnough(t *testing.T) {
	p := bare(t, emulated.New())
	f, people := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, draw(t, tested, 2)
	m := polarizedModel(f, people)
	crowd, err := p.Gather(population.Config{Dynamics: f, Traits: people}, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := crowd.Engine(m).(*engine)
	e.jury = &Jury{gone: true}
	if err := agreeing("crowd", m, e, []float64{0.6, 0.8}); !errors.Is(err, errFlagged) || !strings.HasPrefix(err.Error(), "crowd: its ") {
		t.Error(err)
	}
}

// A GPU that fails once while it steps is refused, although the crowd went on with the right numbers on the CPU.
func TestWhoStepsOnTheCPUHasShownNothing(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	written, err := formula.Compile(formula.Source{Decision: "q[1]", State: "p[1]", Trait: "d[1]", Next: "0.5*p + 0.25*q + 0.25*d"})
	if err != nil {
		t.Fatal(err)
	}
	launched := 0
	d.Fail = func(name string, _ int) int {
		if name == "cuLaunchKernel" {
			launched++
			return map[int]int{2: 2}[launched]
		}
		return 0
	}
	people := kedge.Block{Data: draw(t, 150, 2).Data, Width: 1}
	if err := p.agrees("formula", population.Config{Dynamics: written.Dynamics(), Traits: people}, []float64{0.5}); !errors.Is(err, errFlagged) || p.Lost() != nil {
		t.Errorf("after %d launches: %v, lost: %v", launched, err, p.Lost())
	}
}

// What cannot be compared has shown nothing: a model that nobody settles under, and people whose samples have other sizes.
func TestWhatCannotBeCompared(t *testing.T) {
	p := bare(t, emulated.New())
	_, m := smallCrowd(t)
	m.Objective = nil
	if err := agreeing("crowd", m, said{1, true}, decision(3, 1)); err == nil {
		t.Error("a value without an objective agrees")
	}
	written, err := formula.Compile(formula.Source{Decision: "q[1]", State: "p[1]", Trait: "d[2]", Next: "0.5*p + 0.25*q + 0.25*d[0]"})
	if err != nil {
		t.Fatal(err)
	}
	var unfit *UnfitError
	if err := p.agrees("nobody", population.Config{Dynamics: unlisted{dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}}, Traits: draw(t, 5, 2)}, []float64{0.6, 0.8}); !errors.As(err, &unfit) {
		t.Errorf("people whose dynamics are not listed: %v", err)
	}
	config := population.Config{Dynamics: written.Dynamics(), Traits: draw(t, 5, 2), States: kedge.Block{Data: make([]float64, 5), Width: 1}}
	if err := p.agrees("formula", config, []float64{0.5}); err == nil {
		t.Error("people whose traits are wider than their decision agree")
	}
}

// A decision that nobody can respond to shows nothing.
func TestStepsThatFailShowNothing(t *testing.T) {
	p := bare(t, emulated.New())
	written, err := formula.Compile(formula.Source{Decision: "q[1]", State: "p[1]", Trait: "d[1]", Next: "0.5*p + 0.25*q + 0.25*d"})
	if err != nil {
		t.Fatal(err)
	}
	var odd *kedge.NotFiniteError
	if err := p.agrees("formula", population.Config{Dynamics: written.Dynamics(), Traits: kedge.Block{Data: []float64{1, 2, 3}, Width: 1}}, []float64{math.Inf(1)}); !errors.As(err, &odd) {
		t.Errorf("under an infinite decision: %v", err)
	}
}
