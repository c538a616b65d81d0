package formula

import (
	"slices"

	"github.com/kedge-opt/kedge"
)

// Stirred are dynamics that noise enters: p⁺ = f(p, u, d, e) with numbers e that are drawn anew for everybody every step.
type Stirred struct {
	dims   kedge.Dims
	widths []int // of the declarations
	next   func() *program
	degree int
}

// Entries is how many numbers of declaration i a step of an individual takes.
func (f *Stirred) Entries(i int) int { return f.widths[i] }

// Width is how many numbers of noise a step of an individual takes, in the order of their declarations.
func (f *Stirred) Width() (n int) {
	for _, w := range f.widths {
		n += w
	}
	return n
}

// IsAffine tells whether the next state is affine in the noise, so that its mean is where the mean noise takes people.
func (f *Stirred) IsAffine() bool { return f.degree <= 1 }

// NextRows writes f(pᵢ, u, dᵢ, eᵢ) to the rows of dst.
func (f *Stirred) NextRows(dst, p, u, d, e []float64) {
	n := mustFit(f.dims, p, u, d)
	mustBe("dst", dst, len(p))
	mustBe("e", e, n*f.Width())
	f.next().run(n, frame{p: p, u: u, d: d, e: e, dst: dst})
}

// degreeIn is the degree of a value as a polynomial of inputs, as degP is in the state.
func degreeIn(root *node, inputs ...op) int {
	known := map[*node]int{}
	for _, n := range reachable([]*node{root}) {
		if len(n.args) == 0 {
			known[n] = int(truth(slices.Contains(inputs, n.op)))
		} else {
			known[n] = degree(n, func(a *node) int { return known[a] })
		}
	}
	return known[root]
}
