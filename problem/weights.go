package problem

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/census"
	"github.com/kedge-opt/kedge/problem/form"
)

// Weights are how much people count: listed, or in a file.
type Weights struct {
	Values []float64
	File   string // a .csv, .npy, .npz or .parquet file with one number for everybody
	Array  string // the member of an .npz file; "": its only one
}

func listed(values []float64) *Weights { return &Weights{Values: values} }

func (w *Weights) list() []float64 { return w.Values }

func (w *Weights) describe(f *form.Form) {
	form.Field(f, "file", &w.File, form.FileName(),
		form.Says("A .csv, .npy, .npz or .parquet file with one weight a row, in the order of the people, relative to where kedge is run.", "", "weights.csv"))
	form.Field(f, "array", &w.Array, form.TextOf("the name of an array", form.IsPrintable).Optional(),
		form.Says("The member of an .npz file. Without one it must have a single member.", "", "weights"))
}

// weights checks weights that are listed, and refuses what cannot honour any.
func (c *check) weights(p *Population) {
	path := p.weighs()
	if path == "" || !c.Sound(path) {
		return
	}
	if p.Weights != nil && p.Weights.Values != nil && c.Sound("population.size") {
		w := p.Weights.Values
		c.FailIf(len(w) != p.Size, form.Paths(path, "population.size"), "%s has %s, population.size is %d", path, form.Entries(len(w)), p.Size)
		c.FailIf(slices.Max(w) == 0, form.Paths(path), "%s are all 0; want one above 0, so that somebody counts", path)
	}
	refuse := func(is bool, key, why string) {
		c.FailIf(is, form.Paths(path, key), "%s is given, but %s", path, why)
	}
	refuse(p.Sampling == "without-replacement", "population.sampling",
		"population.sampling is without-replacement: such samples are of people who count alike, and would answer for others than the value does; want with-replacement, which samples by weight")
	refuse(p.Churn > 0, "population.churn", "population.churn is above 0, and nothing says what newcomers weigh; want no churn")
	refuse(c.s.Dynamics.Coupling > 0, "dynamics.coupling",
		"with dynamics.coupling people see the mean of a crowd in which all count alike; want coupling 0")
	refuse(c.s.Record.Theory, "record.theory", "record.theory is true, and the theory is of people who count and are sampled alike; want false, or rows that are repeated")
	refuse(c.s.Generator == "numpy", "generator", "generator numpy draws what the published runs drew, where all counted alike")
}

// buildWeights reads what people weigh.
func (p *Problem) buildWeights() error {
	path, from := p.Spec.Population.weighs(), p.Spec.Population.Weights
	var w []float64
	switch {
	case path == "":
		return nil
	case p.people != nil:
		w = p.people.Weights
	case from.File == "":
		w = from.Values
	default:
		table, err := census.ReadTable(p.files, from.File, from.Array)
		if err != nil {
			return p.Spec.errorf(path+".file", "%v", &census.FileError{Name: from.File, Err: err})
		}
		if n := p.Individuals(); table.Width > 1 && len(table.Data) != table.Width || len(table.Data) != n {
			return p.Spec.errorf(path+".file", "%s has %s in rows of %d, want one number for each of %s",
				from.File, phrase.Count(len(table.Data), "number"), max(1, table.Width), phrase.Count(n, "individual"))
		}
		w = table.Data
	}
	scaled, err := kedge.ScaleWeights(w, p.Individuals())
	if err != nil {
		return p.Spec.wrap(path, err)
	}
	p.weights, p.Weights = w, scaled
	return nil
}
