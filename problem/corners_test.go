package problem

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem/census"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// Names of a model are what they look like: of lists, of rows (a single one, too), of files, and of networks, a single node too.
func TestValuesOfNames(t *testing.T) {
	files := fstest.MapFS{"row.csv": {Data: []byte("1,2,3\n")}, "column.csv": {Data: []byte("1\n2\n3\n")}, "rows.csv": {Data: []byte("1,2,3\n4,5,6\n")}, "loop.csv": {Data: []byte("0,0,5\n")}}
	for text, want := range map[string]struct {
		shape []int
		data  []float64
	}{
		"7": {nil, []float64{7}}, "[7]": {[]int{1}, []float64{7}}, "[[1, 2]]": {[]int{1, 2}, []float64{1, 2}}, "[[1], [2]]": {[]int{2, 1}, []float64{1, 2}},
		"{file: row.csv}": {[]int{3}, []float64{1, 2, 3}}, "{file: column.csv}": {[]int{3}, []float64{1, 2, 3}}, "{file: rows.csv}": {[]int{2, 3}, []float64{1, 2, 3, 4, 5, 6}},
		"{file: loop.csv, nodes: 1}": {[]int{1, 1}, []float64{1}},
	} {
		s := mustParse(t, written, Assign("model.let.x="+text))
		from, err := s.source(files)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := from.Let[1].Data; !slices.Equal(got.Shape, want.shape) || !slices.Equal(got.Data, want.data) {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
		if again := mustParse(t, string(s.YAML())); string(again.YAML()) != string(s.YAML()) {
			t.Errorf("%s is printed as\n%s", text, s.YAML())
		}
	}
	for text, want := range map[string]string{
		"[]": "model.let.x is an empty list, want a list of numbers", "\"7\"": "", "{file: loop.csv, nodes: 0}": "model.let.x.nodes is 0, want a whole number from 1 to 1024",
		"{file: loop.csv, nodes: 1025}": "model.let.x.nodes is 1025, want a whole number from 1 to 1024", "{file: loop.csv, nodes: 1024}": "", "[[]]": "model.let.x.0 is an empty list, want a list of numbers",
	} {
		_, err := Parse(kind.Standard(), "x.yaml", []byte(written), Assign("model.let.x="+text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Groups of a model are counted by their shares, rounded, and their shares add up.
func TestGroupsOfAModel(t *testing.T) {
	of, names := build(t, worldly).Groups()
	if !slices.Equal(of, []int{0, 0, 0, 0, 0, 0, 1, 1}) || !slices.Equal(names, []string{"loyal", "others"}) {
		t.Errorf("%v %v", of, names)
	}
	thirds := "model.groups={a: {share: 0.333, taste: 1}, b: {share: 0.333, taste: 2}, c: {share: 0.334, taste: 3}}"
	if of, _ = build(t, worldly, Assign(thirds)).Groups(); !slices.Equal(of, []int{0, 0, 0, 1, 1, 2, 2, 2}) { // 2.664 and 5.328 of 8
		t.Errorf("%v", of)
	}
	if of, names := build(t, small).Groups(); of != nil || names != nil {
		t.Errorf("%v %v", of, names)
	}
	for _, c := range []clash{
		{worldly, "model.groups={a: {share: 0.75, taste: 1}, b: {share: 0.75, taste: 2}}", "set: the shares of model.groups add up to 1.5, want 1"},
		{worldly, "model.groups={a: {share: 0.5, taste: 1}, b: {share: 0.5}}", "set: model.groups.b has no values, the first group taste; want the same, in the same order"},
		{worldly, "model.groups={a: {share: 0.95, taste: 1}, b: {share: 0.04, taste: 1}, c: {share: 0.01, taste: 1}}",
			"set: model.groups.b.share is 0.04, with which nobody of 8 is in the group\nset: model.groups.c.share is 0.01, with which nobody of 8 is in the group"},
		{worldly, "model.groups={a: {share: 0.9999999999, taste: 1}}", ""},
		{worldly, "model.groups={a: {share: 0.99, taste: 1}, b: {share: 0.01, taste: 1}}\npopulation.size=none", "set: population.size is \"none\", want a whole number from 1 to 2147483647"},
	} {
		c.run(t)
	}
}

// A rule needs traits where its constraints or players read people.
func TestConstraintsAndPlayersNeedTraits(t *testing.T) {
	const alone = "iterations: 1\npopulation: {size: 2, dim: 1, law: normal}\nalgorithms: [{name: vanilla, step: 0.1}]\nmodel: {decision: q, state: p, trait: d, next: 0.5*p + d + q, minimize: p^2 + q^2}\n"
	const oneMade = "iterations: 1\npopulation: {size: 2, dim: 1, law: normal}\nalgorithms: [{name: vanilla, step: 0.1}]\nmodel: {decision: q, state: p, trait: d, next: 0.5*p + d + q}\nplayers: [{name: one, size: 1, objective: q^2, set: {kind: whole}}]\n"
	for src, want := range map[string]bool{alone: false, alone + "constraints: [{name: load, kind: expectation, of: p, bound: 1}]\n": true, oneMade: true} {
		live, err := BuildLive(mustParse(t, src), 0, 0, nil)
		if err != nil || live.Traits != want {
			t.Errorf("%s needs traits: %v, %v", src, live.Traits, err)
		}
	}
	s := mustParse(t, oneMade) // and who is alone is a player still
	if again := mustParse(t, string(s.YAML())); len(again.Players) != 1 || string(again.YAML()) != string(s.YAML()) {
		t.Errorf("%s", again.YAML())
	}
}

// functionOf is a loss of one number with its slope.
type functionOf func(x float64) (loss, slope float64, err error)

func (f functionOf) Gradient(g, x []float64) (loss float64, err error) {
	loss, g[0], err = f(x[0])
	return loss, err
}

// A best response is the least point of a smooth loss, and of one that jumps; what goes wrong is told.
func TestRespond(t *testing.T) {
	within := set.Box{Lower: []float64{-2}, Upper: []float64{2}}
	lost := errors.New("lost")
	for name, f := range map[string]functionOf{
		"smooth": func(x float64) (float64, float64, error) { return (x - 0.5) * (x - 0.5), 2 * (x - 0.5), nil },
		"jumps": func(x float64) (float64, float64, error) {
			if x > 0.5 {
				return x, 1, nil
			}
			return x + 10, 1, nil
		},
	} {
		if at, err := respond(f, within, []float64{1.5}); err != nil || math.Abs(at[0]-0.5) > 1e-6 {
			t.Errorf("%s: %v, %v, want 0.5", name, at, err)
		}
	}
	calls := 0
	for name, f := range map[string]functionOf{
		"at once": func(float64) (float64, float64, error) { return 0, 0, lost },
		"later": func(x float64) (float64, float64, error) {
			if calls++; calls > 3 {
				return 0, 0, lost
			}
			return x * x, 2 * x, nil
		},
	} {
		if at, err := respond(f, within, []float64{-1}); !errors.Is(err, lost) || at != nil {
			t.Errorf("%s: %v, %v", name, at, err)
		}
	}
	most := math.MaxInt
	jumps := functionOf(func(x float64) (float64, float64, error) {
		if calls++; calls > most {
			return 0, 0, lost
		}
		return math.Copysign(5, 0.5-x) + x, 1, nil
	})
	calls = 0
	if _, err := optimum.Minimize(t.Context(), jumps, within, []float64{1.5}, optimum.Effort{}); err == nil {
		t.Fatal("where a loss jumps its least point is found by slopes")
	}
	most, calls = calls, 0 // lost when the search begins anew
	if at, err := respond(jumps, within, []float64{1.5}); !errors.Is(err, lost) || at != nil {
		t.Errorf("lost behind a jump: %v, %v", at, err)
	}
}

// A table may take a quarter of the memory there is, up to a GiB.
func TestTablesTakeAQuarterOfTheMemory(t *testing.T) {
	defer room.SetMemory(1<<63 - 1)
	s, files := mustParse(t, shop), csvOf(customers)
	least := int64(1) // that the table itself takes
	for ; least < 10_000; least++ {
		if _, err := s.Population.Table().Gather(census.Gathering{Within: t.Context(), Files: files, Draw: stream.New(1), Most: least}); err == nil {
			break
		}
	}
	for bytes, want := range map[int64]bool{4 * least: true, 4*least - 1: false} {
		room.SetMemory(bytes)
		var asks *MemoryError // of people, after the table was read
		if err := begin(t.Context(), "x", s, files).gather(); errors.As(err, &asks) != want || err == nil {
			t.Errorf("with %d bytes, of which the table wants %d: %v", bytes, least, err)
		}
	}
}

// Draws of numbers on which a bound rests, however far behind, are refused; others are not.
func TestDrawsOfWhatBoundsRestOn(t *testing.T) {
	const model = "iterations: 1\nmodel: {decision: q, state: p, trait: d, let: {b: 1, most: 2, twice: 2*most, four: 2*twice, half: b/2}, next: 0.5*p + b*d, minimize: q^2, subject to: SET}\n" +
		"population: {size: 2, law: normal}\nalgorithms: [{name: composite, step: 0.1}]\ndraws: d.csv\nuncertain: 1\n"
	for _, c := range []struct {
		subject, draws string
		refused        bool
	}{{"q <= four", "most\n1\n", true}, {"q <= four", "b\n1\n", false}, {"q <= half", "b\n1\n", true}, {"q <= half", "most\n1\n", false}, {"[q <= 9, q >= -twice]", "most\n1\n", true}} {
		_, err := buildWith(t, strings.Replace(model, "SET", c.subject, 1), fstest.MapFS{"d.csv": {Data: []byte(c.draws)}})
		if c.refused && (err == nil || !strings.HasPrefix(err.Error(), "x.yaml:5: draws: d.csv: draws are of numbers that stand in model.subject to (q ")) || !c.refused && err != nil {
			t.Errorf("%s with draws of %q: %v", c.subject, c.draws, err)
		}
	}
	_, err := buildWith(t, strings.NewReplacer("SET", "q <= 1", "b: 1,", "b: 1, W: {file: none.csv},").Replace(model), fstest.MapFS{"d.csv": {Data: []byte("b\n1\n")}})
	if err == nil || !strings.HasPrefix(err.Error(), "x.yaml:2: none.csv: ") {
		t.Errorf("without a file: %v", err)
	}
}

// A world that makes no model says so by itself; the others are there.
func TestWorldsThatAreNone(t *testing.T) {
	const model = "iterations: 1\nmodel: {decision: q, state: p, trait: d, let: {b: 1}, next: 0.5*p + d, minimize: \"q^2*(1/b)\"}\npopulation: {size: 2, law: normal}\nalgorithms: [{name: composite, step: 0.1}]\ndraws: d.csv\nuncertain: 2\n"
	p, err := buildWith(t, model, fstest.MapFS{"d.csv": {Data: []byte("b\n2\n0\n")}})
	if err != nil {
		t.Fatal(err)
	}
	worlds, err := p.Worlds(t.Context(), 1)
	if err != nil || worlds[0].Err != nil || worlds[1].Err == nil || !strings.Contains(worlds[1].Err.Error(), "(1/b) is +Inf, want a finite number") {
		t.Errorf("%+v, %v", worlds, err)
	}
	if m := worlds[0].Model; !reflect.DeepEqual(m.Set, p.Set) || !slices.Equal(m.Start, p.Start) || !reflect.DeepEqual(m.Traits, p.Traits) || !reflect.DeepEqual(m.States, p.States) {
		t.Errorf("%+v", m)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Worlds(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A mistake in an objective is told once, at its place, and what depends on it is left alone.
func TestObjectivesAreToldOnce(t *testing.T) {
	for _, c := range []clash{
		{small, "objective={kind: formula, minimize: [1]}", "set: objective.minimize is a list of 1, want a formula, or maximize with one; a formula that begins with a bracket stands in quotes, as in \"[a, b]\""},
		{small, "objective=dot(p, nobody)", "set: objective:1:8: unknown name nobody; known are d, p, u"},
		{small, "objective={kind: formula, maximize: \"dot(p, nobody)\"}", "set: objective.maximize:1:8: unknown name nobody; known are d, p, u"},
		{small, "objective=dot(p, nobody)\npopulation.dim=none", "set: population.dim is \"none\", want a whole number from 1 to 2147483647"},
		{small, "objective=dot(p, u)", ""},
		{written, "constraints=[{name: load, kind: expectation, bound: 1, of: \"p[0] + nobody\"}]", "set: constraints.load.of:1:8: unknown name nobody; known are a, d, p, q"},
		{written, "constraints=[{name: load, kind: expectation, bound: 1, of: \"p[0] + nobody\"}]\nmodel.state=null", "x.yaml:2: model.state is missing, want a name and a length, such as p[20]"},
		{written, "model.let.W={file: w.csv}\nconstraints=[{name: load, kind: expectation, bound: 1, of: \"p[0] + nobody\"}]", ""}, // once the file is read
	} {
		c.run(t)
	}
}

// Formulas that see the crowd go with players who do not look ahead, and with no theory.
func TestCrowdsOfFormulasThatClash(t *testing.T) {
	const seeing = "iterations: 1\npopulation: {size: 2, dim: 1, law: normal}\nalgorithms: [{name: composite, step: 0.1}]\nmodel: {decision: \"u[2]\", state: p, trait: d, next: \"0.5*p + 0.1*crowd(p) + d + 0*u[0]\"}\n" +
		"players: [{name: a, size: 1, objective: \"u[0]^2\", set: {kind: whole}}, {name: b, size: 1, objective: \"u[1]^2\", set: {kind: whole}}]\n"
	const model = "iterations: 1\npopulation: {size: 2, dim: 1, law: normal}\nalgorithms: [{name: composite, step: 0.1}]\nmodel: {decision: u, state: p, trait: d, next: 0.5*p + 0.1*crowd(p) + d, minimize: u^2}\n"
	for _, c := range []clash{
		{seeing, "", ""},
		{seeing, "algorithms.composite.play=alternating", ""},
		{seeing, "algorithms.composite.play=best-response", "set: algorithms.composite.play is best-response, but model.next depends on crowd(…), and responses are those of individuals who do not see each other"},
		{model, "", ""},
		{model, "record.theory=true", "set: record.theory is given, but model.next depends on crowd(…), and the theory is of individuals who are alone"},
		{model, "record.rollout=1", "set: record.rollout is given, but model.next depends on crowd(…), and a roll-out moves individuals one by one"},
		{model, "model.next=0.5*p + d\nrecord.rollout=1\nrecord.theory=true", ""},
	} {
		c.run(t)
	}
}
