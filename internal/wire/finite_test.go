package wire_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/wire"
)

// Lists that must be finite are refused where any entry of any of them is not, and are then what they were; what is written is not looked at.
func TestListsThatAreNotFinite(t *testing.T) {
	for i := range 4 {
		for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
			one, two := []float64{1, 2}, []float64{3, 4}
			fields := func(f *wire.Fields) {
				f.Fixed(one, two)
				f.Finite("the list", one, two)
			}
			[][]float64{one, two}[i/2][i%2] = odd
			data, err := wire.Append(nil, "lists/1", fields)
			if err != nil {
				t.Fatal(err)
			}
			copy(one, []float64{5, 6})
			copy(two, []float64{7, 8})
			err = wire.Restore(data, "lists/1", fields)
			if odd == math.MaxFloat64 {
				if err != nil || [][]float64{one, two}[i/2][i%2] != odd {
					t.Errorf("entry %d is %v: %v", i, odd, err)
				}
			} else if err == nil || err.Error() != "read lists/1: the list is not finite" || one[0] != 5 || one[1] != 6 || two[0] != 7 || two[1] != 8 {
				t.Errorf("entry %d is %v: %v, %v, %v", i, odd, one, two, err)
			}
		}
	}
}
