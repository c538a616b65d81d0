package advice

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// at is where a number is kept.
func at(v float64) *float64 { return &v }

// overDraws is an answer over draws by a rule.
func overDraws(rule string, change func(d *folder.OverDraws)) *folder.Result {
	d := &folder.OverDraws{Draws: 20, Rule: rule, Costs: at(-0.5), Stretch: at(0.75)}
	d.Robust = folder.Point{Value: 7, Decision: []float64{2, 3}, Starts: 5, Evidence: &folder.Evidence{Standing: folder.Proven}, Sampling: &folder.Sampling{Low: []float64{1, 2}, High: []float64{3, 4}, Value: &folder.Reach{Low: 6, High: 8}}}
	d.Stakes = []folder.Stake{{Name: "plug-in", Regret: at(1.5), Most: at(4)}, {Name: "robust", Regret: at(0.25), Most: at(2)}}
	if change != nil {
		change(d)
	}
	return &folder.Result{OverDraws: d, Names: kedge.Names{Symbol: "q", Value: kedge.Called{Unit: "EUR"}}}
}

// Advice of all sorts says what it said when it was last read.
func TestAdviceIsAsRecorded(t *testing.T) {
	sampled := func(s *folder.Sampling) *folder.Result {
		return &folder.Result{Individuals: 12345, Optimum: folder.Point{Value: 10, Decision: []float64{1.5, 2}, Exact: []bool{true}, Sampling: s}}
	}
	settled := func(gap float64, decision ...float64) *folder.Result {
		return &folder.Result{Maximize: true, Optimum: folder.Point{Value: 10, Decision: []float64{1}}, Stable: folder.Point{Value: 12.5, Gap: gap, Decision: decision}}
	}
	following := func(trials ...folder.Trial) *folder.Result {
		return &folder.Result{Runs: []folder.Run{{Name: "a"}, {Name: "b", Trials: trials}}}
	}
	one := folder.Trial{Decision: []float64{1, 2}, Finished: true}
	two := folder.Trial{Decision: []float64{3, 2}, Finished: true}
	why := Reasons{Retraining: "It settles there.", Standing: "searched", Doubts: []string{"A doubt."}}
	var lines []string
	for i, c := range []struct {
		of    *folder.Result
		known Reasons
	}{
		{sampled(nil), Reasons{}}, {sampled(&folder.Sampling{Why: "it is one of few"}), Reasons{}}, {sampled(&folder.Sampling{Why: "whole numbers", Value: &folder.Reach{Low: 9, High: 11}}), Reasons{}},
		{sampled(&folder.Sampling{Low: []float64{1, 1}, High: []float64{2, 3}, Value: &folder.Reach{Low: 9, High: 11}}), Reasons{}},
		{settled(0.2, 3), why}, {settled(1e-12, 3), why}, {settled(9e-13, 3), why}, {settled(9e-13, 3), Reasons{}}, {settled(math.NaN(), 3), why}, {settled(0.2), why}, {settled(0.2, 1, 2, 3, 4, 5, 6, 7, 8), why}, {settled(0.2, 1, 2, 3, 4, 5, 6, 7, 8, 9), why},
		{following(one), Reasons{Follow: "b", Value: 3}}, {following(one, two), Reasons{Follow: "b", Value: 3, Doubts: []string{"x"}}},
		{overDraws("mean", nil), why}, {overDraws("regret", nil), why}, {overDraws("cvar 0.1", func(d *folder.OverDraws) { d.Costs, d.Robust.Evidence.Standing = at(0.125), folder.Searched }), why},
		{overDraws("mean", func(d *folder.OverDraws) { d.Robust.Evidence = nil }), why}, {overDraws("mean", func(d *folder.OverDraws) { d.Robust.Sampling.Why, d.Missing, d.Why = "none", 3, "it runs away" }), why},
		{overDraws("mean", func(d *folder.OverDraws) { d.Stakes[0].Regret = nil }), why}, {overDraws("mean", func(d *folder.OverDraws) { d.Stakes[1].Regret = nil }), why}, {overDraws("mean", func(d *folder.OverDraws) { d.Costs = nil }), why},
		{&folder.Result{Equilibrium: &folder.Point{Value: 3, Decision: []float64{1, 2}}, Names: kedge.Names{Decision: []kedge.Called{{Name: "a"}, {Name: "b", Unit: "kg"}}, Value: kedge.Called{Name: "cost"}}}, why},
		{&folder.Result{Optimum: folder.Point{Value: 3, Decision: []float64{1}, Evidence: &folder.Evidence{Standing: folder.Stationary}}}, why}, {&folder.Result{}, why},
	} {
		text, err := json.MarshalIndent(Of(c.of, c.known), "  ", " ")
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprint("advice ", i))
		lines = append(lines, strings.Split("  "+string(text), "\n")...)
	}
	for _, e := range []folder.Estimate{
		{Value: 5}, {Value: 5, Exact: true}, {Value: 5, Low: at(4)}, {Value: 5, High: at(6)}, {Value: 5, Low: at(4), High: at(6)}, {Value: 5.12345678, Low: at(5.1234), High: at(5.1235)}, {Value: 5.12345678, Low: at(5.12345677), High: at(5.12345679)}, {Value: 5, Low: at(5), High: at(5)},
		{Value: 1e9, Low: at(9e8), High: at(2e9)}, {Value: 0, Low: at(-1e-8), High: at(1e-8)}, {Value: 0.5, Low: at(-2e9), High: at(2e9)}, {Value: 1234.5, Low: at(1234), High: at(1235)}, {Value: 1234.5, Low: at(1233), High: at(1236)}, {Value: 100, Low: at(80), High: at(120)}, {Value: -3, Low: at(-3.25), High: at(-2.75), Unit: "EUR"},
		{Value: 1e-9, Low: at(0), High: at(2e-6)}, {Value: 1e-9, Low: at(0), High: at(2e-5)}, {Value: 1, Low: at(math.NaN()), High: at(2)}, {Value: 1000, Low: at(998), High: at(1000)}, {Value: 1000, Low: at(999), High: at(1000.9)},
	} {
		lines = append(lines, fmt.Sprintf("%g: %s", e.Value, estimated(e)))
	}
	evidence.AsRecorded(t, "testdata/advice.txt", lines)
}
