package folder

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/loop"
)

// Summary is the JSON form of a result; docs/formats/run.md describes it.
type Summary struct {
	Answer      *Advice                     `json:"answer,omitempty"` // what to do
	Case        string                      `json:"case"`
	Seed        uint64                      `json:"seed"`
	Iterations  int                         `json:"iterations"`
	Trials      int                         `json:"trials"`
	Partial     bool                        `json:"partial"`
	Individuals int                         `json:"individuals"`
	Maximize    bool                        `json:"maximize"`
	Names       *kedge.Names                `json:"names,omitempty"` // nil: everything goes by numbers
	Optimum     Point                       `json:"optimum"`
	Stable      *Point                      `json:"stable"`
	Rests       []Point                     `json:"rests,omitempty"`       // where retraining would rest, the stable one first
	Equilibrium *Point                      `json:"equilibrium,omitempty"` // of several players
	Reference   *Reference                  `json:"reference,omitempty"`
	OverDraws   *OverDraws                  `json:"draws,omitempty"` // where numbers of the model are not known
	Order       []string                    `json:"order"`           // the algorithms as the spec has them
	Algorithms  map[string]SummaryAlgorithm `json:"algorithms"`
	Notes       []string                    `json:"notes"`
	Sections    []Section                   `json:"sections,omitempty"`
	Diagnoses   []Diagnosis                 `json:"diagnoses,omitempty"`
	Columns     []kedge.Column              `json:"columns,omitempty"` // of the series, that kedge does not know by their names
	Build       Build                       `json:"build"`
}

// SummaryAlgorithm is where an algorithm ended, over its trials.
type SummaryAlgorithm struct {
	Trials   int     `json:"trials"`  // that were finished
	Planned  int     `json:"planned"` // that were asked for
	Value    *Spread `json:"value"`
	Gap      *Spread `json:"gap"`
	Distance *Spread `json:"distance"`

	Decision []DecisionSpread `json:"decision,omitempty"` // after the last turn

	Breaks []Breach `json:"breaks,omitempty"` // constraints: then it is not ranked
}

// Summarize returns the summary of a result.
func (r *Result) Summarize() *Summary {
	s := &Summary{
		Case: r.Case, Seed: r.Seed, Iterations: r.Iterations, Trials: r.Trials, Partial: r.Partial,
		Answer: r.Answer, Individuals: r.Individuals, Maximize: r.Maximize, Order: []string{},
		Optimum: r.Optimum, Rests: r.Rests, Equilibrium: r.Equilibrium, Reference: r.Reference, OverDraws: r.OverDraws, Algorithms: map[string]SummaryAlgorithm{}, Notes: r.Notes, Sections: r.Sections,
		Diagnoses: r.Diagnoses, Columns: foreign(r.Columns()), Build: r.Build,
	}
	if r.Stable.Decision != nil {
		s.Stable = &r.Stable
	}
	if r.Names.Given() {
		s.Names = &r.Names
	}
	for _, one := range r.Runs {
		s.Order = append(s.Order, one.Name)
		s.Algorithms[one.Name] = SummaryAlgorithm{
			Trials:   len(one.Trials),
			Planned:  one.Planned,
			Value:    SpreadOf(one.Final("value")),
			Gap:      SpreadOf(one.Final("gap")),
			Distance: SpreadOf(one.Final("distance")),
			Decision: r.Decisions(&one),
			Breaks:   r.Breaches(&one),
		}
	}
	return s
}

// Save writes the data of a run and pages about it into a folder that was taken for it.
func (r *Result) Save(c *Taken, pages map[string][]byte) error {
	data := Contents{
		specFile: asText(r.Spec), seriesFile: r.writeSeries, parquetFile: r.writeParquet, arraysFile: r.writeArrays,
		summaryFile: AsJSON(r.Summarize()), timesFile: AsTimes(r.times()),
	}
	return c.Commit(r.manifest(), data.With(pages), nil)
}

// manifest is what is known of the run before its files are.
func (r *Result) manifest() Manifest {
	return Manifest{Case: r.Case, Seed: r.Seed, Spec: specFile, Identity: r.Identity}
}

// cell is what the folder of a cell holds.
func (r *Result) cell() (*Manifest, Contents) {
	m := r.manifest()
	m.Format, m.Kind = manifestFormat, KindRun
	return &m, Contents{specFile: asText(r.Spec), parquetFile: r.writeParquet, summaryFile: AsJSON(r.Summarize())}
}

// foreign keeps the columns that nobody can describe who reads their names.
func foreign(list []kedge.Column) []kedge.Column {
	return slices.DeleteFunc(slices.Clone(list), func(c kedge.Column) bool { return c.Unit == "" && loop.Knows(c.Name) })
}
