package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/session/guard"
)

// Basis says what a decision is.
type Basis string

// What decisions are.
const (
	Step     Basis = "step"     // one step of the rule
	Again    Basis = "again"    // what was offered before and came to nothing
	Hold     Basis = "hold"     // what is live stays
	Baseline Basis = "baseline" // what is live, in the shadow
	Pin      Basis = "pinned"
	Rollback Basis = "rollback"
	Safe     Basis = "safe"
)

// Stage is how far a decision has come. The first three are current: a loop has one such decision at most.
type Stage string

// How far decisions come.
const (
	IsProposed   Stage = "proposed" // waits for approval
	IsOpen       Stage = "open"
	IsDeployed   Stage = "deployed"
	IsClosed     Stage = "closed"
	IsRejected   Stage = "rejected"
	IsLapsed     Stage = "lapsed"
	IsAbandoned  Stage = "abandoned"
	IsSuperseded Stage = "superseded"
)

// Decision is one proposal, numbered 1, 2, … without gaps. Its u never changes.
type Decision struct {
	K         int         `json:"k"`
	U         []float64   `json:"u"`
	Iterate   []float64   `json:"iterate"`               // where the rule is
	Trust     *float64    `json:"trust,omitempty"`       // in what the rule has learned, from 0 to 1; nil: it learns nothing
	Prices    []float64   `json:"multipliers,omitempty"` // of the constraints, by a rule that heeds some
	Basis     Basis       `json:"basis"`
	Reasons   []string    `json:"reasons"`
	State     Stage       `json:"state"`
	OpenedAt  time.Time   `json:"opened_at"`
	DeployBy  *time.Time  `json:"deploy_by,omitempty"`
	ApproveBy *time.Time  `json:"approve_by,omitempty"`
	Deployed  *Deployment `json:"deployment,omitempty"`
	Batches   []Receipt   `json:"batches,omitempty"` // in the order of their ids
	Metrics   metered     `json:"metrics,omitempty"` // told for guardrails
	Outcome   *Outcome    `json:"outcome,omitempty"`
	Why       string      `json:"why,omitempty"` // it was rejected, abandoned or superseded

	counted, people int // rows of so many batches
}

// Deployment is the fact that a decision went live, perhaps rounded or clipped.
type Deployment struct {
	U            []float64  `json:"u"`
	At           time.Time  `json:"deployed_at"`
	Off          float64    `json:"off"`      // how far it is from what was decided
	Feasible     bool       `json:"feasible"` // or what was decided: rules that try decisions out may step across the edge of the set
	MeasureAfter time.Time  `json:"measure_after"`
	DataBy       *time.Time `json:"data_by,omitempty"`
	Overdue      bool       `json:"overdue,omitempty"` // somebody was told that data is late
}

// Receipt is what a loop keeps of a batch.
type Receipt struct {
	ID           string    `json:"batch"`
	Rows         int       `json:"rows"`
	WithoutTrait int       `json:"without_trait"`
	ObservedAt   time.Time `json:"observed_at"`
	Content      Hash      `json:"content"`
	Late         bool      `json:"late,omitempty"`   // it does not count
	Erased       bool      `json:"erased,omitempty"` // it held somebody who is to be forgotten, and counts no longer
}

// Outcome is what a close came to.
type Outcome struct {
	Outcome string         `json:"outcome"` // step, hold or inconclusive
	Reasons []string       `json:"reasons"`
	Sample  Sample         `json:"sample"`
	Value   *SampleValue   `json:"value,omitempty"`
	Terms   *GradientTerms `json:"terms,omitempty"`
	Iterate []float64      `json:"iterate"` // after it
	Rule    Hash           `json:"state"`   // of the rule's memory after it
	Why     *Reasoning     `json:"why,omitempty"`

	Guardrails []guard.Judged     `json:"guardrails,omitempty"`
	Trust      *guard.AnswerRatio `json:"trust,omitempty"`      // in the model
	Quarantine []guard.Suspect    `json:"quarantine,omitempty"` // some of who did not count
	Seen       *guard.Seen        `json:"seen,omitempty"`       // what guards remember
}

// What closes come to.
const (
	Stepped      = "step"
	Held         = "hold"
	Inconclusive = "inconclusive"
)

// current tells whether the decision is the one that a loop works on.
func (d *Decision) current() bool {
	return d != nil && (d.State == IsProposed || d.State == IsOpen || d.State == IsDeployed)
}

