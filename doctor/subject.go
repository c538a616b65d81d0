package doctor

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Examination says what of a model is looked at, and what is to run on it.
type Examination struct {
	Individuals []int // the numbers of those looked at; nil means everybody
	Decisions   int   // under which they are looked at; 0 means 4
	Rules       []Candidate
	Notes       []string // what is known of the model beforehand
	Seed        uint64
}

// Candidate is a decision rule that is to run.
type Candidate struct {
	Name        string
	Method      kind.Facts
	Step        float64
	Batch       int
	Replacement bool // the same individual may be sampled twice
}

// blind tells whether the rule takes the population as given.
func (r Candidate) blind() bool { return r.Method.Held == online.Stable }

// values tells whether the rule sees mean losses only.
func (r Candidate) values() bool { return r.Method.Needs == online.Needs{Values: true} }

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
		most = min(mostIndividuals, affordable(p.Spec.Dims(), entriesLooked))
	}
	return Examination{Individuals: p.Some(most), Rules: rulesOf(p), Notes: p.Warnings(), Seed: p.Spec.Seed}
}

// affordable is how many individuals have together so many entries of Jacobians.
func affordable(dim kedge.Dims, entries int) int {
	return max(leastIndividuals, entries/max(1, dim.State*(dim.State+dim.Decision)))
}

func rulesOf(p *problem.Problem) (list []Candidate) {
	for i, a := range p.Spec.Algorithms {
		list = append(list, Candidate{
			Name: a.Name, Method: a.Facts(), Step: p.FirstStep(i), Batch: a.Batch,
			Replacement: p.Spec.Population.Sampling != "without-replacement",
		})
	}
	return list
}
