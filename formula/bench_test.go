package formula_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	senses "github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

// crowd is n individuals of the polarized model.
type crowd struct{ p, u, d, v, dst, gu []float64 }

func newCrowd(n int) crowd {
	r := stream.New(1, "bench")
	return crowd{normals(r, 20*n), unitVector(r, 20), normals(r, 20*n), normals(r, 20*n), make([]float64, 20*n), make([]float64, 20)}
}

// each measures a call on crowds of a thousand and a million, per individual.
func each(b *testing.B, call func(c crowd)) {
	for _, n := range []int{1000, 1_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			c := newCrowd(n)
			call(c)
			b.ReportAllocs()
			for b.Loop() {
				call(c)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/individual")
		})
	}
}

var hand = dynamics.Polarized{Dim: 20, Lambda: 0.4, Sigma: 0.5}

func BenchmarkStep(b *testing.B) {
	f := compile(b, polarized()).Dynamics()
	b.Run("hand", func(b *testing.B) { each(b, func(c crowd) { hand.NextRows(c.dst, c.p, c.u, c.d) }) })
	b.Run("formula", func(b *testing.B) { each(b, func(c crowd) { f.NextRows(c.dst, c.p, c.u, c.d) }) })
}

func BenchmarkGradient(b *testing.B) {
	for name, o := range map[string]kedge.RowObjective{"hand": objective.Affinity{}, "formula": compile(b, polarized()).Objective()} {
		b.Run(name, func(b *testing.B) { each(b, func(c crowd) { o.EvalRows(c.dst, c.gu, c.p, c.u, c.d) }) })
	}
}

func BenchmarkPullback(b *testing.B) {
	f := compile(b, polarized()).Dynamics()
	b.Run("hand", func(b *testing.B) {
		each(b, func(c crowd) {
			for i := 0; i < len(c.p); i += 20 {
				hand.Pullback(c.dst[i:i+20], c.gu, c.p[i:i+20], c.u, c.d[i:i+20], c.v[i:i+20])
			}
		})
	})
	b.Run("formula", func(b *testing.B) { each(b, func(c crowd) { f.PullbackRows(c.dst, c.gu, c.p, c.u, c.d, c.v) }) })
}

func BenchmarkSensitivity(b *testing.B) {
	for name, s := range map[string]kedge.Sensitivity{
		"implicit": &senses.Implicit{Dynamics: hand}, "formula": compile(b, polarized()).Sensitivity(),
	} {
		b.Run(name, func(b *testing.B) {
			c := newCrowd(100)
			for b.Loop() {
				if err := s.PullRows(c.gu, c.p, c.u, c.d, c.v); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(100*b.N), "ns/individual")
		})
	}
}

// BenchmarkRatio compares steps, losses and gradients of formulas with the hand-written ones, the fastest of many calls of each in turn, so
// that other work on the machine falls out.
func BenchmarkRatio(b *testing.B) {
	p, c := compile(b, polarized()), compile(b, wideChoice())
	pick := dynamics.Choice{Dim: 20, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.3}
	step := func(f kedge.RowDynamics) func(c crowd) {
		return func(c crowd) { f.NextRows(c.dst, c.p, c.u, c.d) }
	}
	gradient := func(o kedge.RowObjective) func(c crowd) {
		return func(c crowd) { clear(c.dst); o.EvalRows(c.dst, c.gu, c.p, c.u, c.d) }
	}
	value := func(o kedge.RowObjective) func(c crowd) {
		return func(c crowd) { o.EvalRows(nil, nil, c.p, c.u, c.d) }
	}
	for _, w := range []struct {
		name          string
		hand, formula func(c crowd)
	}{
		{"polarized", step(hand), step(p.Dynamics())},
		{"choice", step(pick), step(c.Dynamics())},
		{"loss", value(objective.Affinity{}), value(p.Objective())},
		{"gradient", gradient(objective.Affinity{}), gradient(p.Objective())},
	} {
		for _, n := range []int{1000, 1_000_000} {
			b.Run(w.name+"/"+strconv.Itoa(n), func(b *testing.B) {
				c := newCrowd(n)
				best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
				for b.Loop() {
					for i, call := range []func(crowd){w.hand, w.formula} {
						start := time.Now()
						call(c)
						best[i] = min(best[i], time.Since(start))
					}
				}
				b.ReportMetric(float64(best[0])/float64(n), "hand-ns/individual")
				b.ReportMetric(float64(best[1])/float64(n), "formula-ns/individual")
				b.ReportMetric(float64(best[1])/float64(best[0]), "times-hand")
			})
		}
	}
}

// wideChoice is choice among as many as there are entries in a crowd.
func wideChoice() formula.Source {
	s := choice()
	s.Decision, s.State, s.Trait = "q[20]", "p[20]", "p0[20]"
	return s
}

// BenchmarkSettle walks a block of people to rest.
func BenchmarkSettle(b *testing.B) {
	s := dynamics.NewWalked(compile(b, polarized()).Dynamics())
	c := newCrowd(128)
	for i := range 128 {
		d := kedge.Row(c.d, i, 20)
		rows.Scale(d, 1/rows.Norm(d))
	}
	for b.Loop() {
		if _, err := s.SettleRows(c.dst, c.u, c.d); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*128), "ns/individual")
}
