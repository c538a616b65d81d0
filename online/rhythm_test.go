package online_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// By hand, and for numbers beyond counting the longest there is.
func TestRhythms(t *testing.T) {
	for _, c := range []struct {
		r    online.Rhythm
		j    int
		want int
	}{
		{online.Hold(7), 3, 7},
		{online.Settling{Contraction: 0.5}, 0, 2}, // ⌈log₂ 2⌉ + 1
		{online.Settling{Contraction: 0.5}, 6, 4}, // ⌈log₂ 8⌉ + 1
		{online.Settling{Contraction: 0.5}, 7, 5}, // ⌈log₂ 9⌉ + 1
		{online.Polynomial{First: 2, Power: 1.5}, 0, 2},
		{online.Polynomial{First: 2, Power: 1.5}, 3, 16},
		{online.Polynomial{First: 1e300, Power: 3}, 5, math.MaxInt32},
	} {
		if got := c.r.Turns(c.j); got != c.want {
			t.Errorf("%#v gives %d turns to deployment %d, want %d", c.r, got, c.j, c.want)
		}
	}
	if s := (online.Diminishing{Eta: 3, Delay: 2, Power: 1}); s.Step(0) != 3 || s.Step(4) != 1 {
		t.Errorf("%#v gives %v and %v, want 3 and 1", s, s.Step(0), s.Step(4))
	}
}

// person shows one person at p and its own trait.
func person(u []float64, p ...float64) kedge.Observation {
	return kedge.Observation{U: u, P: p, D: p}
}

