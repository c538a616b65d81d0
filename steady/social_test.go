package steady_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// circle is a crowd whose individuals see its mean.
type circle struct {
	name    string
	f       kedge.Smooth // of (u, p̄)
	settler kedge.RowSettler
	answer  kedge.Sensitivity
	loss    kedge.RowObjective
	law     population.Law
	dim     kedge.Dims // without the mean
}

func affineCircle(t testing.TB) circle {
	t.Helper()
	dim := kedge.Dims{Decision: 2, State: 2, Trait: 2}
	f, err := dynamics.NewAffine(dim, []float64{0.5, 0.25, 0, 0.5}, []float64{0.5, 0, 0.25, 0.5}, []float64{0.5, 0, 0, 0.5})
	check(t, err)
	c, err := f.Coupled(0.4)
	check(t, err)
	gain, err := c.Gain()
	check(t, err)
	h, err := sensitivity.NewAffine(c.Dims(), gain)
	check(t, err)
	one := []float64{1, 0, 0, 1}
	q, err := objective.NewQuadratic(dim, []float64{2, 0, 0, 2}, one, one, nil, nil)
	check(t, err)
	return circle{"affine", c, c, h, q, population.Normal{Mean: []float64{1, -1}, Deviation: []float64{1, 0.5}}, dim}
}

// coupledCircle couples individuals that move by f.
func coupledCircle(t testing.TB, name string, f kedge.Smooth, space dynamics.Space, loss kedge.RowObjective, law population.Law) circle {
	t.Helper()
	c, err := dynamics.NewCoupled(f, 0.3, space)
	check(t, err)
	return circle{name, c, dynamics.NewWalked(c), &sensitivity.Implicit{Dynamics: c}, loss, law, f.Dims()}
}

