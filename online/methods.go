package online

import "strings"

// Needs is what a method must be given, turn by turn or beforehand.
type Needs struct {
	Samples     bool // states of sampled individuals, and derivatives of the loss
	Traits      bool // traits of sampled individuals, also where neither the loss nor the answer depends on them
	Panel       bool // the same individuals in successive turns
	Values      bool // mean losses
	Sensitivity bool // how settled states answer the decision
	Model       bool // a family of laws that the population is known to follow
}

// String lists what is needed.
func (n Needs) String() string {
	var list []string
	for _, one := range []struct {
		needed bool
		name   string
	}{{n.Samples, "samples"}, {n.Traits, "traits"}, {n.Panel, "panel"}, {n.Values, "values"}, {n.Sensitivity, "sensitivity"}, {n.Model, "model"}} {
		if one.needed {
			list = append(list, one.name)
		}
	}
	return strings.Join(list, ", ")
}

// Limit is where a method settles.
type Limit int

const (
	// Stable is the decision that is best for the population it leads to, as if that were given [perdomo2020].
	Stable Limit = iota
	// Myopic is the decision that is best if the population's answer within the turns that a decision is held were all of it. Of
	// two-point feedback, whose second decision meets the answer to the first, it is less still, see TwoPoint.
	Myopic
	// Optimal is the decision whose settled population is best.
	Optimal
)

// String returns the limit as a word.
func (l Limit) String() string { return [...]string{"stable", "myopic", "optimal"}[l] }
