package certify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// lines gathers what is said, ten digits a number.
type lines []string

func (l *lines) say(name string, args ...any) {
	text := strings.ReplaceAll(strings.TrimSpace(fmt.Sprintln(args...)), "\n", " / ")
	*l = append(*l, name+": "+decimal.ReplaceAllStringFunc(text, func(s string) string {
		var v float64
		fmt.Sscan(s, &v)
		return fmt.Sprintf("%.10g", v)
	}))
}

// constants says all that is known.
func (l *lines) constants(name string, c *Constants, err error) {
	for _, x := range c.List {
		l.say(name, x.Key, x.Value, x.Known, x.How)
	}
	l.say(name, "metric", c.Metric, err)
}

// Every right-hand side of numbers that a seed makes is what it was when this was recorded.
func TestRightHandSidesAreAsRecorded(t *testing.T) {
	var got lines
	r := rand.New(rand.NewPCG(1, 7))
	for k := range 12 {
		x := Theory{
			Bias: 3 * r.Float64(), Smooth: 4 * r.Float64(), Rho1: r.Float64(), Rho2: 2 * r.Float64(), Start: r.Float64(), Gap: 5 * r.Float64(), Noise: r.Float64(), Growth: 2 * r.Float64(), Sigma: r.Float64(),
			Batch: float64(1 + r.IntN(5)), Turns: float64(1 + r.IntN(500)),
		}
		if k%4 == 3 {
			x.Growth, x.Rho2 = 0, 0
		}
		step, tau, name := 0.1*r.Float64(), r.Float64(), fmt.Sprint("theory ", k)
		s := SumSteps(1+r.IntN(20), func(k int) float64 { return step / float64(k+1) })
		a, b := x.Shift()
		got.say(name, x.kappa(), x.LargestStep(), x.LargestStepPaper(), x.LargestStepProbable(), x.LargestStepProjected(), a, b, x.opening())
		got.say(name, x.descent(step), x.kicks(step), x.squared(step), x.GradientPaper(step), x.Gradient(step), x.TransientPaper(step), x.Transient(step), x.TransientBy(step))
		got.say(name, x.DistancePaper(step), x.Distance(step), x.GradientProbable(step, tau), x.DistanceProbable(step, tau), x.Projected(step), x.Weighted(s), s)
	}
	for k := range 10 {
		c, n := &Constants{}, 1+r.IntN(9)
		var seen []glimpse
		noise := make([]float64, n)
		for i := range n {
			g := glimpse{mean: normals(r, 2), variance: 3 * r.Float64(), each: normals(r, 2*(1+r.IntN(4)))}
			if k%5 == 0 {
				g.mean[0], g.mean[1] = 1, 1+1e-7*float64(i)*float64(k)
			}
			seen, noise[i] = append(seen, g), r.ExpFloat64()*float64(r.IntN(2))
		}
		m, v := fitVariance(seen)
		c.put(SigmaMb, subGaussian(noise), Proof, "")
		batch := 1 + r.IntN(3)
		got.say(fmt.Sprint("noise ", k), m, v, c.Value(SigmaMb), scatter(seen, problem{Premises: Premises{Batch: batch, Seed: uint64(k)}}))
	}
	evidence.AsRecorded(t, "testdata/theory.txt", got)
}

// What searches of polarized dynamics find, and where they look, is what it was when this was recorded.
func TestSearchesAreAsRecorded(t *testing.T) {
	var got lines
	r := rand.New(rand.NewPCG(2, 7))
	for k := range 8 {
		f, a, b, c := dynamics.Polarized{Dim: 4, Lambda: 0.6 * r.Float64(), Sigma: 0.4 * r.Float64()}, r.Float64(), 1.5*r.Float64(), 3*r.Float64()
		name, d := fmt.Sprint("polarized ", k), []float64{0.6, 0, 0.8, 0}
		got.say(name, turnRate(f, a, b), affinityBend(f, a, b), readRate(f, a, b/3, c, b), responseAt(f, a, d), turnAlong(f, a, d, []float64{0, 1, 0, 0}))
		got.say(name, affinitySlope(f, []float64{a, b, c, 0.1}, d), readAt(f, []float64{a, b, 0.1, 0}, d, []float64{0.8, 0, 0.6, 0}), leastStretch(f.Lambda, a, b), attained(f.Lambda, a, b), degreesBetween(d, []float64{0, b, 0, 1}))
	}
	for k, x := range [][3]float64{{0.5, 0, 1}, {0.4, 0.6, 1}, {0.4, 0.65, 1}, {0.02, 0.97, 1}, {0.3, 0.5, 0.6}} { // of the last alone the turn is searched for
		constants := told(map[Key]float64{Radius: x[2]})
		err := constants.addPolarized(dynamics.Polarized{Dim: 2, Lambda: x[0], Sigma: x[1]})
		got.constants(fmt.Sprint("constants ", k), constants, err)
	}
	f := dynamics.Polarized{Dim: 2, Lambda: 0.3, Sigma: 0.4}
	got.say("worst", polarizedRead(f, 1, 0.3))
	got.say("worst of others", polarizedRead(dynamics.Polarized{Dim: 2, Lambda: 0.5, Sigma: 0.5}, 0.7, 1), polarizedRead(f, 1, 1.2))
	for name, f := range map[string]func(float64) float64{
		"flat": func(float64) float64 { return 1 }, "hill": func(x float64) float64 { return -(x - 0.4) * (x - 0.4) }, "steps": func(x float64) float64 { return math.Floor(4 * x) }, "falls": func(x float64) float64 { return -x },
	} {
		var at []float64
		most := largest(func(x float64) float64 { at = append(at, x); return f(x) }, -0.25, 1.5, 5)
		got.say("largest "+name, most, at)
	}
	slices.Sort(got)
	evidence.AsRecorded(t, "testdata/searches.txt", got)
}

