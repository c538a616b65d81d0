package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/problem"
)

// Fixture is a comparison before anything is computed: what meets what. It knows no answers.
type Fixture struct {
	Comparison
	Specs []*problem.Spec // of the problems
	terms Terms
}

// NewFixture reads the specs. Whatever is wrong with one is found here, and that there is not enough memory.
func NewFixture(problems []Subject, methods []Entrant, o Terms) (*Fixture, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o = o.filled()
	p := &Fixture{Comparison: *o.blank(len(methods) == 0), terms: o}
	for _, subject := range problems {
		s, entrants, err := subject.read(methods, o)
		if err != nil {
			return nil, err
		}
		m := Meeting{Name: subject.Name, Target: subject.Target, Spec: string(s.YAML()), Seed: s.Seed, Turns: s.Iterations}
		m.Rows = lists.Of(entrants, func(e Entrant) Row { return Row{Method: e.Label, Kind: e.kind(), Trials: cmp.Or(o.Trials, s.Trials)} })
		p.Problems, p.Specs = append(p.Problems, m), append(p.Specs, s)
	}
	p.called()
	return p, nil
}

// Need is the memory that the largest problem takes.
func (p *Fixture) Need() (most problem.Need) {
	for i, s := range p.Specs {
		if n := need(s, len(p.Problems[i].Rows), p.terms); n.Bytes() > most.Bytes() {
			most = n
		}
	}
	return most
}

// Runs is how many trials there are on a problem, with those that methods are tuned by.
func (p *Fixture) Runs(problem int) (n int) {
	for _, row := range p.Problems[problem].Rows {
		n += row.Trials + p.Points*p.Tuning
	}
	return n
}

// Other says in what an earlier comparison is another than the one that is planned, "" if it is the same.
func (p *Fixture) Other(old *Comparison) string {
	named := *old // a file may be called otherwise and hold the same
	named.Problems = slices.Clone(old.Problems)
	for i := range min(len(named.Problems), len(p.Problems)) {
		named.Problems[i].Target = p.Problems[i].Target
	}
	if named.Command() != p.Command() {
		return fmt.Sprintf("it came of %s", old.Command())
	}
	for i := range p.Problems {
		if i >= len(old.Problems) || old.Problems[i].Spec != p.Problems[i].Spec {
			return fmt.Sprintf("the spec of %s was another", p.Problems[i].Name)
		}
	}
	return ""
}
