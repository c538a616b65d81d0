package folder

import (
	"fmt"
	"math"
	"slices"
)

// Tracking is how the trials of a method followed an optimum that moves, as means over trials.
type Tracking struct {
	Method      string
	Mean, Worst float64 // tracking error, over the second half of the turns
	Regret      float64 // at the end
	Rate        float64 // what a turn of the second half adds to it
}

// Verdict says that nobody followed more closely.
func (t Tracking) Verdict() string {
	return fmt.Sprintf("%s follows most closely, %s from the optimum on average.", t.Method, Brief(t.Mean))
}

// Tracking tells how the methods followed an optimum that moves, and which of them most closely; none where it stays.
func (r *Result) Tracking() (list []Tracking, closest Tracking) {
	for _, one := range r.Runs {
		if !slices.ContainsFunc(one.Trials, func(t Trial) bool { return len(t.K) > 0 && t.Has("tracking") }) {
			continue
		}
		list = append(list, one.tracking())
		if last := list[len(list)-1]; len(list) == 1 || last.Mean < closest.Mean {
			closest = last
		}
	}
	return list, closest
}

func (one *Run) tracking() Tracking {
	begun := slices.DeleteFunc(slices.Clone(one.Trials), func(t Trial) bool { return len(t.K) == 0 })
	sum, trials := Tracking{Method: one.Name}, float64(len(begun))
	for _, t := range begun {
		n := len(t.K)
		errors, regret := t.Of("tracking"), t.Of("regret")
		for _, e := range errors[n/2:] {
			sum.Mean += e / float64(n-n/2) / trials
			sum.Worst = max(sum.Worst, e)
		}
		sum.Regret += regret[n-1] / trials
		if turns := t.K[n-1] - t.K[n/2]; turns > 0 {
			sum.Rate += (regret[n-1] - regret[n/2]) / float64(turns) / trials
		}
	}
	return sum
}

// Brief writes a number with three digits, thousands as they are.
func Brief(x float64) string {
	if size := math.Abs(x); size >= 1000 && size < 1e6 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
