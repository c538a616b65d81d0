package population_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

func toSphere(x []float64) { rows.Scale(x, 1/rows.Norm(x)) }

// restless is a motion of points of the sphere in which everything moves.
func restless(share float64) *population.Motion {
	return &population.Motion{
		Drift: population.Drift{
			Rate: []float64{1e-3, 0, -2e-3}, Walk: []float64{0.01}, Swing: []float64{0, 0.1, 0}, Period: 7,
		},
		Churn:    population.Churn{Share: share, Law: population.Cap{Angle: 90}},
		Mend:     toSphere,
		Walks:    stream.New(3, "walks"),
		Leavers:  stream.New(3, "leavers"),
		Arrivals: stream.New(3, "people"),
	}
}

func restlessCrowd(t testing.TB, n int, pick population.Picker) *population.Crowd {
	t.Helper()
	people, err := population.Draw(population.Cap{Angle: 90}, n, 3, stream.New(3, "people"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := population.Gather(population.Config{
		Dynamics: dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, Traits: kedge.Block{Data: people, Width: 3}, Pick: pick,
		Motion: restless(0.013), Noise: &population.Noise{Deviation: []float64{0.02}, Mend: toSphere, Stream: stream.New(3, "noise")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRestlessCrowdsConform(t *testing.T) {
	conform.Population(t, func() kedge.Population {
		return restlessCrowd(t, 150, population.WithReplacement{Source: stream.New(5, "sample")})
	}, conform.Responses{Batch: 40, Count: 20, Decide: func(r *stream.Stream) []float64 {
		return []float64{r.Normal(), r.Normal(), r.Normal()}
	}})
}

// States and traits stay on the sphere, and who computes what changes no bits. The crowd is large enough for eight workers.
func TestRestlessCrowdsHaveTheSameBitsOnAnyWorkers(t *testing.T) {
	const n = 180_000
	u := []float64{0.3, -0.5, 0.6}
	var states, traits []float64
	for _, workers := range []int{1, 2, 8} {
		c := restlessCrowd(t, n, nil)
		c.Workers = workers
		for range 4 {
			if err := c.Respond(context.Background(), u); err != nil {
				t.Fatal(err)
			}
		}
		if states == nil {
			states, traits = slices.Clone(c.States()), slices.Clone(c.Traits())
			for i := range n {
				p, d := rows.Norm(kedge.Row(states, i, 3)), rows.Norm(kedge.Row(traits, i, 3))
				if math.Abs(p-1) > 1e-15*4 || math.Abs(d-1) > 1e-15*4 {
					t.Fatalf("individual %d: ‖p‖ is %v and ‖d‖ %v, want 1", i, p, d)
				}
			}
			continue
		}
		if !slices.Equal(c.States(), states) || !slices.Equal(c.Traits(), traits) {
			t.Errorf("%d workers have other bits than one", workers)
		}
	}
}

func TestARestlessTurnAllocatesNothing(t *testing.T) {
	c := restlessCrowd(t, 200, nil)
	ctx, u := context.Background(), []float64{0.3, -0.5, 0.6}
	if got := testing.AllocsPerRun(200, func() {
		if err := c.Respond(ctx, u); err != nil {
			t.Fatal(err)
		}
	}); got > 0 {
		t.Errorf("%v allocations a turn", got)
	}
}

// By the definition of churn: after k steps ⌊k·share·n⌋ have left, everybody who is there is one of the law's individuals by
// number, nobody is there twice, newcomers are the next numbers, and they start at their traits.
func TestChurnKeepsCounts(t *testing.T) {
	const n, share, steps = 100, 0.013, 300
	law := population.Normal{}
	all, err := population.Draw(law, 3*n+n*steps, 2, stream.New(1, "people"))
	if err != nil {
		t.Fatal(err)
	}
	number := map[[2]float64]int{}
	for i := range len(all) / 2 {
		number[[2]float64{all[2*i], all[2*i+1]}] = i
	}
	still := dynamics.Func{Size: kedge.Dims{Decision: 1, State: 2, Trait: 2}, F: func(dst, p, _, _ []float64) { copy(dst, p) }}
	c, err := population.Gather(population.Config{
		Dynamics: still, Traits: kedge.Block{Data: all[:2*n], Width: 2},
		Motion: &population.Motion{
			Churn:   population.Churn{Share: share, Law: law},
			Leavers: stream.New(1, "leavers"), Arrivals: stream.New(1, "people"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for k := range steps {
		if err := c.Respond(context.Background(), []float64{0}); err != nil {
			t.Fatal(err)
		}
		top, here := n-1, map[int]bool{}
		for i := range n {
			d := c.Traits()[2*i : 2*i+2]
			who, known := number[[2]float64{d[0], d[1]}]
			if !known || here[who] {
				t.Fatalf("step %d: %v is nobody of the law, or there twice", k, d)
			}
			here[who] = true
			top = max(top, who)
			if !slices.Equal(d, c.States()[2*i:2*i+2]) {
				t.Fatalf("step %d: newcomer %d does not start at its trait", k, who)
			}
		}
		if want := n - 1 + int(share*n*float64(k)); c.Size() != n || len(here) != n || top > want || k == steps-1 && top < want-1 {
			t.Fatalf("step %d: %d people, the last newcomer is %d, want %d", k, len(here), top, want)
		}
	}
}

// drifted returns the traits after some steps of a drift from 0.
func drifted(t *testing.T, d population.Drift, n, dim, steps int) []float64 {
	t.Helper()
	m, err := population.NewMoving(population.Motion{Drift: d, Walks: stream.New(4, "walks")}, kedge.Block{Data: make([]float64, n*dim), Width: dim}, dim)
	if err != nil {
		t.Fatal(err)
	}
	for range steps {
		if arrived, err := m.Advance(); err != nil || arrived != nil {
			t.Fatal(arrived, err)
		}
	}
	return m.View(nil, 0, n)
}

// Closed forms: k·rate, and amplitude·sin(2πk/period).
func TestDriftsFollowTheirFormulas(t *testing.T) {
	for _, k := range []int{1, 10, 999} {
		got := drifted(t, population.Drift{Rate: []float64{1e-3, -2e-3}, Swing: []float64{0, 3}, Period: 12.5}, 1, 2, k)
		want := []float64{1e-3 * float64(k), -2e-3*float64(k) + 3*math.Sin(2*math.Pi*float64(k)/12.5)}
		if e := rows.Distance(got, want); e > 1e-12 {
			t.Errorf("after %d steps traits are %v, want %v", k, got, want)
		}
	}
}

// A random walk of k steps of deviation s has variance ks² and its entries are independent: the mean of n·dim squares is
// within five of its standard deviations, √(2/(n·dim)), and so is the mean product of neighbours.
func TestWalksHaveTheirVariance(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	const n, k, s = 20_000, 25, 0.1
	x := drifted(t, population.Drift{Walk: []float64{s}}, n, 2, k)
	rows.Scale(x, 1/(s*math.Sqrt(k)))
	squares, products := rows.Dot(x, x)/(2*n), 0.0
	for i := range n {
		products += x[2*i] * x[2*i+1] / n
	}
	if off := math.Abs(squares - 1); off > 5*math.Sqrt(2.0/(2*n)) {
		t.Errorf("the variance is %v times what it should be", squares)
	}
	if math.Abs(products) > 5/math.Sqrt(n) {
		t.Errorf("entries have correlation %v", products)
	}
}

// p⁺ = ap + w has the stationary variance s²/(1−a²).
func TestNoiseHasItsVariance(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	const n, a, s = 40_000, 0.6, 0.3
	f, err := dynamics.NewAffine(kedge.Dims{State: 1, Decision: 1, Trait: 1}, []float64{a}, []float64{0}, []float64{0})
	if err != nil {
		t.Fatal(err)
	}
	c, err := population.Gather(population.Config{
		Dynamics: f, Traits: kedge.Block{Data: make([]float64, n), Width: 1},
		Noise: &population.Noise{Deviation: []float64{s}, Stream: stream.New(2, "noise")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		if err := c.Respond(context.Background(), []float64{1}); err != nil {
			t.Fatal(err)
		}
	}
	got := rows.Dot(c.States(), c.States()) / n * (1 - a*a) / (s * s)
	if math.Abs(got-1) > 5*math.Sqrt(2.0/n) {
		t.Errorf("the variance is %v times what it should be", got)
	}
}

func TestMotionsRefuseNonsense(t *testing.T) {
	nan, people := math.NaN(), stream.New(1, "people")
	for name, m := range map[string]population.Motion{
		"NaN rate":         {Drift: population.Drift{Rate: []float64{nan}}},
		"three rates":      {Drift: population.Drift{Rate: []float64{1, 2, 3}}},
		"negative walk":    {Drift: population.Drift{Walk: []float64{-1}}, Walks: people},
		"no stream":        {Drift: population.Drift{Walk: []float64{1}}},
		"no period":        {Drift: population.Drift{Swing: []float64{1}}},
		"share above 1":    {Churn: population.Churn{Share: 1.5, Law: population.Normal{}}, Leavers: people, Arrivals: people},
		"NaN share":        {Churn: population.Churn{Share: nan, Law: population.Normal{}}, Leavers: people, Arrivals: people},
		"no law":           {Churn: population.Churn{Share: 0.1}, Leavers: people, Arrivals: people},
		"a table":          {Churn: population.Churn{Share: 0.1, Law: population.Table{}}, Leavers: people, Arrivals: people},
		"nobody to choose": {Churn: population.Churn{Share: 0.1, Law: population.Normal{}}, Arrivals: people},
	} {
		if _, err := population.NewMoving(m, kedge.Block{Data: make([]float64, 4), Width: 2}, 2); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	m, err := population.NewMoving(population.Motion{Drift: population.Drift{Rate: []float64{math.MaxFloat64}}}, kedge.Block{Data: make([]float64, 4), Width: 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Advance()
	if _, again := m.Advance(); err != nil || !errors.As(again, new(*kedge.RowError)) {
		t.Errorf("traits that overflow: %v, then %v; want nothing, then who it is", err, again)
	}
}
