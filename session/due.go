package session

import (
	"time"

	"github.com/kedge-opt/kedge/problem/form"
)

// Due is when time alone does something to the loop next; before it Pass changes nothing. It is not ever if nothing is waited for.
func (l *Loop) Due() (at time.Time, ever bool) {
	sooner := func(t *time.Time) {
		if t != nil && (!ever || t.Before(at)) {
			at, ever = *t, true
		}
	}
	if _, raised := l.alarms[stateUnsound]; l.mode != Ended && (l.saved == unsoundState || raised && l.saved == soundState) {
		sooner(&l.at)
	}
	d := l.current
	if p := l.pin; p != nil && l.mode != Ended {
		sooner(p.Until)
		if p.UntilK > 0 && l.k >= p.UntilK && !d.current() {
			sooner(&l.at)
		}
	}
	if !d.current() {
		return at, ever
	}
	switch d.State {
	case IsProposed:
		sooner(d.ApproveBy)
	case IsOpen:
		sooner(d.DeployBy)
	case IsDeployed:
		live, p := l.plan.Live, d.Deployed
		sooner(after(p.At, live.GiveUp))
		if p.DataBy != nil && !p.Overdue {
			sooner(p.DataBy)
		}
		if p.DataBy != nil && live.Data < form.Never/2 {
			sooner(after(p.At, 2*live.Data))
		}
	}
	return at, ever
}
