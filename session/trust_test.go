package session_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
)

// polarized is a loop on people who polarize, by a model with some σ.
func polarized(sigma float64) string {
	return fmt.Sprintf(`
iterations: 100
population: {size: 10, dim: 5, law: cap, angle: 90}
dynamics: {kind: polarized, lambda: 0.4, sigma: %v}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
start: {law: sphere}
algorithms:
  - {name: composite, step: 0.05, batch: 100}
live:
  samples: {least: 100}
  cap: {norm: .inf}
  safe: [0, 0, 0, 0, 0]
`, sigma)
}

// opinions are a crowd that polarizes with noise.
type opinions struct {
	dynamics.Polarized
	d, p, room []float64
	r          *rand.Rand
}

func newOpinions(sigma float64, seed uint64) *opinions {
	c := &opinions{Polarized: dynamics.Polarized{Dim: 5, Lambda: 0.4, Sigma: sigma}, r: rand.New(rand.NewPCG(seed, 9))}
	for range 500 {
		d := make([]float64, 5)
		for j := range d {
			d[j] = c.r.NormFloat64()
		}
		d[0] = math.Abs(d[0])
		c.d = append(c.d, unit(d)...)
	}
	c.p, c.room = append(c.p, c.d...), make([]float64, len(c.d))
	return c
}

func unit(x []float64) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	for j := range x {
		x[j] /= math.Sqrt(sum)
	}
	return x
}

// meet lets all of them meet a decision; 100 are asked.
func (c *opinions) meet(u []float64) (b session.Batch) {
	c.NextRows(c.room, c.p, u, c.d)
	c.p, c.room = c.room, c.p
	for i := range 500 {
		for j := range 5 {
			c.p[5*i+j] += 0.02 * c.r.NormFloat64()
		}
		unit(c.p[5*i : 5*i+5])
	}
	for range 100 {
		i := c.r.IntN(500)
		b.P, b.D = append(b.P, c.p[5*i:5*i+5]...), append(b.D, c.d[5*i:5*i+5]...)
	}
	return b
}

// A crowd that answers more than its model says is found out within three windows, and the loop holds; of the right model that is never said.
func TestTrustInAModelOfOpinions(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-trust", Text: "people with σ = 0.5 under a model with 0.2: loops of 10 not distrusted and holding within 3 windows of 30 closes; under the right model, with noise: of 200 windows those that distrust it", Short: "20 windows of the right model, 3 loops under the wrong one"})
	loops, windows := 3, 20
	if evidence.Whole() {
		loops, windows = 10, 200
	}
	watch := func(model float64, seed uint64, closes int) (distrusted int, last session.Closing) {
		s, crowd := newScene(t, polarized(model), session.Live), newOpinions(0.5, seed)
		for n := range closes {
			a := s.ask()
			s.must(session.Deploy{K: a.K, U: a.U})
			s.must(session.Tell{K: a.K, ID: "all", Batch: crowd.meet(a.U)})
			s.now = s.now.Add(time.Hour)
			last = s.must(session.Close{K: a.K}).(session.Closing)
			if n%30 == 29 {
				t.Logf("σ %v, close %d: %s", model, n+1, text(last.Trust))
				if last.Trust.Verdict == guard.Distrusted {
					distrusted++
				}
			}
		}
		return distrusted, last
	}
	for i := range loops {
		_, last := watch(0.2, uint64(i), 90)
		row.Case(last.Trust.Verdict == guard.Distrusted && last.Outcome.Outcome == session.Held, "loop %d under the wrong model: %s, %s", i, text(last.Trust), last.Outcome.Outcome)
	}
	for i := range windows / 5 {
		wrong, _ := watch(0.5, uint64(i), 150)
		row.Cases(wrong, 5)
	}
}
