package conform

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Turns says what an algorithm observes.
type Turns struct {
	Decision int // entries of a decision
	// Observe returns what is seen after u was deployed in the given round, in slices of its own.
	Observe func(r *stream.Stream, round int, u []float64) kedge.Observation
	Count   int // how many turns to take; zero means 8
}

// Algorithm tests the decision rule that start begins anew: Ask repeats itself until Tell, the same observations lead to the
// same bits, Tell keeps no slice of an observation and changes none, and a Tell that fails changes nothing. An observation
// with a NaN must fail, unless the NaN stands where the rule does not look.
//
// A rule with encoding.BinaryAppender and encoding.BinaryUnmarshaler must go on from its saved state with the same bits.
func Algorithm(t testing.TB, start func() kedge.Algorithm, c Turns) {
	t.Helper()
	s := script{start: start, n: c.Decision}
	report(t, "the first run", func() { s.record(c) }, s.properties)
}

func (s *script) properties() []property {
	return []property{
		{"Ask repeats itself until Tell", s.askRepeats},
		{"Center repeats itself until Tell", s.centerRepeats},
		{"the same observations give the same bits", s.replays},
		{"Tell keeps no slice", s.keepsNoSlice},
		{"Tell changes no observation", s.changesNothing},
		{"Tell refuses NaN", s.refusesNaN},
		{"Tell refuses wrong lengths", s.refusesLengths},
		{"a saved state goes on", s.resumes},
	}
}

// script is a recorded run: the decisions asked for and the observations told. There is one decision more.
type script struct {
	start     func() kedge.Algorithm
	n         int
	decisions [][]float64
	told      []kedge.Observation
}

func (s *script) record(c Turns) {
	r := stream.New(1, "conform", "algorithm")
	a := s.start()
	for round := range cmp.Or(c.Count, 8) {
		u := s.ask(a)
		o := c.Observe(r, round, clone(u))
		s.tell(a, round, o)
		s.decisions, s.told = append(s.decisions, u), append(s.told, o)
	}
	s.decisions = append(s.decisions, s.ask(a))
	for round, u := range s.decisions {
		finite(fmt.Sprintf("the decision of round %d", round), u)
	}
}

func (s *script) ask(a kedge.Algorithm) []float64 {
	u := filled(s.n, math.NaN())
	a.Ask(u)
	return u
}

// tell tells a copy.
func (s *script) tell(a kedge.Algorithm, round int, o kedge.Observation) {
	during(func() { succeeds(a.Tell(copied(o))) }, "tell round %d", round)
}

// follow takes a through the rounds from … to−1 and compares every decision on the way and the one after with the record.
func (s *script) follow(a kedge.Algorithm, from, to int) {
	for round := from; round <= to; round++ {
		same(fmt.Sprintf("the decision of round %d", round), s.ask(a), s.decisions[round])
		if round < to {
			s.tell(a, round, s.told[round])
		}
	}
}

func (s *script) replays() { s.follow(s.start(), 0, len(s.told)) }

func (s *script) askRepeats() {
	a, u := s.start(), filled(s.n, 1e300)
	for round, o := range s.told {
		for _, when := range []string{"asked", "asked again"} {
			a.Ask(u)
			same(fmt.Sprintf("round %d %s", round, when), u, s.decisions[round])
		}
		s.tell(a, round, o)
	}
}

// centerRepeats asks an Explorer for its center before and after Ask.
func (s *script) centerRepeats() {
	a, ok := s.start().(kedge.Explorer)
	if !ok {
		return
	}
	for round, o := range s.told {
		first, second := filled(s.n, math.NaN()), filled(s.n, 1e300)
		a.Center(first)
		s.ask(a)
		a.Center(second)
		what := fmt.Sprintf("the center of round %d", round)
		finite(what, first)
		same(what, second, first)
		s.tell(a, round, o)
	}
}

// keepsNoSlice spoils every observation once it is told.
func (s *script) keepsNoSlice() {
	a := s.start()
	for round, told := range s.told {
		o := copied(told)
		succeeds(a.Tell(o))
		spoil(o.U, o.P, o.D, o.W)
		clear(o.Who)
		same(fmt.Sprintf("the decision after round %d", round), s.ask(a), s.decisions[round+1])
	}
}

func (s *script) changesNothing() {
	a := s.start()
	for _, o := range s.told {
		given := copied(o)
		succeeds(a.Tell(given))
		same("U", given.U, o.U)
		same("P", given.P, o.P)
		same("D", given.D, o.D)
		same("W", given.W, o.W)
		if !slices.Equal(given.Who, o.Who) {
			fail("Who is %v, want %v", given.Who, o.Who)
		}
	}
}

// refusesNaN tells poisoned observations in every round of a run. One with nothing but NaN must fail. After a failure the run
// goes on as if nothing had been told; after a success, as if the observation had been clean.
func (s *script) refusesNaN() {
	for round := range s.told {
		for _, spoiler := range spoilers() {
			during(func() { s.goesOn(round, spoiler) }, "NaN in %s of round %d", spoiler.name, round)
		}
	}
}

func (s *script) goesOn(round int, spoiler spoiler) {
	a := s.start()
	s.follow(a, 0, round)
	bad := copied(s.told[round])
	spoiler.spoil(&bad)
	if a.Tell(bad) == nil {
		if spoiler.always {
			fail("accepted")
		}
		round++
	}
	s.follow(a, round, len(s.told))
}

// spoiler puts NaN into a part of an observation.
type spoiler struct {
	name   string
	always bool // every rule must refuse it
	spoil  func(*kedge.Observation)
}

func spoilers() []spoiler {
	return []spoiler{
		{"U", false, func(o *kedge.Observation) { spoil(o.U) }},
		{"P", false, func(o *kedge.Observation) { spoil(o.P) }},
		{"D", false, func(o *kedge.Observation) { spoil(o.D) }},
		{"W", false, func(o *kedge.Observation) { spoil(o.W) }},
		{"Loss", false, func(o *kedge.Observation) { o.Loss = math.NaN() }},
		{"everything", true, func(o *kedge.Observation) {
			spoil(o.U, o.P, o.D, o.W)
			o.Loss = math.NaN()
		}},
	}
}

// refusesLengths tells an observation of a longer decision, which must fail and change nothing.
func (s *script) refusesLengths() {
	a := s.start()
	bad := copied(s.told[0])
	bad.U = resized(bad.U, 1)
	if a.Tell(bad) == nil {
		fail("an observation with a decision of %d entries was accepted, want %d", s.n+1, s.n)
	}
	s.follow(a, 0, len(s.told))
}

// resumes saves a run in every round, before and after Ask, and goes on in a new algorithm.
func (s *script) resumes() {
	for round := range len(s.told) {
		for _, asked := range []bool{false, true} {
			during(func() { s.resumesIn(round, asked) }, "saved in round %d, asked already: %v", round, asked)
		}
	}
}

func (s *script) resumesIn(round int, asked bool) {
	a, b := s.start(), s.start()
	for i, o := range s.told[:round] {
		s.ask(a)
		s.tell(a, i, o)
	}
	if asked {
		s.ask(a)
	}
	if transfer(a, b, func() { same("the decision after a failed load", s.ask(b), s.decisions[0]) }) {
		s.follow(b, round, len(s.told))
	}
}

func copied(o kedge.Observation) kedge.Observation {
	o.U, o.P, o.D, o.W, o.Who = clone(o.U), clone(o.P), clone(o.D), slices.Clone(o.W), slices.Clone(o.Who)
	return o
}

func spoil(all ...[]float64) {
	for _, x := range all {
		rows.Scale(x, math.NaN())
	}
}