// bent is dynamics without a name: a state of two entries that a decision and a trait pull, in curves.
func bent(a, b float64) dynamics.Func {
	return dynamics.Func{Size: kedge.Dims{Decision: 2, State: 2, Trait: 1}, F: func(dst, p, u, d []float64) {
		dst[0] = float64(a*p[0])/(1+float64(p[0]*p[0])) + float64(b*p[1]) + u[0]
		dst[1] = float64(a*p[1])/(1+float64(u[1]*u[1])) + float64(d[0]*u[0]) + float64(d[0]*d[0]*0.1)
	}}
}

// Constants of dynamics that are sampled, curvatures and the noise along a run are what they were when this was recorded.
func TestSamplesAreAsRecorded(t *testing.T) {
	var got lines
	for k, x := range [][2]float64{{0.5, 0.1}, {-0.4, 0}, {0.05, 1.1}, {0.1, 1.02}, {1.2, 0.1}, {0, 0}, {0.6, 2}} {
		r := rand.New(rand.NewPCG(uint64(k), 9))
		f, n := bent(x[0], x[1]), 1+3*k
		if k == 5 {
			n = 60
		}
		phi, err := objective.NewQuadratic(f.Size, []float64{2, 0.5, 0.5, 1}, []float64{1, 0, -1, 0.5}, []float64{1, 0.25, 0.25, 2}, []float64{0.5, 0}, []float64{0, 1})
		must(t, err)
		settler := &dynamics.Iterated{Of: f}
		m := kedge.Model{
			Dynamics: f, Settler: settler, Sensitivity: &sensitivity.Implicit{Dynamics: f}, Objective: phi, Set: set.Ball{Radius: 0.8}, Start: []float64{0.2, -0.1},
			Traits: kedge.Block{Data: normals(r, n), Width: 1}, States: kedge.Block{Data: normals(r, 2*n), Width: 2},
		}
		run := Premises{Step: 0.05, Batch: 2, Horizon: 40, Tau: 0.1, Seed: uint64(k), AtState: k%2 == 0, Sampled: k%3 == 0}
		if k > 2 {
			run.Optimum = []float64{0.1, 0.3}
		}
		name := fmt.Sprint("bent ", k)
		c, err := Certify(context.Background(), m, run)
		if err != nil {
			got.say(name, err)
			continue
		}
		got.constants(name, c.Constants, nil)
		got.say(name, c.Verdict, c.Beyond, c.Generalization != nil)
		for _, a := range c.Assumptions {
			got.say(name, a)
		}
		for i := range c.Steps {
			got.say(name, c.Steps[i])
		}
		for i := range c.Bounds {
			got.say(name, c.Bounds[i])
		}
		got.say(name, c.Extensions)
		p, err := problem{m, run}.ready()
		must(t, err)
		seen, err := follow(p, 0.07)
		must(t, err)
		got.say(name, len(seen), seen[0].variance, seen[1].mean, seen[59].mean, seen[len(seen)-1].variance, marks(seen)[1].mean)
		phiAt, err := steady.New(p.Model)
		must(t, err)
		bends, err := bendAt(phiAt, p.Start, stream.New(uint64(k)))
		must(t, err)
		far, err := bendAt(phiAt, []float64{3, -4}, stream.New(uint64(k)))
		got.say(name, bends, far, err)
		secants := told(map[Key]float64{Lp: 0})
		must(t, secants.samplePsi(p))
		got.constants(name+" by secants", secants, nil)
		all, err := probes(p)
		must(t, err)
		got.say(name, len(all), all[0], all[len(all)-1].u, all[len(all)-1].h, all[len(all)-1].who)
	}
	evidence.AsRecorded(t, "testdata/samples.txt", got)
}

// Random linear-quadratic problems have the certificates that they had when this was recorded.
func TestLinearProblemsAreAsRecorded(t *testing.T) {
	var got lines
	r := rand.New(rand.NewPCG(3, 7))
	for k := range 10 {
		x := drawInstance(t, r, k%3 == 0)
		x.Step, x.Everybody = 0.01*r.Float64(), k%4 == 1
		if k%4 == 1 {
			x.Batch = 3 + r.IntN(9)
		}
		if k%3 == 1 {
			x.Set = set.Ball{Radius: 1 + r.Float64()}
		}
		if k%5 == 2 {
			x.Steps = SumSteps(x.Horizon, func(k int) float64 { return 0.001 / float64(k+1) })
		}
		name := fmt.Sprint("linear ", k)
		c, err := Certify(context.Background(), x.problem.Model, x.problem.Premises)
		must(t, err)
		got.constants(name, c.Constants, nil)
		got.say(name, c.Verdict, c.Beyond)
		got.say(name, c.Steps, c.Extensions)
		for i := range c.Bounds {
			got.say(name, c.Bounds[i])
		}
		a, b := c.Shift()
		got.say(name, a, b)
	}
	evidence.AsRecorded(t, "testdata/linear.txt", got)
}
