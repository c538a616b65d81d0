package problem

import (
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Table returns the columns of a file that the people are, nil where they are drawn or listed.
func (p *Population) Table() *kind.ColumnsLaw {
	t, _ := p.Law.(*kind.ColumnsLaw)
	return t
}

// ownStates tells whether people have first states that are not their traits.
func (p *Population) ownStates() bool {
	t := p.Table()
	return p.States != nil || t != nil && t.States != nil
}

// weighs is the key that says how much people count, "" where all count alike.
func (p *Population) weighs() string {
	switch t := p.Table(); {
	case t != nil && t.Weight != "":
		return "population.weight"
	case p.Weights != nil:
		return "population.weights"
	}
	return ""
}

// Who says how many there are, or whose file tells.
func (p *Population) Who() string {
	if t := p.Table(); t != nil && p.Size == 0 {
		return "The people of " + t.File
	}
	return phrase.Count(p.Size, "individual")
}
