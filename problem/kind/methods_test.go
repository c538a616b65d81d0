package kind_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

const methodsHead = `# Methods

Every decision rule is assembled from parts of package online: an estimator of the gradient, transforms of it, a step schedule, a
set and the rhythm in which decisions are deployed. These are the known assemblies, by the name that they have as the
` + "`kind`" + ` of an algorithm in specs. This page is written from the methods of package problem/kind; a test keeps it so.

There are three places where a method can settle. The *stable* decision is the best one for the population it leads to, as if
that population were given. The *myopic* decision also counts how the population answers within the turns that a decision is
held, and takes that for the whole answer. The *optimal* decision is the one whose settled population is best. A method that
learns from how the population answers is myopic unless decisions are held until the population has settled; where the
population answers at once, myopic and optimal are the same.

What a method needs: *samples* are states of individuals, together with the derivatives of the loss; a *panel* shows the same
individuals twice; *values* are mean losses alone; a *sensitivity* says how settled states answer the decision; a *model* is a
family of laws that the population is known to follow.

`

const methodsTail = `
Three cautions, all measured by the tests of package online. One-point feedback has noise as large as the loss itself: subtract a
constant that brings losses near 0, or take one of the methods that compare losses. Two-point feedback that does not wait
counts even less of the answer than the others, because its second decision meets a population that remembers the first.
The fit of performative gradient descent that does not wait is somewhere between the first answer and the whole one, the
nearer to the first the more the perturbation outweighs the drift of the decision.

Any of them takes a step schedule (constant, 1/√k, diminishing, by the horizon), momentum, clipping and the average of its
iterates. Sources are listed in [REFERENCES.md](REFERENCES.md).
`

// methodTable writes methods as a table in Markdown.
func methodTable(methods []kind.Method) string {
	var b strings.Builder
	b.WriteString("| kind | method | rule | needs | held 1 turn | held until settled | known when | source |\n|---|---|---|---|---|---|---|---|\n")
	for _, one := range methods {
		m := one.Facts()
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", form.NameOf(one), m.Title, m.Assembly, m.Needs, m.Limit, m.Held, m.Proven, m.Source)
	}
	return b.String()
}

// docs/methods.md is the table of the code.
func TestMethodsPage(t *testing.T) {
	const file = "../../docs/methods.md"
	page := methodsHead + methodTable(kind.Standard().Methods) + methodsTail
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != page {
		t.Errorf("%s is not what the methods say (%v): run KEDGE_UPDATE=1 go test -run MethodsPage ./problem/kind", file, err)
	}
}

// Names differ, everything is said, and what needs no sensitivity and does not wait cannot be known to be optimal.
func TestMethodsAreWhole(t *testing.T) {
	references, err := os.ReadFile("../../docs/REFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	seen, all := map[string]bool{}, kind.Standard()
	for _, one := range all.Methods {
		name, m := form.NameOf(one), one.Facts()
		if found := all.MethodOf(name); seen[name] || found == nil || form.NameOf(found) != name {
			t.Errorf("%s is there twice or not found", name)
		}
		seen[name] = true
		if m.Title == "" || m.Assembly == "" || m.Needs == (online.Needs{}) || m.Proven == "" || one.Word().Meaning == "" || one.Word().Formula == "" {
			t.Errorf("%s, %+v, leaves something out", name, m)
		}
		if m.Limit == online.Optimal && !m.Needs.Sensitivity && !strings.Contains(m.Assembly, "Wait") {
			t.Errorf("%s is said to be optimal without a sensitivity and without waiting", name)
		}
		for _, key := range regexp.MustCompile(`\[(\w+)`).FindAllStringSubmatch(m.Source, -1) {
			if !strings.Contains(string(references), "**["+key[1]+"]**") {
				t.Errorf("%s cites %s, which docs/REFERENCES.md does not have", name, key[1])
			}
		}
	}
	if all.MethodOf("newton") != nil {
		t.Error("there is a method newton")
	}
}
