package problem

import (
	"errors"
	"slices"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/problem/census"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/world"
)

// gather reads the people of a table. From then on the spec of the problem knows how many there are; it is still written as it was.
func (p *Problem) gather() error {
	t := p.Spec.Population.Table()
	if t == nil {
		return nil
	}
	g := census.Gathering{Within: p.within, Files: p.files, Size: p.Spec.Population.Size, Draw: p.Spec.stream("population", "rows")}
	if have := room.Memory(); have.Known() {
		g.Most = max(1, min(1<<30, int64(have.Bytes)/4))
	}
	people, err := t.Gather(g)
	if wrong := (*census.FileError)(nil); errors.As(err, &wrong) {
		return p.Spec.errorf("population.file", "%v", err)
	}
	err = p.Spec.FormulaMistakes(err)
	if of := (*formula.Error)(nil); errors.As(err, &of) { // which stands at no formula of the spec
		return p.Spec.errorf("population", "%v", err)
	}
	if err != nil {
		return err
	}
	p.people = people
	p.Spec = p.Spec.of(people.Size())
	if err := p.fitting(); err != nil {
		return err
	}
	return p.Spec.Fits(p.Spec.CrowdNeed())
}

// of returns the spec with the number of people that a file holds.
func (s *Spec) of(people int) *Spec {
	known := *s
	known.written = s
	known.Population.Size = people
	known.Algorithms = slices.Clone(s.Algorithms)
	for i := range known.Algorithms {
		if a := &known.Algorithms[i]; a.Batch == 0 {
			a.Batch = people
		}
	}
	return &known
}

// fitting tells whether the columns give traits and states of the lengths that the dynamics want, and batches no more than everybody.
func (p *Problem) fitting() error {
	s, from := p.Spec, p.people
	dim := s.Dims()
	want := s.Population.Dim
	if len(from.TraitNames) != want {
		return s.errorf("population.traits", "population.traits gives %s (%s), a trait has %d; %s",
			form.Entries(len(from.TraitNames)), phrase.Enumerate(from.TraitNames), want, "onehot has an entry for every text of its column")
	}
	if from.StateNames != nil && len(from.StateNames) != dim.State {
		return s.errorf("population.states", "population.states gives %s (%s), a state has %d", form.Entries(len(from.StateNames)), phrase.Enumerate(from.StateNames), dim.State)
	}
	if n := s.Population.Size; s.Record.Transport > 0 && n > maxTransport {
		return s.errorf("record.transport", "record.transport is %d, but %s pass, and the distance of more than %d individuals is not worked out; want 0", s.Record.Transport, phrase.Count(n, "row"), maxTransport)
	}
	if s.Population.Sampling != "without-replacement" {
		return nil
	}
	for i := range s.Algorithms {
		if a := &s.Algorithms[i]; a.Batch > s.Population.Size {
			path := form.Join("algorithms", a.Name) + ".batch"
			return s.errorf(path, "%s is %d, but %s pass and sampling is without-replacement", path, a.Batch, phrase.Count(s.Population.Size, "row"))
		}
	}
	return nil
}

// Groups returns the group of everybody, counted from 0, and the names of the groups, by the column of a table or else by the model; nil where there
// are none.
func (p *Problem) Groups() (of []int, names []string) {
	if p.people != nil && p.people.Groups != nil {
		return p.people.Groups, p.people.GroupNames
	}
	if _, _, names = p.Spec.grouped(); names == nil {
		return nil, nil
	}
	first := 0
	for g, end := range p.Spec.classes().Ends {
		of = append(of, slices.Repeat([]int{g}, end-first)...)
		first = end
	}
	return of, names
}

// grouped tells whether people are in groups that have names, the column of a table that says in which, and the names where they are known before it is read.
func (s *Spec) grouped() (ok bool, column string, names []string) {
	if t := s.Population.Table(); t != nil && t.Group != "" {
		return true, t.Group, nil
	}
	if s.Model == nil || len(s.Model.Groups) == 0 {
		return false, "", nil
	}
	return true, "", lists.Of(s.Model.Groups, func(g world.ModelGroup) string { return g.Name })
}

// namesGroups tells whether a constraint is on groups that have names, so that rules must be told who is sampled.
func (s *Spec) namesGroups() bool {
	return slices.ContainsFunc(s.Constraints, func(c Constraint) bool { return kind.ByName(c.Kind) })
}

// notes are what was found out about the file of a table.
func (p *Problem) notes() []string {
	if p.people == nil {
		return nil
	}
	return lists.Of(p.people.Notes, func(note string) string { return "In " + p.Spec.Population.Table().File + " " + note + "." })
}
