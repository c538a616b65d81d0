package gpu

import (
	"context"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// Open opens a GPU by its number and lets it compute what the CPU computes, as a test. Where there is none the error is a *device.AbsentError.
func Open(number int) (*Board, error) { return OpenBy(nil, number) }

// OpenBy opens a GPU of a driver, that of the machine where it is nil.
func OpenBy(by device.Driver, number int) (*Board, error) {
	p, err := furnished(by, number)
	if err != nil {
		return nil, err
	}
	if err := p.test(); err != nil {
		if p.Lost() != nil {
			err = p.Lost()
		}
		p.Close()
		return nil, fmt.Errorf("%s cannot be used: %w", p.Info().Name, err)
	}
	p.used.Store(false)
	for at := range p.faults {
		p.faults[at].Store(plannedFault(at))
	}
	return p, nil
}

// furnished opens a GPU with what all crowds need.
func furnished(by device.Driver, number int) (*Board, error) {
	dev, err := device.Open(by, number)
	if err != nil {
		return nil, err
	}
	p := &Board{dev: dev, kept: map[any]*traits{}, codes: map[codeKey]*kernels{}, tools: map[ptx.Precision]device.Kernel{}}
	if err := p.furnish(); err != nil {
		dev.Close()
		return nil, fmt.Errorf("%s cannot be used: %w", dev.Info.Name, err)
	}
	return p, nil
}

// tested is how many individuals go through every kind of kernel when a device is opened: whole tiles and a rest.
const tested = 4096 + 37

// test lets the device compute what the CPU computes, and refuses a device that differs in a bit.
func (p *Board) test() error {
	const dim = 6
	polarized := dynamics.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}
	people, err := population.Draw(population.Cap{Angle: 90}, tested, dim, stream.New(1, "people"))
	if err != nil {
		return err
	}
	block := kedge.Block{Data: people, Width: dim}
	short, err := population.Shorten(block, func(x []float64) { rows.Scale(x, 1/rows.Norm(x)) })
	if err != nil {
		return err
	}
	written, err := formula.Compile(formula.Source{
		Decision: "q[6]", State: "p[6]", Trait: "d[6]",
		Next: "0.3*p + 0.2*d + 0.1*tanh(p*q) + 0.1*sigmoid(q - d)*log(1.5 + p) + where(p < d, 0.1*exp(-p), 0.05*softmax(q + d))",
	})
	if err != nil {
		return err
	}
	for name, config := range map[string]population.Config{
		"the step of polarized dynamics":                     {Dynamics: polarized, Traits: block},
		"the step of polarized dynamics in single precision": {Dynamics: polarized, Traits: short, Storage: population.Float32},
		"the step of a formula":                              {Dynamics: written.Dynamics(), Traits: block},
	} {
		if err := p.agrees(name, config, people[:dim]); err != nil {
			return err
		}
	}
	return nil
}

// agrees compares three steps of a crowd, a sample of it and its settled value with those of the CPU.
func (p *Board) agrees(name string, config population.Config, u []float64) error {
	var samples [2][]float64
	config.Pick = population.WithReplacement{Source: stream.New(2, "samples")}
	here, err := population.Gather(config)
	if err != nil {
		return err
	}
	config.Pick = population.WithReplacement{Source: stream.New(2, "samples")}
	there, err := p.Gather(config, 1)
	if err != nil {
		return err
	}
	defer there.Leave()
	defer p.Forget(config.Traits)
	m := kedge.Model{Dynamics: config.Dynamics, Objective: objective.Affinity{}, Traits: config.Traits}
	if f, ok := config.Dynamics.(dynamics.Polarized); ok {
		m.Sensitivity = &sensitivity.Polarized{Dim: f.Dim, Lambda: f.Lambda, Sigma: f.Sigma}
	}
	engine := there.Engine(m)
	for turn := range 3 {
		there.dares = turn != 1 // then value and step come apart, by kernels of their own
		if engine != nil {
			if err := agreeing(name, m, engine, u); err != nil {
				return err
			}
		}
		for k, c := range []kedge.Population{here, there} {
			if err := c.Respond(context.Background(), u); err != nil {
				return err
			}
			samples[k] = make([]float64, 2*50*len(u))
			if _, err := c.Sample(samples[k][:50*len(u)], samples[k][50*len(u):]); err != nil {
				return err
			}
		}
		if there.home != nil {
			return fmt.Errorf("%s: %w", name, errFlagged)
		}
		for i, v := range samples[0] {
			if math.Float64bits(v) != math.Float64bits(samples[1][i]) {
				return fmt.Errorf("%s: a sample differs: %v, want %v", name, samples[1][i], v)
			}
		}
	}
	return sameRows(name, there.Look(), here.Look())
}

