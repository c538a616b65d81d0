package population_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// many is a size for which eight goroutines are worth their while in 20 dimensions.
const many = 8*crew.Grain/20 + 1

func gather(t testing.TB, config population.Config) *population.Crowd {
	t.Helper()
	c, err := population.Gather(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// everybody returns all states, however they are kept.
func everybody(c *population.Crowd) []float64 {
	room := make([]float64, c.Size()*c.Dims().State)
	copy(room, c.Look().View(room, 0, c.Size()))
	return room
}

// shortened draws individuals anew, and in single precision.
func shortened(t testing.TB, l population.Law, n, dim int) (*population.Redrawn, *population.Float32s) {
	t.Helper()
	redrawn, err := population.Redraw(l, n, dim, stream.New(1, t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	short, err := population.Shorten(redrawn, nil)
	if err != nil {
		t.Fatal(err)
	}
	return redrawn, short
}

// ways lists every way to keep one and the same crowd.
func ways(t testing.TB, l population.Law, n, dim int) map[string]population.Config {
	t.Helper()
	redrawn, short := shortened(t, l, n, dim)
	return map[string]population.Config{
		"float64":         {Traits: kedge.Block{Data: draw(t, l, n, dim), Width: dim}},
		"float64 redrawn": {Traits: redrawn},
		"float32":         {Traits: short, Storage: population.Float32},
		"float32 redrawn": {Traits: redrawn, Storage: population.Float32},
	}
}

// turns lets a crowd answer three decisions and returns everybody's state and a sample.
func turns(t *testing.T, config population.Config) (states, p, d []float64) {
	t.Helper()
	config.Pick = population.WithReplacement{Source: stream.New(5)}
	c := gather(t, config)
	dim := c.Dims()
	for k := range 3 {
		u := make([]float64, dim.Decision)
		u[k] = 0.7
		if err := c.Respond(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	p, d = make([]float64, 50*dim.State), make([]float64, 50*dim.Trait)
	if n, err := c.Sample(p, d); n != 50 || err != nil {
		t.Fatal(n, err)
	}
	return everybody(c), p, d
}

// Neither the number of workers nor redrawing the traits changes a bit of states and samples.
func TestWorkersAndRedrawingChangeNothing(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "workers-crowds", Text: "the same for states and samples of crowds, in double and in single precision"})
	const dim = 20
	all := ways(t, population.Cap{Angle: 90}, many, dim)
	first := all["float64"]
	first.Dynamics = dynamics.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}
	states, p, d := turns(t, first)
	for _, name := range []string{"float64", "float64 redrawn"} {
		for _, workers := range []int{2, 8} {
			other := all[name]
			other.Dynamics, other.Workers = first.Dynamics, workers
			s, q, e := turns(t, other)
			same.Case(slices.Equal(s, states) && slices.Equal(q, p) && slices.Equal(e, d), "%s with %d workers gives other bits than float64 with one", name, workers)
		}
	}
	for _, workers := range []int{1, 2, 8} {
		short := all["float32"]
		short.Dynamics, short.Workers = first.Dynamics, workers
		s, _, _ := turns(t, short)
		if workers == 1 {
			states = s
			continue
		}
		same.Case(slices.Equal(s, states), "float32 with %d workers gives other bits than with one", workers)
	}
}

// From states and traits that single precision holds, one step in Float32 is the step in Float64, rounded.
func TestFloat32RoundsTheStep(t *testing.T) {
	const n, dim = 1000, 3
	short := ways(t, population.Normal{}, n, dim)["float32"]
	wide := make([]float64, n*dim)
	short.Traits.View(wide, 0, n)
	short.Dynamics = lag{dims(dim)}
	long := population.Config{Dynamics: lag{dims(dim)}, Traits: kedge.Block{Data: wide, Width: dim}}
	a, b, u := gather(t, short), gather(t, long), []float64{0.1, 1e-9, 1e9}
	for _, c := range []*population.Crowd{a, b} {
		if err := c.Respond(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range everybody(a) {
		if want := float64(float32(b.States()[i])); v != want {
			t.Fatalf("entry %d is %v, rounded %v", i, v, want)
		}
	}
	if a.States() != nil || a.Traits() != nil {
		t.Error("a crowd in single precision shows a block of float64")
	}
}

// p⁺ = ½p + u + d halves what is off and adds what rounding p⁺ and d adds, so nobody is ever further off than
// 2·2⁻²⁴(|p| + |d|), p the largest on the way.
func TestFloat32StaysCloseToFloat64(t *testing.T) {
	const n, dim = 1000, 3
	all := ways(t, population.Normal{}, n, dim)
	for _, name := range []string{"float32", "float32 redrawn"} {
		short, long := all[name], all["float64"]
		short.Dynamics, long.Dynamics = lag{dims(dim)}, lag{dims(dim)}
		a, b, largest := gather(t, short), gather(t, long), make([]float64, n*dim)
		worst := 0.0
		for k := range 60 {
			u := []float64{math.Sin(float64(k)), 1, -0.3}
			for _, c := range []*population.Crowd{a, b} {
				if err := c.Respond(t.Context(), u); err != nil {
					t.Fatal(err)
				}
			}
			for i, p := range everybody(a) {
				largest[i] = max(largest[i], math.Abs(p))
				worst = max(worst, math.Abs(p-b.States()[i])/(2*0x1p-24*(largest[i]+math.Abs(b.Traits()[i])+0x1p-100)))
			}
		}
		if !(worst <= 1) || worst < 0.1 {
			t.Errorf("%s: %.2f of the bound", name, worst)
		}
	}
}

// What is mended is what is seen, by the dynamics, a sample and whoever looks.
func TestMendedTraits(t *testing.T) {
	const n, dim = 300, 4
	drawn, err := population.Redraw(population.Sphere{}, n, dim, stream.New(1))
	if err != nil {
		t.Fatal(err)
	}
	loud := func(x []float64) { x[0] = 7 }
	mended, err := population.Shorten(drawn, loud)
	if err != nil {
		t.Fatal(err)
	}
	c := gather(t, population.Config{Dynamics: lag{dims(dim)}, Traits: mended})
	if err := c.Respond(t.Context(), make([]float64, dim)); err != nil {
		t.Fatal(err)
	}
	p, d := make([]float64, n*dim), make([]float64, n*dim)
	if _, err := c.Sample(p, d); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if p[i*dim] != 10.5 || d[i*dim] != 7 {
			t.Fatalf("individual %d: state %v, trait %v", i, p[i*dim], d[i*dim])
		}
	}
}

// slow is lag that lets others go first when the individuals of low numbers move.
type slow struct{ lag }

func (f slow) Next(dst, p, u, d []float64) {
	if d[0] < 0 {
		for range 1000 {
			runtime.Gosched()
		}
	}
	f.lag.Next(dst, p, u, d)
}

// The first individual whose state is not finite is named, whoever finds another first, and nobody has moved.
func TestErrorsDoNotDependOnWorkers(t *testing.T) {
	const n = 8 * crew.Grain
	traits := count(n)
	for _, i := range []int{5000, 5300, 9000, 300_000} {
		traits[i] = math.MaxFloat64
	}
	traits[4999] = -1
	for _, workers := range []int{1, 2, 8} {
		for _, storage := range []population.Storage{population.Float64, population.Float32} {
			config := population.Config{Dynamics: slow{lag{dims(1)}}, Storage: storage, Workers: workers}
			config.Traits = kedge.Block{Data: traits, Width: 1}
			config.States = kedge.Block{Data: count(n), Width: 1}
			c := gather(t, config)
			err := c.Respond(t.Context(), []float64{math.MaxFloat64})
			if storage == population.Float64 && (err == nil || err.Error() != "respond: individual 5000: p[0] is +Inf, want a finite number") {
				t.Errorf("%d workers: %v", workers, err)
			}
			if storage == population.Float32 && (err == nil || err.Error() != "respond: individual 0: p[0] is +Inf, want a finite number") {
				t.Errorf("%d workers, float32: %v", workers, err)
			}
			if !slices.Equal(everybody(c), count(n)) {
				t.Errorf("%d workers: somebody moved", workers)
			}
		}
	}
}

// The context ends for all workers.
func TestWorkersStopWithTheContext(t *testing.T) {
	const n = 8 * crew.Grain
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	c := gather(t, population.Config{Dynamics: lag{dims(1)}, Traits: kedge.Block{Data: count(n), Width: 1}, Workers: 8})
	if err := c.Respond(ended, []float64{1}); err == nil || !slices.Equal(c.States(), count(n)) {
		t.Error("somebody moved after the end:", err)
	}
}

// A crowd too small to share starts no goroutines, whatever it is offered: a goroutine would allocate.
func TestSmallCrowdsStayOnOneCore(t *testing.T) {
	c := newCrowd(t, 2*crew.Grain-1, 1, nil)
	c.Workers = 8
	u, ctx := []float64{1}, t.Context()
	if n := testing.AllocsPerRun(10, func() { _ = c.Respond(ctx, u) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestGatherRefuses(t *testing.T) {
	two := lag{dims(2)}
	block := func(width int, x ...float64) kedge.Block { return kedge.Block{Data: x, Width: width} }
	for _, config := range []population.Config{
		{Dynamics: two}, {Dynamics: two, Traits: block(1, 1, 2)}, {Dynamics: two, Traits: block(3, 1, 2, 3)},
		{Dynamics: two, Traits: block(2)}, {Dynamics: two, Traits: block(2, 1, 2), States: block(2, 1, 2, 3, 4)},
		{Dynamics: two, Traits: block(2, 1, 2), States: block(1, 1, 2)}, {Dynamics: two, Traits: block(2, 1, math.NaN())},
		{Dynamics: two, Traits: block(2, 1, 2), States: block(2, math.Inf(1), 2)},
		{Dynamics: two, Traits: block(2, 1, 1e39), Storage: population.Float32},
	} {
		if c, err := population.Gather(config); !typed(err) || c != nil {
			t.Errorf("%+v: %v", config, err)
		}
	}
	blind := population.Config{Dynamics: lag{kedge.Dims{Decision: 1, State: 2, Trait: 2}}, Traits: block(2, 1, 2), Social: true}
	if _, err := population.Gather(blind); err == nil || !strings.Contains(err.Error(), "a decision that ends with the mean state has 1 entries, want 2") {
		t.Errorf("people who would see a mean of two entries in a decision of one: %v", err)
	}
	if _, err := population.Redraw(population.Cap{}, 3, 3, stream.New(1)); !typed(err) {
		t.Error("a cap without an angle is redrawn:", err)
	}
	for _, bad := range []float64{math.NaN(), -1e39} {
		s, err := population.Shorten(block(2, 0, 1, bad, 2), nil)
		if !typed(err) || s != nil {
			t.Errorf("%v is shortened: %v", bad, err)
		}
	}
}

// Reset works however states are kept, and on an error nobody has moved.
func TestResetInSinglePrecision(t *testing.T) {
	c := gather(t, population.Config{Dynamics: lag{dims(1)}, Traits: kedge.Block{Data: count(3), Width: 1}, Storage: population.Float32})
	if err := c.Reset([]float64{7, 8, 0.1}); err != nil || !slices.Equal(everybody(c), []float64{7, 8, float64(float32(0.1))}) {
		t.Error(everybody(c), err)
	}
	if err := c.Reset([]float64{1, 2, 1e39}); !typed(err) || everybody(c)[0] != 7 {
		t.Error(everybody(c), err)
	}
	if err := c.Reset(nil); err != nil || !slices.Equal(everybody(c), count(3)) {
		t.Error(everybody(c), err)
	}
}
