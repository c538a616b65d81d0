package scratch

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
)

// What is lent has the length that was asked for and holds zeros, whatever the one before left in it; two that are out at once do not overlap.
func TestBorrowedVectorsAreZerosOfTheirOwn(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 63, 64, 65, 1000} {
		for range 20 {
			a, b := Borrow(n), Borrow(n)
			for _, v := range []Loan[float64]{a, b} {
				if len(v.X) != n || cap(v.X) >= 2*max(n, 1) && n > 0 || slices.ContainsFunc(v.X, func(x float64) bool { return x != 0 }) {
					t.Fatalf("of %d entries: %v", n, v.X)
				}
			}
			for i := range a.X {
				a.X[i] = 7
			}
			if slices.Contains(b.X, 7) {
				t.Fatalf("%d entries are lent twice", n)
			}
			for i := range b.X {
				b.X[i] = 8
			}
			a.Return()
			b.Return()
		}
	}
}

func TestBorrowedIndicesAreZeros(t *testing.T) {
	for range 20 {
		v, w := BorrowInts(100), Borrow(100)
		if len(v.X) != 100 || slices.ContainsFunc(v.X, func(x int) bool { return x != 0 }) {
			t.Fatal(v.X)
		}
		v.X[99], w.X[99] = 7, 7
		v.Return()
		w.Return()
	}
}

func TestBorrowingAgainAllocatesNothing(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	if n := testing.AllocsPerRun(100, func() { Borrow(100).Return(); BorrowInts(100).Return() }); n != 0 {
		t.Errorf("allocates %v times", n)
	}
}
