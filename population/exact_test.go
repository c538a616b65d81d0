package population_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// staying is a dynamics under which nobody moves.
func staying(dim kedge.Dims) kedge.Dynamics {
	return dynamics.Func{Size: dim, F: func(dst, p, _, _ []float64) { copy(dst, p) }}
}

// normals are the normal numbers that a stream has for an individual at a step: in a range of their own, as package population lays them out.
func normals(s *stream.Stream, step, individual, n int) []float64 {
	at, x := *s, make([]float64, n)
	at.Seek(uint64(step)<<32 + uint64(individual))
	at.Normals(x)
	return x
}

func step(t *testing.T, c *population.Crowd, u ...float64) {
	t.Helper()
	if err := c.Respond(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

// People who see the crowd are told the decision and then the mean of everybody's state. States are whole numbers, whose sums are exact in any order.
func TestPeopleAreToldTheMean(t *testing.T) {
	f := dynamics.Func{Size: kedge.Dims{Decision: 3, State: 2, Trait: 2}, F: func(dst, p, u, _ []float64) { dst[0], dst[1] = u[0]+u[1]+p[1], u[2] }}
	for _, storage := range []population.Storage{population.Float64, population.Float32} {
		for _, n := range []int{1, 64, 65, 150, crew.Grain + 1} {
			c := gather(t, population.Config{Dynamics: f, Traits: kedge.Block{Data: count(2 * n), Width: 2}, Social: true, Storage: storage, Workers: 3})
			if c.Dims() != (kedge.Dims{Decision: 1, State: 2, Trait: 2}) {
				t.Fatalf("the decision of those who see the crowd: %+v", c.Dims())
			}
			before := everybody(c)
			step(t, c, 0.5)
			var sum [2]float64
			for i, v := range before {
				sum[i%2] += v
			}
			share := 1 / float64(n)
			for i, got := range everybody(c) {
				want := share * sum[1]
				if i%2 == 0 {
					want = 0.5 + share*sum[0] + before[i+1]
				}
				if storage == population.Float32 {
					want = float64(float32(want))
				}
				if got != want {
					t.Fatalf("%d people: entry %d is %v, want %v", n, i, got, want)
				}
			}
		}
	}
}

// Noise is the numbers of the individual at the step, the first step being 0, times the deviations; and then states are mended.
func TestNoiseIsOfTheIndividualAndTheStep(t *testing.T) {
	const n = 130
	s := stream.New(6, "noise")
	for _, deviation := range [][]float64{{0.5}, {0.25, 2}} {
		for _, workers := range []int{1, 2} {
			c := gather(t, population.Config{
				Dynamics: staying(kedge.Dims{Decision: 1, State: 2, Trait: 2}), Traits: kedge.Block{Data: count(2 * n), Width: 2}, Workers: workers,
				Noise: &population.Noise{Deviation: deviation, Stream: s, Mend: func(x []float64) { x[0] *= 2 }},
			})
			want := count(2 * n)
			for k := range 3 {
				step(t, c, 0)
				for i := range n {
					w := normals(s, k, i, 2)
					want[2*i] = 2 * (want[2*i] + deviation[0]*w[0])
					want[2*i+1] += deviation[len(deviation)-1] * w[1]
				}
				if !slices.Equal(c.States(), want) {
					t.Fatalf("deviations %v, %d workers: states differ from the formula's at step %d", deviation, workers, k)
				}
			}
		}
	}
}

// Walks are the numbers of the individual at the step, the first step being 1.
func TestWalksAreOfTheIndividualAndTheStep(t *testing.T) {
	const n = 130
	s := stream.New(6, "walks")
	m, err := population.NewMoving(population.Motion{Drift: population.Drift{Rate: []float64{1, 2}, Walk: []float64{0.5}}, Walks: s, Mend: func(x []float64) { x[1] /= 2 }}, kedge.Block{Data: count(2 * n), Width: 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := count(2 * n)
	for k := 1; k <= 3; k++ {
		if arrived, err := m.Advance(); err != nil || arrived != nil || m.Step() != k {
			t.Fatal(arrived, err, m.Step())
		}
		for i := range n {
			w := normals(s, k, i, 2)
			want[2*i] = want[2*i] + 1 + 0.5*w[0]
			want[2*i+1] = (want[2*i+1] + 2 + 0.5*w[1]) / 2
		}
		if got := m.View(nil, 0, n); !slices.Equal(got, want) {
			t.Fatalf("at step %d homes differ from the formula's", k)
		}
	}
}

// Where all go at every step, newcomer i of step k is individual kn + i of the laws of traits and of first states.
func TestNewcomersAreTheNextOfTheLaw(t *testing.T) {
	const n, steps = 300, 3
	law, first := population.Normal{Mean: []float64{3}}, population.Normal{Mean: []float64{-3, 1}}
	people, starts := stream.New(2, "people"), stream.New(2, "states")
	traits, err := population.Draw(law, n*(steps+1), 3, people)
	states, err2 := population.Draw(first, n*(steps+1), 2, starts)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, own := range []bool{true, false} {
		churn := population.Churn{Share: 1, Law: law}
		if own {
			churn.States = first
		}
		c := gather(t, population.Config{
			Dynamics: staying(kedge.Dims{Decision: 1, State: 2, Trait: 3}), Traits: kedge.Block{Data: traits[:3*n], Width: 3}, States: kedge.Block{Data: states[:2*n], Width: 2},
			Motion: &population.Motion{Churn: churn, Leavers: stream.New(2, "leavers"), Arrivals: people, States: starts},
		})
		for k := 1; k <= steps; k++ {
			step(t, c, 0)
			if k == 1 {
				continue // traits move from the second step on
			}
			now := traits[3*n*(k-1) : 3*n*k]
			if !slices.Equal(c.Traits(), now) {
				t.Fatalf("traits of step %d are not the law's next", k)
			}
			want := states[2*n*(k-1) : 2*n*k]
			if !own {
				want = nil
				for i := range n {
					want = append(want, now[3*i:3*i+2]...)
				}
			}
			if !slices.Equal(c.States(), want) {
				t.Fatalf("states of step %d are not the first ones of newcomers, of a law: %v", k, own)
			}
		}
	}
}

// The noise that dynamics take is drawn law by law from the streams, in ranges of the individual and the step.
func TestStirIsOfTheIndividualAndTheStep(t *testing.T) {
	const n = 70
	a, b := stream.New(1, "a"), stream.New(1, "b")
	draws := []population.Draws{{Number: numberLaw(t, "normal", 1, 2), Entries: 2, Stream: a}, {Number: numberLaw(t, "bernoulli", 0.5), Entries: 1, Stream: b}}
	for _, workers := range []int{1, 3} {
		c := stirred(t, n, workers, draws...)
		for k := range 3 {
			step(t, c, make([]float64, c.Dims().Decision)...)
			for i := range n {
				at, w := *b, normals(a, k, i, 2)
				at.Seek(uint64(k)<<32 + uint64(i))
				want := []float64{1 + 2*w[0], 1 + 2*w[1], 0}
				if at.Float64() < 0.5 {
					want[2] = 1
				}
				if got := c.States()[3*i : 3*i+3]; !slices.Equal(got, want) {
					t.Fatalf("step %d, individual %d: %v, want %v", k, i, got, want)
				}
			}
		}
	}
}

// The bytes of crowds are those of the table in the comment of Crowd, and twice the traits' where homes differ from them.
func TestBytesOfCrowds(t *testing.T) {
	const n, dim = 10, 3
	redrawn, short := shortened(t, population.Normal{}, n, dim)
	block := kedge.Block{Data: count(n * dim), Width: dim}
	still, swinging := &population.Motion{Drift: population.Drift{Rate: []float64{1}}}, &population.Motion{Drift: population.Drift{Swing: []float64{1}, Period: 3}}
	for name, c := range map[string]struct {
		config population.Config
		want   int // of an entry
	}{
		"stored": {population.Config{Traits: block}, 16 + 8}, "redrawn": {population.Config{Traits: redrawn}, 16}, "short": {population.Config{Traits: short, Storage: population.Float32}, 8 + 4},
		"short, redrawn": {population.Config{Traits: redrawn, Storage: population.Float32}, 8}, "moving": {population.Config{Traits: block, Motion: still}, 16 + 8},
		"swinging": {population.Config{Traits: block, Motion: swinging}, 16 + 16},
	} {
		c.config.Dynamics = lag{dims(dim)}
		if got := gather(t, c.config).Bytes(); got != c.want*n*dim {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want*n*dim)
		}
	}
	tiles, _, _ := twoCrowds(t, n, dim, nil) // in tiles of eight: 16 people, whose states are there twice and whose traits once more
	if got := tiles.Bytes(); got != 3*8*16*dim+8*n*dim {
		t.Errorf("in tiles: %d bytes", got)
	}
	tiles.States()
	if got := tiles.Bytes(); got != 3*8*16*dim+2*8*n*dim {
		t.Errorf("in tiles that were looked at as a block: %d bytes", got)
	}
}

// Only a crowd of which nothing but tiles is asked is kept in tiles.
func TestTilesAreForPlainCrowds(t *testing.T) {
	f, s := inTiles{dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}}, stream.New(1)
	traits := kedge.Block{Data: []float64{1, 0, 0, 1}, Width: 2}
	for name, config := range map[string]population.Config{
		"plain": {}, "short": {Storage: population.Float32}, "moving": {Motion: &population.Motion{Clock: true}}, "noisy": {Noise: &population.Noise{Deviation: []float64{1}, Stream: s}},
		"stirred": {Stir: &population.Stir{Next: func(dst, p, _, _, _ []float64) { copy(dst, p) }}},
	} {
		config.Dynamics, config.Traits = f, traits
		if tiled := gather(t, config).Foresight(modelOf(traits)) != nil; tiled != (name == "plain") {
			t.Errorf("a %s crowd is in tiles: %v", name, tiled)
		}
	}
}

// People are aligned from the beginning of one chunk of 64 to that of another or to the last of all, 256 at most.
func TestWhoIsAlignedAtOnce(t *testing.T) {
	tiles, _, traits := twoCrowds(t, 600, 3, nil)
	ahead := tiles.Foresight(modelOf(traits))
	if _, ok := ahead.AlignPeople(make([]float64, 64), 0); ok {
		t.Error("people are aligned before a decision is foreseen")
	}
	if !ahead.Foresee(decision(1, 3)) {
		t.Fatal("nothing is foreseen")
	}
	for _, c := range []struct {
		first, n int
		want     bool
	}{{0, 64, true}, {0, 256, true}, {0, 257, false}, {0, 320, false}, {64, 64, true}, {64, 128, true}, {32, 64, false}, {32, 32, false}, {0, 63, false}, {0, 0, false}, {576, 24, true}, {576, 23, false}, {512, 88, true}, {512, 64, true}} {
		if _, ok := ahead.AlignPeople(make([]float64, c.n), c.first); ok != c.want {
			t.Errorf("%d people from %d on are aligned: %v", c.n, c.first, ok)
		}
	}
}

// Who was sampled is told where that was asked for, behind what is there already.
func TestSampledAreTold(t *testing.T) {
	for _, tell := range []bool{true, false} {
		c := gather(t, population.Config{Dynamics: lag{dims(1)}, Traits: kedge.Block{Data: count(5), Width: 1}, Pick: &population.WithoutReplacement{Source: stream.New(3)}, Tell: tell})
		p := make([]float64, 3)
		if _, err := c.Sample(p, make([]float64, 3)); err != nil {
			t.Fatal(err)
		}
		want := "[7]"
		if tell {
			want = fmt.Sprint([]float64{7, p[0], p[1], p[2]}) // everybody's state is the own number
		}
		if got := fmt.Sprint(c.Sampled([]uint64{7})); got != want {
			t.Errorf("told %v: %s, want %s", tell, got, want)
		}
	}
}

// To prepare a crowd moves its traits to the coming step once; what Respond then does is what it does alone.
func TestPreparingTwiceIsPreparingOnce(t *testing.T) {
	alone, prepared := restlessCrowd(t, 100, nil), restlessCrowd(t, 100, nil)
	for k := range 4 {
		before := slices.Clone(prepared.Traits())
		for range 2 {
			if err := prepared.Prepare(); err != nil {
				t.Fatal(err)
			}
		}
		if moved := !slices.Equal(prepared.Traits(), before); moved != (k > 0) {
			t.Errorf("step %d: traits have moved: %v", k, moved)
		}
		step(t, prepared, 0.3, -0.5, 0.6)
		step(t, alone, 0.3, -0.5, 0.6)
		if !slices.Equal(alone.States(), prepared.States()) || !slices.Equal(alone.Traits(), prepared.Traits()) {
			t.Fatalf("step %d: who prepares goes elsewhere", k)
		}
	}
}
