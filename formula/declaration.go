package formula

import "github.com/kedge-opt/kedge"

// Declaration is what the author of a model says of the decision, the state or the trait besides its length.
type Declaration struct {
	Name   string   // by which formulas call it
	Labels []string // of its entries, nil where they have none
	Unit   string   // of all of them
}

// Declare reads "q[apples, pears] in EUR". Of what declares nothing it returns what it can tell; Compile says what is wrong.
func Declare(s string) Declaration {
	called, parts := kedge.CalledBy(s), 0
	unit := called.Unit
	e, err := parse(text{body: called.Name}, &parts)
	switch {
	case err != nil:
		return Declaration{Unit: unit}
	case e.kind == sliceExpr && e.args[0].kind == nameExpr:
		return Declaration{Name: e.args[0].name, Labels: labelsOf(e), Unit: unit}
	}
	return Declaration{Name: e.name, Unit: unit}
}

// labelsOf are the names between the brackets of a declaration, nil unless all that stands there are names.
func labelsOf(e *expr) (labels []string) {
	for _, c := range e.cuts {
		if c.isWide || c.lo.kind != nameExpr { // only a range may have no beginning
			return nil
		}
		labels = append(labels, c.lo.name)
	}
	return labels
}

// DeclaredNames are the names that declarations give to entries.
func DeclaredNames(decision, state, trait string) (out kedge.Names) {
	read := func(s string) (name string, entries []kedge.Called) {
		d := Declare(s)
		for _, label := range d.Labels {
			entries = append(entries, kedge.Called{Name: label, Unit: d.Unit})
		}
		return d.Name, entries
	}
	out.Symbol, out.Decision = read(decision)
	_, out.State = read(state)
	_, out.Trait = read(trait)
	return out
}
