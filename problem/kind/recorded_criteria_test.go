package kind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/risk"
)

// bounds are kinds of constraints, right and wrong.
func bounds() []string {
	return []string{
		"{kind: expectation}", "{kind: expectation, level: 0.5}", "{kind: mean}", "{}", "{kind: cvar, level: 0.5}", "{kind: cvar, level: 0}", "{kind: cvar, level: 1}", "{kind: cvar}", "{kind: chance, level: 0.9, smoothing: 0.1}", "{kind: chance, level: 0.5, smoothing: 1}", "{kind: chance, level: 0, smoothing: 0}", "{kind: chance, level: 1}",
		"{kind: worst-group, group-by: 1, cuts: [0]}", "{kind: worst-group, group-by: 2, cuts: [-0.5, 0.5]}", "{kind: worst-group, group-by: 2, cuts: [0.5, 0.5, 0.2]}", "{kind: worst-group, group-by: 3, cuts: [0]}", "{kind: worst-group, group-by: 1}", "{kind: worst-group, group-by: 1, cuts: [0], groups: [north]}", "{kind: worst-group, group-by: 0, cuts: [0]}", "{kind: worst-group, group-by: 1.5, cuts: [0]}", "{kind: worst-group}", "{kind: worst-group, group-by: '', cuts: [0]}",
		"{kind: worst-group, group-by: group}", "{kind: worst-group, group-by: region}", "{kind: worst-group, group-by: regoin}", "{kind: worst-group, group-by: '1'}", "{kind: worst-group, group-by: group, cuts: [1]}", "{kind: worst-group, group-by: group, groups: [north]}", "{kind: worst-group, group-by: group, groups: [north, south]}", "{kind: worst-group, group-by: group, groups: [nroth]}", "{kind: worst-group, group-by: group, groups: []}", "{kind: worst-group, group-by: [1]}",
	}
}

// assessed is what constraints say of four people.
func assessed(list []risk.Constraint) (lines []string) {
	for _, c := range list {
		g, err := risk.NewGauge(c)
		if err != nil {
			lines = append(lines, "  no gauge: "+err.Error())
			continue
		}
		slope := make([]float64, 2)
		value, err := g.Assess(slope, kedge.Observation{U: []float64{1, 2}, P: []float64{1, 0, 0, 1, -1, 0.5, 2, 2}, D: []float64{-1, 0, 0, 0.25, 1, -0.75, 2, 0.75}, Who: []uint64{0, 1, 2, 3}})
		lines = append(lines, fmt.Sprintf("  %s: %T bound %.6g says %.10g %s %v", c.Name, c.Measure, c.Bound, value, figures(slope), err))
	}
	return lines
}

// Constraints are read, checked, refused, printed and built as when this was recorded.
func TestCriteriaAsRecorded(t *testing.T) {
	c := kind.Standard()
	var got []string
	mean := risk.Constraint{Name: "load", Loss: objective.Affinity{State: 2}, Measure: risk.Mean{}, Bound: -1.5, Dims: kedge.Dims{Decision: 2, State: 2, Trait: 2}}
	for _, text := range bounds() {
		for _, groups := range [][]string{nil, {}, {"north", "south"}} {
			var x kind.Criterion
			describe := below("bound", func(f *form.Form) {
				c.DescribeCriterion(f, &x)
				if x != nil {
					x.Describe(f)
				}
			})
			s := read("bound: "+text, describe)
			scene := s.scene(nil, 2, 2)
			if groups != nil {
				scene.Grouped, scene.GroupKey, scene.Groups = true, "region", groups
			}
			if len(groups) == 0 {
				scene.Groups = nil // a table will tell
			}
			if x != nil {
				x.Check(scene, "bound")
			}
			got = append(append(got, fmt.Sprintf("%s, groups %q", text, groups)), s.told()...)
			if s.found.Join() != nil {
				continue
			}
			got = append(got, fmt.Sprintf("  %s; %s; %d by name %v", form.Print(describe).Flow(), x.Words("a loss", " is at most 1"), kind.GroupsOf(x), kind.ByName(x)))
			if tail, ok := x.(kind.Tailed); ok {
				got = append(got, fmt.Sprint("  tail ", tail.Tail()))
			}
			if !kind.ByName(x) {
				got = append(got, assessed(x.Build(mean))...)
				continue
			}
			list, err := x.(kind.NamedGroups).BuildNamed(mean, []int{0, 1, 1}, []string{"north", "south"})
			got = append(append(got, fmt.Sprintf("  %d of them: %v", len(list), err)), assessed(list)...)
		}
	}
	s := read("bound: {kind: worst-group, group-by: group, groups: [east]}", func(f *form.Form) {})
	_, err := (&kind.WorstGroupCriterion{GroupBy: kind.GroupKey{Of: "group"}, Names: []string{"east"}}).BuildNamed(mean, []int{0}, []string{"north", "south"})
	got = append(got, fmt.Sprint(err), fmt.Sprint(s.told() != nil, kind.GroupsOf(&kind.ExpectationCriterion{})))
	recorded(t, "criteria.txt", append(got, vocabulary(func(f *form.Form) {
		var x kind.Criterion
		c.DescribeCriterion(f, &x)
		x.Describe(f)
	})...))
}

