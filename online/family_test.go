package online_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// attempt is a method as it is run on a problem.
type attempt struct {
	name  string
	rule  func(c *classic, directions *stream.Stream, steps int) (online.Rule, error)
	steps int // that it takes, a tenth of it in short tests for those that have noise
	panel bool
	noisy bool
	limit online.Limit
	tol   float64
	// noise is the variance of an estimate along one direction at the optimum; nil: there is none, or tol covers it.
	noise func(c *classic) float64
	// outside says why a problem does not meet the conditions of the method, "" where it does.
	outside func(c *classic) string
}

func everywhere(*classic) string { return "" }

func curvedOnly(c *classic) string {
	if c.curved || c.name == "square-root map" || c.name == "mirror persons" {
		return ""
	}
	return "the loss is not strongly convex"
}

func familyOnly(c *classic) string {
	if c.family || c.name == "mixture map" {
		return ""
	}
	return "no affine location family"
}

func normalOnly(c *classic) string {
	if c.normal {
		return ""
	}
	return "the sample has no covariance"
}

func vanilla(c *classic) online.Estimator {
	return online.Vanilla{Objective: c.loss, Dims: c.f.Dims()}
}

func composite(c *classic) online.Estimator {
	return &online.Composite{Objective: c.loss, Sensitivity: c.answer, Dims: c.f.Dims()}
}

// base is a rule with the constant step of the problem.
func base(c *classic, g online.Estimator) online.Rule {
	return online.Rule{Gradient: g, Step: online.Constant(c.step), Set: c.set}
}

// slowly lets the step diminish and averages the second half of the iterates.
func slowly(r online.Rule, eta float64, steps int) online.Rule {
	r.Step, r.Average = online.Diminishing{Eta: eta, Delay: 50, Power: 0.6}, steps/2
	return r
}

// inside is the set of the problem, smaller by δ where it is a box. Methods that see losses alone are made for bounded sets, so
// where there is no bound it is ±3.
func inside(c *classic, delta float64) kedge.Set {
	n := len(c.start)
	box, ok := c.set.(set.Box)
	if _, whole := c.set.(set.Whole); whole {
		box, ok = set.Box{Lower: filled(n, -3), Upper: filled(n, 3)}, true
	}
	if !ok {
		return c.set
	}
	lower, upper := filled(n, delta), filled(n, -delta)
	rows.AddScaled(lower, 1, box.Lower)
	rows.AddScaled(upper, 1, box.Upper)
	return set.Box{Lower: lower, Upper: upper}
}

// firstOrder are the methods that see samples and take gradients of single turns.
func firstOrder() []attempt {
	type made = func(c *classic, _ *stream.Stream, steps int) (online.Rule, error)
	plain := func(make func(c *classic, steps int) online.Rule) made {
		return func(c *classic, _ *stream.Stream, steps int) (online.Rule, error) { return make(c, steps), nil }
	}
	waiting := func(g func(*classic) online.Estimator) made {
		return plain(func(c *classic, _ int) online.Rule {
			r := base(c, g(c))
			r.Wait, r.Step = online.Settling{Contraction: c.contract}, online.Diminishing{Eta: c.step, Delay: 200, Power: 1}
			return r
		})
	}
	adam := func(s online.Scaling) made {
		return plain(func(c *classic, _ int) online.Rule {
			r := base(c, composite(c))
			r.Transforms = []online.Transform{&online.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Scaling: s}}
			r.Step = online.Diminishing{Eta: 0.3 * c.step, Delay: 100, Power: 1}
			return r
		})
	}
	return []attempt{
		{name: "vanilla", steps: 4000, limit: online.Stable, tol: 1e-6, outside: everywhere,
			rule: plain(func(c *classic, _ int) online.Rule { return base(c, vanilla(c)) })},
		{name: "vanilla, momentum", steps: 4000, limit: online.Stable, tol: 1e-6, outside: everywhere,
			rule: plain(func(c *classic, _ int) online.Rule {
				r := base(c, vanilla(c))
				r.Transforms = []online.Transform{&online.Momentum{Beta: 0.5}}
				return r
			})},
		{name: "lazy", steps: 20000, limit: online.Stable, tol: 2e-3, outside: curvedOnly,
			rule: plain(func(c *classic, _ int) online.Rule {
				r := base(c, vanilla(c))
				r.Inner = online.Polynomial{First: 5, Power: 0.5}
				return r
			})},
		{name: "repeated-gradient", steps: 1000, limit: online.Stable, tol: 1e-5, outside: everywhere,
			rule: plain(func(c *classic, _ int) online.Rule {
				r := base(c, vanilla(c))
				r.Wait = online.Hold(c.hold)
				return r
			})},
		{name: "repeated-risk", steps: 300, limit: online.Stable, tol: 2e-4, outside: curvedOnly,
			rule: plain(func(c *classic, _ int) online.Rule {
				return online.Rule{Gradient: online.NewRetrain(c.loss, c.f.Dims(), c.set), Step: online.Constant(1), Set: c.set}
			})},
		{name: "delayed-risk", steps: 200, limit: online.Stable, tol: 3e-4, outside: curvedOnly,
			rule: plain(func(c *classic, _ int) online.Rule {
				return online.Rule{Gradient: online.NewRetrain(c.loss, c.f.Dims(), c.set), Step: online.Constant(1), Set: c.set, Wait: online.Hold(c.hold)}
			})},
		{name: "epoch", steps: 4000, limit: online.Stable, tol: 8e-4, outside: everywhere, rule: waiting(vanilla)},
		{name: "composite", steps: 4000, limit: online.Optimal, tol: 1e-6, outside: everywhere,
			rule: plain(func(c *classic, _ int) online.Rule { return base(c, composite(c)) })},
		{name: "composite, averaged", steps: 4000, limit: online.Optimal, tol: 2e-4, outside: everywhere,
			rule: plain(func(c *classic, steps int) online.Rule { return slowly(base(c, composite(c)), c.step, steps) })},
		{name: "epoch-composite", steps: 4000, limit: online.Optimal, tol: 8e-4, outside: everywhere, rule: waiting(composite)},
		{name: "adam", steps: 40000, limit: online.Optimal, tol: 8e-4, outside: everywhere, rule: adam(online.Joint)},
		{name: "storm", steps: 40000, limit: online.Optimal, tol: 1e-3, noise: sampleNoise, outside: everywhere, panel: true, noisy: true,
			rule: func(c *classic, _ *stream.Stream, steps int) (online.Rule, error) {
				g, err := online.NewRecursive(composite(c), c.f.Dims(), 0.1)
				return slowly(base(c, g), c.step/2, steps), err
			}},
	}
}

