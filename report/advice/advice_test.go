package advice

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
)

// The interval over trials is Student's: 2 ± 12.706 · √2/√2.
func TestAdviceSaysWhatToDo(t *testing.T) {
	trials := []folder.Trial{{Decision: []float64{1, 4}, Finished: true}, {Decision: []float64{3, 4}, Finished: true}}
	named := kedge.Names{Decision: []kedge.Called{{Name: "apples", Unit: "EUR"}, {Name: "pears", Unit: "EUR"}}, Value: kedge.Called{Name: "revenue", Unit: "EUR"}}
	best := folder.Point{Value: 10, Decision: []float64{5.1634, 7}, Evidence: &folder.Evidence{Standing: folder.Proven}}
	searched := best
	searched.Evidence = &folder.Evidence{Standing: folder.Searched}
	sampled := best
	sampled.Sampling = &folder.Sampling{Low: []float64{5, 6.9}, High: []float64{5.4, 7.1}, Value: &folder.Reach{Low: 9, High: 11}}
	long := folder.Point{Decision: make([]float64, 20)}
	for _, c := range []struct {
		name    string
		of      folder.Result
		known   Reasons
		text    string
		details []string // each stands in one of them
		not     string   // stands in none
		doubts  int
	}{
		{"a moving optimum", folder.Result{Names: named, Runs: []folder.Run{{Name: "lazy"}, {Name: "composite", Trials: trials}}}, Reasons{Follow: "composite", Value: 3},
			"The optimum moves: let composite decide every turn", []string{"apples = 2.000 EUR (−11\u00a0…\u00a015)", "pears = 4.000 EUR", "the mean of many such trials"}, "Plain retraining", 0},
		{"an equilibrium", folder.Result{Equilibrium: &best, Optimum: searched}, Reasons{},
			"The players come to rest at u = 5.163, 7.000: none of them gains by moving alone.", []string{"It costs 10.00 once people have settled."}, "Plain retraining", 0},
		{"retraining loses", folder.Result{Names: named, Maximize: true, Optimum: best, Stable: folder.Point{Value: 8, Gap: 0.2, Decision: []float64{6, 8}}}, Reasons{},
			"Set apples = 5.163 EUR, pears = 7.000 EUR.", []string{"The revenue is 10.00 EUR", "would settle at apples = 6.000 EUR, pears = 8.000 EUR and lose 2.00 EUR, 20.0\u202f%"}, "It earns", 0},
		{"nothing is lost", folder.Result{Optimum: best, Stable: folder.Point{Value: 10, Decision: []float64{5.1634, 7}}}, Reasons{Retraining: "Retraining settles there too."},
			"Set u = 5.163, 7.000.", []string{"Retraining settles there too."}, "lose", 0},
		{"an interval", folder.Result{Optimum: sampled, Individuals: 1000}, Reasons{},
			"Set u = 5.163 (5.00\u00a0…\u00a05.40), 7.000 (6.900\u00a0…\u00a07.100).", []string{"It costs 10.00 (9.0\u00a0…\u00a011.0)", "these 1000 individuals are a sample"}, "No interval", 0},
		{"an interval narrower than its digits", folder.Result{Individuals: 9, Optimum: folder.Point{Value: 1, Decision: []float64{5.12345678}, Sampling: &folder.Sampling{Low: []float64{5.12345677}, High: []float64{5.12345679}, Value: &folder.Reach{Low: 1, High: 1}}}}, Reasons{},
			"Set u = 5.123.", nil, "", 0},
		{"not proven", folder.Result{Optimum: searched}, Reasons{Standing: "searched", Doubts: []string{"People do not settle."}},
			"Set u = 5.163, 7.000.", nil, "", 2},
		{"many entries", folder.Result{Optimum: long}, Reasons{}, "Set u = 0, 0, 0, … (20 entries, all in the table of decisions).", nil, "", 0},
	} {
		a := Of(&c.of, c.known)
		details := strings.Join(a.Details, "\n")
		if !strings.HasPrefix(a.Text, c.text) || c.not != "" && strings.Contains(details, c.not) || len(a.Doubts) != c.doubts {
			t.Errorf("%s: %q, doubts %q, details %q", c.name, a.Text, a.Doubts, a.Details)
		}
		for _, want := range c.details {
			if !strings.Contains(details, want) {
				t.Errorf("%s: no word of %q in %q", c.name, want, a.Details)
			}
		}
	}
	if a := Of(&folder.Result{}, Reasons{}); a != nil {
		t.Errorf("of nothing: %+v", a)
	}
	if a := Of(&folder.Result{Optimum: searched}, Reasons{Doubts: []string{"People do not settle."}}); !strings.HasPrefix(a.Doubts[0], "That nothing is better is not proven") {
		t.Errorf("the first doubt is %q", a.Doubts[0])
	}
}

// Whole numbers and entries of lists are exact, as the point says of each; of entries that it does not speak of none is.
func TestEntriesAreAsExactAsTheyAreKnown(t *testing.T) {
	a := Of(&folder.Result{Optimum: folder.Point{Decision: []float64{3, 2.5, 7, 1}, Exact: []bool{true, false, true}}}, Reasons{})
	for i, want := range []bool{true, false, true, false} {
		if a.Decision[i].Exact != want {
			t.Errorf("entry %d: %+v", i, a.Decision[i])
		}
	}
}
