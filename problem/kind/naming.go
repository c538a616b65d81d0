package kind

import (
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem/form"
)

// Naming is what entries are called, each a name or "name in unit". A model can name its entries where it declares them.
type Naming struct {
	Decision, State, Trait []string
	Value                  string
}

// mostName is how long a name with its unit may be: it stands in heads of tables and beside axes.
const mostName = 48

// Describe reads and writes the names.
func (n *Naming) Describe(f *form.Form) {
	named := form.TextOf("a name, or one with a unit such as apples in EUR", isName)
	all := form.ListOf(named, "a list of names, one an entry, each with a unit if it has one: [apples in EUR, pears in EUR]").Optional()
	form.Field(f, "decision", &n.Decision, all, form.Says("The entries of the decision.", "u", "[apples in EUR, pears in EUR]"))
	form.Field(f, "state", &n.State, all, form.Says("The entries of a state.", "p", "[demand]"))
	form.Field(f, "trait", &n.Trait, all, form.Says("The entries of a trait.", "d", "[income in kEUR, age]"))
	form.Field(f, "value", &n.Value, named.Optional(), form.Says("What decisions are judged by.", "Φ̃", "revenue in EUR"))
}

// isName tells whether a text can be the head of a column: it has no comma and no quote.
func isName(s string) bool {
	return form.IsPrintable(s) && len([]rune(s)) <= mostName && !strings.ContainsAny(s, ",\"'`\\") && strings.TrimSpace(s) == s && kedge.CalledBy(s).Name != ""
}

// Called are the names in results; nil has none.
func (n *Naming) Called() (out kedge.Names) {
	if n != nil {
		out.Decision, out.State, out.Trait = lists.Of(n.Decision, kedge.CalledBy), lists.Of(n.State, kedge.CalledBy), lists.Of(n.Trait, kedge.CalledBy)
		out.Value = kedge.CalledBy(n.Value)
	}
	return out
}

// Check refuses names that are not one an entry, that two entries have, or that a column of results has already. The model may have declared
// names of its own, nil where it has none.
func (n *Naming) Check(c *Scene, declared kedge.Names) {
	checkColumns(c, "model.decision", declared.Decision)
	if !c.Sound(c.DimKeys...) {
		return
	}
	called := n.Called()
	for _, one := range []struct {
		key          string
		list, labels []kedge.Called
		entries      int
	}{
		{"decision", called.Decision, declared.Decision, c.Dims.Decision},
		{"state", called.State, declared.State, c.Dims.State},
		{"trait", called.Trait, declared.Trait, c.Dims.Trait},
	} {
		path := "names." + one.key
		if one.list == nil || !c.Sound(path) {
			continue
		}
		if len(one.list) != one.entries {
			c.Fail(append(form.Paths(path), c.DimKeys...), "%s are %d, but a %s has %s", path, len(one.list), one.key, form.Entries(one.entries))
			continue
		}
		c.FailIf(one.labels != nil, form.Paths(path, "model."+one.key), "%s and model.%s both name the entries; one must go", path, one.key)
		seen := map[string]bool{}
		for _, entry := range one.list {
			c.FailIf(seen[entry.Name], form.Paths(path), "%s: two entries are called %s", path, entry.Name)
			seen[entry.Name] = true
		}
	}
	checkColumns(c, "names.decision", called.Decision)
}

// checkColumns refuses names of decisions that cannot be columns of the series.
func checkColumns(c *Scene, path string, names []kedge.Called) {
	for _, one := range names {
		c.FailIf(loop.Knows(one.Name) || one.Name == "algorithm" || one.Name == "trial" || one.Name == "k", form.Paths(path),
			"%s: %s is a column of every series, so no decision can have its name", path, one.Name)
	}
}