// centered is a loss with its zero near where a method settles. That takes nothing from what an estimate is on average, since the
// zero of a loss is free, but one-point feedback has noise as large as the loss, and here it is told the answer's value. Without
// it, after all 400,000 steps at these δ (seed 2), one-point feedback ends 1.1e-2 from the optimum of LQ2 and 0.16 from that of
// the Gaussian mean: its lines of the table hold for centered losses only. Differences of losses do not see it.
type centered struct {
	kedge.RowObjective
	by    float64
	width int
}

const offCenter = 0.02

func (l centered) EvalRows(gp, gu, p, u, d []float64) float64 {
	return l.RowObjective.EvalRows(gp, gu, p, u, d) - l.by*float64(len(p)/l.width)
}

func (c *classic) centered(t *testing.T, at []float64) centered {
	return centered{c.loss, c.settledValue(t, at) + offCenter, c.f.Dims().State}
}

const panelSize = 64 // of whom half are new in a turn

// sampleNoise is the variance along one direction of the composite gradient of the people who are new in a turn, from the settled
// gradients of everybody at the optimum.
func sampleNoise(c *classic) float64 {
	dim, g, sum, square := c.f.Dims(), make([]float64, len(c.start)), make([]float64, len(c.start)), 0.0
	h, n := dynamics.Settled(c.f), c.people()
	p := make([]float64, dim.State)
	for i := range n {
		d := kedge.Row(c.traits, i, dim.Trait)
		must(h.Settle(p, c.optimal, d))
		if err := composite(c).Estimate(g, kedge.Observation{U: c.optimal, P: p, D: d}); err != nil {
			panic(err)
		}
		rows.AddScaled(sum, 1/float64(n), g)
		square += rows.Dot(g, g) / float64(n)
	}
	return (square - rows.Dot(sum, sum)) / float64(len(g)) / (panelSize / 2)
}

// slopeNoise is n²E[(vᵀ∇)²] along one direction, what the gradient that the set holds adds to an estimate along a random v, and
// bendNoise n²E[(½δ vᵀHv)²], what the curvature adds.
func slopeNoise(c *classic) float64 {
	n := float64(len(c.start))
	return n / (n + 2) * c.push * c.push
}

func bendNoise(c *classic) float64 {
	n := float64(len(c.start))
	return n * c.delta * c.delta * c.steep * c.steep / 4
}

func onePointNoise(c *classic) float64 {
	off := float64(len(c.start)) / c.delta * offCenter
	return slopeNoise(c) + bendNoise(c) + off*off/float64(len(c.start))
}

func twoPointNoise(c *classic) float64 { return slopeNoise(c) }

func residualNoise(c *classic) float64 { return slopeNoise(c) + c.push*c.push + 2*bendNoise(c) }

