// Package scratch lends vectors that are needed during a call only. Whoever borrows instead of keeping is small while it is idle, however large
// the samples are that it has seen. What is lent is all zeros, so no result depends on who had it before.
package scratch

import (
	"math/bits"
	"sync"
)

// Loan is a borrowed vector.
type Loan[T float64 | int] struct {
	X     []T
	back  *[]T
	shelf *sync.Pool // that it goes back to
}

// shelves are idle vectors, by the power of two that they have room for. The garbage collector clears them.
type shelves [bits.UintSize + 1]sync.Pool

var (
	numbers = sync.OnceValue(func() *shelves { return new(shelves) })
	indices = sync.OnceValue(func() *shelves { return new(shelves) })
)

// Borrow returns n zeros, to be given back.
func Borrow(n int) Loan[float64] { return borrow[float64](numbers(), n) }

// BorrowInts returns n zeros, to be given back.
func BorrowInts(n int) Loan[int] { return borrow[int](indices(), n) }

func borrow[T float64 | int](from *shelves, n int) Loan[T] {
	if n == 0 {
		return Loan[T]{}
	}
	power := bits.Len(uint(n - 1))
	shelf := &from[power]
	back, ok := shelf.Get().(*[]T)
	if !ok {
		x := make([]T, 1<<power)
		return Loan[T]{X: x[:n], back: &x, shelf: shelf}
	}
	v := Loan[T]{X: (*back)[:n], back: back, shelf: shelf}
	clear(v.X)
	return v
}

// Return gives v back. It must not be used any more.
func (v Loan[T]) Return() {
	if v.shelf != nil {
		v.shelf.Put(v.back)
	}
}
