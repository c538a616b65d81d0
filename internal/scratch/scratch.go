// Package scratch lends vectors that are needed during a call only. Whoever borrows instead of keeping is small while it is idle, however large
// the samples are that it has seen. What is lent is all zeros, so no result depends on who had it before.
package scratch

import (
	"math/bits"
	"sync"
)

// Loan is a borrowed vector. It is four words long, so that it stays in registers.
type Loan[T float64 | int] struct {
	X    []T
	back *volume[T]
}

// volume is a vector and the shelf that it goes back to.
type volume[T float64 | int] struct {
	x     []T
	shelf *sync.Pool
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
	back, ok := shelf.Get().(*volume[T])
	if !ok {
		back = &volume[T]{make([]T, 1<<power), shelf}
		return Loan[T]{back.x[:n], back}
	}
	x := back.x[:n]
	clear(x)
	return Loan[T]{x, back}
}

// Return gives v back. It must not be used any more.
func (v Loan[T]) Return() {
	if v.back != nil {
		v.back.shelf.Put(v.back)
	}
}
