package command

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// A run that was left before a trial was finished has no rate; one of 2 trials × 10 turns × 1000 people in 2 s moves 10⁴ a second.
func TestRateOfRuns(t *testing.T) {
	r := &folder.Result{Iterations: 10, Individuals: 1000, Runs: []folder.Run{{Name: "composite"}}}
	if got := rate(r, 1); got != nil {
		t.Errorf("no trial, but %q", got)
	}
	r.Runs[0].Trials, r.Runs[0].Seconds = make([]folder.Trial, 2), 2
	if got := strings.Join(rate(r, 1), ""); got != "rate: 0.01 million individual steps a second in each trial" {
		t.Errorf("got %q", got)
	}
}
