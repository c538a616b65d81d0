package kind

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
)

// Habitat is where states live, or what a law draws.
type Habitat int

const (
	// Anywhere is every vector.
	Anywhere Habitat = iota
	// Sphere is the vectors of length 1.
	Sphere
	// Simplex is the vectors of proportions: none below 0, adding up to 1.
	Simplex
	// Listed is where the individuals are that somebody wrote down: wherever the dynamics want them.
	Listed
)

const rounding = 1e-9 // what numbers written in decimals may be off

// laws lists the laws that draw what lives in a space.
func (s Habitat) laws() []string {
	return map[Habitat][]string{
		Sphere:  {"sphere", "cap", "bimodal", "values", "file"},
		Simplex: {"proportions", "dirichlet", "values", "file"},
	}[s]
}

// admits tells whether what a law draws lives in the space.
func (s Habitat) admits(law Habitat) bool { return s == Anywhere || law == s || law == Listed }

// Fault says why a vector does not live in the space of the dynamics of a name, "" if it does.
func (s Habitat) Fault(x []float64, dynamics string) string {
	switch s {
	case Sphere:
		if norm := rows.Norm(x); math.Abs(norm-1) > rounding {
			return fmt.Sprintf("has length %v, %s dynamics want 1", norm, dynamics)
		}
	case Simplex:
		least := math.Inf(1)
		for _, v := range x {
			least = min(least, v)
		}
		if sum := rows.Sum(x); math.Abs(sum-1) > rounding || least < 0 {
			return fmt.Sprintf("has sum %v and least entry %v, %s dynamics want proportions", sum, least, dynamics)
		}
	}
	return ""
}

// Mend returns what brings the first n entries of a vector back to the space, nil where nothing need be done.
func (s Habitat) Mend(n int) func(x []float64) {
	switch s {
	case Sphere:
		return func(x []float64) { rows.Scale(x[:n], 1/rows.Norm(x[:n])) }
	case Simplex:
		// A NaN stays, for others to find.
		return func(x []float64) { _ = set.Simplex{Sum: 1}.Project(x[:n]) }
	}
	return nil
}
