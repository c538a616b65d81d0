package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// open opens the first GPU, or one made of Go where there is none.
func open(t *testing.T) *Board {
	t.Helper()
	p, err := Open(0)
	var absent *device.AbsentError
	if errors.As(err, &absent) {
		calm(t)
		p, err = furnished(emulated.New(), 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	p.Say = func(line string) { t.Log(line) }
	return p
}

// calm skips what lets a GPU made of Go compute much, one thread after the other, under the race detector, which has nothing to see there.
func calm(t *testing.T) {
	t.Helper()
	if heap.Race {
		t.Skip("many times slower under the race detector, and of one goroutine")
	}
}

// people is how many a crowd has: so many on a GPU, some tiles and a rest on one made of Go.
func people(p *Board, onGPU int) int {
	if p.Info().Name == emulated.New().Name {
		return 5*ptx.Tile + onGPU%ptx.Tile
	}
	return onGPU
}

func draw(t *testing.T, n, dim int) kedge.Block {
	t.Helper()
	drawn, err := population.Draw(population.Cap{Angle: 90}, n, dim, stream.New(1, "people"))
	if err != nil {
		t.Fatal(err)
	}
	return kedge.Block{Data: drawn, Width: dim}
}

func mend(x []float64) { rows.Scale(x, 1/rows.Norm(x)) }

func shorten(t *testing.T, r kedge.Rows) kedge.Rows {
	t.Helper()
	short, err := population.Shorten(r, mend)
	if err != nil {
		t.Fatal(err)
	}
	return short
}

// both gathers a crowd on the CPU and one on the device.
func both(t *testing.T, p *Board, c population.Config) (*population.Crowd, *RemoteCrowd) {
	t.Helper()
	c.Pick = population.WithReplacement{Source: stream.New(2, "samples")}
	here, err := population.Gather(c)
	if err != nil {
		t.Fatal(err)
	}
	here.Workers = 8
	c.Pick = population.WithReplacement{Source: stream.New(2, "samples")}
	there, err := p.Gather(c, 8)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { there.Leave(); p.Forget(c.Traits) })
	return here, there
}

// decision is that of a step: a direction that turns, of a length up to 1.
func decision(dim, step int) []float64 {
	u := make([]float64, dim)
	stream.New(uint64(step+1), "decision").Normals(u)
	rows.Scale(u, (0.3+0.7*math.Abs(math.Mod(float64(step)*0.37, 1)))/rows.Norm(u))
	return u
}

// walk lets both take steps and compares samples, settled values and everybody in the end.
func walk(t *testing.T, here *population.Crowd, there *RemoteCrowd, m kedge.Model, steps int) {
	t.Helper()
	dim := here.Dims()
	var f *steady.Objective
	engine := there.Engine(m)
	if engine != nil {
		var err error
		if f, err = steady.New(m); err != nil {
			t.Fatal(err)
		}
		f.Workers = 8
	}
	for k := range steps {
		u := decision(dim.Decision, k)
		if f != nil {
			f.Engine = nil
			want, err := f.Value(u)
			f.Engine = engine
			got, fail := f.Value(u)
			if math.Float64bits(got) != math.Float64bits(want) || fmt.Sprint(err) != fmt.Sprint(fail) {
				t.Fatalf("step %d: the value is %v (%v), want %v (%v)", k, got, fail, want, err)
			}
		}
		err, fail := here.Respond(context.Background(), u), there.Respond(context.Background(), u)
		if fmt.Sprint(err) != fmt.Sprint(fail) {
			t.Fatalf("step %d: %v, want %v", k, fail, err)
		}
		x, y := make([]float64, 50*(dim.State+dim.Trait)), make([]float64, 50*(dim.State+dim.Trait))
		_, err = here.Sample(x[:50*dim.State], x[50*dim.State:])
		_, fail = there.Sample(y[:50*dim.State], y[50*dim.State:])
		for i, v := range x {
			if err != nil || fail != nil || math.Float64bits(v) != math.Float64bits(y[i]) {
				t.Fatalf("step %d: a sample has %v (%v), want %v (%v)", k, y[i], fail, v, err)
			}
		}
	}
	if err := sameRows(t.Name(), there.Look(), here.Look()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d people, %d steps: 0 bits differ, home %t", here.Size(), steps, there.home != nil)
}

func affinity(f kedge.Dynamics, traits kedge.Rows) kedge.Model {
	return kedge.Model{Dynamics: f, Objective: objective.Affinity{}, Traits: traits}
}

func TestPolarizedCrowdsHaveTheBitsOfTheCPU(t *testing.T) {
	p := open(t)
	for _, f := range []dynamics.Polarized{
		{Dim: 20, Lambda: 0.4, Sigma: 0.5}, {Dim: 20, Lambda: 0.4, Sigma: 0}, {Dim: 20, Lambda: 0.4, Sigma: 0.6}, {Dim: 20, Lambda: 0.4, Sigma: 0.5999},
		{Dim: 20, Lambda: 0.4, Sigma: 1.5}, {Dim: 7, Lambda: 0, Sigma: 0.9}, {Dim: 50, Lambda: 0.95, Sigma: 0.04}, {Dim: 3, Lambda: 1, Sigma: 0.5},
	} {
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) {
			traits := draw(t, people(p, 100_037), f.Dim)
			here, there := both(t, p, population.Config{Dynamics: f, Traits: traits})
			walk(t, here, there, affinity(f, traits), 12)
			short := shorten(t, traits)
			here, there = both(t, p, population.Config{Dynamics: f, Traits: short, Storage: population.Float32})
			walk(t, here, there, affinity(f, short), 12)
		})
	}
}

