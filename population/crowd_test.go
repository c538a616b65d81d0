package population_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// lag is p⁺ = ½p + u + d, with every product exact.
type lag struct{ dim kedge.Dims }

func (f lag) Dims() kedge.Dims { return f.dim }

func (f lag) Next(dst, p, u, d []float64) {
	for j := range dst {
		dst[j] = p[j]/2 + u[j] + d[j]
	}
}

func count(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

func newCrowd(t testing.TB, n, dim int, pick population.Picker) *population.Crowd {
	t.Helper()
	c, err := population.New(lag{dims(dim)}, nil, count(n*dim), pick)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func typed(err error) bool {
	var dim *kedge.DimError
	var nan *kedge.NotFiniteError
	var rng *kedge.RangeError
	var table *population.TableError
	return errors.As(err, &dim) || errors.As(err, &nan) || errors.As(err, &rng) || errors.As(err, &table)
}

// Everybody moves by the dynamics, over more than one chunk: p₀ = d, so p₁ = 1.5d + u and p₂ = 1.75d + 1.5u.
func TestRespondMovesEverybody(t *testing.T) {
	const n, dim = 1000, 2
	c := newCrowd(t, n, dim, nil)
	for range 2 {
		if err := c.Respond(t.Context(), []float64{4, 8}); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range c.States() {
		if want := 1.75*float64(i) + []float64{6, 12}[i%2]; p != want {
			t.Fatalf("entry %d is %v, want %v", i, p, want)
		}
	}
	if !slices.Equal(c.Traits(), count(n*dim)) || c.Size() != n || c.Dims() != dims(dim) {
		t.Error("traits, size or dimensions changed")
	}
}

func TestNewCopies(t *testing.T) {
	states, traits := []float64{1, 2}, []float64{3, 4}
	c, err := population.New(lag{dims(1)}, states, traits, nil)
	if err != nil {
		t.Fatal(err)
	}
	states[0], traits[0] = 9, 9
	if err := c.Respond(t.Context(), []float64{0}); err != nil || !slices.Equal(c.States(), []float64{3.5, 5}) {
		t.Error(c.States(), err)
	}
	if states[0] != 9 || traits[0] != 9 {
		t.Error("the caller's blocks changed")
	}
}

func TestNewRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	two := lag{dims(2)}
	for _, c := range []struct {
		f              kedge.Dynamics
		states, traits []float64
	}{
		{two, nil, nil}, {two, []float64{}, []float64{}}, {two, nil, []float64{1}}, {two, []float64{1, 2, 3}, []float64{1, 2}},
		{two, []float64{1, 2}, []float64{1, 2, 3, 4}}, {two, []float64{1, 2, 3, 4}, []float64{1, 2}},
		{two, []float64{1, nan}, []float64{1, 2}}, {two, []float64{1, 2}, []float64{inf, 2}},
		{lag{}, nil, nil}, {lag{kedge.Dims{State: 1, Trait: 2}}, nil, []float64{1, 2}},
	} {
		if crowd, err := population.New(c.f, c.states, c.traits, nil); !typed(err) || crowd != nil {
			t.Errorf("states %v, traits %v: %v", c.states, c.traits, err)
		}
	}
	_, err := population.New(two, []float64{1, 2, nan, 4}, []float64{1, 2, 3, inf}, nil)
	const want = "individual 1: states[0] is NaN, want a finite number\nindividual 1: traits[1] is +Inf, want a finite number"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Traits may have no entries: then the states alone say who there is.
func TestNoTraits(t *testing.T) {
	f := lagWithoutTraits{lag{kedge.Dims{Decision: 1, State: 1}}}
	c, err := population.New(f, []float64{2, 4, 6}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := make([]float64, 3)
	if err := c.Respond(t.Context(), []float64{1}); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Sample(p, nil); n != 3 || err != nil || !slices.Equal(p, []float64{2, 3, 4}) {
		t.Error(n, err, p)
	}
}

type lagWithoutTraits struct{ lag }

func (lagWithoutTraits) Next(dst, p, u, _ []float64) { dst[0] = p[0]/2 + u[0] }

// On any error nobody has moved, and a state that is not finite names its individual.
func TestRespondMovesNobodyOnError(t *testing.T) {
	const n = 700
	c := newCrowd(t, n, 1, nil)
	before := slices.Clone(c.States())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for want, u := range map[string][]float64{
		"u has 0 entries, want 1": nil, "u has 2 entries, want 1": {1, 2},
		"u[0] is NaN, want a finite number": {math.NaN()}, "u[0] is -Inf, want a finite number": {math.Inf(-1)},
	} {
		if err := c.Respond(t.Context(), u); !typed(err) || err.Error() != want {
			t.Errorf("u = %v: %v, want %s", u, err, want)
		}
	}
	if err := c.Respond(ended, []float64{1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	huge := make([]float64, n)
	huge[600] = math.MaxFloat64
	over, err := population.New(lag{dims(1)}, huge, huge, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = over.Respond(t.Context(), []float64{0})
	if err == nil || err.Error() != "respond: individual 600: p[0] is +Inf, want a finite number" {
		t.Error(err)
	}
	if !slices.Equal(c.States(), before) || !slices.Equal(over.States(), huge) {
		t.Error("somebody moved")
	}
}

// The context is looked at again on the way: it ends in the second chunk.
func TestRespondStopsOnTheWay(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := population.New(&ending{lag: lag{dims(1)}, end: cancel}, nil, count(5000), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Respond(ctx, []float64{0}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !slices.Equal(c.States(), count(5000)) {
		t.Error("somebody moved")
	}
}

// ending calls end when its 300th individual moves, and fails the run if it is still asked for its 1000th.
type ending struct {
	lag
	end   func()
	moved int
}

func (f *ending) Next(dst, p, u, d []float64) {
	if f.moved++; f.moved == 300 {
		f.end()
	}
	if f.moved == 1000 {
		panic("the context ended 700 individuals ago")
	}
	f.lag.Next(dst, p, u, d)
}

func TestReset(t *testing.T) {
	c := newCrowd(t, 3, 1, nil)
	if err := c.Respond(t.Context(), []float64{1}); err != nil {
		t.Fatal(err)
	}
	states := []float64{7, 8, 0}
	if err := c.Reset(states); err != nil {
		t.Error(err)
	}
	states[2] = 5
	if !slices.Equal(c.States(), []float64{7, 8, 0}) {
		t.Error("the crowd shares the caller's memory:", c.States())
	}
	for _, bad := range [][]float64{{}, {1, 2}, {1, 2, math.NaN()}} {
		if err := c.Reset(bad); !typed(err) || !slices.Equal(c.States(), []float64{7, 8, 0}) {
			t.Errorf("Reset(%v): %v, states %v", bad, err, c.States())
		}
	}
	if err := c.Reset(nil); err != nil || !slices.Equal(c.States(), count(3)) {
		t.Error(c.States(), err)
	}
}

func TestTurnDoesNotAllocate(t *testing.T) {
	for _, pick := range []population.Picker{
		population.WithReplacement{Source: stream.New(1)},
		population.WithReplacement{Source: stream.NewNumPy(1)},
		&population.WithoutReplacement{Source: stream.New(1)},
	} {
		c := newCrowd(t, 1000, 4, pick)
		p, d, u := make([]float64, 50*4), make([]float64, 50*4), make([]float64, 4)
		ctx := t.Context()
		turn := func() {
			if err := c.Respond(ctx, u); err != nil {
				t.Fatal(err)
			}
			if n, err := c.Sample(p, d); n != 50 || err != nil {
				t.Fatal(n, err)
			}
		}
		turn()
		if n := testing.AllocsPerRun(100, turn); n != 0 {
			t.Errorf("%T: %v allocations a turn", pick, n)
		}
	}
}

func BenchmarkTurn(b *testing.B) {
	c := newCrowd(b, 1000, 20, population.WithReplacement{Source: stream.New(1)})
	p, d, u := make([]float64, 50*20), make([]float64, 50*20), make([]float64, 20)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Respond(b.Context(), u); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Sample(p, d); err != nil {
			b.Fatal(err)
		}
	}
}

// Whoever enters with states of another number or length is refused, and nobody has moved.
func TestOthersDoNotEnter(t *testing.T) {
	traits := kedge.Block{Data: []float64{1, 0, 0, 1}, Width: 2}
	c, err := population.Gather(population.Config{Dynamics: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, Traits: traits, Pick: population.Everyone{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, states := range []kedge.Block{{Data: []float64{0.6, 0.8}, Width: 2}, {Data: []float64{0.6, 0.8, 1, 0, 0, 1}, Width: 2}, {Data: []float64{0.6, 0.8, 1, 0}, Width: 1}, {Data: []float64{0.6, 0.8, 1, 0, 0, 1}, Width: 3}} {
		if err := c.Enter(states); err == nil || !slices.Equal(c.Look().View(make([]float64, 4), 0, 2), traits.Data) {
			t.Errorf("%v enters: %v", states, err)
		}
	}
}