func circles(t testing.TB) []circle {
	return []circle{
		affineCircle(t),
		coupledCircle(t, "polarized", dynamics.Polarized{Dim: 4, Lambda: 0.4, Sigma: 0.5}, dynamics.Sphere, objective.Affinity{State: 4}, population.Cap{Angle: 90, Axis: []float64{1, 2, 0, -1}}),
		coupledCircle(t, "choice", dynamics.Choice{Dim: 4, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}, dynamics.Flat, objective.Revenue{Entropy: 0.1, State: 4}, population.Proportions{}),
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (c circle) people(t testing.TB, n int, seed uint64) []float64 {
	t.Helper()
	d, err := population.Draw(c.law, n, c.dim.Trait, stream.New(seed, "people"))
	check(t, err)
	return d
}

func (c circle) objective(t testing.TB, traits []float64) *steady.Objective {
	t.Helper()
	o, err := steady.New(kedge.Model{Settler: c.settler, Objective: c.loss, Sensitivity: c.answer, Traits: kedge.Block{Data: traits, Width: c.dim.Trait}, Social: true})
	check(t, err)
	return o
}

func (c circle) decision() []float64 {
	u := make([]float64, c.dim.Decision)
	stream.New(9, "decision").Normals(u)
	rows.Scale(u, 0.7/rows.Norm(u))
	return u
}

// Nobody of a settled crowd moves when the crowd responds; and a crowd that has responded long enough is where it settles.
func TestACrowdThatSeesItselfComesToRest(t *testing.T) {
	for _, c := range circles(t) {
		traits, u := c.people(t, 300, 1), c.decision()
		o := c.objective(t, traits)
		settled := make([]float64, 300*c.dim.State)
		check(t, o.Settle(settled, u))
		crowd, err := population.Gather(population.Config{Dynamics: c.f, Traits: kedge.Block{Data: traits, Width: c.dim.Trait}, Social: true})
		check(t, err)
		for range 300 {
			check(t, crowd.Respond(context.Background(), u))
		}
		if e := rows.Distance(crowd.States(), settled) / rows.Norm(settled); e > 1e-11 {
			t.Errorf("%s: after 300 steps the crowd is %.2g from where it settles", c.name, e)
		}
		mean := make([]float64, c.dim.State)
		check(t, o.Mean(mean, u))
		for j := range mean {
			for i := range 300 {
				mean[j] -= settled[i*c.dim.State+j] / 300
			}
		}
		if e := rows.Norm(mean); e > 1e-12 {
			t.Errorf("%s: the mean is %.2g from that of the settled", c.name, e)
		}
	}
}

// Central differences of Φ̃ are the independent method. The gradient that takes the mean for given is another one.
func TestTheGradientCountsTheMean(t *testing.T) {
	for _, c := range circles(t) {
		u := c.decision()
		traits := c.people(t, 300, 2)
		o := c.objective(t, traits)
		g, want := make([]float64, len(u)), make([]float64, len(u))
		value, err := o.Gradient(g, u)
		check(t, err)
		for j := range u {
			const step = 1e-5
			up, down := slices.Clone(u), slices.Clone(u)
			up[j] += step
			down[j] -= step
			high, err := o.Value(up)
			check(t, err)
			low, err := o.Value(down)
			check(t, err)
			want[j] = (high - low) / (2 * step)
		}
		e := rows.Distance(g, want) / rows.Norm(want)
		t.Logf("%s: %.1e from differences", c.name, e)
		if e > 1e-8 {
			t.Errorf("%s: gradient %v, differences give %v", c.name, g, want)
		}
		if again, err := o.Value(u); err != nil || again != value {
			t.Errorf("%s: Value gives %v, Gradient %v (%v)", c.name, again, value, err)
		}
		c.compare(t, o, traits, g, u)
	}
}

// compare composes the gradient of the crowd from sensitivity.Coupled, with the mean-field correction and without.
func (c circle) compare(t *testing.T, o *steady.Objective, traits, g, u []float64) {
	t.Helper()
	n := len(traits) / c.dim.Trait
	p, gp := make([]float64, n*c.dim.State), make([]float64, n*c.dim.State)
	check(t, o.Settle(p, u))
	got := make([]float64, len(u))
	c.loss.EvalRows(gp, got, p, u, traits)
	naive := append(slices.Clone(got), make([]float64, c.dim.State)...)
	check(t, (&sensitivity.Coupled{Of: c.answer, States: c.dim.State}).PullRows(got, p, u, traits, gp))
	rows.Scale(got, 1/float64(n))
	if e := rows.Distance(got, g) / rows.Norm(g); e > 1e-11 {
		t.Errorf("%s: sensitivity.Coupled gives %v, want %v", c.name, got, g)
	}
	mean := make([]float64, c.dim.State)
	check(t, o.Mean(mean, u))
	check(t, c.answer.PullRows(naive, p, append(slices.Clone(u), mean...), traits, gp))
	rows.Scale(naive, 1/float64(n))
	e := rows.Distance(naive[:len(u)], g) / rows.Norm(g)
	t.Logf("%s: without the correction %.2g off", c.name, e)
	if e < 1e-2 {
		t.Errorf("%s: the correction makes no difference: %.2g", c.name, e)
	}
}

func TestSocialBitsDoNotDependOnWorkers(t *testing.T) {
	c := affineCircle(t)
	o, u := c.objective(t, c.people(t, 300_000, 3)), c.decision()
	var value float64
	var first []float64
	for _, workers := range []int{1, 2, 8} {
		o.Workers = workers
		g := make([]float64, len(u))
		v, err := o.Gradient(g, u)
		check(t, err)
		if first == nil {
			value, first = v, g
		}
		if v != value || !slices.Equal(g, first) {
			t.Errorf("%d workers give %v and %v, one gives %v and %v", workers, v, g, value, first)
		}
	}
}

// The mean of n individuals is away from that of infinitely many by the sampling error of traits, ∝ n^(−1/2): for the affine
// crowd E|p̄ₙ − p̄|² = tr(FΣFᵀ)/n with p̄ = Gu + Fμ; for the polarized one p̄ is that of a far larger crowd.
func TestMeanFieldLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	for _, c := range circles(t)[:2] {
		u, limit, repeats := c.decision(), make([]float64, c.dim.State), 300
		if c.name == "affine" { // G = [5/4 1/2; 1/2 1], F = [1 1/2; 0 1]
			limit = []float64{1.25*u[0] + 0.5*u[1] + 0.5, 0.5*u[0] + u[1] - 1}
		} else {
			repeats = 150
			check(t, c.objective(t, c.people(t, 40_000, 77)).Mean(limit, u))
		}
		var x, y []float64
		for n := 24; n <= 384; n *= 4 {
			total := 0.0
			all := c.people(t, n*repeats, 4)
			for i := range repeats {
				mean := make([]float64, c.dim.State)
				check(t, c.objective(t, all[i*n*c.dim.Trait:(i+1)*n*c.dim.Trait]).Mean(mean, u))
				e := rows.Distance(mean, limit)
				total += e * e / float64(repeats)
			}
			x, y = append(x, math.Log(float64(n))), append(y, math.Log(total)/2)
		}
		slope := slopeOf(x, y)
		t.Logf("%s: slope %.3f", c.name, slope)
		if math.Abs(slope+0.5) > 0.05 {
			t.Errorf("%s: the error falls with the slope %.3f, want −0.5 ± 0.05", c.name, slope)
		}
	}
}

// slopeOf is that of the least-squares line.
func slopeOf(x, y []float64) float64 {
	n := float64(len(x))
	mx, my := rows.Sum(x)/n, rows.Sum(y)/n
	xy, xx := 0.0, 0.0
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
	}
	return xy / xx
}
