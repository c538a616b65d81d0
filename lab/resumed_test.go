package lab

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem"
)

// By hand: of three trials of ten turns one is finished, one is at its third, and one was saved as another; that makes 13 of 30 turns.
func TestResumedByHand(t *testing.T) {
	var said []string
	k := &keeper{
		resumed: true, say: func(line string) { said = append(said, line) }, underway: map[place]int{{0, 1}: 3},
		finished: map[place]*folder.Trial{{0, 0}: {Index: 0, Finished: true, Decision: []float64{1}}, {0, 2}: {Index: 1, Finished: true, Decision: []float64{2}}},
	}
	r := &run{keeper: k, result: &folder.Result{Iterations: 10, Runs: []folder.Run{{Planned: 3, Trials: make([]folder.Trial, 3)}}}}
	r.Progress = new(Progress)
	r.resume()
	one := r.result.Runs[0]
	if r.Progress.Done.Load() != 13 || !slices.Equal(said, []string{"resumed at 43 %"}) || !one.Trials[0].Finished || one.Trials[1].Finished || one.Trials[2].Finished {
		t.Errorf("%d turns, said %q: %+v", r.Progress.Done.Load(), said, one.Trials)
	}
	k.resumed, said = false, nil
	if r.resume(); said != nil {
		t.Errorf("what was not resumed says %q", said)
	}
	(&run{}).resume()
}

// By hand: a column for every constraint, three for players, three for an optimum that moves, whatever moves it.
func TestColumnsAreCounted(t *testing.T) {
	s := *paced(t, "lq2").Spec
	base := measuredColumns(&s)
	for name, x := range map[string]struct {
		change func(s *problem.Spec)
		more   float64
	}{
		"constraints": {func(s *problem.Spec) { s.Constraints = append(s.Constraints[:0:0], make([]problem.Constraint, 2)...) }, 2},
		"players":     {func(s *problem.Spec) { s.Players = append(s.Players[:0:0], make([]problem.Player, 2)...) }, 3},
		"churn":       {func(s *problem.Spec) { s.Population.Churn = 0.1 }, 3},
		"changes":     {func(s *problem.Spec) { s.Changes = append(s.Changes[:0:0], make([]problem.Change, 1)...) }, 3},
	} {
		other := s
		x.change(&other)
		if got := measuredColumns(&other) - base; math.Abs(got-x.more) > 0 {
			t.Errorf("%s take %v columns, want %v", name, got, x.more)
		}
	}
}