// agreeing compares a settled value.
func agreeing(name string, m kedge.Model, e steady.Engine, u []float64) error {
	f, err := steady.New(m)
	if err != nil {
		return err
	}
	want, err := f.Value(u)
	if err != nil {
		return err
	}
	sum, _, ok := e.Sum(u)
	if !ok || math.Float64bits(sum/tested) != math.Float64bits(want) {
		return fmt.Errorf("%s: its settled value is %v, want %v", name, sum/tested, want)
	}
	for what, gradient := range map[string]func(g, u []float64) (float64, error){"gradient": f.Gradient, "partial gradient": f.Partial} {
		if err := agreeingGradient(name+": its "+what, f, gradient, e, u); err != nil {
			return err
		}
	}
	return nil
}

// onlyThere sums elsewhere, and says when it cannot.
type onlyThere struct {
	*engine
	failed bool
}

// SumGradients notes a failure.
func (e *onlyThere) SumGradients(total, u []float64, answered bool, rest func(part []float64, first int) bool) (worst kedge.Residual, ok bool) {
	worst, ok = e.engine.SumGradients(total, u, answered, rest)
	e.failed = !ok
	return worst, ok
}

// agreeingGradient compares a gradient, and what its residual is.
func agreeingGradient(name string, f *steady.Objective, gradient func(g, u []float64) (float64, error), e steady.Engine, u []float64) error {
	want, got := make([]float64, len(u)), make([]float64, len(u))
	f.Engine = nil
	value, err := gradient(want, u)
	if err != nil {
		return err
	}
	residual, watched := f.Residual(), &onlyThere{engine: e.(*engine)}
	f.Engine = watched
	again, err := gradient(got, u)
	f.Engine = nil
	switch {
	case err != nil:
		return err
	case watched.failed:
		return fmt.Errorf("%s: %w", name, errFlagged)
	case f.Residual() != residual:
		return fmt.Errorf("%s has the residual %v, want %v", name, f.Residual(), residual)
	}
	for i, v := range append(want, value) {
		if w := append(got, again)[i]; math.Float64bits(v) != math.Float64bits(w) {
			return fmt.Errorf("%s has %v, want %v", name, w, v)
		}
	}
	return nil
}

// sameRows compares everybody.
func sameRows(name string, got, want kedge.Rows) error {
	n, width := want.Size()
	x, y := make([]float64, width), make([]float64, width)
	for i := range n {
		for j, v := range want.View(y, i, i+1) {
			if w := got.View(x, i, i+1)[j]; math.Float64bits(v) != math.Float64bits(w) {
				return fmt.Errorf("%s: entry %d of individual %d is %v, want %v", name, j, i, w, v)
			}
		}
	}
	return nil
}

// Forget gives traits on the device back, which nobody may use any more.
func (p *Board) Forget(r kedge.Rows) {
	if t := p.find(r); t != nil {
		p.dev.Free(t.Slab)
		p.mu.Lock()
		delete(p.kept, identity(r))
		p.mu.Unlock()
	}
}
