package session

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/session/guard"
)

// standing is what is live, or would be if nothing is known to be.
func (l *Loop) standing() []float64 {
	switch {
	case l.live != nil:
		return l.live.U
	case l.plan.Live.Safe != nil:
		return l.plan.Live.Safe
	}
	return l.plan.Start
}

// proposal is the next decision by the mode of the loop.
func (l *Loop) proposal() (u []float64, basis Basis, reasons []string) {
	if l.live == nil && l.mode != Live && l.mode != Killed {
		reasons = append(reasons, "nobody has said what is live")
	}
	switch l.mode {
	case Shadow:
		return l.standing(), Baseline, reasons
	case Paused:
		return l.standing(), Hold, append(reasons, "the loop is paused")
	case Killed:
		return l.plan.Live.Safe, Safe, append(reasons, "the loop was killed")
	}
	if l.pin != nil {
		return l.pin.U, Pin, append(reasons, l.pin.Reason)
	}
	basis = Step
	if l.again {
		basis = Again
	}
	u = make([]float64, l.plan.Dims.Decision)
	if l.target != nil {
		basis = Rollback
		copy(u, l.target)
		if l.guard != nil && !l.ramps {
			return u, basis, reasons
		}
	} else {
		l.plan.Rule.Ask(u)
	}
	return l.capped(u, basis)
}

// capped brings a proposal to within the caps of what is live.
func (l *Loop) capped(u []float64, basis Basis) ([]float64, Basis, []string) {
	if l.live == nil {
		return u, basis, nil
	}
	cut, reasons, near := l.plan.Capped(u, l.live.U, l.moved())
	if !near {
		basis = Hold
	}
	return cut, basis, reasons
}

// moved is how far what is live has moved in the last 24 hours.
func (l *Loop) moved() (sum float64) {
	for _, m := range l.moves {
		if !m.At.Before(l.now.Add(-day)) {
			sum += m.Size
		}
	}
	return sum
}

// open offers the next decision.
func (l *Loop) open() error {
	u, basis, reasons := l.proposal()
	b := opening{U: slices.Clone(u), Iterate: make([]float64, len(u)), Basis: basis, Reasons: reasons}
	l.plan.Rule.Center(b.Iterate)
	if t, learns := l.plan.Rule.(kedge.Truster); learns {
		if trust := t.Trust(); !math.IsNaN(trust) {
			b.Trust = &trust
		}
	}
	if r, heeds := l.plan.Rule.(interface{ Multipliers() []float64 }); heeds {
		b.Prices = slices.Clone(r.Multipliers())
	}
	if l.wantsApproval(u, basis) {
		b.ApproveBy = after(l.now, l.plan.Live.Approve)
		return l.emit(Proposed, l.k+1, "", b, nil)
	}
	b.DeployBy = after(l.now, l.plan.Live.Deploy)
	return l.emit(Opened, l.k+1, "", b, nil)
}

// wantsApproval tells whether somebody must look at a decision first. What is live or safe already needs no look.
func (l *Loop) wantsApproval(u []float64, basis Basis) bool {
	if l.mode != Live || basis == Hold || basis == Pin || basis == Rollback {
		return false
	}
	switch terms := l.plan.Live; terms.Approval {
	case live.ApproveAlways:
		return true
	case live.ApproveBeyond:
		return l.live == nil || rows.Distance(u, l.live.U) > *terms.Large
	}
	return false
}

// supersede ends the current decision, if there is one.
func (l *Loop) supersede(why string) error {
	if !l.current.current() {
		return nil
	}
	return l.emit(Superseded, l.current.K, "", because{Reason: why}, nil)
}

// interrupt makes something happen that ends the current decision, if there is one.
func (l *Loop) interrupt(why string, kind Kind, body any) error {
	if err := l.supersede(why); err != nil {
		return err
	}
	return l.emit(kind, 0, "", body, nil)
}

// raise raises an alarm, once.
func (l *Loop) raise(k int, name, words string) error {
	if l.alarms[name] == words {
		return nil
	}
	return l.emit(Raised, k, "", alarm{name, words}, nil)
}

// clear takes an alarm back.
func (l *Loop) clear(name string) error {
	if _, raised := l.alarms[name]; !raised {
		return nil
	}
	return l.emit(Cleared, 0, "", alarm{Name: name}, nil)
}

// learn closes a decision: it takes one step of the rule, or says why there is none.
func (l *Loop) learn(d *Decision) (*Outcome, *guard.Report, error) {
	o, report, err := l.outcome(d)
	if err != nil {
		return nil, nil, err
	}
	return o, report, l.emit(Closed, d.K, "", o, nil)
}

// hold closes a decision without a look at people.
func (l *Loop) hold(d *Decision, why string) error {
	o := &Outcome{Outcome: Held, Reasons: []string{why}}
	if err := l.sign(o); err != nil {
		return err
	}
	return l.emit(Closed, d.K, "", o, nil)
}
