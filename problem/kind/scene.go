package kind

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
)

// Scene is the spec around a kind that checks itself.
type Scene struct {
	form.Check
	Dims      kedge.Dims // of an individual; they count only if the keys that decide them were read
	DimKeys   []string   // the keys that decide them
	Size, Dim int        // of the population: individuals, and entries of a trait as it is drawn
	Model     bool       // individuals are written as formulas
	Dynamics  string     // the name of the dynamics
	Habitat   Habitat    // where states live
	Names     []string   // of the entries of a decision; none where they have none
	Grouped   bool       // people are in groups that have names
	GroupKey  string     // the column of a table that says which; "": none does
	Groups    []string   // their names; nil: a table will tell
}

// Decision is how many entries a decision has.
func (s *Scene) Decision() form.Length { return s.Known(s.Dims.Decision, "the decision", s.DimKeys...) }

// State is how many entries a state has.
func (s *Scene) State() form.Length { return s.Known(s.Dims.State, "a state", s.DimKeys...) }

// Trait is how many entries a trait has as it is drawn.
func (s *Scene) Trait() form.Length {
	from := form.Paths("population.dim")
	if s.Model {
		from = append(slices.Clone(s.DimKeys), "population.dim")
	}
	return s.Known(s.Dim, "a trait", from...)
}

// maxCount is the largest whole number that a key takes.
const maxCount = math.MaxInt32

// Lives reports the first row that does not live in the space of the dynamics of a name.
func (s *Scene) Lives(path string, list form.RowList, space Habitat, dynamics string) {
	for i, row := range list {
		if fault := space.Fault(row, dynamics); fault != "" {
			s.Fail(form.Paths(path, "dynamics.kind"), "%s.%d %s", path, i, fault)
			return
		}
	}
}
