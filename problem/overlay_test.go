package problem

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
)

func mustParse(t testing.TB, src string, over ...Overlay) *Spec {
	t.Helper()
	s, err := Parse(kind.Standard(), "x.yaml", []byte(src), over...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAssign(t *testing.T) {
	s := mustParse(t, small+"  - {name: second, kind: composite, step: 0.2}\n",
		Assign("dynamics.lambda=0.3"),
		Assign("seed = 18446744073709551615"),
		Assign("algorithms.0.step=0.01"),
		Assign("algorithms.second.step=1e-3"),
		Assign("algorithms.second.clip=2"),
		Assign("record.every=5"),
		Assign("set={kind: box, lower: -.inf, upper: [1, 2]}"),
		Assign("set.upper.1=.inf"),
		Assign("algorithms.vanilla.batch=null"),
		Assign("iterations=1e3"),
	)
	if d := s.Dynamics.Of.(*kind.PolarizedDynamics); d.Lambda != 0.3 || s.Seed != math.MaxUint64 || s.Record.Every != 5 || s.Iterations != 1000 {
		t.Errorf("got lambda %v, seed %d, every %d, iterations %d", d.Lambda, s.Seed, s.Record.Every, s.Iterations)
	}
	first, second := s.Algorithms[0], s.Algorithms[1]
	if first.Step != 0.01 || first.Batch != 4 || second.Step != 1e-3 || second.Clip != 2 {
		t.Errorf("got algorithms %+v", s.Algorithms)
	}
	if box := s.Set.(*kind.BoxSet); !math.IsInf(box.Lower.All, -1) || box.Upper.Each[0] != 1 || !math.IsInf(box.Upper.Each[1], 1) {
		t.Errorf("got set %+v", s.Set)
	}
}

// A dash that nobody can type is assigned to by a hyphen, unless somebody has the hyphen for a name.
func TestAssignByHyphen(t *testing.T) {
	s := mustParse(t, small+"  - {name: primal–dual, kind: composite, step: 0.2}\n  - {name: a–b, kind: composite, step: 0.2}\n  - {name: a-b, kind: composite, step: 0.2}\n",
		Assign("algorithms.primal-dual.step=0.3"), Assign("algorithms.a-b.step=0.4"), Assign("algorithms.a–b.step=0.5"))
	if got := s.Algorithms[1:]; got[0].Step != 0.3 || got[1].Step != 0.5 || got[2].Step != 0.4 {
		t.Errorf("got steps %v, %v and %v", got[0].Step, got[1].Step, got[2].Step)
	}
}

func TestAssignMistakes(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"dynamics.lambda=1.5", "--set dynamics.lambda=1.5: dynamics.lambda is 1.5, want a number from 0 to 1"},
		{"dynamics.lamda=0.3", "--set dynamics.lamda=0.3: unknown key dynamics.lamda, did you mean lambda?"},
		{"dynamics.lamda=null", "--set dynamics.lamda=null: unknown key dynamics.lamda, did you mean lambda?"},
		{"colour.hue=1", "--set colour.hue=1: unknown key colour, there are seed, iterations, trials, hold, generator, model, data, population, dynamics, players, objective, set, start, changes, constraints, algorithms, names, record, optimum, draws, uncertain, decide and live"},
		{"dynamics.lambda.x=1", "--set dynamics.lambda.x=1: dynamics.lambda is 0.4 and has no x"},
		{"dynamics.lambda.x.y=1", "--set dynamics.lambda.x.y=1: dynamics.lambda is 0.4 and has no x"},
		{"algorithms.1.step=1", "--set algorithms.1.step=1: algorithms has no entry 1, there are vanilla"},
		{"algorithms.composite.step=1", "--set algorithms.composite.step=1: algorithms has no entry composite, there are vanilla"},
		{"algorithms.composite=1", "--set algorithms.composite=1: algorithms has no entry composite, there are vanilla"},
		{"algorithms.vanilla.step=-1", "--set algorithms.vanilla.step=-1: algorithms.vanilla.step is -1, want a number above 0"},
		{"algorithms.vanilla.name=2", "--set algorithms.vanilla.name=2: algorithms.0.name is 2, want a name that begins with a letter and has no dot"},
		{"algorithms=[]", "--set algorithms=[]: algorithms is an empty list, want a list of algorithms"},
		{"population.dim=3", ""},
		{"set.center=[1, 2, 3]", "--set set.center=[1, 2, 3]: set.center has 3 entries, the decision has 2"},
		{"set.kind=box", "--set set.kind=box: unknown key set.radius, box has kind, lower, upper and integer\n" +
			"--set set.kind=box: set.lower is missing, want a number or -.inf, or a list of those\n" +
			"--set set.kind=box: set.upper is missing, want a number or .inf, or a list of those"},
		{"dynamics.lambda", "--set dynamics.lambda: want key=value, as in dynamics.lambda=0.3"},
		{"=3", "--set =3: want key=value, as in dynamics.lambda=0.3"},
		{"dynamics.lambda=", "--set dynamics.lambda=: dynamics.lambda has no value; null stands for its default"},
		{"dynamics..lambda=1", `--set dynamics..lambda=1: unknown key dynamics."", polarized has kind, lambda, sigma, heterogeneity, coupling and noise`},
		{"dynamics.lambda=[1", "--set dynamics.lambda=[1: sequence end token ']' not found"},
		{"dynamics.lambda=&a 1", "--set dynamics.lambda=&a 1: anchors, aliases and merge keys are not allowed, write the values out"},
		{"dynamics={kind: polarized, kind: choice}", "--set dynamics={kind: polarized, kind: choice}: dynamics.kind is given twice\n" +
			"--set dynamics={kind: polarized, kind: choice}: dynamics.lambda is missing, want a number from 0 to 1\n" +
			"--set dynamics={kind: polarized, kind: choice}: dynamics.sigma is missing, want a number ≥ 0"},
		{strings.Repeat("a.", 40) + "a=1", "--set " + strings.Repeat("a.", 30) + "…: want key=value, as in dynamics.lambda=0.3"},
	} {
		_, err := Parse(kind.Standard(), "x.yaml", []byte(small), Assign(c.set))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("--set %s gives\n%s\nwant\n%s", c.set, got, c.want)
		}
	}
}

