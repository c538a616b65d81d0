package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/view"
)

// Forecast is what the model guesses of the people who answered a decision: nobody knows it, and nothing is learned from it. Its intervals are
// about who was asked; whether the model is right they do not say.
type Forecast struct {
	K       int               `json:"k"`      // the decision that they answered
	People  int               `json:"people"` // who were looked at, some of them all
	Seen    *view.SampleValue `json:"value,omitempty"`
	Means   view.Sparse       `json:"states,omitempty"`  // of their states, as they answered
	Stays   *Prospect         `json:"stays,omitempty"`   // if what was live before the decision stays
	Decided *Prospect         `json:"decided,omitempty"` // under the decision that was asked about
	Vanilla *Prospect         `json:"vanilla,omitempty"` // under what the rule would have decided without their answer
	Words   string            `json:"words,omitempty"`   // why there is no guess
}

// Prospect is where people settle under a decision, by the model.
type Prospect struct {
	U        []float64         `json:"u"`
	Feasible bool              `json:"feasible"`
	Value    *view.SampleValue `json:"value,omitempty"`
	Gain     *view.SampleValue `json:"gain,omitempty"` // of the value, person by person, beside what was live
	Means    view.Sparse       `json:"states"`         // of their states
}

// mostGuessed is how many people settle for a guess, and mostPulled how many for how they answer.
const (
	mostGuessed = 2000
	mostPulled  = 500
)

// Forecast has the people who were seen settle under what was live, nil: what they met, under u, and under what vanilla would have decided, nil: nobody
// knows.
func (p *Brief) Forecast(seen kedge.Observation, live, u, vanilla []float64) (*Forecast, error) {
	seen = guard.Few(seen, mostGuessed, p.Dims)
	n := len(seen.P) / p.Dims.State
	if n == 0 {
		return &Forecast{Words: "nobody has answered yet, or their answers are no longer kept"}, nil
	}
	f := &Forecast{People: n, Seen: p.Value(p.Losses(seen), seen.W), Means: p.means(seen)}
	if live == nil {
		live = seen.U
	}
	stays, losses, err := p.prospect(seen, live, nil)
	if err != nil {
		return nil, err
	}
	if stays == nil {
		f.Words = "the model does not say where people settle"
		return f, nil
	}
	f.Stays = stays
	if f.Decided, _, err = p.prospect(seen, u, losses); err == nil && vanilla != nil {
		f.Vanilla, _, err = p.prospect(seen, vanilla, losses)
	}
	return f, err
}

// prospect has people settle under a decision; were are their losses under what was live, settled, too. It is nil if the model does not say where.
func (p *Brief) prospect(seen kedge.Observation, u, were []float64) (o *Prospect, losses []float64, err error) {
	if seen.P, err = p.Settled(u, seen.P, seen.D); err != nil || seen.P == nil {
		return nil, nil, err
	}
	seen.U = u
	losses = p.Losses(seen)
	o = &Prospect{U: u, Feasible: p.Feasible(u), Value: p.Value(losses, seen.W), Means: p.means(seen)}
	if were != nil {
		gains := slices.Clone(losses)
		rows.Sub(gains, gains, were)
		o.Gain = p.Value(gains, seen.W)
	}
	return o, losses, nil
}

// means are those of the entries of states.
func (p *Brief) means(seen kedge.Observation) (list view.Sparse) {
	for j := range p.Dims.State {
		list = append(list, guard.MeanOf(guard.Column(seen.P, p.Dims.State, j), seen.W).Value)
	}
	return list
}

// Value is what losses say of a decision, as users count it; nil if they do not.
func (p *Brief) Value(losses, w []float64) *view.SampleValue {
	mean := guard.MeanOf(losses, w)
	m, half := mean.Value, mean.Half(folder.Confidence)
	if p.Maximize {
		m = -m
	}
	v := &view.SampleValue{Mean: m, Low: m - half, High: m + half}
	if !phrase.Finite(v.Low) || !phrase.Finite(v.High) {
		return nil
	}
	return v
}

// Vanilla is what a step would have led to that heeds what the decision does by itself alone, as retraining does: in the set, and within the caps of what
// was live, as if nothing else had moved that day. It is nil of a rule that shapes its steps, for nobody knows what it would have made of that.
func (p *Brief) Vanilla(r *Reasoning, live []float64) []float64 {
	if r == nil || !(r.Eta > 0) || len(r.Direct) != len(r.From) || len(r.Stepped) != len(r.From) {
		return nil
	}
	u := slices.Clone(r.From)
	for i := range u {
		u[i] -= float64(r.Eta * r.Direct[i])
		both := u[i]
		if len(r.Answer) == len(u) {
			both -= float64(r.Eta * r.Answer[i])
		}
		if math.Abs(both-r.Stepped[i]) > 1e-9*(1+math.Abs(both)) {
			return nil
		}
	}
	if err := p.Set.Project(u); err != nil {
		return nil
	}
	u, _, ok := p.Capped(u, live, 0)
	if !ok {
		return nil
	}
	return u
}

// Answering is how the entries of settled states answer those of a decision, in the mean of people and by the model of the spec.
type Answering struct {
	K       int           `json:"k"` // the decision that they answered
	People  int           `json:"people"`
	States  []int         `json:"states"` // entries that are shown
	Entries []int         `json:"entries"`
	Answers []view.Sparse `json:"answers"`         // of each of them: what a rise of 1 of each entry of the decision does
	Words   string        `json:"words,omitempty"` // why there are none
}

// mostShown is how many entries of states and decisions are shown.
const mostShown = 16

// Answering has people settle under what they met, and looks which way they would go.
func (p *Brief) Answering(seen kedge.Observation) (*Answering, error) {
	seen = guard.Few(seen, mostPulled, p.Dims)
	dim, n := p.Dims, len(seen.P)/p.Dims.State
	a := &Answering{States: kedge.Some(dim.State, mostShown), Entries: kedge.Some(dim.Decision, mostShown), Answers: []view.Sparse{}}
	if a.People = n; n == 0 {
		a.Words = "nobody has answered yet, or their answers are no longer kept"
		return a, nil
	}
	settled, err := p.Settled(seen.U, seen.P, seen.D)
	if err != nil {
		return nil, err
	}
	if settled == nil || p.Model.Sensitivity == nil {
		a.Words = "the model does not say how people answer"
		return a, nil
	}
	v, whole := make([]float64, len(settled)), make([]float64, dim.Decision)
	all := seen.Total(n)
	for _, j := range a.States {
		clear(v)
		clear(whole)
		for i := range n {
			v[i*dim.State+j] = seen.Weight(i) / all
		}
		if err := p.Model.Sensitivity.PullRows(whole, settled, seen.U, seen.D, v); err != nil {
			return nil, fmt.Errorf("how people answer: %w", err)
		}
		a.Answers = append(a.Answers, lists.Of(a.Entries, func(i int) float64 { return whole[i] }))
	}
	return a, nil
}
