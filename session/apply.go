package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session/guard"
)

// emit makes something happen.
func (l *Loop) emit(kind Kind, k int, ref string, body any, blob []byte) error {
	if l.build != l.own && kind != Created && kind != BuildChanged {
		if err := l.emit(BuildChanged, 0, "", l.own, nil); err != nil {
			return err
		}
	}
	e := Event{Seq: l.seq + 1, At: l.now, Kind: kind, Actor: l.who, K: k, Ref: ref, Blob: blob}
	switch body.(type) {
	case Receipt, opening, Deployment, *Outcome: // which share nothing with who sent the command, and read back as they are
		e.said = body
	}
	if err := l.write(&e, body); err != nil {
		return err
	}
	if err := l.apply(&e); err != nil {
		return err
	}
	l.out = append(l.out, e)
	return nil
}

// as has what happens be the doing of another actor, until back is called.
func (l *Loop) as(actor string) (back func()) {
	who := l.who
	l.who = actor
	return func() { l.who = who }
}

// write gives an event its body and its hash.
func (l *Loop) write(e *Event, body any) (err error) {
	if l.supposed != nil && e.said != nil && l.supposed(e, body) {
		return nil
	}
	if e.Body, err = json.Marshal(body); err == nil {
		e.Hash = e.Chained(l.name, l.head)
	}
	return err
}

// apply is the one place where a loop changes.
func (l *Loop) apply(e *Event) error {
	if err := l.fold(e); err != nil {
		return err
	}
	l.seq, l.head, l.at = e.Seq, e.Hash, e.At
	return nil
}

func (l *Loop) fold(e *Event) error {
	switch e.Kind {
	case Created, Revised:
		return with(l, e, (*Loop).begin)
	case Opened, Proposed:
		if e.K != l.k+1 {
			return fmt.Errorf("event %d opens decision %d after %d", e.Seq, e.K, l.k)
		}
		l.current, l.k, l.again = new(Decision), e.K, false
		l.forget()
		return l.current.apply(e)
	case Deployed, Corrected, DeployedLate:
		return with(l, e, (*Loop).deployed)
	case MetricTold:
		return l.note(e)
	case Told, ToldLate:
		if e.K <= l.compacted { // the next compaction sees to it
			l.compacted = e.K - 1
		}
		return l.note(e)
	case Compacted:
		return with(l, e, (*Loop).compact)
	case BuildChanged:
		return unmarshal(e, &l.build)
	case Forked:
		return nil
	case Closed:
		return with(l, e, (*Loop).closed)
	case ModeChanged:
		return with(l, e, (*Loop).switched)
	case Pinned:
		l.pin = new(pinned)
		return unmarshal(e, l.pin)
	case Unpinned:
		l.pin = nil
		return nil
	case RolledBack:
		return with(l, e, (*Loop).rolledBack)
	case Raised, Cleared:
		return with(l, e, (*Loop).alarm)
	case Archived:
		l.mode = Ended
		return nil
	case Answered:
		return nil
	case Restored, Imported:
		return with(l, e, (*Loop).renewed)
	case Approved, Rejected, Lapsed, Abandoned, Superseded:
		if err := l.current.apply(e); err != nil {
			return err
		}
		l.again = e.Kind == Lapsed || e.Kind == Abandoned
		if e.Kind == Rejected && l.live != nil {
			return l.plan.Rule.Rebase(l.live.U, 0)
		}
		return nil
	}
	return fmt.Errorf("event %d is of the kind %q, which this version does not know", e.Seq, e.Kind)
}

// with folds an event in by its body.
func with[B any](l *Loop, e *Event, fold func(l *Loop, e *Event, body *B) error) error {
	body := new(B)
	if err := unmarshal(e, body); err != nil {
		return err
	}
	return fold(l, e, body)
}

// note folds an event into the newest decision, if it is of that.
func (l *Loop) note(e *Event) error {
	if l.current == nil || l.current.K != e.K {
		return nil
	}
	return l.current.apply(e)
}

// begin takes a spec, the first or a new one.
func (l *Loop) begin(e *Event, b *creation) error {
	plan, err := l.drafted, error(nil)
	if l.drafted = nil; plan == nil {
		if plan, err = l.make(b.Spec); err != nil {
			return err
		}
	}
	if e.Kind == Created {
		l.epoch, l.mode, l.labels = b.Epoch, b.Mode, b.Labels
		if b.Build != nil {
			l.build = *b.Build
		}
	} else if slices.Contains(b.Keeps, keepsRule) {
		saved, err := l.plan.Rule.AppendBinary(nil)
		if err == nil {
			err = plan.Rule.UnmarshalBinary(saved)
		}
		if err != nil {
			return err
		}
	} else if l.live != nil {
		if err := plan.Rule.Rebase(l.live.U, 0); err != nil {
			return err
		}
	}
	l.plan, l.spec, l.revision, l.keeps, l.again = plan, b.Spec, b.Revision, b.Keeps, false
	if l.guard = nil; b.Guards > 0 {
		l.guard = guard.New(plan.Duty)
	}
	return nil
}

