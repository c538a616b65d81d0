package fit

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Of four numbers two and two of which go together, each pair is named by itself, though any mixture of both ways is blind too; what is told has its inverse.
func TestBlindPairsAreNamedApart(t *testing.T) {
	d := mat.NewDense(6, 5, nil)
	for i := range 6 {
		x, y := float64(i+1), float64(i*i)-3
		d.SetRow(i, []float64{x, y, 2 * x, -y, float64(i % 2)})
	}
	var unknowns []Unknown
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		unknowns = append(unknowns, Free(name, 0))
	}
	inverse, loose, blind, err := Bread(d, unknowns)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, one := range blind {
		said = append(said, one.String())
	}
	slices.Sort(said)
	if len(said) != 2 || said[0] != "a and c cannot be told apart: the log never moved what would tell" || said[1] != "b and d cannot be told apart: the log never moved what would tell" {
		t.Errorf("blind: %q", said)
	}
	if !slices.Equal(loose, []bool{true, true, true, true, false}) {
		t.Errorf("loose: %v", loose)
	}
	for _, one := range blind { // the way changes no prediction
		for i := range 6 {
			sum := 0.0
			for j, name := range one.Names {
				sum += d.At(i, int(name[0]-'a')) * one.By[j]
			}
			if sum > 1e-12 || sum < -1e-12 {
				t.Errorf("%v changes row %d by %v", one, i, sum)
			}
		}
	}
	if inverse.At(4, 4) <= 0 {
		t.Errorf("inverse %v", mat.Formatted(inverse))
	}
}
