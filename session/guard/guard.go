// Package guard keeps a loop from harm: it says who of a sample does not count, whether those answer who did before, whether bounds are kept, and
// whether people answer as much as the model says. It decides by what a close shows and by what it remembers of earlier ones, and has no
// clock, file or network: what it sees at a close is written down with it, and its memory is rebuilt from that alone.
package guard

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/risk"
)

// Duty is what a guard watches.
type Duty struct {
	Live        *live.Arrangement
	Dims        kedge.Dims
	Model       kedge.Model
	Informed    bool                 // the rule goes by what the model says of people's answer
	Metrics     []kedge.RowObjective // of the guardrails; nil where one has none
	Mix         []bool               // traits whose mix is watched
	Declared    []*live.Mix          // of each trait, where it is known; nil: as at first
	Constraints map[string][]risk.Constraint
}

// Guard watches a loop.
type Guard struct {
	Duty
	Remembrance
}

// New is a guard that remembers nothing.
func New(d Duty) *Guard { return &Guard{Duty: d} }

// Remembrance is what a guard remembers of earlier closes.
type Remembrance struct {
	Closes int                   `json:"closes,omitempty"` // that were judged
	Good   *Sound                `json:"good,omitempty"`   // the newest that passed all guardrails
	Spread []Spreading           `json:"spread,omitempty"` // of people at the newest closes
	Mixed  *Mixing               `json:"mixed,omitempty"`
	Rails  map[string]*RailState `json:"rails,omitempty"`
	Trust  *Trusting             `json:"trust,omitempty"`
	Last   *Verdicts             `json:"last,omitempty"`   // at the newest close
	Course [][]float64           `json:"course,omitempty"` // what was live, the newest last
}

// Verdicts are what was said at a close.
type Verdicts struct {
	K       int          `json:"k"`
	Counted int          `json:"counted"`
	Outside int          `json:"outside,omitempty"` // people who did not count
	First   *Suspect     `json:"first,omitempty"`   // of them
	Rails   []Judged     `json:"rails,omitempty"`
	Ratio   *AnswerRatio `json:"ratio,omitempty"`
}

// Sound is a decision under which all guardrails passed.
type Sound struct {
	K int       `json:"k"`
	U []float64 `json:"u"`
}

// Seen is what a guard writes down of a close, so that its memory can be rebuilt without the people.
type Seen struct {
	Spread *Spreading   `json:"spread,omitempty"`
	Edges  [][]float64  `json:"edges,omitempty"` // of the bins of traits, at the first close
	Mix    [][]float64  `json:"mix,omitempty"`   // people of each bin
	Loss   *Gauged      `json:"loss,omitempty"`
	Lag    int          `json:"lag,omitempty"` // steps after which the model has forgotten where people were
	Answer *AnswerPoint `json:"answer,omitempty"`
}

// Concern is why no step is taken.
type Concern struct {
	Doubtful bool // it is not known whether something is wrong
	Words    string
}

// Metered is a number that somebody tells for a guardrail.
type Metered struct {
	Value float64  `json:"value"`
	SE    float64  `json:"se,omitempty"` // its standard error
	N     *float64 `json:"n,omitempty"`  // how many it is of
}

// Inquiry is a close that is to be judged.
type Inquiry struct {
	People kedge.Observation // who counts
	Losses []float64         // of each of them
	Told   map[string]Metered
	Lost   int // people besides, who have no traits
}

// Report is what a guard says of a close.
type Report struct {
	Seen     Seen
	Mix      *Concern  // others answer than at first
	Concerns []Concern // of guardrails, then of the model
	Rails    []Judged
	Ratio    *AnswerRatio
	Distrust string // why the model is not trusted; empty: it is, or nobody knows
	Acts     []Act  // what guardrails have come to do
}

// Act is what a guardrail does once it has failed often enough.
type Act struct {
	Rail   string
	Action string
	Words  string
}

// Examine judges a close whose sample passed the gates. Nothing is remembered until Fold.
func (g *Guard) Examine(in Inquiry) *Report {
	r := &Report{}
	if g.Mix != nil {
		g.examineMix(in.People, r)
	}
	m := MeanOf(in.Losses, in.People.W)
	r.Seen.Loss = m.known()
	g.examineRails(in, r)
	g.examineAnswer(in.People, r)
	return r
}

// Lesson is a close that is over, to be remembered.
type Lesson struct {
	Verdicts
	U       []float64 // what people met
	Seen    *Seen
	Iterate []float64 // where the rule was after it
	Stepped bool
}

// Fold remembers a close.
func (g *Guard) Fold(c Lesson) {
	s := c.Seen
	g.Closes++
	g.Last = &c.Verdicts
	if len(c.Rails) > 0 && !slices.ContainsFunc(c.Rails, func(j Judged) bool { return j.Verdict != Pass }) {
		g.Good = &Sound{c.K, slices.Clone(c.U)}
	}
	if s.Spread != nil {
		g.Spread = append(g.Spread, *s.Spread)
		g.Spread = g.Spread[max(0, len(g.Spread)-mostSpread):]
	}
	g.foldMix(s)
	g.foldRails(c)
	g.foldAnswer(s, c.U)
}

// WentLive remembers what is live; corrected takes the place of what was said before.
func (g *Guard) WentLive(u []float64, corrected bool) {
	if !g.watchesAnswer() {
		return
	}
	if corrected && len(g.Course) > 0 {
		g.Course = g.Course[:len(g.Course)-1]
	}
	g.Course = append(g.Course, slices.Clone(u))
	g.Course = g.Course[max(0, len(g.Course)-g.span()-1):]
}

// Forget begins anew after a person looked: guardrails and model are judged afresh.
func (g *Guard) Forget() { g.Rails, g.Trust = nil, nil }

// Equal tells whether the same was told.
func (t Metered) Equal(o Metered) bool {
	return t.Value == o.Value && t.SE == o.SE && (t.N == nil) == (o.N == nil) && (t.N == nil || *t.N == *o.N)
}
