package folder

import "testing"

// Of the methods that keep the constraints the one with the smallest gap leads, and of equal ones the first; one without a gap, or that breaks a constraint, never does.
func TestWhoLeads(t *testing.T) {
	gap := func(mean float64) *Spread { return &Spread{Mean: mean, Min: mean, Max: mean} }
	s := &Summary{Order: []string{"none", "breaks", "far", "near", "same", "odd"}, Algorithms: map[string]SummaryAlgorithm{
		"none": {}, "breaks": {Gap: gap(0.125), Breaks: []Breach{{}}}, "far": {Gap: gap(4)}, "near": {Gap: gap(0.5)}, "same": {Gap: gap(0.5)}, "odd": {Gap: gap(Unknown().Mean)},
	}}
	if best := s.leader(); best == nil || *best != (Leader{"near", 0.5}) {
		t.Errorf("%+v", best)
	}
	s.Order = s.Order[:2]
	if best := s.leader(); best != nil {
		t.Errorf("%+v", best)
	}
}

// A comparison that was not given a name by its manifest has the one of its table.
func TestNamesOfComparisons(t *testing.T) {
	for _, given := range []string{"", "mine"} {
		at := t.TempDir()
		c, err := KindCompare.Take(at)
		if err == nil {
			err = c.Commit(Manifest{Case: given, Identity: CurrentIdentity(nil)}, Contents{CompareFile: asText(`{"name": "toy", "problems": []}`)}, nil)
			c.Release()
		}
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"": "toy", "mine": "mine"}[given]
		if l, err := List(t.Context(), true, at); err != nil || len(l.Folders) != 1 || l.Folders[0].Case != want || l.Folders[0].State != AllAsWritten {
			t.Errorf("%q: %+v, %v, want %s", given, l, err, want)
		}
	}
}