// By hand: only the last of three observations of a decision counts.
func TestHoldLooksAtTheLastTurn(t *testing.T) {
	rule := rules()["vanilla"]()
	rule.Step, rule.Set, rule.Wait = online.Constant(1), set.Whole{}, online.Hold(3)
	d, u := must(rule.From([]float64{0, 0, 0})), make([]float64, 3)
	for turn, p := range []float64{5, 7, 1, 5, 7, 2} {
		d.Ask(u)
		if want := float64(turn / 3); u[0] != want {
			t.Errorf("turn %d deploys %v, want %v", turn, u[0], want)
		}
		if err := d.Tell(person(u, p, 0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if d.Ask(u); u[0] != 3 || d.Steps() != 2 || d.Deployments() != 2 {
		t.Errorf("ends at %v after %d steps and %d deployments, want 3, 2, 2", u[0], d.Steps(), d.Deployments())
	}
}

// By hand: with the loss −pᵀu the iterate moves by η p in every turn, and what is deployed follows after 1, 2, 3, … steps, each begun with
// the step size of step 0.
func TestLazyDeploysLate(t *testing.T) {
	rule := rules()["vanilla"]()
	rule.Step, rule.Set, rule.Inner = online.Diminishing{Eta: 1, Delay: 1, Power: 1}, set.Whole{}, online.Polynomial{First: 1, Power: 1}
	d, u, at := must(rule.From([]float64{0, 0, 0})), make([]float64, 3), make([]float64, 3)
	deployed, iterate := []float64{0, 1, 1, 2.5, 2.5, 2.5}, []float64{1, 2, 2.5, 3.5, 4, 4 + 1.0/3}
	for turn := range deployed {
		d.Ask(u)
		if err := d.Tell(person(u, 1, 0, 0)); err != nil {
			t.Fatal(err)
		}
		d.Center(at)
		if u[0] != deployed[turn] || !(math.Abs(at[0]-iterate[turn]) <= 1e-15) {
			t.Errorf("turn %d deploys %v and moves to %v, want %v and %v", turn, u[0], at[0], deployed[turn], iterate[turn])
		}
	}
}

// By hand: iterates 1, 2, 3, …; their averages from the third on are 3, 3.5, 4, ….
func TestAverage(t *testing.T) {
	rule := rules()["vanilla"]()
	rule.Step, rule.Set, rule.Average = online.Constant(1), set.Whole{}, 3
	d, u := must(rule.From([]float64{0, 0, 0})), make([]float64, 3)
	for turn, want := range []float64{0, 1, 2, 3, 3.5, 4} {
		if d.Center(u); u[0] != want {
			t.Errorf("turn %d recommends %v, want %v", turn, u[0], want)
		}
		if d.Ask(u); u[0] != float64(turn) {
			t.Errorf("turn %d deploys %v, not its iterate", turn, u[0])
		}
		if err := d.Tell(person(u, 1, 0, 0)); err != nil {
			t.Fatal(err)
		}
	}
}

// By hand: u ± δv, one step in two deployments, g = (n/2δ)(Φ₊ − Φ₋)v.
func TestTwoPointByHand(t *testing.T) {
	g := must(online.NewTwoPoint(2, 0.5, stream.New(1, "v")))
	d := must(online.Rule{Gradient: g, Step: online.Constant(1), Set: set.Whole{}}.From([]float64{1, 2}))
	above, below, end := make([]float64, 2), make([]float64, 2), make([]float64, 2)
	d.Ask(above)
	if err := d.Tell(kedge.Observation{U: above, Loss: 3}); err != nil || d.Steps() != 0 {
		t.Fatalf("the first loss led to %d steps, %v", d.Steps(), err)
	}
	d.Ask(below)
	if err := d.Tell(kedge.Observation{U: below, Loss: 2}); err != nil {
		t.Fatal(err)
	}
	d.Center(end)
	for i := range end {
		v := (above[i] - below[i]) / (2 * 0.5)
		if want := []float64{1, 2}[i] - 2/(2*0.5)*(3-2)*v; !(math.Abs(end[i]-want) <= 1e-14) {
			t.Errorf("entry %d ends at %v, want %v", i, end[i], want)
		}
	}
	if e := math.Abs(rows.Distance(above, below) - 1); e > 1e-15 {
		t.Errorf("the two decisions are %v apart, want 1", rows.Distance(above, below))
	}
}

// Explorers go another way after every estimate, and after a miss; the second of two points is opposite to the first, by definition.
func TestExplorersGoNewWays(t *testing.T) {
	type explorer interface {
		Perturb(u []float64)
		Commit(o kedge.Observation)
		Miss()
	}
	for name, e := range map[string]explorer{
		"one-point": must(online.NewOnePoint(3, 0.5, stream.New(1))), "two-point": must(online.NewTwoPoint(3, 0.5, stream.New(1))),
		"derivative-free": must(online.NewDerivativeFree(3, 0.5, stream.New(1))),
	} {
		way := func() []float64 {
			u := make([]float64, 3)
			if e.Perturb(u); !(math.Abs(rows.Norm(u)-0.5) <= 1e-15) {
				t.Errorf("%s goes %v far, want 0.5", name, rows.Norm(u))
			}
			return u
		}
		var last []float64
		for turn := range 8 {
			u := way()
			if again := way(); rows.Distance(u, again) != 0 {
				t.Errorf("%s asks for %v, then for %v", name, u, again)
			}
			if last != nil && !(math.Abs(rows.Dot(u, last)) <= 0.999*0.25) {
				t.Errorf("%s goes the same way twice, %v after %v, turn %d", name, u, last, turn)
			}
			if last = u; turn%2 == 1 {
				e.Miss()
				continue
			}
			e.Commit(kedge.Observation{Loss: 1})
			if name == "two-point" {
				if back := way(); !(math.Abs(rows.Distance(back, u)-1) <= 1e-15) {
					t.Errorf("%s: %v is not opposite to %v", name, back, u)
				}
				if turn%4 == 0 {
					e.Commit(kedge.Observation{Loss: 2})
				} else {
					e.Miss()
				}
			}
		}
	}
}

// Closed form: on a constant gradient both averages are the gradient and its square, so that the step is its sign, or its direction.
func TestAdam(t *testing.T) {
	for _, c := range []struct {
		scaling online.Scaling
		want    []float64
	}{{online.Each, []float64{1, -1}}, {online.Joint, []float64{3 / math.Sqrt(12.5), -4 / math.Sqrt(12.5)}}} {
		a := &online.Adam{Beta1: 0.9, Beta2: 0.99, Scaling: c.scaling}
		for range 5 {
			g := []float64{3, -4}
			a.Apply([]float64{1e9, 1}) // without Commit nothing is remembered
			a.Apply(g)
			a.Commit(kedge.Observation{})
			if rows.Distance(g, c.want) > 1e-14 {
				t.Errorf("scaling %d gives %v, want %v", c.scaling, g, c.want)
			}
		}
	}
}

// On a ball, entries scaled one by one settle where the sign of the gradient points, the joint scale where the gradient does.
func TestAdamOnABall(t *testing.T) {
	for scaling, want := range map[online.Scaling][]float64{
		online.Joint: {0.6, 0.8, 0},
		online.Each:  {math.Sqrt(0.5), math.Sqrt(0.5), 0},
	} {
		rule := rules()["vanilla"]()
		rule.Transforms = []online.Transform{&online.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Scaling: scaling}}
		d, u := must(rule.From([]float64{0, 0, 0})), make([]float64, 3)
		for range 3000 {
			d.Ask(u)
			if err := d.Tell(person(u, 0.6, 0.8, 0)); err != nil {
				t.Fatal(err)
			}
		}
		if e := rows.Distance(u, want); e > 1e-6 {
			t.Errorf("scaling %d settles at %v, want %v", scaling, u, want)
		}
	}
}

// Two people at one place have no covariance: a typed error, and nothing moves.
func TestReinforceWantsACovariance(t *testing.T) {
	c := lq2()
	g := must(online.NewPerformative(c.loss, c.f.Dims(), online.Gaussian, 3, 0.1, stream.New(1, "v")))
	d, u := must(base(c, g).From(c.start)), make([]float64, 2)
	p := []float64{1, 2, 1, 2}
	for range 2 {
		d.Ask(u)
		if err := d.Tell(kedge.Observation{U: u, P: p, D: p}); err != nil {
			t.Fatal(err)
		}
	}
	d.Ask(u)
	before := must(d.AppendBinary(nil))
	if err := d.Tell(kedge.Observation{U: u, P: p, D: p}); !errors.Is(err, kedge.ErrSingular) {
		t.Errorf("got %v, want ErrSingular", err)
	}
	if string(must(d.AppendBinary(nil))) != string(before) {
		t.Error("a failed estimate left traces")
	}
}

func TestRefusesBadMethods(t *testing.T) {
	c := lq2()
	dim, r := c.f.Dims(), stream.New(1)
	_, one := online.NewOnePoint(2, 0, r)
	_, two := online.NewTwoPoint(2, math.NaN(), r)
	_, narrow := online.NewPerformative(c.loss, dim, online.Gaussian, 2, 0.1, r)
	_, still := online.NewPerformative(c.loss, dim, online.Gaussian, 3, -1, r)
	_, few := online.NewPlugIn(c.loss, dim, online.Location, 2, 0.1, r, c.set)
	_, near := online.NewPlugIn(c.loss, dim, online.Location, 3, 0, r, c.set)
	for i, err := range []error{one, two, narrow, still, few, near} {
		if ranged := (*kedge.RangeError)(nil); !errors.As(err, &ranged) {
			t.Errorf("mistake %d gives %v", i, err)
		}
	}
	rule := base(c, must(online.NewOnePoint(2, 1, r)))
	rule.Inner = online.Hold(2)
	if _, err := rule.From(c.start); err == nil {
		t.Error("a method that explores was deployed lazily")
	}
	rule = base(c, vanilla(c))
	rule.Average = -1
	if _, err := rule.From(c.start); err == nil {
		t.Error("a negative average was accepted")
	}
}

// A turn allocates nothing once a rule has seen its first sample.
func TestTurnsAllocateNothing(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	c := lq2()
	crowd := c.crowd(population.Everyone{})
	for _, a := range attempts() {
		if a.panel || a.name == "plug-in" {
			continue // shown below with samples of their own, or done after the trials
		}
		d := must(must(a.rule(c, stream.New(1), 1000)).From(c.start))
		u, p, q := make([]float64, 2), make([]float64, 8), make([]float64, 8)
		turn := func() {
			d.Ask(u)
			if err := crowd.Respond(context.Background(), u); err != nil {
				t.Fatal(err)
			}
			must(crowd.Sample(p, q))
			if err := d.Tell(kedge.Observation{U: u, P: p, D: q, Loss: rows.Dot(u, u)}); err != nil {
				t.Fatal(err)
			}
		}
		for range 50 {
			turn()
		}
		if n := testing.AllocsPerRun(50, turn); n > 0 {
			t.Errorf("%s allocates %v times a turn", a.name, n)
		}
	}
}
