package session_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/session"
)

// four are the people of the case lq2: p⁺ = Ap + Bu + Ed with the matrices of its spec.
type four struct{ p, d []float64 }

func newFour() *four {
	d := []float64{2, -0.5, 2, -1.5, 0, -0.5, 0, -1.5}
	return &four{append([]float64(nil), d...), d}
}

// meet moves them under a decision.
func (f *four) meet(u []float64) session.Batch {
	for i := 0; i < len(f.p); i += 2 {
		a, b := f.p[i], f.p[i+1]
		f.p[i] = 0.5*a + 0.25*b + 0.5*u[0] + 0.5*f.d[i]
		f.p[i+1] = 0.5*b + 0.25*u[0] + 0.5*u[1] + 0.5*f.d[i+1]
	}
	return session.Batch{P: append([]float64(nil), f.p...), D: f.d}
}

// lq2Live has the rule take steps of 0.02: the last of them are shorter than half a cent, so that they count only if they add up.
const lq2Live = "\nlive: {algorithm: composite, samples: {least: 4}, cap: {norm: 0.2}, safe: [0, 0]}\n"

func newLQ2(t *testing.T) *scene {
	t.Helper()
	spec, ok := problem.Case("lq2")
	if !ok {
		t.Fatal("there is no case lq2")
	}
	return newScene(t, strings.Replace(string(spec), "{name: composite, step: 0.1,", "{name: composite, step: 0.02,", 1)+lq2Live, session.Live)
}

// turn is a round of lq2.
func (s *scene) turn(f *four, deploy func([]float64) []float64) (session.Offer, session.Closing) {
	s.Helper()
	a := s.ask()
	u := deploy(a.U)
	s.must(session.Deploy{K: a.K, U: u})
	s.must(session.Tell{K: a.K, ID: "all", Batch: f.meet(u)})
	return a, s.must(session.Close{K: a.K}).(session.Closing)
}

func cents(u []float64) []float64 {
	rounded := make([]float64, len(u))
	for i, v := range u {
		rounded[i] = math.Round(100*v) / 100
	}
	return rounded
}

// The optimum of lq2 is (−56/229, 99/229), solved by hand. What is rounded to cents cannot be nearer to it than half a cent in general.
func TestDeployedInCents(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-cents", Text: "lq2 with decisions deployed in whole cents, 1,000 rounds: how far an entry of what is live is from the optimum at last, in cents"})
	s, f := newLQ2(t), newFour()
	for range 1000 {
		if a, c := s.turn(f, cents); c.Outcome.Outcome != session.Stepped {
			t.Fatalf("decision %d: %+v", a.K, c.Outcome)
		}
	}
	live := s.loop.Status().Live.U
	row.AtMost("cents", 100*max(math.Abs(live[0]+56.0/229), math.Abs(live[1]-99.0/229)), 1)
	s.replays()
}

// A thousand decisions that nobody follows: the iterate does not run off, and the next proposal is within the cap of what is live.
func TestRefusedDecisions(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-refused", Text: "1,000 decisions in place of which something else was deployed, or that were abandoned: proposals beyond the cap of what is live"})
	stay := []float64{1, 1}
	for _, abandons := range []bool{false, true} {
		s, f := newLQ2(t), newFour()
		s.turn(f, func([]float64) []float64 { return stay })
		for range 1000 {
			a := s.ask()
			off := rows.Distance(a.U, stay)
			row.Case(off <= 0.2*(1+1e-9), "decision %d is %g from what is live", a.K, off)
			if abandons {
				s.must(session.Abandon{K: a.K, Reason: "no"})
				continue
			}
			s.must(session.Deploy{K: a.K, U: stay})
			s.must(session.Tell{K: a.K, ID: "all", Batch: f.meet(stay)})
			s.must(session.Close{K: a.K})
		}
		s.replays()
	}
}

// What is live and not feasible raises an alarm and takes no step, until something feasible is live.
func TestInfeasibleDeployment(t *testing.T) {
	s := newScene(t, shop, session.Live)
	a, c := s.round(func([]float64) []float64 { return []float64{-1, 3} })
	if c.Outcome.Outcome != session.Held || s.loop.Status().Turns != 0 || !strings.Contains(s.loop.Status().Alarms["infeasible"], "decision 1") {
		t.Errorf("decision %d: %+v, alarms %v", a.K, c.Outcome, s.loop.Status().Alarms)
	}
	if a, c = s.round(same); a.Basis != session.Hold || c.Outcome.Outcome != session.Held || s.loop.Status().Alarms["infeasible"] == "" { // nothing feasible is within the cap
		t.Errorf("then: %+v, alarms %v", c.Outcome, s.loop.Status().Alarms)
	}
	if _, c = s.round(func([]float64) []float64 { return []float64{0, 3} }); c.Outcome.Outcome != session.Stepped || len(s.loop.Status().Alarms) != 0 {
		t.Errorf("at last: %+v, alarms %v", c.Outcome, s.loop.Status().Alarms)
	}
	s.replays()
}
