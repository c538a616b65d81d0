package problem

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/room"
)

// uneven is a spec whose decision has 3 entries, a state 2 and a trait 1, so that nothing stands for something else by chance.
const uneven = `iterations: 10
population: {size: 4, dim: 1, law: normal, states: {law: normal}}
dynamics: {kind: affine, a: [[0.5, 0], [0, 0.5]], b: [[0.1, 0, 0], [0, 0.1, 0.2]], e: [[0.5], [0.25]]}
objective: {kind: quadratic, decision: 1}
set: {kind: ball, radius: 1}
algorithms:
  - {name: vanilla, step: 0.1, batch: 2}
`

// What a crowd of 4 and 3 trials of it take, worked out by hand: of numbers of 8 bytes, those kept of people times 1.5; two blocks of states a trial;
// of judges (there is one more than trials) 1 + 3 numbers for 128 people; of everybody in a sample four states and two traits.
func TestNeedsByHand(t *testing.T) {
	for change, want := range map[string][4]float64{
		"":                              {1.5 * 4 * 8 * (1 + 2), 1.5 * 3 * 4 * 2 * 8 * 2, 4 * 4 * 8 * 4. / 128, 3 * 2 * 8 * (4*2 + 2*1)},
		"population.storage=float32":    {1.5 * 4 * 4 * (1 + 2), 1.5 * 3 * 4 * 2 * 4 * 2, 4, 480},
		"population.traits=regenerated": {1.5 * 4 * 8 * 2, 576, 4, 480},
		"population={size: 4, dim: 1, law: values, values: [[1], [2], [3], [4]], states: {law: normal}}": {1.5 * 4 * 8 * (2*1 + 2), 576, 4, 480},
		"population.drift={rate: 0.1}":            {144, 1.5 * 3 * 4 * (2*8*2 + 2*8*1), 4, 480},
		"population.churn=0.1":                    {144, 1.5 * 3 * 4 * (2*8*2 + 2*8*1), 4, 480},
		"population.sampling=without-replacement": {144, 1.5 * 3 * 4 * (2*8*2 + 8), 4, 480},
		"dynamics.coupling=0.2":                   {144, 576, 4 * 4 * (0.25 + 2*8*2), 480},
		"record.theory=true":                      {144, 576, 4, 480},
		"record={theory: true, transport: 5}":     {144, 576, 4 * 4 * (0.25 + 8*(1+2*2)), 480},
		"constraints=[{name: a, kind: expectation, of: {kind: quadratic, state: 1}, bound: 1}, {name: b, kind: expectation, of: {kind: quadratic, state: 1}, bound: 1}]": {144, 576, 4 * 4 * (0.25 + 2*(8*2+32)), 480},
		"algorithms=[{name: vanilla, step: 1, batch: 5}, {name: composite, step: 1, batch: 3}]":                                                                          {144, 576, 4, 3 * 5 * 8 * (4*2 + 2*1)},
	} {
		var over []Overlay
		if change != "" {
			over = append(over, Assign(change))
		}
		s := mustParse(t, uneven, over...)
		crowd, trials := s.CrowdNeed(), s.TrialNeed(3)
		if got := [4]float64{crowd[1].Bytes, trials[0].Bytes, trials[1].Bytes, trials[2].Bytes}; got != want || len(crowd) != 2 || len(trials) != 3 {
			t.Errorf("%s: %v bytes of traits, states, judges and samples, want %v", change, got, want)
		}
		if sum := crowd.Bytes(); sum != 48e6+want[0] {
			t.Errorf("%s: the crowd and the program take %v bytes", change, sum)
		}
	}
	s := mustParse(t, uneven)
	s.Record.W1 = "items" // three blocks of states more
	if got := s.TrialNeed(3)[1].Bytes; got != 4*4*(0.25+3*8*2) {
		t.Errorf("items take %v bytes", got)
	}
	for next, want := range map[string]float64{"0.5*p + d + 0*q": 1 * 8 * (1 + 1.) / 128, "0.5*p + 0.1*crowd(p) + d + 0*q": 1 * (8*(1+1.)/128 + 2*8*1)} {
		model := mustParse(t, "iterations: 1\npopulation: {size: 1, law: normal}\nmodel: {decision: q, state: p, trait: d, next: "+next+", minimize: q^2}\nalgorithms: [{name: composite, step: 1}]\n")
		if got := model.TrialNeed(0)[1].Bytes; got != want {
			t.Errorf("%s: judges take %v bytes, want %v", next, got, want)
		}
	}
}

// Of a published run the generators of all trials are kept, 2.5 kB each.
func TestNeedOfPublishedRuns(t *testing.T) {
	s := mustParse(t, crowded, Assign("trials=3"), Assign("algorithms=[{name: composite, step: 1}, {name: vanilla, step: 1, trials: 4}]"))
	need := s.CrowdNeed()
	if want := (Portion{"trials", "the generators of 7 trials", 7 * 2560}); len(need) != 3 || need[2] != want {
		t.Errorf("%+v, want %+v", need, want)
	}
}

// A spec that asks for more than there is is refused with the key that asks for most, how much, and what would take less.
func TestSpecsThatDoNotFit(t *testing.T) {
	room.SetMemory(1e9)
	defer room.SetMemory(1<<63 - 1)
	s := mustParse(t, strings.Replace(uneven, "size: 4", "size: 100000000", 1))
	const crowd = "x.yaml:2: population.size asks for too much: about 3.65 GB of memory are needed, 3.6 GB of it for the traits of 100000000 people, and 1 GB are of the limit that was set; " +
		"take fewer people, keep them as float32 (population.storage) or compute with fewer --workers, for every trial has a crowd of its own, or say with --memory how much may be taken"
	_, err := Build("x", s, nil)
	var asks *MemoryError
	if !errors.As(err, &asks) || err.Error() != crowd {
		t.Errorf("got\n%v\nwant\n%s", err, crowd)
	}
	for key, remedy := range map[string]string{"record.every": "measure fewer turns", "algorithms": "lower it"} {
		want := fmt.Sprintf("%s asks for too much: about 3 GB of memory are needed, 2 GB of it for something, and 1 GB are of the limit that was set; %s, or say with --memory how much may be taken", key, remedy)
		if err := s.Fits(Need{{key, "something", 2e9}, {"population.size", "less", 1e9}}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
	}
	if err := s.Fits(Need{{"trials", "all there is", 1e9}}); err != nil {
		t.Errorf("what just fits: %v", err)
	}
	if err := s.Fits(Need{{"trials", "all there is and a byte", 1e9 + 1}}); err == nil {
		t.Error("a byte too many fits")
	}
}
