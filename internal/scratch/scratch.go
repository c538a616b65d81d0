// Package scratch lends vectors that are needed during a call only. Whoever borrows instead of keeping is small while it is idle, however large
// the samples are that it has seen. What is lent is all zeros, so no result depends on who had it before.
package scratch

import (
	"math/bits"
	"sync"
)

// Loan is a borrowed vector.
type Loan struct {
	X    []float64
	back *[]float64
}

// shelves are the idle vectors, by the power of two that they have room for. The garbage collector clears them.
var shelves = sync.OnceValue(func() *[bits.UintSize + 1]sync.Pool { return new([bits.UintSize + 1]sync.Pool) })

// Borrow returns n zeros, to be given back.
func Borrow(n int) Loan {
	if n == 0 {
		return Loan{}
	}
	shelf := bits.Len(uint(n - 1))
	back, ok := shelves()[shelf].Get().(*[]float64)
	if !ok {
		x := make([]float64, 1<<shelf)
		return Loan{X: x[:n], back: &x}
	}
	v := Loan{X: (*back)[:n], back: back}
	clear(v.X)
	return v
}

// Return gives v back. It must not be used any more.
func (v Loan) Return() {
	if v.back != nil {
		shelves()[bits.Len(uint(cap(*v.back)-1))].Put(v.back)
	}
}
