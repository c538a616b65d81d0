package problem

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
)

// Population is a crowd of individuals.
type Population struct {
	Size     int    // individuals
	Dim      int    // entries of a trait
	Law      Law    // of the traits d
	States   *Law   // of the first states p₀; nil: every individual starts at its trait, p₀ = d
	Sampling string // "with-replacement" or "without-replacement"
	Storage  string // "float64", or "float32": of the states, and of traits that are stored
	Traits   string // "stored", or "regenerated": drawn anew from their stream whenever they are needed

	Drift *Drift  // of the traits; nil: they stay as they are
	Churn float64 // share of the crowd that leaves each step and is replaced by newcomers
}

// Law is how traits or first states are drawn. Angles are in degrees.
type Law struct {
	Kind string // the key is law: "sphere", "cap", "bimodal", "dirichlet", "normal", "proportions", "values" or "file"

	Angle float64   // of cap and bimodal: at most so far from the axis
	Axis  []float64 // of cap and bimodal; nil: drawn
	Share float64   // of bimodal: the expected share of individuals around the axis, the rest is around its opposite

	Concentration form.Vector // of dirichlet
	Mean          form.Vector // of normal
	Deviation     form.Vector // of normal

	Values form.RowList // of values: one individual a row
	File   string       // of file: a .csv, .npy, .npz or .parquet file with one individual a row
	Array  string       // of file: the member of an .npz file; "": its only one
}

const (
	maxEntries int64 = 1 << 31
	rounding         = 1e-9 // what numbers written in decimals may be off
)

func (s *Spec) describePopulation(f *form.Form) {
	p := &s.Population
	form.Field(f, "size", &p.Size, form.Count(1, maxCount), form.Says("Individuals: up to what memory holds, 24·dim bytes each.", "N", "1000"))
	if s.Model == nil {
		form.Field(f, "dim", &p.Dim, form.Count(1, maxCount), form.Says("Entries of a trait. But for affine dynamics states and decisions have as many. A model says it by itself.", "", "20"))
	} else {
		form.FieldLike(f, "dim", &p.Dim, form.Count(1, maxCount), "model.trait", s.Dims().Trait, form.Says("Entries of a trait. But for affine dynamics states and decisions have as many. A model says it by itself.", "", "20"))
	}
	p.Law.describe(f)
	form.WordOrSection(f, "states", &p.States, form.Choice("same", "Everybody starts at the trait.", "p₀ = d"), "same or a mapping with a law",
		form.Says("The first states: same, or a law of their own with the keys of one.", "p₀", "{law: sphere}"), (*Law).describe)
	form.FieldOr(f, "sampling", &p.Sampling, form.OneOf(form.Choice("with-replacement", "It can.", ""), form.Choice("without-replacement", "It cannot, so a batch is at most the population.", "")), "with-replacement", form.Says("Whether one individual can be sampled twice in a turn.", "", "without-replacement"))
	form.FieldOr(f, "storage", &p.Storage, form.OneOf(form.Choice("float64", "In double precision.", ""), form.Choice("float32", "Rounded to single precision, for half the memory.", "")), "float64", form.Says("How states and stored traits are kept; arithmetic is in float64 in any case.", "", "float32"))
	form.FieldOr(f, "traits", &p.Traits, form.OneOf(form.Choice("stored", "They are.", ""), form.Choice("regenerated", "They are drawn anew whenever they are needed, bit for bit, for less memory and much more time.", "")), "stored", form.Says("Whether traits are kept.", "", "regenerated"))
	form.OptionalSection(f, "drift", &p.Drift, form.Says("How traits change from step to step. Without it they stay as they are.", "dᵢ = homeᵢ + swing·sin(2πk/period), homeᵢ ← homeᵢ + rate + walk·ξᵢ", "{rate: [0.001, 0]}"), (*Drift).describe)
	form.Optional(f, "churn", &p.Churn, form.Share(), form.Says("The share of the crowd that leaves each step; as many newcomers take their places, drawn from the law. Without it nobody leaves.", "after k steps ⌊k·churn·N⌋ have left", "0.001"))
}

func (l *Law) describe(f *form.Form) {
	f.Shared("law", func() { l.describeKeys(f) })
}

func (l *Law) describeKeys(f *form.Form) {
	f.Choose("law", &l.Kind, form.Says("How traits (or first states) are drawn.", "", "cap"), form.Choice("sphere", "Uniform on the unit sphere.", ""), form.Choice("cap", "Uniform on the unit sphere within an angle of an axis.", ""), form.Choice("bimodal", "Two caps, around an axis and its opposite.", ""), form.Choice("dirichlet", "Proportions of a Dirichlet distribution.", ""), form.Choice("normal", "Independent normal entries.", ""), form.Choice("proportions", "Uniform numbers divided by their sum.", ""), form.Choice("values", "The individuals that values lists.", ""), form.Choice("file", "The individuals of a file.", ""))
	switch l.Kind {
	case "cap":
		l.describeCap(f, 180)
	case "bimodal":
		l.describeCap(f, 90)
		form.FieldOr(f, "share", &l.Share, form.Number("a number above 0 and up to 1", form.Above(0, 1)), 0.5, form.Says("The expected share of individuals around the axis; the others are around its opposite.", "", "0.5"))
	case "dirichlet":
		positive := form.Number("a number from 1e-8 to 1e8", form.Closed(1e-8, 1e8))
		form.FieldOr(f, "concentration", &l.Concentration, form.VectorOf(positive), form.Vector{All: 1}, form.Says("The parameters α of the Dirichlet distribution; 1: uniform on the simplex.", "density ∝ Π dᵢ^(αᵢ−1)", "1"))
	case "normal":
		form.FieldOr(f, "mean", &l.Mean, form.VectorOf(form.Finite()), form.Vector{}, form.Says("The mean of the normal law.", "", "0"))
		form.FieldOr(f, "deviation", &l.Deviation, form.VectorOf(form.NotNegative()), form.Vector{All: 1}, form.Says("The standard deviation of the normal law.", "", "1"))
	case "values":
		form.Field(f, "values", &l.Values, form.Rows(), form.Says("The individuals, one a row.", "", "[[1, 0], [0, 1]]"))
	case "file":
		form.Field(f, "file", &l.File, form.FileName(), form.Says("A .csv, .npy, .npz or .parquet file with one individual a row, relative to where kedge is run.", "", "people.csv"))
		form.Optional(f, "array", &l.Array, form.TextOf("the name of an array", form.IsPrintable), form.Says("The member of an .npz file. Without one it must have a single member.", "", "traits"))
	}
}

