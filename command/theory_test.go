package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// builtOf is a case with some keys set.
func builtOf(t *testing.T, name string, sets ...string) *problem.Problem {
	t.Helper()
	text, isCase := problem.Case(name)
	if !isCase {
		text = []byte(name)
	}
	var over []problem.Overlay
	for _, s := range sets {
		over = append(over, problem.Assign(s))
	}
	s, err := problem.Parse(kind.Standard(), "x", text, over...)
	if err != nil {
		t.Fatal(sets, err)
	}
	p, err := problem.Build("x", s, nil)
	if err != nil {
		t.Fatal(sets, err)
	}
	return p
}

// followers is a model in which people see the crowd.
const followers = "iterations: 1\npopulation: {size: 2, law: normal}\nmodel: {decision: q, state: p, trait: d, next: 0.5*p + 0.1*crowd(p) + d + 0*q, minimize: q^2 + 0*p}\nalgorithms: [{name: composite, step: 1}]\n"

// Whatever the theory has nothing to say about is told by what it is and what is wanted instead; an ordinary problem is inside.
func TestWhatIsOutsideTheTheory(t *testing.T) {
	const moves, sees, weighs, plays, keeps = "want no population.drift, population.churn and dynamics.noise", "want dynamics.coupling 0, or no crowd(…) in model.next", "want no population.weights, or rows that are repeated", "want an objective and a set instead of players", "want neither constraints nor changes"
	players := "players=[{name: a, size: 1, objective: {kind: quadratic, decision: [[1, 0], [0, 0]]}, set: {kind: box, lower: 0, upper: 1}}, {name: b, size: 1, objective: {kind: quadratic, decision: [[0, 0], [0, 1]]}, set: {kind: box, lower: 0, upper: 1}}]"
	for _, c := range []struct {
		name, set, want string
	}{
		{"lq2", "trials=1", ""}, {"lq2", "population.drift={rate: 0.1}", moves}, {"lq2", "population={size: 4, dim: 2, law: normal, churn: 0.1}", moves}, {"lq2", "dynamics.noise=0.1", moves}, {"lq2", "dynamics.coupling=0.1", sees}, {followers, "trials=1", sees},
		{"lq2", "constraints=[{name: a, kind: expectation, of: {kind: quadratic, linear-state: [1, 0]}, bound: 1}]", keeps}, {"lq2", "changes=[{from: 5, set: {kind: ball, radius: 1}}]", keeps},
		{"lq2", "population={size: 2, dim: 2, law: normal, weights: [1, 2]}", weighs}, {"lq2", players, plays},
	} {
		sets := []string{c.set}
		if c.name == "lq2" {
			sets = append(sets, "algorithms=[{name: composite, step: 0.1, batch: 2}]")
		}
		if strings.HasPrefix(c.set, "players") {
			sets = append(sets, "objective=null", "set=null")
		}
		if strings.HasPrefix(c.set, "population={") {
			sets = append(sets, "population.sampling=with-replacement")
		}
		err := outsideTheory(builtOf(t, c.name, sets...))
		if (err == nil) != (c.want == "") || err != nil && !(strings.HasPrefix(err.Error(), "not certified: ") && strings.HasSuffix(err.Error(), "; "+c.want)) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
}

// A sensitivity that remembers, is learned or is wrong on purpose is not the one that the theorems are about.
func TestSensitivitiesBeyondTheTheory(t *testing.T) {
	const remembers, untrue = "the sensitivity uses the norm of the step before", "the sensitivity is not the true one"
	for set, want := range map[string][]string{
		"": nil, "sensitivity: implicit": nil, "norm: previous": {remembers}, "wrong: {scale: 0.5}": {untrue}, "sensitivity: learned, learn: {dither: 0.1}": {untrue}, "norm: previous, wrong: {rotate: 10}": {remembers, untrue},
	} {
		text, _ := problem.Case("polarized")
		s, err := problem.Parse(kind.Standard(), "x", text, problem.Assign("algorithms=[{name: composite, step: 0.1, "+set+"}]"))
		if err != nil {
			t.Fatal(set, err)
		}
		if got := beyondTheory(s, &s.Algorithms[0]); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", set, got, want)
		}
	}
}

// Steps become shorter by the schedules that fall from turn to turn, and by none of the others.
func TestStepsThatDiminish(t *testing.T) {
	for schedule, want := range map[string]bool{"constant": false, "horizon": false, "inverse-sqrt": true, "diminishing": true} {
		if diminishes(&kind.Algorithm{Schedule: schedule}) != want {
			t.Errorf("%s diminishes: %v", schedule, !want)
		}
	}
}

// Of several algorithms the first that the theorems are about is certified, and the first of all where there is none.
func TestWhichAlgorithmIsCertified(t *testing.T) {
	text, _ := problem.Case("lq2")
	for algorithms, want := range map[string]int{
		"[{name: vanilla, step: 1}, {name: a, kind: composite, step: 1}, {name: composite, step: 1}]": 1, "[{name: vanilla, step: 1}]": 0, "[{name: composite, step: 1}]": 0, "[{name: vanilla, step: 1}, {name: adam, step: 1}]": 0,
	} {
		s, err := problem.Parse(kind.Standard(), "x", text, problem.Assign("algorithms="+algorithms))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := (&certifyFlags{}).choose(s); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", algorithms, got, err, want)
		}
	}
}

// How a key is set says its path, with the first entry of every list on the way, and is quoted where a shell would take it apart.
func TestKeysAreSetAsTheyAreTold(t *testing.T) {
	v := problem.Vocabulary(kind.Standard())
	lists := map[string]bool{}
	for _, k := range v.Keys() {
		lists[k.Path] = k.List
	}
	seen := map[bool]int{}
	for _, k := range v.Keys() {
		parts := strings.Split(k.Path, ".")
		var path []string
		for i, part := range parts {
			if path = append(path, part); lists[strings.Join(parts[:i+1], ".")] && i < len(parts)-1 {
				path = append(path, "0")
			}
		}
		want := strings.Join(path, ".") + "=" + k.Example
		isQuoted := strings.ContainsAny(want, " []{}")
		if isQuoted {
			want = "'" + want + "'"
		}
		seen[isQuoted]++
		if got := assignment(v, k); got != "--set "+want {
			t.Errorf("%s is set by %s, want --set %s", k.Path, got, want)
		}
	}
	if seen[true] < 10 || seen[false] < 10 {
		t.Errorf("%d keys are quoted and %d not", seen[true], seen[false])
	}
	if got := assignment(v, form.Key{Path: "algorithms.step", Example: "0.1"}); got != "--set algorithms.0.step=0.1" {
		t.Errorf("a step is set by %s", got)
	}
}

// Changes of a comparison are told as they can be typed again.
func TestChangesCanBeTypedAgain(t *testing.T) {
	f := &compareFlags{}
	c := &cobra.Command{}
	f.offerChanges(c)
	if got := f.changes(c); got == nil || len(got) != 0 {
		t.Errorf("of nothing there is %q", got)
	}
	if err := c.ParseFlags([]string{"--iterations", "7", "--set", "a=it's", "--set", "b=[1, 2]", "--seed", "3"}); err != nil {
		t.Fatal(err)
	}
	if got, want := f.changes(c), []string{"--seed 3", "--iterations 7", `--set 'a=it'\''s'`, "--set 'b=[1, 2]'"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
