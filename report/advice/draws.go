package advice

import (
	"fmt"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// drawn says what intervals over draws hold.
func (a wording) drawn(d *folder.OverDraws) string {
	if s := d.Robust.Sampling; s.Why != "" {
		return fmt.Sprintf("How far apart the answers are cannot be told: under %d of the %d draws of the model's numbers no decision is best (%s).", d.Missing, d.Draws, d.Why)
	}
	return fmt.Sprintf("The numbers of the model are not known: intervals hold what is best, and what this decision is worth, under 95 of 100 of %s of them. What is truly best they hold less often: 183 times of 200 in simulated markets.", phrase.Count(d.Draws, "draw"))
}

// wager says what the decision over draws costs against the one that the numbers of the spec call for.
func (a wording) wager(d *folder.OverDraws) {
	plug, robust := &d.Stakes[0], &d.Stakes[1]
	if plug.Regret == nil || robust.Regret == nil || d.Costs == nil {
		a.Doubts = append(a.Doubts, "Under some draws a decision has no value, so that means over draws cannot be told.")
		return
	}
	in := func(v float64) string { return a.of.Names.Value.In(phrase.Digits(v, 3)) }
	what := map[string]string{"mean": "It is best on the average of the draws", "regret": "Its largest regret over the draws is the least"}[d.Rule]
	if what == "" {
		what = "It is best over the worst part of the draws (" + d.Rule + ")"
	}
	a.Details = append(a.Details, fmt.Sprintf("%s. Against what is best under each draw it loses %s on the average and %s at most; what the numbers of the spec call for by themselves loses %s and %s. "+
		"Under no draw is it worse than that by more than %s. %s", what, in(*robust.Regret), in(*robust.Most), in(*plug.Regret), in(*plug.Most), in(max(0, *d.Costs)), d.Truly(in)))
	if e := d.Robust.Evidence; e != nil && e.Standing != folder.Proven {
		a.Doubts = append(a.Doubts, fmt.Sprintf("That nothing is better over the draws is not proven: it is %s from %s.", e.Standing, phrase.Count(d.Robust.Starts, "start")))
	}
}
