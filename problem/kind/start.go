package kind

import (
	"github.com/kedge-opt/kedge/problem/form"
)

// Start is a kind of first decisions.
type Start interface {
	form.Kind
	// Describe describes its keys.
	Describe(f *form.Form)
	// Check looks for what does not fit a decision.
	Check(s *Scene)
	// Fill writes the first decision, before it is projected onto the set, to u, which is 0. A *stream.NumPy draws as published programs do.
	Fill(u []float64, r Numbers, total float64)
	// Divides tells whether total is used: what the decisions of the set, which must be a simplex, add up to.
	Divides() bool
}

// Numbers draws what first decisions are made of.
type Numbers interface {
	Float64() float64
	Normal() float64
}

// DescribeStart describes a first decision by its law and the keys of that.
func (c *Catalogue) DescribeStart(f *form.Form, x *Start) {
	form.Pick(f, "law", x, c.Starts, "zero", form.Says("How the first decision is drawn.", "", "sphere"))
	if *x != nil {
		(*x).Describe(f)
	}
}
