package session

import (
	"fmt"
	"time"

	"github.com/kedge-opt/kedge/problem/form"
)

// waits tells on of all that time alone brings next: when, nil for never, and what, in the order in which it happens. No step is ever taken for that.
func (l *Loop) waits(on func(until *time.Time, bring func(*Loop) error)) {
	d := l.current
	if p := l.pin; p != nil && l.mode != Ended {
		on(p.Until, (*Loop).endPin)
		if p.UntilK > 0 && l.k >= p.UntilK && !d.current() {
			on(&l.at, (*Loop).endPin)
		}
	}
	if !d.current() {
		return
	}
	switch d.State {
	case IsProposed:
		on(d.ApproveBy, (*Loop).turnDown)
	case IsOpen:
		on(d.DeployBy, (*Loop).lapse)
	case IsDeployed:
		live, p := l.plan.Live, d.Deployed
		on(after(p.At, live.GiveUp), (*Loop).giveUp)
		if p.DataBy != nil && !p.Overdue {
			on(p.DataBy, (*Loop).missAnswers)
		}
		if p.DataBy != nil && live.Data < form.Never/2 {
			hold := after(p.At, 2*live.Data)
			if hold.Before(*p.DataBy) { // a revision leaves people the time that they were given
				hold = p.DataBy
			}
			on(hold, (*Loop).holdWithoutAnswers)
		}
	}
}

func (l *Loop) endPin() error {
	return l.interrupt("the pin ended", Unpinned, because{Reason: "its time was over"})
}

func (l *Loop) turnDown() error {
	return l.emit(Rejected, l.current.K, "", because{Reason: "nobody approved it in time"}, nil)
}

func (l *Loop) lapse() error {
	d := l.current
	if err := l.emit(Lapsed, d.K, "", because{}, nil); err != nil {
		return err
	}
	return l.raise(0, "not-deployed", fmt.Sprintf("decision %d was not deployed by %s", d.K, d.DeployBy.Format(time.RFC3339)))
}

func (l *Loop) giveUp() error {
	return l.emit(Abandoned, l.current.K, "", because{Reason: "it was not closed in time"}, nil)
}

func (l *Loop) missAnswers() error {
	d, p := l.current, l.current.Deployed
	return l.raise(d.K, "data-overdue", fmt.Sprintf("decision %d is live since %s and was not closed: people's answers were due by %s", d.K, p.At.Format(time.RFC3339), p.DataBy.Format(time.RFC3339)))
}

func (l *Loop) holdWithoutAnswers() error {
	return l.hold(l.current, "people's answers did not come in time")
}

// pass lets the first happen that the clock says is due, if that changes anything, else the next: what follows from it is asked again.
func (l *Loop) pass() (err error) {
	defer l.as(ByTime)()
	before := len(l.out)
	l.waits(func(until *time.Time, bring func(*Loop) error) {
		if err == nil && len(l.out) == before && until != nil && !l.now.Before(*until) {
			err = bring(l)
		}
	})
	return err
}

// Due is when time alone does something to the loop next; before it Pass changes nothing. It is not ever if nothing is waited for.
func (l *Loop) Due() (at time.Time, ever bool) {
	sooner := func(until *time.Time, _ func(*Loop) error) {
		if until != nil && (!ever || until.Before(at)) {
			at, ever = *until, true
		}
	}
	l.waits(sooner)
	if _, raised := l.alarms[stateUnsound]; l.mode != Ended && (l.saved == unsoundState || raised && l.saved == soundState) {
		sooner(&l.at, nil)
	}
	return at, ever
}