// keepsRule is said by a revision that leaves the rule what it remembers.
const keepsRule = "rule"

func (l *Loop) deployed(e *Event, d *Deployment) error {
	if l.current != nil && l.current.K == e.K {
		l.current.reach(e.Kind, d)
	}
	if l.live != nil && d.At.Before(l.live.Since) {
		return nil
	}
	if l.live != nil {
		l.went(e.At, rows.Distance(d.U, l.live.U))
	}
	if l.guard != nil {
		l.guard.WentLive(d.U, e.Kind == Corrected)
	}
	l.live = &alive{e.K, d.U, d.At}
	if l.target != nil && rows.Distance(d.U, l.target) == 0 {
		l.target = nil
	}
	return nil
}

const day = 24 * time.Hour

// went notes a change of what is live, where changes of a day are limited. Those of a minute are one, of its end: a list of a day stays short,
// and nothing is forgotten before its day is over.
func (l *Loop) went(at time.Time, size float64) {
	if math.IsInf(l.plan.Live.Day, 1) {
		l.moves = nil
		return
	}
	l.moves = slices.DeleteFunc(l.moves, func(m move) bool { return m.At.Before(at.Add(-day)) })
	end := at.Truncate(time.Minute).Add(time.Minute)
	if n := len(l.moves); n > 0 && l.moves[n-1].At.Equal(end) {
		l.moves[n-1].Size += size
		return
	}
	l.moves = append(l.moves, move{end, size})
}

func (l *Loop) switched(_ *Event, s *switching) error {
	was := l.mode
	l.mode, l.pin, l.again = s.Mode, nil, false
	if s.Mode == Killed {
		l.target = nil
	}
	if l.guard != nil {
		l.rests = false
		if s.Mode == Live || s.Mode == Shadow { // somebody has looked
			l.guard.Forget()
			l.heed()
		}
	}
	if was == Killed && s.Mode == Live && l.live != nil {
		return l.plan.Rule.Rebase(l.live.U, 0)
	}
	return nil
}

func (l *Loop) renewed(_ *Event, b *renewal) error {
	l.epoch = b.Epoch
	return nil
}

func (l *Loop) alarm(e *Event, a *alarm) error {
	if e.Kind == Cleared {
		delete(l.alarms, a.Name)
		return nil
	}
	l.alarms[a.Name] = a.Words
	return l.note(e)
}

func (l *Loop) rolledBack(_ *Event, b *turnBack) error {
	l.target, l.pin, l.again, l.ramps, l.rests = b.To, nil, false, b.Ramp, b.Pause
	return l.plan.Rule.Rebase(b.To, 0)
}

// closed folds a close into the loop. One of the past is decided again, and must come to the same.
func (l *Loop) closed(e *Event, said *Outcome) error {
	if l.stepped != e.K && said.Outcome == Stepped && !l.blind {
		again, _, err := l.outcome(l.current)
		if err != nil && !errors.Is(err, ErrDropped) {
			return err
		}
		if err != nil { // until a compaction says how the rule stood
			l.blind, l.lost = true, e.K
		} else if again.Outcome != Stepped || again.Rule != said.Rule {
			return &ChainError{l.name, e.Seq, fmt.Sprintf("closing decision %d again comes to %s with the rule at %s, not %s", e.K, again.Outcome, again.Rule, said.Rule)}
		}
	}
	l.stepped = 0
	if l.guard != nil && said.Seen != nil {
		v := guard.Verdicts{K: e.K, Counted: said.Sample.Rows, Outside: said.Sample.Quarantined, Rails: said.Guardrails, Ratio: said.Trust}
		if len(said.Quarantine) > 0 {
			v.First = &said.Quarantine[0]
		}
		l.guard.Fold(guard.Lesson{Verdicts: v, U: l.current.Deployed.U, Seen: said.Seen, Iterate: said.Iterate, Stepped: said.Outcome == Stepped})
		l.heed()
	}
	if said.Outcome == Stepped {
		l.turns++
	}
	l.forget()
	l.current.State, l.current.Outcome = IsClosed, said
	return nil
}

// heed lets a rule that can fall back on another do so while its model is not trusted.
func (l *Loop) heed() {
	if l.plan.Fallback != nil {
		l.plan.Fallback.Distrust(l.guard.Distrusts())
	}
}
