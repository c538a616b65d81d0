package formula

import (
	"slices"
	"testing"
)

// shared is a value that all have, apart one that everybody has for himself; with no room behind it.
func shared(x ...float64) operand           { return operand{x: slices.Clip(x), width: len(x)} }
func apart(width int, x ...float64) operand { return operand{slices.Clip(x), width, width} }

// Sums over individuals, of a value and of a factor times a value, are added up by hand, whichever of the two all share.
func TestSumsOfProducts(t *testing.T) {
	const n = 3
	one, two := []float64{2, -3, 5}, []float64{1, 2, -1, 4, 3, 0.5}
	for i, x := range []operand{shared(7), apart(1, one...), shared(4, -1), apart(2, two...)} {
		for j, c := range []operand{shared(0.5), apart(1, 1, -2, 4)} {
			sum, want := shared(make([]float64, x.width)...), make([]float64, x.width)
			for k := range want {
				sum.x[k], want[k] = 10, 10
			}
			for i := range n {
				for k, v := range x.at(i) {
					want[k] += c.at(i)[0] * v
				}
			}
			in := &instr{args: []int{1}, coefs: []int{0}}
			if in.rowSum(n, sum, []operand{c, x}); !slices.Equal(sum.x, want) {
				t.Errorf("value %d, factor %d: the sum is %v, want %v", i, j, sum.x, want)
			}
		}
		sum, want := shared(make([]float64, x.width)...), make([]float64, x.width)
		for i := range n {
			for k, v := range x.at(i) {
				want[k] += v
			}
		}
		if (&instr{args: []int{0}}).rowSum(n, sum, []operand{x}); !slices.Equal(sum.x, want) {
			t.Errorf("value %d: the sum is %v, want %v", i, sum.x, want)
		}
	}
}

// Rows are scaled one by one to what they are by hand, whichever of factor and row all share.
func TestScaledRows(t *testing.T) {
	const n, width = 3, 2
	for _, x := range []operand{shared(4, -1), apart(width, 1, 2, -1, 4, 3, 0.5)} {
		for _, c := range []operand{shared(0.5), apart(1, 1, -2, 4)} {
			dst, want := apart(width, make([]float64, n*width)...), []float64(nil)
			for i := range n {
				for _, v := range x.at(i) {
					want = append(want, c.at(i)[0]*v)
				}
			}
			if scale(n, dst, c, x); !slices.Equal(dst.x, want) {
				t.Errorf("%v times %v are %v, want %v", c.x, x.x, dst.x, want)
			}
		}
	}
}