func TestFormulasHaveTheBitsOfTheCPU(t *testing.T) {
	p := open(t)
	for _, next := range []string{
		"normalize(0.4*p + 0.6*d + 0.5*dot(p, q)*q)", "0.5*p + 0.3*sigmoid(d*q - p) + 0.1*tanh(q)", "softmax(0.3*log(abs(p) + 0.1) - 0.5*q + exp(-abs(d)))",
		"where(dot(p, q) > 0, 0.9*p + 0.1*q, 0.8*p + 0.2*d)", "clip(p + 0.1*(q - d)*abs(p)^1.3, -2, 2)", "p + 0.01*(outer(p, d) @ q)",
	} {
		t.Run(next, func(t *testing.T) {
			m, err := formula.Compile(formula.Source{Decision: "q[6]", State: "p[6]", Trait: "d[6]", Next: next})
			if err != nil {
				t.Fatal(err)
			}
			traits := draw(t, people(p, 100_037), 6)
			here, there := both(t, p, population.Config{Dynamics: m.Dynamics(), Traits: traits})
			walk(t, here, there, affinity(m.Dynamics(), traits), 20)
		})
	}
}

func TestLinearCrowdsHaveTheBitsOfTheCPU(t *testing.T) {
	p := open(t)
	group, err := dynamics.NewFriedkinJohnsen([]float64{0.5, 0.5, 0.25, 0.75}, []float64{0.5, 0.25}, []float64{0.25, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []kedge.Dynamics{dynamics.Choice{Dim: 7, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}, group} {
		t.Run(fmt.Sprintf("%T", f), func(t *testing.T) {
			traits := draw(t, people(p, 100_037), f.Dims().Trait)
			here, there := both(t, p, population.Config{Dynamics: f, Traits: traits})
			walk(t, here, there, affinity(f, traits), 20)
			short := shorten(t, traits)
			here, there = both(t, p, population.Config{Dynamics: f, Traits: short, Storage: population.Float32})
			walk(t, here, there, affinity(f, short), 20)
		})
	}
}

// Whoever is out of the ordinary is flagged, and moves on the CPU: people of all lengths, and a state that overflows.
func TestHostilePeople(t *testing.T) {
	p := open(t)
	f := dynamics.Polarized{Dim: 6, Lambda: 0.4, Sigma: 0.5}
	n := people(p, 5000)
	traits := draw(t, n, 6)
	states := kedge.Block{Data: append([]float64(nil), traits.Data...), Width: 6}
	for i := range n {
		rows.Scale(kedge.Row(states.Data, i, 6), []float64{1, 1e160, 1e-160, 1e3, 0}[i%5])
	}
	here, there := both(t, p, population.Config{Dynamics: f, Traits: traits, States: states})
	walk(t, here, there, affinity(f, traits), 5)
	m, err := formula.Compile(formula.Source{Decision: "q[6]", State: "p[6]", Trait: "d[6]", Next: "p*p*1e9 + d*q"})
	if err != nil {
		t.Fatal(err)
	}
	here, there = both(t, p, population.Config{Dynamics: m.Dynamics(), Traits: traits})
	for k := range 12 {
		u := decision(6, k)
		want, got := here.Respond(context.Background(), u), there.Respond(context.Background(), u)
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("step %d: %v, want %v", k, got, want)
		}
	}
}

// What is saved is what the CPU saves, and goes on there as here.
func TestSavedCrowds(t *testing.T) {
	p := open(t)
	f := dynamics.Polarized{Dim: 20, Lambda: 0.4, Sigma: 0.5}
	traits := draw(t, people(p, 10_037), 20)
	here, there := both(t, p, population.Config{Dynamics: f, Traits: traits})
	walk(t, here, there, affinity(f, traits), 5)
	var x, y bytes.Buffer
	if err := errors.Join(here.Save(&x), there.Save(&y)); err != nil || !bytes.Equal(x.Bytes(), y.Bytes()) {
		t.Fatalf("saved states differ, or %v", err)
	}
	_, other := both(t, p, population.Config{Dynamics: f, Traits: traits})
	if err := other.UnmarshalBinary(x.Bytes()); err != nil {
		t.Fatal(err)
	}
	walk(t, here, other, affinity(f, traits), 5)
}
