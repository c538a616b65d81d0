package conform

import (
	"cmp"
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
)

// Responses says what a population is asked.
type Responses struct {
	Decide func(r *stream.Stream) []float64 // a decision, in a slice of its own
	Batch  int                              // individuals of a sample
	Count  int                              // how many decisions to deploy; zero means 8
}

// Population tests the population that start begins anew: the same decisions lead to the same samples, bit for bit, a
// decision is not changed, and one with a NaN or of the wrong length, or under a context that has ended, moves nobody.
//
// A population with encoding.BinaryAppender and encoding.BinaryUnmarshaler must go on from its saved state with the same bits.
func Population(t testing.TB, start func() kedge.Population, c Responses) {
	t.Helper()
	s := visit{start: start, batch: c.Batch}
	report(t, "the first run", func() { s.record(c) }, s.properties)
}

func (s *visit) properties() []property {
	return []property{
		{"the same decisions give the same bits", s.replays},
		{"Respond changes no decision", s.changesNothing},
		{"Respond refuses bad decisions", s.refuses},
		{"Respond stops with its context", s.stops},
		{"a saved state goes on", s.resumes},
	}
}

// visit is a recorded run: the decisions deployed and the sample seen after each, states and then traits.
type visit struct {
	start     func() kedge.Population
	batch     int
	decisions [][]float64
	samples   [][]float64
}

func (s *visit) record(c Responses) {
	r := stream.New(1, "conform", "population")
	p := s.start()
	for round := range cmp.Or(c.Count, 8) {
		u := c.Decide(r)
		succeeds(kedge.CheckVector("a drawn decision", u, p.Dims().Decision))
		during(func() {
			seen := s.turn(p, u)
			finite("a sample", seen)
			s.decisions, s.samples = append(s.decisions, u), append(s.samples, seen)
		}, "round %d", round)
	}
}

// turn deploys u and returns the sample after it.
func (s *visit) turn(p kedge.Population, u []float64) []float64 {
	succeeds(p.Respond(context.Background(), clone(u)))
	dim := p.Dims()
	states, traits := filled(s.batch*dim.State, math.NaN()), filled(s.batch*dim.Trait, math.NaN())
	n, err := p.Sample(states, traits)
	succeeds(err)
	return append(states[:n*dim.State], traits[:n*dim.Trait]...)
}

// follow takes p through the rounds from … to−1 and compares every sample with the record.
func (s *visit) follow(p kedge.Population, from, to int) {
	for round := from; round < to; round++ {
		during(func() {
			seen := s.turn(p, s.decisions[round])
			if len(seen) != len(s.samples[round]) {
				fail("a sample of %d entries, want %d", len(seen), len(s.samples[round]))
			}
			same("the sample", seen, s.samples[round])
		}, "round %d", round)
	}
}

func (s *visit) replays() { s.follow(s.start(), 0, len(s.decisions)) }

func (s *visit) changesNothing() {
	p := s.start()
	for _, u := range s.decisions {
		given := clone(u)
		succeeds(p.Respond(context.Background(), given))
		same("u", given, u)
	}
}

// refuses deploys bad decisions before every round; the run goes on as if they had not been.
func (s *visit) refuses() {
	p := s.start()
	for round, u := range s.decisions {
		spoiled := clone(u)
		spoil(spoiled)
		for _, bad := range [][]float64{spoiled, resized(u, 1), nil} {
			if p.Respond(context.Background(), bad) == nil {
				fail("the decision %v was accepted", bad)
			}
		}
		s.follow(p, round, round+1)
	}
}

// stops responds under a context that has ended, which may be overlooked, but if it fails then nobody has moved.
func (s *visit) stops() {
	ended, end := context.WithCancel(context.Background())
	end()
	p := s.start()
	if p.Respond(ended, clone(s.decisions[0])) != nil {
		s.follow(p, 0, len(s.decisions))
	}
}

// resumes saves a run before every round and goes on in a new population.
func (s *visit) resumes() {
	for round := range len(s.decisions) {
		a, b := s.start(), s.start()
		s.follow(a, 0, round)
		during(func() {
			if transfer(a, b, func() { s.follow(b, 0, 1) }) {
				s.follow(b, round, len(s.decisions))
			}
		}, "saved before round %d", round)
	}
}
