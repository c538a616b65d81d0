package folder

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/loop"
)

// Advice is what a result advises to do.
type Advice struct {
	Text     string     `json:"text"`   // "Set apples = 5.16 EUR, pears = 7.03 EUR."
	Source   string     `json:"source"` // optimum, equilibrium, or the name of the method that found it
	Decision []Estimate `json:"decision"`
	Value    Estimate   `json:"value"`    // what it earns or costs
	Interval string     `json:"interval"` // what the intervals hold, or why there are none

	Retraining *Loss    `json:"retraining,omitempty"` // what settling with plain retraining loses
	Doubts     []string `json:"doubts,omitempty"`     // what may be wrong with all this
	Details    []string `json:"details,omitempty"`    // value, intervals and retraining in sentences
}

// Estimate is a number with its interval, where there is one.
type Estimate struct {
	Name  string   `json:"name,omitempty"`
	Unit  string   `json:"unit,omitempty"`
	Value float64  `json:"value"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	Exact bool     `json:"exact,omitempty"` // a whole number, or one of a list: every digit counts
}

// Loss is what a decision costs against the best.
type Loss struct {
	Decision []float64 `json:"decision"`
	Value    float64   `json:"value"`
	Lost     float64   `json:"lost"`     // in the unit of the value
	Relative float64   `json:"relative"` // to the optimal value
}

// DecisionSpread is an entry of the decisions that the trials of a method ended with.
type DecisionSpread struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	Spread
	Low  *float64 `json:"low,omitempty"` // of an interval that holds the mean of many such trials in 95 of 100 cases
	High *float64 `json:"high,omitempty"`
}

// NameOf is what entry i of the decision is called in files, its name or its number as in u_0, with its unit.
func (r *Result) NameOf(i int) kedge.Called {
	c := loop.DecisionColumn(i, r.Names.Decision)
	return kedge.Called{Name: c.Name, Unit: c.Unit}
}

// Entries is what the entries of decisions are called in files, none before a trial has ended.
func (r *Result) Entries() (list []kedge.Called) {
	for _, run := range r.Runs {
		for _, t := range run.Trials {
			for len(list) < len(t.Decision) {
				list = append(list, r.NameOf(len(list)))
			}
		}
	}
	return list
}

// Decisions are the entries of where the trials of a method ended, none where no trial did or one has no end.
func (r *Result) Decisions(run *Run) (list []DecisionSpread) {
	if len(run.Trials) == 0 {
		return nil
	}
	for i := range run.Trials[0].Decision {
		var ends []float64
		for _, t := range run.Trials {
			if i < len(t.Decision) {
				ends = append(ends, t.Decision[i])
			}
		}
		called := r.NameOf(i)
		one := DecisionSpread{Name: called.Name, Unit: called.Unit}
		s := SpreadOf(ends)
		if s == nil {
			return nil
		}
		one.Spread = *s
		if mean, half := Student(ends, Confidence); len(ends) > 1 {
			low, high := mean-half, mean+half
			one.Low, one.High = &low, &high
		}
		list = append(list, one)
	}
	return list
}
