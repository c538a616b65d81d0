package tally

import (
	"encoding/json"
	"math"
	"time"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
)

// account is what is known of a loop.
type account struct {
	isNamed bool
	mode    session.Mode
	since   time.Time // of what is live
	dataBy  time.Time
	alarms  map[string]bool

	seq  int // the newest event that is known, as are all before it
	hash session.Hash
	spec string    // that was not looked at; empty: cap is known
	cap  float64   // on how far a decision is from what is live
	live []float64 // what is
	move float64   // how far the newest decision is from it
}

// gist is what a tally wants to know of the bodies of events.
type gist struct {
	Mode         session.Mode           `json:"mode"`
	Spec         string                 `json:"spec"`
	U            []float64              `json:"u"`
	Labels       map[string]string      `json:"labels"`
	At           time.Time              `json:"deployed_at"`
	DataBy       *time.Time             `json:"data_by"`
	Name         string                 `json:"name"`
	Rows         int                    `json:"rows"`
	WithoutTrait int                    `json:"without_trait"`
	Outcome      string                 `json:"outcome"`
	Reasons      []string               `json:"reasons"`
	Sample       session.Sample         `json:"sample"`
	Value        *session.SampleValue   `json:"value"`
	Terms        *session.GradientTerms `json:"terms"`
	Guardrails   []guard.Judged         `json:"guardrails"`
	Ratio        json.RawMessage        `json:"trust"` // of a close; of an opening it is a number
}

// gistOf is what a tally wants to know of an event. Of people who are told, which is most of what happens, a loop has it at hand.
func gistOf(e *session.Event) (g gist, err error) {
	if e.Kind == session.Told || e.Kind == session.ToldLate {
		r, err := e.Receipt()
		return gist{Rows: r.Rows, WithoutTrait: r.WithoutTrait}, err
	}
	err = json.Unmarshal(e.Body, &g)
	return g, err
}

// note keeps how a loop stands after its next event. What comes before its turn is read from the journal later.
func (a *account) note(e *session.Event, g *gist) {
	if e.Seq != a.seq+1 {
		return
	}
	a.seq, a.hash = e.Seq, e.Hash
	switch e.Kind {
	case session.Created:
		a.mode, a.spec = g.Mode, g.Spec
	case session.Revised:
		a.spec = g.Spec
	case session.ModeChanged:
		a.mode = g.Mode
	case session.Archived:
		a.mode = session.Ended
	case session.Opened, session.Proposed:
		if len(a.live) == len(g.U) {
			a.move = rows.Distance(g.U, a.live)
		}
	case session.Deployed, session.Corrected, session.DeployedLate:
		a.since, a.dataBy, a.live = g.At, time.Time{}, g.U
		if g.DataBy != nil && e.Kind != session.DeployedLate {
			a.dataBy = *g.DataBy
		}
	case session.Closed, session.Abandoned, session.Superseded:
		a.dataBy = time.Time{}
	case session.Raised:
		a.raise(g.Name)
	case session.Cleared:
		delete(a.alarms, g.Name)
	}
	a.slim()
}

// slim lets go of what only loops with numbers of their own need.
func (a *account) slim() {
	if !a.isNamed {
		a.spec, a.live = "", nil
	}
}

func (a *account) raise(alarm string) {
	if a.alarms == nil { // of most loops there is none
		a.alarms = map[string]bool{}
	}
	a.alarms[alarm] = true
}

// share is how much of its cap the newest decision takes; false: there is no cap.
func (a *account) share() (float64, bool) {
	return a.move / a.cap, a.cap > 0 && !math.IsInf(a.cap, 1)
}

// of finds what is known of a loop.
func (m *Tally) of(loop string, labels map[string]string) *account {
	a := m.loops[loop]
	if a == nil {
		a = &account{isNamed: len(m.loops) < namedLoops}
		m.loops[loop] = a
	}
	a.isNamed = a.isNamed || labels["metrics"] == "on"
	return a
}

// show shows what the newest close says.
func (m *Tally) show(loop string, g *gist) {
	if g.Value != nil {
		m.value.WithLabelValues(loop).Set(g.Value.Mean)
	}
	if g.Outcome == session.Stepped && g.Terms != nil {
		m.step.WithLabelValues(loop).Set(g.Terms.Step)
	}
	m.guards(loop, g)
}

// guards shows what guards said at a close.
func (m *Tally) guards(loop string, g *gist) {
	for _, j := range g.Guardrails {
		for _, verdict := range []string{guard.Pass, guard.Fail, guard.Inconclusive} {
			is := 0.0
			if j.Verdict == verdict {
				is = 1
			}
			m.rails.WithLabelValues(loop, j.Name, verdict).Set(is)
		}
	}
	var q guard.AnswerRatio
	if json.Unmarshal(g.Ratio, &q) != nil || q.Ratio == nil {
		return
	}
	for edge, v := range map[string]*float64{"ratio": q.Ratio, "low": q.Low, "high": q.High} {
		m.ratio.WithLabelValues(loop, edge).Set(*v)
	}
}
