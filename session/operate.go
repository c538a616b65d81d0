package session

import (
	"fmt"
	"slices"
	"time"
)

// Approve lets a proposal be deployed.
type Approve struct {
	K      int    `json:"-"`
	Reason string `json:"reason"`
}

func (c Approve) do(l *Loop) (any, error) {
	return l.end(c.K, "", Approved, c.Reason, IsOpen, IsProposed)
}

// Reject refuses a proposal; the next one begins at what is live.
type Reject struct {
	K      int    `json:"-"`
	Reason string `json:"reason"`
}

func (c Reject) do(l *Loop) (any, error) {
	return l.end(c.K, "", Rejected, c.Reason, IsRejected, IsProposed)
}

// Switch changes the mode of a loop.
type Switch struct {
	To     Mode   `json:"-"`
	Reason string `json:"reason"`
}

// Switched says what a loop does now.
type Switched struct {
	Mode    Mode      `json:"mode"`
	Answers []float64 `json:"answers"`           // what the next ask answers; none where a step of the rule comes next
	Durable string    `json:"durable,omitempty"` // marker: of a kill whose event cannot be written yet
}

func (c Switch) do(l *Loop) (any, error) {
	if err := l.present(); err != nil {
		return nil, err
	}
	switch {
	case c.To == l.mode:
	case c.To == Live && l.mode == Killed && c.Reason == "":
		return nil, refuse(WrongMode, "a killed loop goes on only with a reason")
	case c.To == Live:
		if err := goesLive(l.plan); err != nil {
			return nil, err
		}
	case c.To == Killed && l.plan.Live.Safe == nil:
		return nil, refuse(NoSafeDecision, "the spec names no live.safe; pause keeps what is live")
	case c.To != Shadow && c.To != Paused && c.To != Killed:
		return nil, refuse(WrongMode, "there is no mode %q", c.To)
	}
	if c.To != l.mode {
		if l.current.current() && !(c.To == Paused && l.current.State == IsDeployed) {
			if err := l.supersede(string(c.To)); err != nil {
				return nil, err
			}
		}
		if err := l.emit(ModeChanged, 0, "", switching{c.To, c.Reason}, nil); err != nil {
			return nil, err
		}
	}
	reply := Switched{Mode: c.To}
	if c.To != Live {
		reply.Answers, _, _ = l.proposal()
	}
	return reply, nil
}

// SetPin answers a decision whatever the rule says, until it is taken away.
type SetPin struct {
	U      []float64  `json:"u"`
	UntilK int        `json:"until_k,omitempty"`
	Until  *time.Time `json:"until,omitempty"`
	Reason string     `json:"reason"`
}

func (c SetPin) do(l *Loop) (any, error) {
	if err := l.present(); err != nil {
		return nil, err
	}
	if l.mode != Live {
		return nil, refuse(WrongMode, "a pin is for a live loop; this one is %s", l.mode)
	}
	if err := checkDecision(l.plan, c.U); err != nil {
		return nil, err
	}
	if l.pin != nil && l.pin.equal(pinned(c)) {
		return l.Status(), nil
	}
	if c.UntilK != 0 && c.UntilK <= l.k {
		return nil, pastPin("until_k", fmt.Sprintf("is %d, and the next decision is %d: name that or a later one, or leave until_k out", c.UntilK, l.k+1))
	}
	if c.Until != nil && !l.now.Before(*c.Until) {
		return nil, pastPin("until", fmt.Sprintf("is %s, which is over: name a later time, or leave until out", c.Until.Format(time.RFC3339)))
	}
	return pinned(c).do(l)
}

// pastPin refuses a pin that would answer no decision.
func pastPin(key, why string) error {
	return &Refusal{Type: OutsideRange, Detail: key + " " + why, Errors: []Fault{{"/" + key, why}}}
}

// do sets a pin that was found to be one.
func (p pinned) do(l *Loop) (any, error) {
	return l.noted(l.interrupt("pinned", Pinned, p))
}

func (p *pinned) equal(q pinned) bool {
	sameEnd := p.Until == nil && q.Until == nil || p.Until != nil && q.Until != nil && p.Until.Equal(*q.Until)
	return slices.Equal(p.U, q.U) && p.UntilK == q.UntilK && sameEnd && p.Reason == q.Reason
}

// Unpin takes the pin away.
type Unpin struct {
	Reason string `json:"reason"`
}

func (c Unpin) do(l *Loop) (any, error) {
	if err := l.present(); err != nil {
		return nil, err
	}
	if l.pin == nil {
		return l.Status(), nil
	}
	return l.noted(l.interrupt("unpinned", Unpinned, because{Reason: c.Reason}))
}