// byValues is a rule whose estimator sees losses, with every decision held for so many turns.
func byValues(c *classic, g online.Estimator, wait online.Rhythm, part float64, steps int) online.Rule {
	r := slowly(base(c, g), part/(c.steep*float64(len(c.start))), steps)
	r.Set, r.Wait = inside(c, c.delta), wait
	return r
}

// echoed adds the noise of earlier perturbations that the population has not forgotten.
func echoed(noise func(*classic) float64, limit online.Limit) func(*classic) float64 {
	if limit == online.Optimal {
		return noise
	}
	return func(c *classic) float64 { return noise(c) + 2*c.echo }
}

// dither is the perturbation of performative gradient descent. Without waiting it must outweigh the drift of the iterate, to
// which the population has had time to answer: a smaller one leads to somewhere between the myopic point and the optimum.
// It is spread over the entries, and where all is affine a large one does no harm but noise.
func (c *classic) dither(limit online.Limit) float64 {
	if c.family && limit == online.Myopic {
		return 2 * float64(len(c.start)) * c.delta
	}
	return c.delta
}

// ditherNoise is E[(δHv)²] along one direction.
func ditherNoise(limit online.Limit) func(*classic) float64 {
	return func(c *classic) float64 {
		bent := c.dither(limit) * c.steep
		return bent * bent / float64(len(c.start))
	}
}

// trying are the methods that learn from what they deploy.
func trying(hold func(c *classic) int, suffix string, limit online.Limit) []attempt {
	performative := func(score online.Score) func(*classic, *stream.Stream, int) (online.Rule, error) {
		return func(c *classic, r *stream.Stream, steps int) (online.Rule, error) {
			g, err := online.NewPerformative(c.loss, c.f.Dims(), score, 30*len(c.start), c.dither(limit), r)
			rule := slowly(base(c, g), 0.3/c.steep, steps)
			rule.Set, rule.Wait = inside(c, c.dither(limit)), online.Hold(hold(c))
			return rule, err
		}
	}
	return []attempt{
		{name: "one-point" + suffix, steps: 400_000, limit: limit, tol: 2e-3, noise: echoed(onePointNoise, limit), noisy: true, outside: everywhere,
			rule: func(c *classic, r *stream.Stream, steps int) (online.Rule, error) {
				g, err := online.NewOnePoint(len(c.start), c.delta, r)
				return byValues(c, g, online.Hold(hold(c)), 0.2, steps), err
			}},
		{name: "two-point" + suffix, steps: 40_000, limit: limit, tol: 1e-4, noise: echoed(twoPointNoise, limit), noisy: true, outside: everywhere,
			rule: func(c *classic, r *stream.Stream, steps int) (online.Rule, error) {
				g, err := online.NewTwoPoint(len(c.start), c.delta, r)
				return byValues(c, g, online.Hold(hold(c)), 0.5, steps), err
			}},
		{name: "derivative-free" + suffix, steps: 400_000, limit: limit, tol: 4e-4, noise: echoed(residualNoise, limit), noisy: true, outside: everywhere,
			rule: func(c *classic, r *stream.Stream, steps int) (online.Rule, error) {
				g, err := online.NewDerivativeFree(len(c.start), c.delta, r)
				return byValues(c, g, online.Hold(hold(c)), 0.2, steps), err
			}},
		{name: "performative" + suffix, steps: 20_000, limit: limit, tol: 4e-3, noise: ditherNoise(limit), noisy: true, outside: everywhere, rule: performative(online.Reparametrized)},
		{name: "reinforce" + suffix, steps: 20_000, limit: limit, tol: 4e-3, noise: ditherNoise(limit), noisy: true, outside: normalOnly, rule: performative(online.Gaussian)},
	}
}

// ending are the methods that choose how long they hold by themselves, or stop.
func ending() []attempt {
	return []attempt{
		{name: "epoch-derivative-free", steps: 400_000, limit: online.Optimal, tol: 2e-3, noise: onePointNoise, noisy: true, outside: everywhere,
			rule: func(c *classic, r *stream.Stream, steps int) (online.Rule, error) {
				g, err := online.NewOnePoint(len(c.start), c.delta, r)
				return byValues(c, g, online.Settling{Contraction: c.contract}, 0.2, steps), err
			}},
		{name: "plug-in", steps: 1, limit: online.Optimal, tol: 5e-4, outside: familyOnly,
			rule: func(c *classic, r *stream.Stream, _ int) (online.Rule, error) {
				g, err := online.NewPlugIn(c.loss, c.f.Dims(), online.Location, 4*(len(c.start)+1), 0.4, r, c.set)
				return online.Rule{Gradient: g, Step: online.Constant(1), Set: c.set, Wait: online.Hold(c.hold)}, err
			}},
	}
}

