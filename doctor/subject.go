package doctor

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem"
)

// Examination says what of a model is looked at, and what is to run on it.
type Examination struct {
	Individuals []int // the numbers of those looked at; nil means everybody
	Decisions   int   // under which they are looked at; 0 means 4
	Rules       []Rule
	Notes       []string // what is known of the model beforehand
	Seed        uint64
}

// Rule is a decision rule that is to run.
type Rule struct {
	Name        string
	Kind        string // as in a spec, one of online.Methods
	Step        float64
	Batch       int
	Delta       float64 // smoothing radius of derivative-free
	Replacement bool    // the same individual may be sampled twice
}

// blind tells whether the rule takes the population as given.
func (r Rule) blind() bool {
	m, ok := online.MethodOf(r.Kind)
	return ok && m.Held == online.Stable
}

// values tells whether the rule sees mean losses only.
func (r Rule) values() bool {
	m, _ := online.MethodOf(r.Kind)
	return m.Needs == online.Needs{Values: true}
}

// unjudged says why the curvature says nothing about the step of a rule, "" where it does.
func (r Rule) unjudged() string {
	switch r.Kind {
	case "repeated-risk", "delayed-risk", "plug-in":
		return "it goes to a minimum of its own"
	case "adam":
		return "its gradients are divided by their size"
	case "one-point", "two-point", "epoch-derivative-free":
		return "its noise bounds it, not the curvature"
	}
	return ""
}

// mostIndividuals are looked at in a small model; so many entries of Jacobians in a large one.
const (
	mostIndividuals  = 100
	leastIndividuals = 3
	entriesLooked    = 1e7
)

// Of plans the examination of a problem's model. Of a large population it takes individuals at equal distances, at most so many
// as are given; 0 means 100, and fewer of a model with many dimensions.
func Of(p *problem.Problem, most int) Examination {
	if most < 1 {
		dim := p.Spec.Dims()
		work := max(1, dim.State*(dim.State+dim.Decision))
		most = min(mostIndividuals, max(leastIndividuals, int(entriesLooked/work)))
	}
	return Examination{Individuals: p.Some(most), Rules: rulesOf(p), Notes: p.Warnings(), Seed: p.Spec.Seed}
}

func rulesOf(p *problem.Problem) (list []Rule) {
	for i, a := range p.Spec.Algorithms {
		list = append(list, Rule{
			Name: a.Name, Kind: a.Kind, Step: p.FirstStep(i), Batch: a.Batch, Delta: a.Delta,
			Replacement: p.Spec.Population.Sampling != "without-replacement",
		})
	}
	return list
}
