package problem

import "github.com/kedge-opt/kedge/problem/kind"

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
