package problem

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/population"
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

	Concentration Vector // of dirichlet
	Mean          Vector // of normal
	Deviation     Vector // of normal

	Values Rows   // of values: one individual a row
	File   string // of file: a .csv, .npy, .npz or .parquet file with one individual a row
	Array  string // of file: the member of an .npz file; "": its only one
}

const (
	maxEntries int64 = 1 << 31
	rounding         = 1e-9 // what numbers written in decimals may be off
)

func (s *Spec) describePopulation(f *form) {
	p := &s.Population
	field(f, "size", &p.Size, count(1, maxCount), says("Individuals: up to what memory holds, 24·dim bytes each.", "N", "1000"))
	if s.Model == nil {
		field(f, "dim", &p.Dim, count(1, maxCount), says("Entries of a trait. But for affine dynamics states and decisions have as many. A model says it by itself.", "", "20"))
	} else {
		fieldLike(f, "dim", &p.Dim, count(1, maxCount), "model.trait", s.Dims().Trait, says("Entries of a trait. But for affine dynamics states and decisions have as many. A model says it by itself.", "", "20"))
	}
	p.Law.describe(f)
	wordOrSection(f, "states", &p.States, option("same", "Everybody starts at the trait.", "p₀ = d"), "same or a mapping with a law",
		says("The first states: same, or a law of their own with the keys of one.", "p₀", "{law: sphere}"), (*Law).describe)
	fieldOr(f, "sampling", &p.Sampling, oneOf(option("with-replacement", "It can.", ""), option("without-replacement", "It cannot, so a batch is at most the population.", "")), "with-replacement", says("Whether one individual can be sampled twice in a turn.", "", "without-replacement"))
	fieldOr(f, "storage", &p.Storage, oneOf(option("float64", "In double precision.", ""), option("float32", "Rounded to single precision, for half the memory.", "")), "float64", says("How states and stored traits are kept; arithmetic is in float64 in any case.", "", "float32"))
	fieldOr(f, "traits", &p.Traits, oneOf(option("stored", "They are.", ""), option("regenerated", "They are drawn anew whenever they are needed, bit for bit, for less memory and much more time.", "")), "stored", says("Whether traits are kept.", "", "regenerated"))
	optionalSection(f, "drift", &p.Drift, says("How traits change from step to step. Without it they stay as they are.", "dᵢ = homeᵢ + swing·sin(2πk/period), homeᵢ ← homeᵢ + rate + walk·ξᵢ", "{rate: [0.001, 0]}"), (*Drift).describe)
	optional(f, "churn", &p.Churn, share(), says("The share of the crowd that leaves each step; as many newcomers take their places, drawn from the law. Without it nobody leaves.", "after k steps ⌊k·churn·N⌋ have left", "0.001"))
}

func (l *Law) describe(f *form) {
	f.shared("law", func() { l.describeKeys(f) })
}

func (l *Law) describeKeys(f *form) {
	f.choose("law", &l.Kind, says("How traits (or first states) are drawn.", "", "cap"), option("sphere", "Uniform on the unit sphere.", ""), option("cap", "Uniform on the unit sphere within an angle of an axis.", ""), option("bimodal", "Two caps, around an axis and its opposite.", ""), option("dirichlet", "Proportions of a Dirichlet distribution.", ""), option("normal", "Independent normal entries.", ""), option("proportions", "Uniform numbers divided by their sum.", ""), option("values", "The individuals that values lists.", ""), option("file", "The individuals of a file.", ""))
	switch l.Kind {
	case "cap":
		l.describeCap(f, 180)
	case "bimodal":
		l.describeCap(f, 90)
		fieldOr(f, "share", &l.Share, number("a number above 0 and up to 1", above(0, 1)), 0.5, says("The expected share of individuals around the axis; the others are around its opposite.", "", "0.5"))
	case "dirichlet":
		positive := number("a number from 1e-8 to 1e8", closed(1e-8, 1e8))
		fieldOr(f, "concentration", &l.Concentration, vector(positive), Vector{All: 1}, says("The parameters α of the Dirichlet distribution; 1: uniform on the simplex.", "density ∝ Π dᵢ^(αᵢ−1)", "1"))
	case "normal":
		fieldOr(f, "mean", &l.Mean, vector(finite()), Vector{}, says("The mean of the normal law.", "", "0"))
		fieldOr(f, "deviation", &l.Deviation, vector(notNegative()), Vector{All: 1}, says("The standard deviation of the normal law.", "", "1"))
	case "values":
		field(f, "values", &l.Values, matrixRows(), says("The individuals, one a row.", "", "[[1, 0], [0, 1]]"))
	case "file":
		field(f, "file", &l.File, fileName(), says("A .csv, .npy, .npz or .parquet file with one individual a row, relative to where kedge is run.", "", "people.csv"))
		optional(f, "array", &l.Array, text("the name of an array", isPrintable), says("The member of an .npz file. Without one it must have a single member.", "", "traits"))
	}
}

