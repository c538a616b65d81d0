package session

import (
	"crypto/sha256"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/plan"
)

// outcome decides what a close comes to. If that is a step the rule has taken it.
func (l *Loop) outcome(d *Decision) (*Outcome, *guard.Report, error) {
	seen, o, err := l.gather(d)
	if err != nil {
		return nil, nil, err
	}
	if why := l.gate(&o.Sample); why != "" {
		o.Outcome, o.Reasons = Inconclusive, []string{why}
		return o, nil, l.sign(o)
	}
	var sieved guard.Sieved
	if l.guard != nil {
		sieved = l.sieve(&seen, o)
		if why := l.gate(&o.Sample); why != "" { // of those who count
			o.Outcome, o.Reasons, o.Seen = Inconclusive, []string{why}, &guard.Seen{Spread: sieved.Spread}
			if c := sieved.Concern; c != nil {
				o.Outcome, o.Reasons = Held, []string{c.Words, why}
			}
			return o, nil, l.sign(o)
		}
	}
	losses := l.plan.Losses(seen)
	o.Value = l.plan.Value(losses, seen.W)
	concerns, report := l.examine(d, seen, losses, o, sieved)
	if len(concerns) == 0 {
		if err := l.step(d, seen, o); err != nil {
			concerns = append(concerns, guard.Concern{Words: err.Error()})
		}
	}
	for i, c := range concerns {
		o.Reasons = append(o.Reasons, c.Words)
		if i == 0 && c.Doubtful {
			o.Outcome = Inconclusive
		} else if i == 0 {
			o.Outcome = Held
		}
	}
	return o, report, l.sign(o)
}

// sign notes where the rule is and what it remembers.
func (l *Loop) sign(o *Outcome) error {
	if o.Reasons == nil {
		o.Reasons = []string{}
	}
	o.Iterate = make([]float64, l.plan.Dims.Decision)
	l.plan.Rule.Center(o.Iterate)
	saved, err := l.plan.Rule.AppendBinary(nil)
	o.Rule = sha256.Sum256(saved)
	return err
}

// mostHeld is how many numbers of batches a loop keeps at hand; what is beyond is read again when it is learned from.
const mostHeld = 32 << 10

// remember keeps a batch at hand until its decision is learned from.
func (l *Loop) remember(content Hash, b *Batch) {
	if n := l.holding + len(b.P) + len(b.D); n <= mostHeld && l.held[content] == nil {
		l.held[content], l.holding = b, n
	}
}

// forget lets go of the batches at hand.
func (l *Loop) forget() {
	clear(l.held)
	l.holding = 0
}

// gather puts the batches of a decision together, in the order of their ids, without who answered too early or has no trait.
func (l *Loop) gather(d *Decision) (seen kedge.Observation, o *Outcome, err error) {
	o = &Outcome{}
	var all []*Batch
	for _, r := range d.Batches {
		if !d.counts(&r) {
			if !r.Late && !r.Erased {
				o.Sample.Early += r.Rows
			}
			continue
		}
		b := l.held[r.Content]
		if b == nil {
			data, err := l.past.Blob(r.Content)
			if err != nil {
				return seen, o, fmt.Errorf("batch %s of decision %d: %w", r.ID, d.K, err)
			}
			if sha256.Sum256(data) != r.Content {
				return seen, o, &ChainError{l.name, l.seq, fmt.Sprintf("batch %s of decision %d is not what was told", r.ID, d.K)}
			}
			b = new(Batch)
			if err := b.Decode(data); err != nil {
				return seen, o, fmt.Errorf("batch %s of decision %d: %w", r.ID, d.K, err)
			}
		}
		all = append(all, b)
	}
	seen, o.Sample.WithoutTrait = batch.Together(all, l.plan.Dims)
	o.Sample.Rows = len(seen.P) / l.plan.Dims.State
	o.Sample.Effective = guard.Worth(seen.W, o.Sample.Rows)
	seen.U, seen.Round = d.Deployed.U, l.turns
	return seen, o, nil
}

// gate says why a sample is no ground for a step, or nothing.
func (l *Loop) gate(s *Sample) string {
	if least := l.plan.Live.Least; s.Effective < float64(least) {
		return fmt.Sprintf("%s of the %d people wanted have answered", phrase.Brief(s.Effective), least)
	}
	if l.guard != nil && s.WithoutTrait > s.Rows {
		return fmt.Sprintf("only %d of %d people have the traits that the rule needs", s.Rows, s.Rows+s.WithoutTrait)
	}
	return ""
}

// sieve takes who does not count out of a sample.
func (l *Loop) sieve(seen *kedge.Observation, o *Outcome) guard.Sieved {
	s := l.guard.Sieve(seen)
	o.Sample.Quarantined, o.Quarantine = s.Out, s.Suspects
	o.Sample.Rows -= s.Out
	o.Sample.Effective = guard.Worth(seen.W, o.Sample.Rows)
	return s
}

// examine says why no step is to be taken, in the order in which it is asked.
func (l *Loop) examine(d *Decision, seen kedge.Observation, losses []float64, o *Outcome, sieved guard.Sieved) (list []guard.Concern, report *guard.Report) {
	if l.mode == Paused || l.mode == Killed {
		list = append(list, guard.Concern{Words: "the loop is " + string(l.mode)})
	}
	if l.rests && d.Basis == Rollback {
		list = append(list, guard.Concern{Words: "a guardrail sent the loop back here"})
	}
	infeasible := guard.Concern{Words: "what is live " + l.breaks(d.Deployed.U)}
	if l.guard == nil {
		if !d.Deployed.Feasible && list == nil {
			list = append(list, infeasible)
		}
		return list, nil
	}
	report = l.guard.Examine(guard.Inquiry{People: seen, Losses: losses, Told: d.Metrics, Lost: o.Sample.WithoutTrait})
	report.Seen.Spread = sieved.Spread
	o.Seen, o.Guardrails, o.Trust = &report.Seen, report.Rails, report.Ratio
	for _, c := range []*guard.Concern{sieved.Concern, report.Mix} {
		if c != nil {
			list = append(list, *c)
		}
	}
	if !d.Deployed.Feasible {
		list = append(list, infeasible)
	}
	return append(list, report.Concerns...), report
}

// breaks says by how much a decision is not feasible.
func (l *Loop) breaks(u []float64) string {
	return fmt.Sprintf("breaks the set of the spec by %s", phrase.Brief(l.plan.Excess(u)))
}

// step has the rule take a step from what was seen. On an error the rule is as it was.
func (l *Loop) step(d *Decision, seen kedge.Observation, o *Outcome) error {
	if l.part != nil {
		defer l.part("step")()
	}
	rule := l.plan.Rule
	before, err := rule.AppendBinary(nil)
	if err != nil {
		return err
	}
	from := make([]float64, len(d.U))
	lead := l.plan.Live.Ahead()
	if l.mode == Shadow || l.pin != nil {
		lead = 0
	}
	seen.Loss = l.plan.Loss(seen)
	err = rule.Rebase(seen.U, lead)
	if err == nil {
		rule.Center(from)
		err = rule.Tell(seen)
	}
	if err != nil {
		if back := rule.UnmarshalBinary(before); back != nil {
			return fmt.Errorf("%w, and the rule cannot be put back: %w", err, back)
		}
		return err
	}
	to := make([]float64, len(from))
	rule.Center(to)
	o.Outcome, l.stepped = Stepped, d.K
	o.Terms = plan.TermsOf(rule, rows.Distance(from, to))
	o.Why = plan.ReasoningOf(rule, from, seen.U)
	return nil
}