// A mistake between two keys belongs to the flag that brought it about, not to the file that was right before.
func TestBlame(t *testing.T) {
	src := strings.Replace(small, "radius: 1", "radius: 1, center: [0, 0]", 1)
	_, err := Parse(kind.Standard(), "x.yaml", []byte(src), Assign("population.dim=3"))
	const want = "--set population.dim=3: set.center has 2 entries, the decision has 3"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestLabels(t *testing.T) {
	_, err := Parse(kind.Standard(), "x.yaml", []byte(small), Assign("seed=-1").As("--seed -1"))
	const want = "--seed -1: seed is -1, want a whole number from 0 to 18446744073709551615"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Mappings merge key by key, lists and single values replace, null goes back to the default.
func TestMerge(t *testing.T) {
	s := mustParse(t, small+"record: {every: 3, rollout: 2}\n", Merge("over.yaml", []byte(`
dynamics: {lambda: 0.1}
set: {kind: simplex, radius: null, sum: 1}
algorithms: [{name: composite, step: 1}]
record: {every: null}
`)))
	if d := s.Dynamics.Of.(*kind.PolarizedDynamics); d.Lambda != 0.1 || d.Sigma != 0.5 {
		t.Errorf("got dynamics %+v", d)
	}
	if s.Set.(*kind.SimplexSet).Sum != 1 {
		t.Errorf("got set %+v", s.Set)
	}
	if len(s.Algorithms) != 1 || s.Algorithms[0].Kind() != "composite" {
		t.Errorf("got algorithms %+v", s.Algorithms)
	}
	if s.Record.Every != 1 || s.Record.Rollout != 2 {
		t.Errorf("got record %+v", s.Record)
	}
}

func TestMergeMistakes(t *testing.T) {
	over := "\nset: {radius: -1}\ndynamics: {sigma: [}\n"
	_, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(small, "lambda: 0.4", "lambda: 4", 1)), Merge("over.yaml", []byte(over)))
	const broken = "x.yaml:3: dynamics.lambda is 4, want a number from 0 to 1\nover.yaml:3: "
	if err == nil || !strings.HasPrefix(err.Error(), broken) {
		t.Errorf("got\n%v\nwant\n%s…", err, broken)
	}
	_, err = Parse(kind.Standard(), "x.yaml", []byte(small), Merge("over.yaml", []byte("\nset: {radius: -1}\n")), Assign("hold=0"))
	const want = "over.yaml:2: set.radius is -1, want a number above 0\n--set hold=0: hold is 0, want a whole number from 1 to 2147483647"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	_, err = Parse(kind.Standard(), "x.yaml", []byte(small), Merge("over.yaml", []byte("set: 3\nalgorithms: {step: 1}\n")))
	const replaced = "over.yaml:1: set is 3, want a mapping\nover.yaml:2: algorithms is a mapping, want a list of algorithms"
	if err == nil || err.Error() != replaced {
		t.Errorf("got\n%v\nwant\n%s", err, replaced)
	}
	if _, err := Parse(kind.Standard(), "x.yaml", nil, Merge("over.yaml", []byte("[]"))); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two unreadable documents give\n%v", err)
	}
	_, err = Parse(kind.Standard(), "x.yaml", []byte("[]"), Merge("over.yaml", []byte("seed: 3")))
	const list = "x.yaml:1: the document is an empty list, want a mapping with keys such as dynamics"
	if err == nil || err.Error() != list {
		t.Errorf("what changes an unreadable document gives\n%v", err)
	}
}
