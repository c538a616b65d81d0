package kedge

import (
	"cmp"
	"math"
)

// Observation is what a decision-maker learns in one turn: the decision that was deployed and the sample it saw. The slices are
// valid only during Tell.
type Observation struct {
	Round int
	U     []float64 // the deployed decision
	P, D  []float64 // states (after answering U) and traits of the sampled individuals, one a row
	W     []float64 // how much each counts, none below 0; nil: all 1
	Who   []uint64  // who each is, by a number that stays the same from turn to turn; nil: unknown
	Loss  float64   // mean loss of the sample, by weight
}

// Sample returns how many individuals were observed: at least one, each with a state and a trait and, where they are told, a weight and a number.
func (o Observation) Sample(dim Dims) (n int, err error) {
	if len(o.P) == 0 || len(o.P)%dim.State != 0 {
		return 0, &DimError{Arg: "observation P", Got: len(o.P), Want: dim.State}
	}
	n = len(o.P) / dim.State
	if err := CheckLen("observation D", o.D, n*dim.Trait); err != nil {
		return n, err
	}
	if o.W == nil && o.Who == nil { // as in most turns
		return n, nil
	}
	return n, o.CheckPeople(n)
}

// CheckPeople returns a typed error unless weights and numbers of people, where they are told, are those of n individuals of whom somebody counts.
func (o Observation) CheckPeople(n int) error {
	if o.Who != nil {
		if err := CheckDim("observation Who", len(o.Who), n); err != nil {
			return err
		}
	}
	if o.W == nil {
		return nil
	}
	total := o.Total(n)
	return cmp.Or(checkWeights("observation W", o.W, n),
		CheckRange("the sum of observation W", total, total <= math.MaxFloat64, "a finite number: divide all weights by the largest"))
}

// Total is what means over the n individuals of the sample are divided by: the sum of the weights.
func (o Observation) Total(n int) float64 {
	if o.W == nil {
		return float64(n)
	}
	sum := 0.0
	for _, w := range o.W {
		sum += w
	}
	return sum
}

// Weight returns how much individual i of the sample counts.
func (o Observation) Weight(i int) float64 {
	if o.W == nil {
		return 1
	}
	return o.W[i]
}
