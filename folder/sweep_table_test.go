package folder

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// grid is a sweep over a number and a text: one cell with two methods, one with draws and a decision of another length, one that failed.
func grid() *SweepResult {
	regret := 7.5
	price := func(mean float64) []DecisionSpread {
		return []DecisionSpread{{Name: "price", Unit: "EUR", Spread: Spread{mean, mean - 1, mean + 1}}, {Name: "u_1", Spread: Spread{-mean, -mean, -mean}}}
	}
	first := &Summary{
		Order: []string{"x", "y"}, Optimum: Point{Value: 3, Residual: 1e-9}, Stable: &Point{Gap: 0.25},
		Algorithms: map[string]SummaryAlgorithm{
			"x": {Trials: 2, Value: &Spread{4, 3, 5}, Gap: &Spread{1, 0, 2}, Distance: &Spread{6, 5, 7}, Decision: price(10)}, "y": {Trials: 1, Decision: price(20)},
		},
	}
	second := &Summary{
		Order: []string{"x"}, Optimum: Point{Value: 8}, Algorithms: map[string]SummaryAlgorithm{"x": {Trials: 3, Decision: []DecisionSpread{{Name: "price"}}}},
		OverDraws: &OverDraws{Robust: Point{Value: 9, Decision: []float64{11, 12}, Sampling: &Sampling{Value: &Reach{8.5, 9.5}}}, Stakes: []Stake{{}, {Regret: &regret}}},
	}
	return &SweepResult{Keys: []string{"rate", "who"}, Cells: []CellResult{
		{ID: "a", Values: []string{"0.5", "all"}, Numbers: []float64{0.5, math.NaN()}, Summary: first},
		{ID: "b", Values: []string{"2", "some"}, Numbers: []float64{2, math.NaN()}, Summary: second},
		{ID: "c", Values: []string{"3", "none"}, Numbers: []float64{3, math.NaN()}, Err: "it failed"},
	}}
}

// By hand: a row for every method of every finished cell, in the order of the spec, with what the cell knows; what is not known is NaN.
func TestTableOfASweep(t *testing.T) {
	r := grid()
	var got []string
	for _, c := range r.Table().Columns {
		if c.Text != nil {
			got = append(got, fmt.Sprint(c.Name, " ", strings.Join(c.Text, " ")))
		} else {
			got = append(got, fmt.Sprint(c.Name, " ", strings.Trim(fmt.Sprint(c.Numbers), "[]")))
		}
	}
	want := []string{
		"cell a a b", "rate 0.5 0.5 2", "who all all some", "algorithm x y x", "finished_trials 2 1 3", "value_mean 4 NaN NaN", "value_min 3 NaN NaN", "value_max 5 NaN NaN",
		"gap_mean 1 NaN NaN", "gap_min 0 NaN NaN", "gap_max 2 NaN NaN", "distance_mean 6 NaN NaN", "distance_min 5 NaN NaN", "distance_max 7 NaN NaN",
		"price_mean 10 20 NaN", "price_min 9 19 NaN", "price_max 11 21 NaN", "u_1_mean -10 -20 NaN", "u_1_min -10 -20 NaN", "u_1_max -10 -20 NaN",
		"optimum_value 3 3 8", "optimum_residual 1e-09 1e-09 0", "stable_gap 0.25 0.25 NaN", "over_draws_price NaN NaN 11", "over_draws_u_1 NaN NaN 12", "over_draws_value NaN NaN 9",
		"over_draws_low NaN NaN 8.5", "over_draws_high NaN NaN 9.5", "over_draws_regret_of_spec NaN NaN NaN", "over_draws_regret NaN NaN 7.5",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if e := r.Entries(); len(e) != 2 || e[0].Name != "price" || e[0].Unit != "EUR" || e[1].Name != "u_1" {
		t.Errorf("entries %+v", e)
	}
	over := r.Cells[1].Summary.OverDraws
	over.Robust.Sampling, over.Robust.Decision, over.Stakes = nil, over.Robust.Decision[:1], nil
	for _, c := range r.Table().Columns {
		if rest, isOver := strings.CutPrefix(c.Name, "over_draws_"); isOver && rest != "value" && !math.IsNaN(c.Numbers[2]) {
			t.Errorf("%s is %v though it is not known", c.Name, c.Numbers[2])
		}
	}
	r.Cells[1].Summary.OverDraws = nil
	if c := r.Table().Columns; c[len(c)-1].Name != "stable_gap" {
		t.Errorf("without draws the last column is %s", c[len(c)-1].Name)
	}
	for n, want := range map[int]int{mostTabled: mostTabled, mostTabled + 1: 0} {
		if got := len(tabled([]Ending{{}, {SummaryAlgorithm: SummaryAlgorithm{Decision: make([]DecisionSpread, n)}}})); got != want {
			t.Errorf("of %d entries %d are shown, want %d", n, got, want)
		}
	}
}

// A text with its checksum is known by it; without one, with another or with one more byte it is not.
func TestSumsOfTexts(t *testing.T) {
	text := []byte("{\n  \"a\": 1\n}\n")
	whole := withSum(slices.Clone(text))
	if bare, ok := checkSum(whole); !ok || string(bare) != string(text) {
		t.Errorf("%q is read as %q, %v", whole, bare, ok)
	}
	if _, ok := checkSum(withSum([]byte("\n}\n"))); !ok {
		t.Error("an empty text has no sum")
	}
	for _, bad := range []string{string(text), "", strings.Replace(string(whole), "1", "2", 1), string(whole) + " "} {
		if _, ok := checkSum([]byte(bad)); ok {
			t.Errorf("%q is taken for whole", bad)
		}
	}
}
