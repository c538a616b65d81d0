package problem

import (
	"slices"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

// onlyNormal is why others than normal laws are not correlated.
const onlyNormal = "of normal laws the correlation says all about how two vectors go together, of others it does not; list pairs in files instead"

// describeJoint describes the key that makes one law of traits and first states.
func (p *Population) describeJoint(f *form.Form) {
	if _, normal := p.States.(*kind.NormalLaw); !normal {
		f.Refuse("correlation", "population.states.correlation wants population.states.law normal: "+onlyNormal)
		return
	}
	form.Field(f, "correlation", &p.Joint, form.MatrixOf().Optional(), form.Says(
		"How first states go with traits, where both laws are normal: one number for entries of the same place, or a list of rows, a row for every entry of a state with a number for every entry of a trait. "+
			"Both keep their own laws. Without it they are independent.",
		"corr(p₀ᵢ, dⱼ) = Cᵢⱼ", "0.6"))
}

// joint checks the correlation of first states with traits.
func (c *check) joint(p *Population) {
	const path = "population.states.correlation"
	if !p.Correlates() || !c.Sound(path, "population.law", "population.states.law") {
		return
	}
	of, normal := p.Law.(*kind.NormalLaw)
	if !normal {
		c.Fail(form.Paths(path, "population.law"), "%s is given, but population.law is %s; want normal: %s", path, form.NameOf(p.Law), onlyNormal)
		return
	}
	from, before := append(slices.Clone(c.DimKeys), "population.dim"), len(c.Found)
	if !c.Sound(from...) {
		return
	}
	if c.Matrix(path, p.Joint, c.Dims.State, p.Dim, from); len(c.Found) > before {
		return
	}
	if _, err := population.NewCorrelated(population.Normal{}, c.Dims.State, p.correlations(), p.Dim, stream.New(0)); err != nil {
		c.Fail(form.Paths(path), "%s: %v", path, err)
	}
	first := p.States.(*kind.NormalLaw)
	c.FailIf(p.fixed(of.Deviation, first.Deviation), form.Paths(path, "population.deviation", "population.states.deviation"),
		"%s is given for an entry whose deviation is 0; nothing is correlated with what is the same for everybody", path)
}

// Correlates tells whether first states are correlated with traits.
func (p *Population) Correlates() bool { return p.Joint.Scale != 0 || p.Joint.Rows != nil }

// Besides says in words what there is to people besides their traits.
func (p *Population) Besides() string {
	text := ""
	if p.Correlates() {
		text += " First states are normal too, and correlated with the traits."
	}
	if p.weighs() != "" {
		text += " People count, and are sampled, by weights of their own."
	}
	return text
}

// fixed tells whether an entry that is to be correlated is the same for everybody.
func (p *Population) fixed(traits, states form.Vector) bool {
	still := func(v form.Vector, j int) bool {
		if v.Each == nil {
			return v.All == 0
		}
		return j < len(v.Each) && v.Each[j] == 0 // another length is another mistake
	}
	somewhere := func(v form.Vector) bool { return v.Each == nil && v.All == 0 || slices.Contains(v.Each, 0) }
	if p.Joint.Rows == nil {
		return somewhere(traits) || somewhere(states)
	}
	for i, row := range p.Joint.Rows {
		for j, c := range row {
			if c != 0 && (still(states, i) || still(traits, j)) {
				return true
			}
		}
	}
	return false
}

// correlations are one number for entries of the same place, or all of them row by row.
func (p *Population) correlations() []float64 {
	if p.Joint.Rows == nil {
		return []float64{p.Joint.Scale}
	}
	return p.Joint.Rows.Flat()
}

// firstStates returns the law of first states of so many entries, which may be correlated with traits.
func (p *Problem) firstStates(entries int) (population.Law, error) {
	from := &p.Spec.Population
	if p.people != nil {
		return p.people.States, nil
	}
	law, err := p.Spec.buildLaw("population.states", from.States, entries, p.files)
	if err != nil || !from.Correlates() {
		return law, err
	}
	joint, err := population.NewCorrelated(law.(population.Normal), entries, from.correlations(), from.Dim, p.Spec.stream("population"))
	return joint, p.Spec.wrap("population.states.correlation", err)
}
