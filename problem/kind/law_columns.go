package kind

import (
	"io/fs"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/census"
	"github.com/kedge-opt/kedge/problem/form"
)

// ColumnsLaw is the people of a table as it is: traits, first states, weights and groups are its columns, or formulas of them.
type ColumnsLaw struct{ census.Query }

// Columns is the name of the law of a table's columns.
const Columns = "columns"

// Word implements [form.Kind].
func (*ColumnsLaw) Word() form.Option {
	return form.Choice(Columns, "The people of a table, one a row: columns of a file, or formulas of them. It is meant where file is there and law is not.", "")
}

// Describe implements [Law].
func (l *ColumnsLaw) Describe(f *form.Form) { describeFile(f, &l.File) }

// DescribeColumns describes what people are made of.
func (l *ColumnsLaw) DescribeColumns(f *form.Form) {
	form.Field(f, "traits", &l.Traits, form.Formulas("a column or a formula of columns such as age/10, or a list of those"), TraitsMeaning("[income, age/10]"))
	form.Field(f, "states", &l.States, form.Formulas("same, or columns and formulas of them like traits").Optional(), StatesMeaning("[spend]"))
	if len(l.States) == 1 && l.States[0] == "same" {
		l.States = nil
	}
	form.Field(f, "where", &l.Where, form.FormulaText("a condition such as age >= 18").Optional(),
		form.Says("Of columns of a file: who is taken, a condition on columns with and, or and not; missing(x) holds where there is nothing. Without it everybody is.", "", `age >= 18 and region == "north"`))
	form.Field(f, "weight", &l.Weight, form.FormulaText("a column or a formula of columns").Optional(),
		form.Says("Of columns of a file: how much somebody counts, as with weights. Without it all count alike.", "wᵢ", "w"))
	form.Field(f, "group", &l.Group, form.FormulaText("a column").Optional(),
		form.Says("Of columns of a file: which group somebody is in, by a text or a number.", "", "region"))
}

// TraitsMeaning is what traits of a population means, of which there is one in any case.
func TraitsMeaning(example string) form.Meaning {
	return form.Says("Of columns of a file: what a trait is made of, columns or formulas of them (docs/data.md). Of other laws: whether traits are kept, stored or regenerated.", "d", example)
}

// StatesMeaning is what its states means.
func StatesMeaning(example string) form.Meaning {
	return form.Says("The first states: same, a law of their own with the keys of one or, of columns of a file, columns and formulas of them.", "p₀", example)
}

// Check implements [Law].
func (*ColumnsLaw) Check(*Scene, string, form.Length) {}

// Build implements [Law].
func (l *ColumnsLaw) Build(_ int, files fs.FS) (population.Law, error) {
	p, err := l.Gather(census.Gathering{Files: files})
	if err != nil {
		return nil, err
	}
	return p.Traits, nil
}

// Words implements [Law].
func (l *ColumnsLaw) Words() string {
	return phrase.Enumerate(l.Traits) + " of " + l.File
}

// Habitat implements [Law].
func (*ColumnsLaw) Habitat() Habitat { return Listed }
