package folder

import (
	"bytes"
	"slices"
	"testing"
)

// What is written cell by cell is what the encoder makes of all of them at once.
func TestLongListsAreWrittenAsShortOnes(t *testing.T) {
	cells := []CellResult{
		{ID: "a", Values: []string{"1", "[1, 2]"}, Err: "of <nothing>"}, {ID: "b", Values: []string{"\"x\"", "]\n}\n"}}, {ID: "c", Values: nil, Err: ""}, {ID: "d", Values: []string{"", "é\u2028"}, Err: "\x00"},
	}
	for n := range len(cells) + 1 {
		r := &SweepResult{Name: "grid \"[]\n}", Seed: 1 << 63, Keys: []string{"hold", "a.b"}, Cells: cells[:n]}
		var got, want, failed, wantFailed bytes.Buffer
		if err := r.writeIndex(&got); err != nil {
			t.Fatal(err)
		}
		if err := WriteJSON(&want, r); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%d cells: %s, want %s", n, got.String(), want.String())
		}
		if r.Failed() == 0 {
			continue
		}
		if err := r.writeFailures(&failed); err != nil {
			t.Fatal(err)
		}
		if WriteJSON(&wantFailed, slices.Collect(r.failures)); failed.String() != wantFailed.String() {
			t.Errorf("%d cells: %s, want %s", n, failed.String(), wantFailed.String())
		}
	}
}
