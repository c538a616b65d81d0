package view

import (
	"encoding/json"
	"math"
	"testing"
)

// Numbers are written as encoding/json does, and null stands for what JSON has no word for.
func TestSparseNumbers(t *testing.T) {
	for _, c := range []struct {
		n    Sparse
		want string
	}{
		{nil, `[]`}, {Sparse{1.5}, `[1.5]`}, {Sparse{math.NaN(), 2, math.Inf(1), -3e-300, math.Inf(-1), 0.1}, `[null,2,null,-3e-300,null,0.1]`},
	} {
		got, err := json.Marshal(Extremes{Min: c.n, Max: Sparse{0}})
		if want := `{"min":` + c.want + `,"max":[0]}`; err != nil || string(got) != want {
			t.Errorf("%v is written as %s, %v, want %s", c.n, got, err, want)
		}
		var back []*float64
		if text, _ := json.Marshal(c.n); json.Unmarshal(text, &back) != nil || len(back) != len(c.n) {
			t.Errorf("%s is read as %d numbers", text, len(back))
		}
		for i, v := range back {
			if finite := !math.IsNaN(c.n[i]) && !math.IsInf(c.n[i], 0); finite != (v != nil) || finite && *v != c.n[i] {
				t.Errorf("number %d of %v comes back as %v", i, c.n, v)
			}
		}
	}
}
