package certify

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
)

// Premises are the run that is certified: what the theorems need to know beside the model.
type Premises struct {
	Optimum   []float64 // the best decision that a search found; nil when nobody searched
	Step      float64   // η
	Batch     int       // n_mb
	Everybody bool      // a batch as large as the crowd is the crowd: it is drawn without replacement
	AtState   bool      // the rule takes the sensitivity at sampled states, not at settled ones
	Horizon   int       // T
	Tau       float64   // of the bounds with probability 1−τ
	Sampled   bool      // the traits were drawn independently from a law
	Beyond    []string  // what else the run does that the theorems do not cover
	Seed      uint64    // of the streams that estimates are sampled with
	Steps     StepSums  // where steps diminish, their sums over the run; zero where all are Step
	Q         []float64 // of AᵀPA − P + Q = 0, row by row, for affine dynamics; nil is the identity
}

// problem is a model and what is planned with it.
type problem struct {
	kedge.Model
	Premises
}

// filled checks what must be there and fills in what may be left out.
func (p problem) filled() (problem, error) {
	if p.Dynamics == nil || p.Objective == nil || p.Traits == nil {
		return p, errors.New("certify: the problem needs dynamics, an objective and traits")
	}
	if p.Social {
		return p, errors.New("certify: the theory is of individuals that do not see the mean of the crowd")
	}
	if p.Weights != nil {
		return p, errors.New("certify: the theory is of individuals who count alike and are sampled alike, so they cannot have weights")
	}
	p = p.forget()
	dim := p.Dynamics.Dims()
	p.States = p.FirstStates()
	if n, width := p.Traits.Size(); n < 1 || width != dim.Trait {
		return p, &kedge.DimError{Arg: "a trait", Got: width, Want: dim.Trait}
	}
	if _, width := p.States.Size(); width != dim.State {
		return p, &kedge.DimError{Arg: "a state", Got: width, Want: dim.State}
	}
	if _, ok := p.Set.(set.Discrete); ok {
		return p, errors.New("not certified: the theory is of convex sets, and decisions here are whole numbers or the points of a list")
	}
	if p.Set == nil {
		p.Set = set.Whole{}
	}
	if p.Settler == nil {
		p.Settler, _ = p.Dynamics.(kedge.Settler)
	}
	return p, nil
}

// ready is filled for Certify, which needs the rule too.
func (p problem) ready() (problem, error) {
	p, err := p.filled()
	if err != nil {
		return p, err
	}
	if p.Settler == nil || p.Sensitivity == nil {
		return p, errors.New("certify: the problem needs steady states and their sensitivity")
	}
	m := p.Dynamics.Dims().Decision
	err = errors.Join(
		kedge.CheckVector("start", p.Start, m),
		kedge.CheckRange("step", p.Step, p.Step > 0 && !math.IsInf(p.Step, 1), "a number > 0"),
		kedge.CheckRange("batch", p.Batch, p.Batch >= 1, "at least 1"),
		kedge.CheckRange("T", p.Horizon, p.Horizon >= 1, "at least 1"),
		kedge.CheckRange("τ", p.Tau, p.Tau > 0 && p.Tau < 1, "0 < τ < 1"),
	)
	if p.Optimum != nil {
		err = errors.Join(err, kedge.CheckVector("optimum", p.Optimum, m))
	}
	return p, err
}

// forget drops the norm that polarized states may remember beside them: it moves nothing and is not judged.
func (p problem) forget() problem {
	f, ok := p.Dynamics.(dynamics.PolarizedNorm)
	if !ok {
		return p
	}
	p.Dynamics, p.Settler = f.Polarized, f.Polarized
	if is[objective.Affinity](p.Objective) {
		p.Objective = objective.Affinity{}
	}
	if p.States != nil {
		p.States = kedge.Leading{Of: p.States, Entries: f.Dim}
	}
	p.Sensitivity = &sensitivity.Polarized{Dim: f.Dim, Lambda: f.Lambda, Sigma: f.Sigma}
	return p
}

// is tells whether a part of a model is of a kind that has closed forms.
func is[T any](part any) bool {
	_, ok := part.(T)
	return ok
}

// NotContractingError says that dynamics do not contract, so that no constant of the theory exists.
type NotContractingError struct {
	What  string  // what is too large, as in "spectral radius"
	Value float64 // at least 1
	Trait int     // whose it is, from 0; −1 when it is everybody's
}

func (e *NotContractingError) Error() string {
	if math.IsInf(e.Value, 1) {
		return fmt.Sprintf("not certified: the set has no end, so that nothing bounds %s, which must be less than 1; give the decisions a bound, as in set: {kind: ball, radius: 1}", e.What)
	}
	if e.Trait < 0 {
		return fmt.Sprintf("not certified: %s %.6g, want less than 1", e.What, e.Value)
	}
	return fmt.Sprintf("not certified: %s %.6g at trait %d, want less than 1", e.What, e.Value, e.Trait)
}

// contracting says that dynamics do not contract where an error says that states do not settle; another it returns as it is.
func contracting(trait int, err error) error {
	if unstable, is := errors.AsType[*kedge.UnstableError](err); is {
		return &NotContractingError{What: "spectral radius", Value: unstable.Rate, Trait: trait}
	}
	return err
}
