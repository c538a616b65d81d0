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
	field(f, "size", &p.Size, count(1, maxCount))
	if s.Model == nil {
		field(f, "dim", &p.Dim, count(1, maxCount))
	} else {
		fieldLike(f, "dim", &p.Dim, count(1, maxCount), "model.trait", s.Dims().Trait)
	}
	p.Law.describe(f)
	p.describeStates(f)
	fieldOr(f, "sampling", &p.Sampling, oneOf("with-replacement", "without-replacement"), "with-replacement")
	fieldOr(f, "storage", &p.Storage, oneOf("float64", "float32"), "float64")
	fieldOr(f, "traits", &p.Traits, oneOf("stored", "regenerated"), "stored")
	optionalSection(f, "drift", &p.Drift, (*Drift).describe)
	optional(f, "churn", &p.Churn, share())
}

// describeStates reads either the word same or a law.
func (p *Population) describeStates(f *form) {
	same := oneOf("same")
	if f.outlining() {
		e := entryOf("states", same)
		e.want, e.absent, e.below = "same or a mapping with a law", same.write("same"), f.draft.below("states", new(Law).describe)
		f.draft.add(e)
		return
	}
	if f.printing() {
		if p.States == nil {
			f.node.put("states", same.write("same"))
			return
		}
		f.section("states", p.States.describe)
		return
	}
	n := f.take("states")
	switch {
	case n == nil || n.kind == scalar && n.text == "same":
	case n.kind == mapping:
		p.States = &Law{}
		f.fill(n, p.States.describe)
	default:
		f.wrong(n, "same or a mapping with a law")
	}
}

func (l *Law) describe(f *form) {
	f.shared("law", func() { l.describeKeys(f) })
}

func (l *Law) describeKeys(f *form) {
	f.choose("law", &l.Kind, "sphere", "cap", "bimodal", "dirichlet", "normal", "proportions", "values", "file")
	switch l.Kind {
	case "cap":
		l.describeCap(f, 180)
	case "bimodal":
		l.describeCap(f, 90)
		fieldOr(f, "share", &l.Share, number("a number above 0 and up to 1", above(0, 1)), 0.5)
	case "dirichlet":
		positive := number("a number from 1e-8 to 1e8", closed(1e-8, 1e8))
		fieldOr(f, "concentration", &l.Concentration, vector(positive), Vector{All: 1})
	case "normal":
		fieldOr(f, "mean", &l.Mean, vector(finite()), Vector{})
		fieldOr(f, "deviation", &l.Deviation, vector(notNegative()), Vector{All: 1})
	case "values":
		field(f, "values", &l.Values, matrixRows())
	case "file":
		field(f, "file", &l.File, fileName())
		optional(f, "array", &l.Array, text("the name of an array", isPrintable))
	}
}

func (l *Law) describeCap(f *form, widest float64) {
	want := fmt.Sprintf("an angle in degrees, above 0 and up to %v", widest)
	field(f, "angle", &l.Angle, number(want, above(0, widest)))
	optional(f, "axis", &l.Axis, numbers(finite()))
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

// direction checks a vector of which only the direction matters.
func (c *check) direction(path string, x []float64, n length) {
	if x == nil || !c.sound(path) {
		return
	}
	c.length(path, len(x), n)
	if norm := rows.Norm(x); norm == 0 || math.IsInf(norm, 0) {
		c.fail(keys(path), "%s has length %v and points nowhere", path, norm)
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