func (l *Law) describeCap(f *form.Form, widest float64) {
	want := fmt.Sprintf("an angle in degrees, above 0 and up to %v", widest)
	form.Field(f, "angle", &l.Angle, form.Number(want, form.Above(0, widest)), form.Says("How far from the axis individuals are at most, in degrees; 90 is a hemisphere.", "", "90"))
	form.Optional(f, "axis", &l.Axis, form.Numbers(form.Finite()), form.Says("The axis; only its direction matters. Without one the axis is drawn.", "", "[1, 0, 0]"))
}

func (p *Population) storage() population.Storage {
	if p.Storage == "float32" {
		return population.Float32
	}
	return population.Float64
}

// population checks sizes, and whether the laws give what the dynamics move.
func (c *check) population() {
	p := &c.s.Population
	if c.Sound("population.size") {
		c.fits("population.size", p.Size, "individuals")
	}
	c.law("population", &p.Law, c.Trait())
	if law := p.Law.Kind; p.Traits == "regenerated" && (law == "values" || law == "file") {
		c.Fail(form.Paths("population.traits", "population.law"), "population.traits is regenerated, but population.law is %s, whose individuals cannot be drawn anew; want stored", law)
	}
	if p.States != nil {
		c.law("population.states", p.States, c.State())
		return
	}
	d := c.Dims
	if trait := d.Trait - len(c.s.Dynamics.own()); c.Sound(c.DimKeys...) && d.State != trait {
		c.Fail(append(form.Paths("population.states"), c.DimKeys...), "population.states is same, but a state has %s and a trait %d", form.Entries(d.State), trait)
	}
}

func (c *check) law(path string, l *Law, n form.Length) {
	c.Vector(path+".concentration", l.Concentration, n)
	c.Vector(path+".mean", l.Mean, n)
	c.Vector(path+".deviation", l.Deviation, n)
	c.Direction(path+".axis", l.Axis, n)
	if l.Angle > 0 && n.N == 1 {
		c.Fail(append(form.Paths(path+".law"), n.From...), "%s.law is %s, which wants at least 2 dimensions", path, l.Kind)
	}
	c.suits(path+".law", l.Kind)
	if path := path + ".values"; l.Values != nil && c.Sound(path, "population.size") {
		if len(l.Values) != c.s.Population.Size {
			c.Fail(form.Paths(path, "population.size"), "%s has %s, population.size is %d", path, form.Plural(len(l.Values), "row", "rows"), c.s.Population.Size)
		}
		c.Length(path+".0", l.Values.Columns(), n)
		c.rowsSuit(path, l.Values)
	}
}

// suits refuses laws whose draws the dynamics cannot move: polarized individuals stand on the unit sphere, those who choose
// hold proportions.
func (c *check) suits(path, law string) {
	var want []string
	switch c.s.Dynamics.Kind {
	case "polarized":
		want = []string{"sphere", "cap", "bimodal", "values", "file"}
	case "choice":
		want = []string{"proportions", "dirichlet", "values", "file"}
	}
	if want == nil || slices.Contains(want, law) || !c.Sound(path, "dynamics.kind") {
		return
	}
	c.Fail(form.Paths(path, "dynamics.kind"), "%s is %s, but %s dynamics want %s", path, law, c.s.Dynamics.Kind, form.Enumerate(want, "or"))
}

// rowsSuit does for listed individuals what suits does for laws.
func (c *check) rowsSuit(path string, individuals form.RowList) {
	switch c.s.Dynamics.Kind {
	case "choice":
		c.proportions(path, individuals, "choice")
	case "polarized":
		for i, row := range individuals {
			if norm := rows.Norm(row); math.Abs(norm-1) > rounding {
				c.Fail(form.Paths(path, "dynamics.kind"), "%s.%d has length %v, polarized dynamics want 1", path, i, norm)
				return
			}
		}
	}
}

// proportions reports the first row that is not one of numbers ≥ 0 that add up to 1.
func (c *check) proportions(path string, r form.RowList, kind string) {
	for i, row := range r {
		if sum, least := rows.Sum(row), slices.Min(row); math.Abs(sum-1) > rounding || least < 0 {
			c.Fail(form.Paths(path, "dynamics.kind"), "%s.%d has sum %v and least entry %v, %s dynamics want proportions", path, i, sum, least, kind)
			return
		}
	}
}
