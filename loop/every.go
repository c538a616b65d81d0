package loop

import (
	"fmt"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// A measurement lets everybody settle, which by formulas takes about as long as so many steps: from 1, where they are linear, to 250 on the
// examples. It is left out of some turns where a trial is long and would have people settle more than mostSettled times, some seconds of
// work, but leastMeasured measurements of a trial are always taken. All of these are counts, so that what is measured depends on the spec alone.
const (
	settlingSteps = 30
	mostSettled   = 1_000_000
	leastMeasured = 500
	longTrial     = 2000
)

// Every is one in how many turns is measured of a model in formulas that does not say: all, unless measurements would take far longer than
// the turns themselves.
func Every(turns, people, hold int) int {
	if turns < longTrial || float64(turns)*float64(people) <= mostSettled {
		return 1
	}
	return max(1, min(turns/leastMeasured, settlingSteps/max(1, hold)))
}

// EveryNote says that turns are left out which nobody asked to leave out.
func EveryNote(every, turns, people int) string {
	return fmt.Sprintf("One turn in %d is measured, and the last: to let %s people settle by formulas takes far longer than a turn, and there are %s. Set record.every: 1 to measure all.",
		every, phrase.Grouped(people), phrase.CountGrouped(turns, "turn"))
}