func attempts() []attempt {
	settled := func(c *classic) int { return c.hold }
	once := func(*classic) int { return 1 }
	return append(append(append(firstOrder(), trying(settled, "", online.Optimal)...), trying(once, ", not held", online.Myopic)...), ending()...)
}

// finish runs a rule until it has taken so many steps.
func finish(t *testing.T, c *classic, a attempt, seed uint64, steps int) []float64 {
	t.Helper()
	rule, err := a.rule(c, stream.New(seed, "directions", a.name, c.name), steps)
	if err != nil {
		t.Fatal(err)
	}
	d, err := rule.From(c.start)
	if err != nil {
		t.Fatal(err)
	}
	batch, pick := c.people(), population.Picker(population.Everyone{})
	if a.panel {
		batch, pick = panelSize, &population.Rotating{Of: population.WithReplacement{Source: stream.New(seed, "sample", c.name)}}
	}
	done := func(int) bool { return d.Steps() >= steps }
	if err := c.play(d, c.centered(t, a.target(c)), batch, pick, done); err != nil {
		t.Errorf("%s on %s: %v", a.name, c.name, err)
	}
	u := make([]float64, len(c.start))
	d.Center(u)
	return u
}

// target is where a method must end on a problem.
func (a attempt) target(c *classic) []float64 {
	if a.name == "two-point, not held" {
		return c.alternating
	}
	return [][]float64{c.stable, c.myopic, c.optimal}[a.limit]
}

// tolerance is that of the method after all its steps, four standard errors of the averaged iterates [polyak1992], and what
// smoothing over δ moves the answer by, δ²|Φ‴/6Φ″| = δ²/2 at the optimum of the square-root map. What has noise but no
// formula for it is let off with less after fewer steps.
func (a attempt) tolerance(c *classic, steps int) float64 {
	tol := a.tol
	if c.name == "square-root map" && a.limit != online.Stable {
		tol += c.delta * c.delta / 2
	}
	if a.noise == nil {
		return tol * math.Sqrt(float64(a.steps)/float64(steps))
	}
	return tol + 4*math.Sqrt(float64(len(c.start))*a.noise(c)/float64(steps/2))/c.flat
}

// TestFamily runs every method on every problem whose conditions it meets. A method ends within its tolerance of its own point
// and, where that is another point than the optimum, clearly away from the optimum. Methods with noise take a twentieth of
// their steps unless KEDGE_TORTURE is set, to the seed of their noise.
//
// Steps, δ and holding times were chosen on seed 1, so other seeds are the evidence.
func TestFamily(t *testing.T) {
	var report strings.Builder
	fmt.Fprintf(&report, "\n%-26s %-16s %-8s %9s %9s %9s %9s\n", "method", "problem", "ends at", "stable", "myopic", "optimal", "allowed")
	for _, a := range attempts() {
		for _, c := range classics(t) {
			if why := a.outside(c); why != "" {
				fmt.Fprintf(&report, "%-26s %-16s %s\n", a.name, c.name, why)
				continue
			}
			t.Run(a.name+"/"+c.name, func(t *testing.T) {
				fmt.Fprintf(&report, "%-26s %-16s %-8v %s\n", a.name, c.name, a.limit, a.judge(t, c))
			})
		}
	}
	t.Log(report.String())
}

// judge runs a method on a problem and returns how far from the three points it ends.
func (a attempt) judge(t *testing.T, c *classic) string {
	steps := a.steps
	seed, err := strconv.ParseUint(os.Getenv("KEDGE_TORTURE"), 10, 64)
	if err != nil {
		seed = 1
		if a.noisy {
			steps /= 20
		}
	}
	u, own, tol := finish(t, c, a, seed, steps), a.target(c), a.tolerance(c, steps)
	stable, myopic, optimal := rows.Distance(u, c.stable), rows.Distance(u, c.myopic), rows.Distance(u, c.optimal)
	if e := rows.Distance(u, own); !(e <= tol) {
		t.Errorf("%s on %s ends at %v, %.2g from its %v point %v, want %.2g", a.name, c.name, u, e, a.limit, own, tol)
	}
	if gap := rows.Distance(own, c.optimal); optimal < gap/2 {
		t.Errorf("%s on %s ends %.2g from the optimum, but its own point is %.2g away", a.name, c.name, optimal, gap)
	}
	return fmt.Sprintf("%9.1e %9.1e %9.1e %9.1e%s", stable, myopic, optimal, tol, c.blur(own, tol))
}

// blur marks a tolerance that is too wide to tell the method's own point from the nearest other one: such a line shows that the
// method comes near, not which of the points it ends at.
func (c *classic) blur(own []float64, tol float64) string {
	for _, other := range [][]float64{c.stable, c.myopic, c.optimal} {
		if gap := rows.Distance(own, other); gap > 1e-9 && tol > gap/2 {
			return "  blurred"
		}
	}
	return ""
}
