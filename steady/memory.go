package steady

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Memory is how many individuals remember where they come from: other starts lead them to other steady states.
type Memory struct {
	Looked      int // individuals looked at
	FromTrait   int // settle elsewhere if they begin at their trait
	FromOther   int // if they begin where they settled under another decision
	Either      int // one of these
	Individuals []int
}

const (
	longMemory = 3000  // steps that a walk from another start may take
	elsewhere  = 1e-6  // relative to the size of a state, how far apart steady states are
	atRest     = 1e-12 // relative to the size of a state, the step that is none
)

// Remember looks whether some individuals of a model come to rest elsewhere under one of the decisions when they begin elsewhere: at their
// trait, where it is as long as a state, or where they settled under another of the decisions. What does not come to rest is passed over.
func Remember(m kedge.Model, individuals []int, decisions [][]float64) Memory {
	found := Memory{Looked: len(individuals)}
	settler, moves, dim := m.RowSettler(), m.RowDynamics(), m.Dims()
	if settler == nil || m.Social {
		return found
	}
	first, traits := kedge.Pick(kedge.Leading{Of: m.FirstStates(), Entries: dim.State}, individuals), kedge.Pick(m.Traits, individuals)
	for i := range individuals {
		p, d := kedge.Row(first.Data, i, dim.State), kedge.Row(traits.Data, i, dim.Trait)
		trait, other := remembers(settler, moves, p, d, decisions)
		if trait {
			found.FromTrait++
		}
		if other {
			found.FromOther++
		}
		if trait || other {
			found.Either++
			found.Individuals = append(found.Individuals, individuals[i])
		}
	}
	return found
}

// remembers tells whether an individual settles elsewhere from its trait, or from where it settled under another decision.
func remembers(settler kedge.RowSettler, moves kedge.RowDynamics, p, d []float64, decisions [][]float64) (trait, other bool) {
	homes := make([][]float64, len(decisions))
	for k, u := range decisions {
		h := append([]float64(nil), p...)
		if _, err := kedge.SettleRowsFrom(settler, h, u, d); err == nil {
			homes[k] = h
		}
	}
	for k, u := range decisions {
		if homes[k] == nil {
			continue
		}
		if len(d) >= len(p) {
			trait = trait || leads(moves, d[:len(p)], homes[k], u, d)
		}
		for j, h := range homes {
			other = other || j != k && h != nil && leads(moves, h, homes[k], u, d)
		}
	}
	return trait, other
}

// leads tells whether a walk from a start comes to rest elsewhere than at home.
func leads(moves kedge.RowDynamics, start, home, u, d []float64) bool {
	p, next := append([]float64(nil), start...), make([]float64, len(start))
	for range longMemory {
		moves.NextRows(next, p, u, d)
		if !rows.Finite(next) {
			return false
		}
		step, size := rows.Distance(next, p), max(1, rows.Norm(next))
		p, next = next, p
		if step <= atRest*size {
			return rows.Distance(p, home) > elsewhere*size
		}
	}
	return false
}
