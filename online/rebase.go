package online

import (
	"cmp"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Rebase tells the rule that u is deployed, before it is told what was observed under u: decisions are rounded, capped or refused where they are
// deployed. A rule that asked for more than lead away from u is brought to within lead of it, and into its set; what its parts remember
// stays. The lead lets steps add up that are shorter than what is rounded away, and keeps the iterate from running off while nothing that it asks for
// is deployed. A set that limits the reach of decisions is told u. An estimator that takes what it asked for to be deployed (Aimer) takes no step on a
// turn that missed by more than lead. On an error the rule is unchanged.
//
// It is for live populations; a simulated one deploys what it is asked to.
func (d *Descent) Rebase(u []float64, lead float64) error {
	err := cmp.Or(kedge.CheckVector("the deployed decision", u, len(d.u)), kedge.CheckRange("lead", lead, lead >= 0, "a number ≥ 0"))
	if err != nil {
		return err
	}
	d.Ask(d.next)
	if missed := !(rows.Distance(d.next, u) <= lead); missed {
		copy(d.next, d.u)
		if err := d.approach(d.next, u, lead); err != nil {
			return err
		}
		copy(d.u, d.next)
		d.missed = d.able.miss()
	}
	d.live = append(d.live[:0], u...)
	copy(d.deployed, u)
	return nil
}

// approach moves x to within lead of u and into the set.
func (d *Descent) approach(x, u []float64, lead float64) error {
	if off := rows.Distance(x, u); off > lead {
		for i, v := range u {
			x[i] = v + float64((x[i]-v)*(lead/off))
		}
	}
	if err := d.rule.Set.Project(x); err != nil {
		return fmt.Errorf("bring the iterate to what is deployed: %w", err)
	}
	return nil
}

// Terms returns the gradient that the last step was taken on, before transforms, as the sum of two: what the decision does by itself, mean ∂Φ/∂u, and
// by the answer of the settled population. Under constraints they are those of the loss. The answer is nil where the estimator does not tell them apart. They say why a step was taken; they are
// only to be read, and until the next turn, and are not saved.
func (d *Descent) Terms() (direct, answer []float64) {
	if direct, answer = d.able.Terms(); direct == nil {
		return d.estimate, nil
	}
	return direct, answer
}

// Stride returns the size of the last step and where it led before the set was heeded. They are only to be read, and until the next turn, and are
// not saved.
func (d *Descent) Stride() (eta float64, stepped []float64) { return d.eta, d.stepped }