// opening is the body of opened and proposed.
type opening struct {
	U         []float64  `json:"u"`
	Iterate   []float64  `json:"iterate"`
	Trust     *float64   `json:"trust,omitempty"`
	Prices    []float64  `json:"multipliers,omitempty"`
	Basis     Basis      `json:"basis"`
	Reasons   []string   `json:"reasons,omitempty"`
	DeployBy  *time.Time `json:"deploy_by,omitempty"`
	ApproveBy *time.Time `json:"approve_by,omitempty"`
}

// because is the body of events that need a reason at most.
type because struct {
	Reason   string     `json:"reason,omitempty"`
	DeployBy *time.Time `json:"deploy_by,omitempty"` // of approved
}

// reach notes what went live.
func (d *Decision) reach(how Kind, b *Deployment) {
	d.Deployed = b
	if how != DeployedLate {
		d.State = IsDeployed
	}
}

// apply folds an event of the decision into it.
func (d *Decision) apply(e *Event) error {
	switch e.Kind {
	case Opened, Proposed:
		var b opening
		if err := unmarshal(e, &b); err != nil {
			return err
		}
		*d = Decision{K: e.K, U: b.U, Iterate: b.Iterate, Trust: b.Trust, Prices: b.Prices, Basis: b.Basis, Reasons: b.Reasons, OpenedAt: e.At, DeployBy: b.DeployBy, ApproveBy: b.ApproveBy, State: IsOpen}
		if e.Kind == Proposed {
			d.State = IsProposed
		}
		return nil
	case Deployed, Corrected, DeployedLate:
		var b Deployment
		if err := unmarshal(e, &b); err != nil {
			return err
		}
		d.reach(e.Kind, &b)
		return nil
	case Told, ToldLate:
		var r Receipt
		if err := unmarshal(e, &r); err != nil {
			return err
		}
		i, _ := d.receipt(r.ID)
		have := d.rows()
		d.Batches = slices.Insert(d.Batches, i, r)
		d.counted, d.people = len(d.Batches), have+r.Rows
		return nil
	case MetricTold:
		var b metricTold
		if err := unmarshal(e, &b); err != nil {
			return err
		}
		if d.Metrics == nil {
			d.Metrics = metered{}
		}
		d.Metrics[b.Name] = b.Metered
		return nil
	case Closed:
		d.State, d.Outcome = IsClosed, new(Outcome)
		return unmarshal(e, d.Outcome)
	case Raised:
		if d.Deployed != nil {
			d.Deployed.Overdue = true
		}
		return nil
	}
	var b because
	if err := unmarshal(e, &b); err != nil {
		return err
	}
	switch e.Kind {
	case Approved:
		d.State, d.DeployBy, d.ApproveBy = IsOpen, b.DeployBy, nil
	case Rejected, Lapsed, Abandoned, Superseded: // stages of the same names
		d.State, d.Why = Stage(e.Kind), b.Reason
	}
	return nil
}

// DecisionOf is a decision as its events tell it.
func DecisionOf(events []Event) (*Decision, error) {
	d := new(Decision)
	for i := range events {
		if err := d.apply(&events[i]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// receipt finds a batch by its id, or where it belongs.
func (d *Decision) receipt(id string) (i int, ok bool) {
	return slices.BinarySearchFunc(d.Batches, id, func(r Receipt, id string) int { return strings.Compare(r.ID, id) })
}

// rows is how many there are in all batches.
func (d *Decision) rows() int {
	if d.counted != len(d.Batches) {
		d.counted, d.people = len(d.Batches), 0
		for _, r := range d.Batches {
			d.people += r.Rows
		}
	}
	return d.people
}

// counts tells whether people of a batch are learned from: it came in time, nobody of it is to be forgotten, and they were seen once they had had the time to answer.
func (d *Decision) counts(r *Receipt) bool {
	return !r.Late && !r.Erased && (d.Deployed == nil || !r.ObservedAt.Before(d.Deployed.MeasureAfter))
}

// Answered is how many rows count.
func (d *Decision) Answered() (n int) {
	for i := range d.Batches {
		if d.counts(&d.Batches[i]) {
			n += d.Batches[i].Rows
		}
	}
	return n
}

// unmarshal reads the body of an event, or takes what it was written from if that is at hand: then it is not to be changed any more.
func unmarshal[B any](e *Event, to *B) error {
	switch said := e.said.(type) {
	case B:
		*to = said
		return nil
	case *B:
		*to = *said
		return nil
	}
	if err := json.Unmarshal(e.Body, to); err != nil {
		return fmt.Errorf("event %d, %s: %w", e.Seq, e.Kind, err)
	}
	return nil
}
