package kind_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// sets and laws, right and wrong.
func sets() []string {
	return []string{"{kind: box, lower: [0, -1], upper: 1}", "{kind: box, lower: 1, upper: 0}", "{kind: box, lower: [1], upper: 2}", "{kind: simplex}", "{kind: simplex, sum: 2}", "{kind: simplex, sum: -1}", "{kind: capped-simplex, sum: 1, upper: 0.75}", "{kind: capped-simplex, sum: 3, upper: 1}", "{kind: l1-ball, radius: 2}", "{kind: l1-ball, radius: -2}",
		"{kind: half-space, normal: [1, 2], bound: 1}", "{kind: half-space, normal: [0, 0], bound: 1}", "{kind: half-space, normal: [1], bound: 1}", "{kind: affine, matrix: [[1, 1]], rhs: [1]}", "{kind: affine, matrix: [[1, 1]], rhs: [1, 2]}", "{kind: affine, matrix: [[1, 1, 1]], rhs: [1]}", "{kind: finite, points: [[0, 1], [1, 0]]}", "{kind: finite, points: [[0], [1]]}", "{kind: whole}", "{kind: ball, radius: 2}", "{kind: ball, radius: 2, center: [1]}", "{kind: ball, radius: 2, center: [1, 0]}", "{kind: bal, radius: 2}",
		"{kind: intersection, of: [{kind: ball, radius: 1}, {kind: box, lower: 0, upper: 1}]}", "{kind: intersection, of: []}", "{kind: product, parts: [{size: 1, kind: box, lower: 0, upper: 1}, {size: 1, kind: ball, radius: 1}]}", "{kind: product, parts: [{size: 1, kind: box, lower: 0, upper: 1}]}", "{kind: convex, where: ['u[0] + u[1] <= 1']}", "{kind: convex, where: ['u[0] * u[1] <= 1']}", "{kind: convex, where: ['u[2] <= 1']}", "{kind: convex, where: ['u[0] <']}", "{kind: box, lower: 0, upper: 3, integer: true}", "{kind: box, lower: 0, upper: 3, integer: [1]}", "{kind: box, lower: 0, upper: 3, integer: [2]}"}
}

func laws() []string {
	return []string{"{law: bimodal, angle: 30}", "{law: bimodal}", "{law: cap, angle: 20}", "{law: cap, angle: 200}", "{law: cap, angle: 40, axis: [1, 0]}", "{law: cap, angle: 40, axis: [0, 0]}", "{law: cap, angle: 40, axis: [1]}", "{law: values, values: [[1, 0], [0, 1]]}", "{law: values, values: [[1], [2]]}", "{law: values}", "{law: file, file: a.csv}", "{law: dirichlet}", "{law: dirichlet, concentration: [1, 2]}", "{law: dirichlet, concentration: [1]}", "{law: dirichlet, concentration: 0}", "{law: normal}", "{law: normal, mean: [1, 2], deviation: 0.5}", "{law: normal, deviation: -1}", "{law: normal, mean: [1]}", "{law: proportions}", "{law: sphere}", "{law: none}"}
}

// Sets and laws are read, checked, refused, printed and built as when this was recorded; a decision has two entries.
func TestSetsAndLawsAsRecorded(t *testing.T) {
	c := kind.Standard()
	var got []string
	tell := func(text string, describe func(*form.Form), check func(*kind.Scene) string) {
		found := &form.Mistakes{}
		root := form.ReadText(found, form.Place{File: "x.yaml"}, "set: "+text)
		root.Locate("")
		form.Read(root, found, func(f *form.Form) { f.Section("set", form.Says("It.", "", ""), describe) })
		line := text
		if found.Join() == nil {
			s := &kind.Scene{Check: form.Check{Mistakes: found, Root: root}, Dim: 2, Size: 2}
			line += ": " + form.Print(describe).Flow() + " " + check(s)
		}
		got = append(got, fmt.Sprintf("%s; %v", line, found.Join()))
	}
	for _, text := range sets() {
		var x kind.Set
		tell(text, func(f *form.Form) { c.DescribeSet(f, &x) }, func(s *kind.Scene) string {
			x.Check(s, "set", form.Length{N: 2, Of: "the decision"})
			if s.Join() != nil {
				return "is refused"
			}
			built, err := x.Build(2)
			if err != nil {
				return err.Error()
			}
			u := []float64{3, -0.5}
			err = built.Project(u)
			return fmt.Sprintf("%T %s: %.10g %v", built, x.Words(), u, err)
		})
	}
	for _, text := range laws() {
		var x kind.Law
		tell(text, func(f *form.Form) { c.DescribeLaw(f, &x) }, func(s *kind.Scene) string {
			x.Check(s, "set", form.Length{N: 2, Of: "a trait"})
			return fmt.Sprint(x.Words(), x.Habitat())
		})
	}
	var set kind.Set
	var law kind.Law
	for _, describe := range []func(*form.Form){func(f *form.Form) { c.DescribeSet(f, &set) }, func(f *form.Form) { c.DescribeLaw(f, &law) }} {
		for _, k := range form.NewVocabulary(describe).Keys() {
			text, err := json.Marshal(k)
			got = append(got, fmt.Sprint(string(text), err))
		}
	}
	for _, m := range c.Methods {
		f := m.Facts()
		got = append(got, fmt.Sprintf("%s: %s settles %s", m.Word().Value, f.Title, f.Settles()))
	}
	evidence.AsRecorded(t, "testdata/kinds.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}
