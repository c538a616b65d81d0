package problem

import (
	"cmp"
	"math"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Population is a crowd of individuals.
type Population struct {
	Size     int                // individuals
	Dim      int                // entries of a trait
	Law      kind.Law           // of the traits d
	States   kind.Law           // of the first states p₀; nil: every individual starts at its trait, p₀ = d
	Joint    form.Matrix        // the correlation of first states with traits; both laws are normal then
	Sampling string             // "with-replacement" or "without-replacement"
	Weights  *Weights           // how much people count; nil: all alike
	Storage  population.Storage // of the states, and of traits that are stored
	Traits   string             // "stored", or "regenerated": drawn anew from their stream whenever they are needed

	Drift *Drift  // of the traits; nil: they stay as they are
	Churn float64 // share of the crowd that leaves each step and is replaced by newcomers
}

// maxEntries is how many numbers the states or the traits of a population may have, and maxSampled those of a sample. Memory ends before.
const (
	maxEntries int64 = min(1<<34, math.MaxInt)
	maxSampled int64 = 1 << 31
)

func (s *Spec) describePopulation(f *form.Form) {
	p := &s.Population
	isTable, describeLaw := s.kinds().PeopleLaw(f, &p.Law)
	size := form.Count(1, maxCount)
	if isTable {
		size = size.Optional()
	}
	form.Field(f, "size", &p.Size, size, form.Says("Individuals: up to what memory holds, 24·dim bytes each. Of columns of a file all rows that pass, or so many of them, drawn without replacement.", "N", "1000"))
	dim := form.Count(1, maxCount)
	switch {
	case s.Model != nil:
		dim = dim.Like("model.trait", s.Dims().Trait-s.beside())
	case isTable:
		dim = dim.Optional()
	}
	form.Field(f, "dim", &p.Dim, dim, form.Says("Entries of a trait. But for affine dynamics states and decisions have as many. A model says it by itself, and so do the columns of a file.", "", "20"))
	describeLaw()
	if isTable {
		p.describeTable(f)
	} else {
		s.describeDrawn(f)
	}
	form.Field(f, "sampling", &p.Sampling, form.OneOf(form.Choice("with-replacement", "It can.", ""), form.Choice("without-replacement", "It cannot, so a batch is at most the population.", "")).Or("with-replacement"), form.Says("Whether one individual can be sampled twice in a turn.", "", "without-replacement"))
	if !isTable {
		form.Field(f, "weights", &p.Weights, form.ListOrPart(form.Numbers(form.NotNegative()), listed, (*Weights).list, "a list of numbers ≥ 0, or a mapping with a file", (*Weights).describe).Optional(), form.Says("How much people count, one number for each in their order: in the value and its optimum, in means, shares and tails of constraints, and as the odds of being sampled. Who has 0 is there and counts for nothing. Without it all count alike.", "Φ̃(u) = Σ wᵢ Φ(hᵢ, u, dᵢ)/Σ wᵢ", "[1, 2.5, 1]"))
	}
	form.Field(f, "storage", &p.Storage, form.Which(form.As(population.Float64, "float64", "In double precision.", ""), form.As(population.Float32, "float32", "Rounded to single precision, for half the memory.", "")).Or(population.Float64), form.Says("How states and stored traits are kept; arithmetic is in float64 in any case.", "", "float32"))
	if !isTable {
		form.Field(f, "traits", &p.Traits, form.OneOf(form.Choice("stored", "They are.", ""), form.Choice("regenerated", "They are drawn anew whenever they are needed, bit for bit, for less memory and much more time.", "")).Or("stored"), kind.TraitsMeaning("regenerated"))
	}
	form.Field(f, "drift", &p.Drift, form.Part((*Drift).describe).Optional(), form.Says("How traits change from step to step. Without it they stay as they are.", "dᵢ = homeᵢ + swing·sin(2πk/period), homeᵢ ← homeᵢ + rate + walk·ξᵢ", "{rate: [0.001, 0]}"))
	form.Field(f, "churn", &p.Churn, form.Share().Optional(), form.Says("The share of the crowd that leaves each step; as many newcomers take their places, drawn from the law. Without it nobody leaves.", "after k steps ⌊k·churn·N⌋ have left", "0.001"))
}

// describeDrawn describes the first states of people who are drawn.
func (s *Spec) describeDrawn(f *form.Form) {
	p := &s.Population
	f.WordOrSection("states", p.States == nil, form.Choice("same", "Everybody starts at the trait.", "p₀ = d"), "same or a mapping with a law", kind.StatesMeaning("{law: sphere}"),
		func(f *form.Form) {
			s.kinds().DescribeLaw(f, &p.States)
			p.describeJoint(f)
		})
}

// population checks sizes, and whether the laws give what the dynamics move.
func (c *check) population() {
	p := &c.s.Population
	if c.Sound("population.size") {
		c.fits("population.size", p.Size, "individuals", maxEntries)
	}
	kind.CheckLaw(&c.Scene, "population", p.Law, c.Trait())
	c.FailIf(p.Traits == "regenerated" && kind.IsListed(p.Law), form.Paths("population.traits", "population.law"),
		"population.traits is regenerated, but population.law is %s, whose individuals cannot be drawn anew; want stored", form.NameOf(p.Law))
	c.weights(p)
	if t := p.Table(); t != nil && c.Sound("population") { // as far as that can be done without the file
		c.s.reportFormulas(c.Mistakes, t.Mistakes())
	}
	if p.ownStates() {
		kind.CheckLaw(&c.Scene, "population.states", p.States, c.State())
		c.joint(p)
		return
	}
	d := c.Dims
	if trait := d.Trait - len(kind.ParametersOf(c.s.Dynamics.Of)) - c.s.beside(); c.Sound(c.DimKeys...) && c.Sound("population.states") && d.State != trait {
		remedy := "a law, as in {law: normal, mean: 0, deviation: 0}"
		if p.Table() != nil {
			remedy = "columns, or formulas of them"
		}
		c.Fail(append(form.Paths("population.states"), c.DimKeys...), "population.states is same, but a state has %s and a trait %d; want %s", form.Entries(d.State), trait, remedy)
	}
}

func (p *Population) describeTable(f *form.Form) {
	t := p.Table()
	if t == nil {
		return // the law was not read
	}
	t.DescribeColumns(f)
	if !f.Prints() {
		p.Traits = "stored"
		p.Dim = cmp.Or(p.Dim, len(t.Traits))
	}
	f.Refuse("weights", "population.weights is given, but people are columns of a file; want weight, with the name of a column")
}