// Constraints of a model become sets.
func TestConstraintsBecomeSetsAsRecorded(t *testing.T) {
	var got []string
	for _, subject := range [][]string{
		nil, {"norm(u) <= 2"}, {"norm(u - [1, 0]) <= 2"}, {"sum(abs(u)) <= 2"}, {"u >= 0", "u <= 1"}, {"u[0] + 2*u[1] <= 1"}, {"u[0] + u[1] == 1"}, {"u >= 0", "sum(u) == 1"}, {"u >= 0", "u <= 0.75", "sum(u) == 1"}, {"u[0]^2 + 2*u[1]^2 <= 4", "u >= -1"}, {"norm(u) <= 2", "u[0] + u[1] <= 1"}, {"-1 <= u <= 1", "exp(u[0]) + u[1]^2 <= 2", "u[0] + u[1] == 0.25"},
	} {
		m, err := formula.Compile(formula.Source{Decision: "u[2]", State: "p[2]", Trait: "d[2]", Next: "0.5*p + 0.5*u + 0*d", Minimize: "dot(p, u)", Subject: subject})
		if got = append(got, fmt.Sprintf("%q", subject)); err != nil {
			got = append(got, "  "+err.Error())
			continue
		}
		x := kind.Constrained(m)
		got = append(append(got, fmt.Sprintf("  %T", x)), about(x, 2)...)
	}
	recorded(t, "constrained.txt", got)
}

// Names are read and refused as when this was recorded.
func TestNamesAsRecorded(t *testing.T) {
	var got []string
	for _, text := range []string{
		"{decision: [apples in EUR, pears]}", "{decision: [apples], state: [demand, x], trait: [income in kEUR, age]}", "{decision: [apples, apples]}", "{state: [a, a in kg], trait: [b, b]}", "{decision: [k, trial]}", "{decision: [algorithm, value]}", "{decision: ['a,b', \"a'b\"]}", "{value: revenue in EUR}", "{value: ' x'}", "{value: in EUR}", "{decision: [" + strings.Repeat("é", 48) + ", " + strings.Repeat("é", 49) + "]}", "{decision: []}", "{state: [p]}", "{}", "{decision: ['a\\b', 'a`b']}",
	} {
		for _, declared := range []kedge.Names{{}, {Decision: []kedge.Called{{Name: "q"}, {Name: "loss"}}, State: []kedge.Called{{Name: "s"}}}} {
			n := &kind.Naming{}
			describe := below("names", n.Describe)
			s := read("names: "+text, describe)
			n.Check(s.scene(nil, 2, 2), declared)
			got = append(append(got, fmt.Sprintf("%s: %s %+v", text, form.Print(describe).Flow(), n.Called())), s.told()...)
		}
	}
	var none *kind.Naming
	s := read("population: {dim: 0}", people(new(int), new(int)))
	before := len(s.found.Found)
	(&kind.Naming{Decision: []string{"a"}}).Check(s.scene(nil, 2, 2), kedge.Names{})
	none.Check(s.scene(nil, 2, 2), kedge.Names{})
	got = append(got, fmt.Sprintf("%+v; %d more where lengths are not known", none.Called(), len(s.found.Found)-before))
	recorded(t, "names.txt", append(got, vocabulary((&kind.Naming{}).Describe)...))
}
