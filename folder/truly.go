package folder

import "fmt"

// Truly says what the decision over draws may cost in truth, which is one draw more than those that were looked at, and of a log of few people.
func (d *OverDraws) Truly(in func(v float64) string) string {
	if d.Stretch == nil {
		return "What it may lose in truth cannot be told: there are too few draws, or some without an answer."
	}
	return fmt.Sprintf("In truth, which is none of the draws, it may be %s: so far do costs go with a chance of one in 1,000 if draws are as rough as of ten people, and if the form of the model is right.", in(max(0, *d.Stretch)))
}