// RollBack goes back to what was deployed once, to the safe decision or to the first.
type RollBack struct {
	K      int    `json:"k,omitempty"` // a closed decision
	To     string `json:"to,omitempty"`
	Ramp   bool   `json:"ramp,omitempty"` // under the caps instead of at once
	Reason string `json:"reason"`
}

// RolledTo says where a rollback goes.
type RolledTo struct {
	To []float64 `json:"to"`
}

func (c RollBack) do(l *Loop) (any, error) {
	if err := l.present(); err != nil {
		return nil, err
	}
	if l.mode != Live {
		return nil, refuse(WrongMode, "a rollback is for a live loop; this one is %s", l.mode)
	}
	var to []float64
	switch {
	case c.To == "safe":
		to = l.plan.Live.Safe
	case c.To == "baseline":
		to = l.plan.Start
	case c.To != "":
		return nil, refuse(Malformed, "to is a decision, safe or baseline, not %q", c.To)
	default:
		d, err := l.of(c.K, "")
		if err != nil {
			return nil, err
		}
		if d.State != IsClosed {
			return nil, d.refuse(NotOpen, "decision %d is %s; only what was deployed and closed can be gone back to", d.K, d.State)
		}
		to = d.Deployed.U
	}
	if err := checkDecision(l.plan, to); err != nil {
		return nil, err
	}
	return turnBack{To: to, Ramp: c.Ramp, Reason: c.Reason}.do(l)
}

// do goes back to a decision that was found.
func (b turnBack) do(l *Loop) (any, error) {
	return RolledTo{b.To}, l.interrupt("rolled back", RolledBack, b)
}

// Revise gives a loop another spec.
type Revise struct {
	Spec     string `json:"spec"`
	Reason   string `json:"reason"`
	Revision int    `json:"-"` // that it is made from
	ofOld    bool   // it is decided again as it was before there were guards
}

// RevisedTo says what a revision kept.
type RevisedTo struct {
	Revision int      `json:"revision"`
	Keeps    []string `json:"keeps"`
}

func (c Revise) do(l *Loop) (any, error) {
	if err := l.present(); err != nil {
		return nil, err
	}
	if c.Revision == l.revision-1 && c.Spec == l.spec { // again
		return RevisedTo{l.revision, append([]string{}, l.keeps...)}, nil
	}
	if c.Revision != l.revision {
		return nil, refuse(StaleRevision, "the spec is at revision %d, not %d", l.revision, c.Revision)
	}
	plan, err := l.make(c.Spec)
	if err != nil {
		return nil, err
	}
	if plan.Dims != l.plan.Dims {
		return nil, refuse(DimensionMismatch, "the new spec has decisions, states and traits of %d, %d and %d numbers, the old one of %d, %d and %d: make another loop",
			plan.Dims.Decision, plan.Dims.State, plan.Dims.Trait, l.plan.Dims.Decision, l.plan.Dims.State, l.plan.Dims.Trait)
	}
	if err := admit(plan, l.mode == Live || l.mode == Killed); err != nil {
		return nil, err
	}
	b := creation{Spec: c.Spec, Revision: l.revision + 1, Keeps: []string{}, Reason: c.Reason, Guards: guardsOf(c.ofOld)}
	saved, err := l.plan.Rule.AppendBinary(nil)
	if err == nil && plan.Rule.UnmarshalBinary(saved) == nil {
		b.Keeps = append(b.Keeps, keepsRule)
	}
	return RevisedTo{b.Revision, b.Keeps}, l.interrupt("revised", Revised, b)
}

// Archive ends a loop; its events stay.
type Archive struct {
	Reason string `json:"reason"`
}

func (c Archive) do(l *Loop) (any, error) {
	if l.mode == Ended {
		return l.Status(), nil
	}
	if err := l.present(); err != nil {
		return nil, err
	}
	return l.noted(l.interrupt("archived", Archived, because{Reason: c.Reason}))
}

// Renew begins another epoch after a restore or an import: decisions that were given out since the copy are not mistaken for those given
// out again.
type Renew struct {
	Epoch    string
	Reason   string
	Imported bool // it comes from another journal
}

func (c Renew) do(l *Loop) (any, error) {
	if l.seq == 0 {
		return nil, refuse(NotFound, "there is no loop %s", l.name)
	}
	happened := Restored
	if c.Imported {
		happened = Imported
	}
	return l.noted(l.interrupt(string(happened), happened, renewal{c.Epoch, c.Reason}))
}

// Pass lets time do what it does: what is due lapses, is rejected or abandoned, or raises an alarm.
type Pass struct{}

func (Pass) do(*Loop) (any, error) { return nil, nil }
