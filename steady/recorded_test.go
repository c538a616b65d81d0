package steady_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/steady"
)

// Values, gradients, settled crowds and residuals of crowds of many sizes, around those that are judged at a time, are what they were when this was recorded, to the bit. Other tests say that they are right.
func TestCrowdsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, n := range []int{1, 2, 127, 128, 129, 256, 300} {
		for name, of := range map[int]func() (*steady.Objective, *steady.Rollout){0: func() (*steady.Objective, *steady.Rollout) { return polarized(t, n, 4) }, 1: func() (*steady.Objective, *steady.Rollout) { return choice(t, n, 3) }} {
			s, r := of()
			for k := range 3 {
				u := make([]float64, s.Dims().Decision)
				for i := range u {
					u[i] = 0.3*float64(k) - 0.2*float64(i)
				}
				said := fmt.Sprint(n, name, k)
				ask := func(f func(g, u []float64) (float64, error)) {
					g := make([]float64, len(u))
					v, err := f(g, u)
					said += fmt.Sprintf(" %.15g %.15g %v", v, g, err)
				}
				ask(s.Gradient)
				ask(s.Partial)
				ask(r.Gradient)
				dst := make([]float64, n*s.Dims().State)
				v, err := s.Settled(dst, u)
				sum := 0.0
				for i, x := range dst {
					sum += x * float64(1+i%5)
				}
				value, fault := s.Value(u)
				rolled, wrong := r.Value(u)
				lines = append(lines, fmt.Sprintf("%s | %.15g %.12g %v %.15g %.3g %v %.15g %v", said, v, sum, err, value, s.Residual().Norm, fault, rolled, wrong))
			}
			u := make([]float64, s.Dims().Decision)
			u[0] = math.NaN()
			_, err := s.Value(u)
			_, short := s.Value(u[1:])
			_, rolled := r.Value(u)
			lines = append(lines, fmt.Sprint(n, name, " ", err, " ", short, " ", rolled))
		}
	}
	slices.Sort(lines)
	evidence.AsRecorded(t, "testdata/crowds.txt", lines)
}

// How far crowds are behind, and how far that leads astray, is what it was; and circles that see their mean come to the same rest.
func TestLagsAndCirclesAreAsRecorded(t *testing.T) {
	var lines []string
	for _, n := range []int{1, 5, 128, 130} {
		for steps := range 4 {
			l, states := choiceLag(t, n, 3)
			l.Steps = steps
			if steps == 3 {
				l.Weight = []float64{2, 0.5, 0, 0.5, 1, 0, 0, 0, 3}
			}
			l.Answered, l.Settled = make([]float64, n*3), make([]float64, n*3)
			bias := make([]float64, l.Dims().Decision)
			u := make([]float64, l.Dims().Decision)
			for i := range u {
				u[i] = 0.1 * float64(1+i)
			}
			v, err := l.Measure(bias, u, states)
			lines = append(lines, fmt.Sprintf("%d %d: %.15g %.15g %v %.9g %.9g", n, steps, v, bias, err, l.Answered[:3], l.Settled[n*3-3:]))
		}
	}
	for _, c := range circles(t) {
		for _, n := range []int{1, 7, 140} {
			s := c.objective(t, c.people(t, n, 3))
			u := c.decision()
			g := make([]float64, len(u))
			v, err := s.Gradient(g, u)
			p := make([]float64, len(u))
			w, fault := s.Partial(p, u)
			dst := make([]float64, n*s.Dims().State)
			rest := s.Settle(dst, u)
			lines = append(lines, fmt.Sprintf("circle %d: %.12g %.12g %v %.12g %.12g %v %.12g %v %.3g", n, v, g, err, w, p, fault, dst[:s.Dims().State], rest, s.Residual().Norm))
		}
	}
	evidence.AsRecorded(t, "testdata/lags.txt", lines)
}

// Who remembers where he came from, of people with two rests, is who did.
func TestMemoriesAreAsRecorded(t *testing.T) {
	var lines []string
	for _, states := range [][]float64{{0.5, -0.5, 0.01, 2, -2}, {1, 1, 1, 1, 1}, {-1, 0, 1, -0.2, 0.2}} {
		for _, traits := range [][]float64{{0.5, -0.5, 0.3, -0.3, 1}, {1, 1, -1, -1, 0}} {
			m := doubled(states, traits)
			for _, decisions := range [][][]float64{{{0}}, {{0}, {0.5}}, {{-3}, {3}}, {{0}, {math.Inf(1)}}, nil} {
				lines = append(lines, fmt.Sprintf("%v %v %v: %+v %v", states, traits, decisions, steady.Remember(m, []int{0, 1, 2, 3, 4}, decisions), steady.Vanished(m, []int{0, 2, 4}, decisions)))
			}
		}
	}
	evidence.AsRecorded(t, "testdata/memories.txt", lines)
}