func (l *Law) describeCap(f *form, widest float64) {
	want := fmt.Sprintf("an angle in degrees, above 0 and up to %v", widest)
	field(f, "angle", &l.Angle, number(want, above(0, widest)), says("How far from the axis individuals are at most, in degrees; 90 is a hemisphere.", "", "90"))
	optional(f, "axis", &l.Axis, numbers(finite()), says("The axis; only its direction matters. Without one the axis is drawn.", "", "[1, 0, 0]"))
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
	if c.sound("population.size") {
		c.fits("population.size", p.Size, "individuals")
	}
	c.law("population", &p.Law, c.traitLength())
	if law := p.Law.Kind; p.Traits == "regenerated" && (law == "values" || law == "file") {
		c.fail(keys("population.traits", "population.law"), "population.traits is regenerated, but population.law is %s, whose individuals cannot be drawn anew; want stored", law)
	}
	if p.States != nil {
		c.law("population.states", p.States, c.stateLength())
		return
	}
	d := c.s.Dims()
	if trait := d.Trait - len(c.s.Dynamics.own()); c.sound(c.dimKeys()...) && d.State != trait {
		c.fail(append(keys("population.states"), c.dimKeys()...), "population.states is same, but a state has %s and a trait %d", entries(d.State), trait)
	}
}

func (c *check) law(path string, l *Law, n length) {
	c.vector(path+".concentration", l.Concentration, n)
	c.vector(path+".mean", l.Mean, n)
	c.vector(path+".deviation", l.Deviation, n)
	c.direction(path+".axis", l.Axis, n)
	if l.Angle > 0 && n.n == 1 {
		c.fail(append(keys(path+".law"), n.from...), "%s.law is %s, which wants at least 2 dimensions", path, l.Kind)
	}
	c.suits(path+".law", l.Kind)
	if path := path + ".values"; l.Values != nil && c.sound(path, "population.size") {
		if len(l.Values) != c.s.Population.Size {
			c.fail(keys(path, "population.size"), "%s has %s, population.size is %d", path, plural(len(l.Values), "row", "rows"), c.s.Population.Size)
		}
		c.length(path+".0", l.Values.Columns(), n)
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
	if want == nil || slices.Contains(want, law) || !c.sound(path, "dynamics.kind") {
		return
	}
	c.fail(keys(path, "dynamics.kind"), "%s is %s, but %s dynamics want %s", path, law, c.s.Dynamics.Kind, enumerate(want, "or"))
}

// rowsSuit does for listed individuals what suits does for laws.
func (c *check) rowsSuit(path string, individuals Rows) {
	switch c.s.Dynamics.Kind {
	case "choice":
		c.proportions(path, individuals, "choice")
	case "polarized":
		for i, row := range individuals {
			if norm := rows.Norm(row); math.Abs(norm-1) > rounding {
				c.fail(keys(path, "dynamics.kind"), "%s.%d has length %v, polarized dynamics want 1", path, i, norm)
				return
			}
		}
	}
}

// proportions reports the first row that is not one of numbers ≥ 0 that add up to 1.
func (c *check) proportions(path string, r Rows, kind string) {
	for i, row := range r {
		if sum, least := rows.Sum(row), slices.Min(row); math.Abs(sum-1) > rounding || least < 0 {
			c.fail(keys(path, "dynamics.kind"), "%s.%d has sum %v and least entry %v, %s dynamics want proportions", path, i, sum, least, kind)
			return
		}
	}
}
