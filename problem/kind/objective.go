package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
)

// Objective is a kind of losses and rewards: what decisions are judged by.
type Objective interface {
	form.Kind
	// Describe describes its keys.
	Describe(f *form.Form)
	// Check looks for what does not fit the dimensions of the spec, which are known.
	Check(s *Scene, path string)
	// Build makes the loss; of a reward it is the negative.
	Build(dim kedge.Dims) (kedge.RowObjective, error)
	// Words says what is judged, in a sentence.
	Words() string
	// IsReward tells whether values are reported as rewards.
	IsReward() bool
}

// SketchedObjective is an Objective that a few answers describe.
type SketchedObjective interface {
	// Sketch writes its keys and tells whether it has an optimum even where every decision is feasible.
	Sketch() (keys string, curves bool)
}

// DescribeObjective describes an objective by its kind and the keys of that.
func (c *Catalogue) DescribeObjective(f *form.Form, x *Objective) {
	f.Shared("objective", func() {
		form.Pick(f, "kind", x, c.Objectives, "", form.Says("What is judged.", "", "affinity"))
		if *x != nil {
			(*x).Describe(f)
		}
	})
}

// CheckObjective checks an objective, unless its kind or the dimensions were not read.
func CheckObjective(s *Scene, path string, x Objective) {
	if x != nil && s.Sound(s.DimKeys...) && s.Sound(path+".kind") {
		x.Check(s, path)
	}
}

// reads refuses an objective that pairs more entries of the decision with the state than that has.
func (s *Scene) reads(path string, x Objective, read int) {
	s.FailIf(s.Dims.State < read, append(form.Paths(path+".kind"), s.DimKeys...),
		"%s.kind is %s, which reads %s of the state, but that has %d", path, form.NameOf(x), form.Entries(read), s.Dims.State)
}
