package problem_test

import (
	"slices"
	"strings"
	"testing"
)

// What is to be learned are the numbers that draws are of, in the order of model.let, where they are now; columns say which of them are drawn.
func TestSyllabusOfDraws(t *testing.T) {
	spec := strings.Replace(uncertainShop, "{habit: 0.8, b: 1.2, most: 10}", "{most: 10, w: [5, 6], habit: 0.8, m: [[1, 2], [3, 4]], b: 1.2, half: habit/2}", 1)
	spec = strings.Replace(spec, "d - b*q", "d - b*q + 0*w[0] + 0*m[0, 0]", 1)
	p, err := buildDrawn(t, spec, "b,\"m[1,0]\",w[1]\n1,9,8\n0.5,7,6\n")
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.Syllabus()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.At, []float64{5, 6, 1, 2, 3, 4, 1.2}) || !slices.Equal(l.Drawn, []int{6, 4, 1}) || !slices.Equal(l.Names, []string{"b", "m[1,0]", "w[1]"}) {
		t.Errorf("at %v, drawn %v of %v", l.At, l.Drawn, l.Names)
	}
	if l.Model.Unknowns != 7 || l.Model.States != 1 || len(l.Draws) != 2 || !slices.Equal(l.Draws[1], []float64{0.5, 7, 6}) {
		t.Errorf("%+v, draws %v", l.Model, l.Draws)
	}
}

func TestSyllabusesThatThereAreNot(t *testing.T) {
	for _, c := range []struct{ spec, draws, want string }{
		{strings.Replace(uncertainShop, "uncertain: 2", "", 1), "b\n1\n2\n", "uncertain is missing: what is to be learned is what draws differ in; want draws and uncertain, such as 400"},
		{strings.Replace(uncertainShop, "  next:", "  groups: {a: {share: 0.5}, b: {share: 0.5}}\n  next:", 1), "b\n1\n2\n", "shop.yaml:3: only people in formulas, without groups, can be learned about by design"},
		{keysDrawn, "dynamics.lambda\n0.3\n0.6\n0.2\n", "only people in formulas, without groups, can be learned about by design"},
		{uncertainShop, "b,population.size\n1,2\n2,3\n", "shop.yaml:14: draws: population.size is a key; only numbers of model.let can be learned about by design"},
	} {
		p, err := buildDrawn(t, c.spec, c.draws)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Syllabus(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// keysDrawn is a spec of a built-in kind whose draws are of keys.
const keysDrawn = "iterations: 1\ndynamics: {kind: polarized, lambda: 0.3, sigma: 0.5}\nobjective: {kind: affinity}\nset: {kind: ball, radius: 1}\npopulation: {size: 4, dim: 3, law: sphere}\n" +
	"start: {law: zero}\nalgorithms: [{name: one, kind: composite, step: 0.1, batch: 1}]\ndraws: d.csv\nuncertain: 3\n"
