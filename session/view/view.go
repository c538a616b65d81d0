// Package view is what a loop shows of itself in numbers: what samples say, and series over its decisions.
package view

import (
	"math"
	"strconv"
)

// SeriesPage is series of numbers over the decisions of a loop, thinned to buckets of several decisions.
type SeriesPage struct {
	K      []int               `json:"k"` // the first decision of every bucket
	Series map[string]Extremes `json:"series"`
}

// Extremes is the least and the largest number of every bucket; where a decision has none there is NaN, which JSON calls null.
type Extremes struct {
	Min Sparse `json:"min"`
	Max Sparse `json:"max"`
}

// Sparse are numbers, written as JSON with null for what is not finite.
type Sparse []float64

// MarshalJSON writes them.
func (n Sparse) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// Sample is who counted at a close.
type Sample struct {
	Rows         int     `json:"rows"` // that counted
	Effective    float64 `json:"effective"`
	Early        int     `json:"early"` // observed before people had time to answer
	WithoutTrait int     `json:"without_trait"`
	Quarantined  int     `json:"quarantined,omitempty"` // outside their ranges, or far from all seen before
}

// SampleValue is what the sample says of what is live, with an interval that holds the mean of all in 95 of 100 such samples.
type SampleValue struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// GradientTerms are how long the two parts of the gradient are, and how they lie to each other.
type GradientTerms struct {
	Direct float64 `json:"direct"`
	Answer float64 `json:"answer"`
	Cosine float64 `json:"cosine"`
	Step   float64 `json:"step"` // how far the iterate moved
}
