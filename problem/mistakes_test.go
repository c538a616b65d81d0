package problem

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// small is a spec with nothing wrong in it; the tests below break one thing at a time.
const small = `iterations: 10
population: {size: 4, dim: 2, law: sphere}
dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
algorithms:
  - {name: vanilla, step: 0.1, batch: 2}
`

// mistakeTest is one thing to break and everything that must be said about it.
type mistakeTest struct{ old, new, want string }

func (c mistakeTest) run(t *testing.T) {
	t.Helper()
	c.breaks(t, small)
}

func (c mistakeTest) breaks(t *testing.T, src string) {
	t.Helper()
	if !strings.Contains(src, c.old) {
		t.Fatalf("%q is not in the spec to break", c.old)
	}
	src = strings.Replace(src, c.old, c.new, 1)
	_, err := Parse(kind.Standard(), "x.yaml", []byte(src))
	if err == nil {
		t.Errorf("%q was accepted, want\n%s", c.new, c.want)
	} else if err.Error() != c.want {
		t.Errorf("%q gives\n%s\nwant\n%s", c.new, err, c.want)
	}
	if msg := disagreement(src); msg != "" {
		t.Errorf("%q: %s", c.new, msg)
	}
}

func TestNothingWrong(t *testing.T) {
	if _, err := Parse(kind.Standard(), "x.yaml", []byte(small)); err != nil {
		t.Fatal(err)
	}
}

func TestKeyMistakes(t *testing.T) {
	for _, c := range []mistakeTest{
		{"lambda: 0.4", "lamda: 0.4", "x.yaml:3: unknown key dynamics.lamda, did you mean lambda?"},
		{"lambda: 0.4, ", "", "x.yaml:3: dynamics.lambda is missing, want a number from 0 to 1"},
		{"lambda: 0.4", "lambda: 0.4, temperature: 3", "x.yaml:3: unknown key dynamics.temperature, polarized has kind, lambda, sigma, heterogeneity, coupling and noise"},
		{"lambda: 0.4", "lambda: 0.4, lambda: 0.5", "x.yaml:3: dynamics.lambda is given twice, first on line 3"},
		{"lambda: 0.4", "lambda:", "x.yaml:3: dynamics.lambda has no value; null stands for its default"},
		{"lambda: 0.4", "lambda: null", "x.yaml:3: dynamics.lambda is missing, want a number from 0 to 1"},
		{"iterations: 10", "itertions: 10", "x.yaml:1: unknown key itertions, did you mean iterations?"},
		{"iterations: 10", "iterations: 10\ncolour: red", "x.yaml:2: unknown key colour, there are seed, iterations, trials, hold, generator, model, data, population, dynamics, players, objective, set, start, changes, constraints, algorithms, names, record, optimum, draws, uncertain, decide and live"},
		{"iterations: 10", "iterations: 10\n\"a.b\\nc\": red", "x.yaml:2: unknown key \"a.b\\nc\", there are seed, iterations, trials, hold, generator, model, data, population, dynamics, players, objective, set, start, changes, constraints, algorithms, names, record, optimum, draws, uncertain, decide and live"},
		{"iterations: 10", "iterations: 10\niterations: 11\nseed: 1\niterations: 12", "x.yaml:2: iterations is given twice, first on line 1\n" +
			"x.yaml:4: iterations is given twice, first on line 1"},
		{"objective: {kind: affinity}", "", "x.yaml:1: objective is missing, want a formula, a mapping with a kind, or players"},
		{"objective: {kind: affinity}", "objective: [affinity]", "x.yaml:4: objective is a list of 1, want a mapping"},
		{"kind: ball, radius: 1", "kind: ball, radius: 1, centre: 0", "x.yaml:5: unknown key set.centre, did you mean center?"},
		{"kind: ball, radius: 1", "radius: 1", "x.yaml:5: set.kind is missing, want whole, ball, l1-ball, box, simplex, capped-simplex, half-space, affine, product, intersection, convex or finite"},
		{"kind: ball, radius: 1", "kind: bowl, diameter: 1", "x.yaml:5: set.kind is \"bowl\", want whole, ball, l1-ball, box, simplex, capped-simplex, half-space, affine, product, intersection, convex or finite"},
		{"kind: ball, radius: 1", "kind: box, radius: 1, lower: 0, upper: 1", "x.yaml:5: unknown key set.radius, box has kind, lower, upper and integer"},
		{"  - {name: vanilla, step: 0.1, batch: 2}", "  {name: vanilla, step: 0.1, batch: 2}", "x.yaml:6: algorithms is a mapping, want a list of algorithms"},
		{"\n  - {name: vanilla, step: 0.1, batch: 2}", " []", "x.yaml:6: algorithms is an empty list, want a list of algorithms"},
		{"algorithms:\n  - {name: vanilla, step: 0.1, batch: 2}", "", "x.yaml:1: algorithms is missing, want a list of algorithms"},
		{"  - {name: vanilla, step: 0.1, batch: 2}", "  - vanilla", "x.yaml:7: algorithms.0 is \"vanilla\", want a mapping"},
		{"{name: vanilla, step: 0.1, batch: 2}", "{name: vanilla, step: 0.1, delta: 2}", "x.yaml:7: unknown key algorithms.vanilla.delta, vanilla has name, kind, step, schedule, delay, power, batch, clip, momentum, hold, average, rate-limit and trials"},
		{"{name: vanilla, step: 0.1, batch: 2}", "{name: newton, step: 0.1}", "x.yaml:7: algorithms.newton.kind is missing, want vanilla, lazy, repeated-gradient, repeated-risk, delayed-risk, epoch, composite, epoch-composite, adam, storm, one-point, two-point, derivative-free, epoch-derivative-free, performative, reinforce or plug-in"},
		{"{name: vanilla, step: 0.1, batch: 2}", "{name: composit, step: 0.1}", "x.yaml:7: algorithms.composit.kind is missing, want vanilla, lazy, repeated-gradient, repeated-risk, delayed-risk, epoch, composite, epoch-composite, adam, storm, one-point, two-point, derivative-free, epoch-derivative-free, performative, reinforce or plug-in; did you mean composite?"},
		{"{name: vanilla, step: 0.1, batch: 2}", "{step: 0.1, kind: vanilla}", "x.yaml:7: algorithms.0.name is missing, want a name that begins with a letter and has no dot"},
	} {
		c.run(t)
	}
}

func TestValueMistakes(t *testing.T) {
	for _, c := range []mistakeTest{
		{"{name: vanilla, step: 0.1, batch: 2}", "{name: adam, step: 0.1, sensitivity: learned}", "x.yaml:7: algorithms.adam.sensitivity is \"learned\", want closed, implicit or differences"},
		{"lambda: 0.4", "lambda: 1.5", "x.yaml:3: dynamics.lambda is 1.5, want a number from 0 to 1"},
		{"lambda: 0.4", "lambda: -0.1", "x.yaml:3: dynamics.lambda is -0.1, want a number from 0 to 1"},
		{"lambda: 0.4", "lambda: .nan", "x.yaml:3: dynamics.lambda is .nan, want a number from 0 to 1"},
		{"lambda: 0.4", "lambda: half", "x.yaml:3: dynamics.lambda is \"half\", want a number from 0 to 1"},
		{"lambda: 0.4", "lambda: \"0.4\"", "x.yaml:3: dynamics.lambda is \"0.4\", want a number from 0 to 1"},
		{"lambda: 0.4", "lambda: [0.4]", "x.yaml:3: dynamics.lambda is a list of 1, want a number from 0 to 1"},
		{"lambda: 0.4", "lambda: {is: 0.4}", "x.yaml:3: dynamics.lambda is a mapping, want a number from 0 to 1"},
		{"lambda: 0.4", "lambda: true", "x.yaml:3: dynamics.lambda is true, want a number from 0 to 1"},
		{"lambda: 0.4", "lambda: 0x1p-2", "x.yaml:3: dynamics.lambda is \"0x1p-2\", want a number from 0 to 1"},
		{"sigma: 0.5", "sigma: -1", "x.yaml:3: dynamics.sigma is -1, want a number ≥ 0"},
		{"sigma: 0.5", "sigma: .inf", "x.yaml:3: dynamics.sigma is .inf, want a number ≥ 0"},
		{"sigma: 0.5", "sigma: 1e999", "x.yaml:3: dynamics.sigma is \"1e999\", want a number ≥ 0"},
		{"iterations: 10", "iterations: 0", "x.yaml:1: iterations is 0, want a whole number from 1 to 2147483647"},
		{"iterations: 10", "iterations: 2.5", "x.yaml:1: iterations is 2.5, want a whole number from 1 to 2147483647"},
		{"iterations: 10", "iterations: 1e12", "x.yaml:1: iterations is 1e12, want a whole number from 1 to 2147483647"},
		{"iterations: 10", "iterations: 0x10", "x.yaml:1: iterations is \"0x10\", want a whole number from 1 to 2147483647"},
		{"iterations: 10", "iterations: 1_000", "x.yaml:1: iterations is \"1_000\", want a whole number from 1 to 2147483647"},
		{"iterations: 10", "iterations: ten", "x.yaml:1: iterations is \"ten\", want a whole number from 1 to 2147483647"},
		{"iterations: 10", "iterations: 10\ntrials: 0", "x.yaml:2: trials is 0, want a whole number from 1 to 2147483647"},
		{"iterations: 10", "iterations: 10\nseed: -1", "x.yaml:2: seed is -1, want a whole number from 0 to 18446744073709551615"},
		{"iterations: 10", "iterations: 10\nseed: 18446744073709551616", "x.yaml:2: seed is 18446744073709551616, want a whole number from 0 to 18446744073709551615"},
		{"iterations: 10", "iterations: 10\nhold: 0", "x.yaml:2: hold is 0, want a whole number from 1 to 2147483647"},
		{"iterations: 10", "iterations: 10\ngenerator: pcg", "x.yaml:2: generator is \"pcg\", want kedge or numpy"},
		{"size: 4", "size: 0", "x.yaml:2: population.size is 0, want a whole number from 1 to 2147483647"},
		{"dim: 2", "dim: 0", "x.yaml:2: population.dim is 0, want a whole number from 1 to 2147483647"},
		{"law: sphere", "law: cap, angle: 0", "x.yaml:2: population.angle is 0, want an angle in degrees, above 0 and up to 180"},
		{"law: sphere", "law: cap, angle: 181", "x.yaml:2: population.angle is 181, want an angle in degrees, above 0 and up to 180"},
		{"law: sphere", "law: cap, angle: 90, axis: 3", "x.yaml:2: population.axis is 3, want a list of numbers"},
		{"law: sphere", "law: cap, angle: 90, axis: [1, north]", "x.yaml:2: population.axis.1 is \"north\", want a number"},
		{"law: sphere", "law: cap, angle: 90, axis: []", "x.yaml:2: population.axis is an empty list, want a list of numbers"},
		{"law: sphere", "law: bimodal, angle: 90, share: 2", "x.yaml:2: population.share is 2, want a number above 0 and up to 1"},
		{"law: sphere", "law: file, file: 3", "x.yaml:2: population.file is 3, want the name of a file"},
		{"law: sphere", "law: file, file: \"a\\nb\"", "x.yaml:2: population.file is \"a\\nb\", want the name of a file"},
		{"law: sphere", "law: sphere, states: other", "x.yaml:2: population.states is \"other\", want same or a mapping with a law"},
		{"law: sphere", "law: sphere, states: {law: cap}", "x.yaml:2: population.states.angle is missing, want an angle in degrees, above 0 and up to 180"},
		{"law: sphere", "law: sphere, storage: float16, traits: drawn", "x.yaml:2: population.storage is \"float16\", want float64 or float32\n" +
			"x.yaml:2: population.traits is \"drawn\", want stored or regenerated"},
		{"law: sphere", "law: file, file: a.csv, traits: regenerated", "x.yaml:2: population.traits is regenerated, but population.law is file, whose individuals cannot be drawn anew; want stored"},
		{"law: sphere", "law: sphere, sampling: twice", "x.yaml:2: population.sampling is \"twice\", want with-replacement or without-replacement"},
		{"radius: 1", "radius: 0", "x.yaml:5: set.radius is 0, want a number above 0"},
		{"radius: 1", "radius: .inf", "x.yaml:5: set.radius is .inf, want a number above 0"},
		{"step: 0.1", "step: 0", "x.yaml:7: algorithms.vanilla.step is 0, want a number above 0"},
		{"step: 0.1", "step: 0.1, schedule: cosine", "x.yaml:7: algorithms.vanilla.schedule is \"cosine\", want constant, inverse-sqrt, horizon or diminishing"},
		{"step: 0.1", "step: 0.1, clip: 0", "x.yaml:7: algorithms.vanilla.clip is 0, want a number above 0 or .inf"},
		{"step: 0.1", "step: 0.1, momentum: 1", "x.yaml:7: algorithms.vanilla.momentum is 1, want a number from 0 to below 1"},
		{"batch: 2", "batch: 0", "x.yaml:7: algorithms.vanilla.batch is 0, want a whole number from 1 to 2147483647"},
		{"name: vanilla", "name: \"1st\", kind: vanilla", "x.yaml:7: algorithms.0.name is \"1st\", want a name that begins with a letter and has no dot"},
		{"name: vanilla", "name: a.b, kind: vanilla", "x.yaml:7: algorithms.0.name is \"a.b\", want a name that begins with a letter and has no dot"},
		{"step: 0.1", "step: 0.1, power: 0.5", "x.yaml:7: algorithms.vanilla.power is of schedule diminishing, but the schedule is constant"},
		{"step: 0.1", "step: 0.1, schedule: diminishing, power: 2", "x.yaml:7: algorithms.vanilla.power is 2, want a number above 0, at most 1"},
		{"step: 0.1", "step: 0.1, hold: 0", "x.yaml:7: algorithms.vanilla.hold is 0, want a whole number from 1 to 2147483647"},
		{"name: vanilla, step: 0.1, batch: 2", "name: storm, step: 0.1, batch: 3", "x.yaml:7: algorithms.storm.batch is 3, but storm wants an even number: half of a sample is seen again"},
		{"name: vanilla", "name: storm, hold: 2", "x.yaml:7: algorithms.storm.hold is 2, but storm sees people again in the next turn; hold decisions by the key hold of the spec"},
		{"name: vanilla", "name: epoch, contraction: 1", "x.yaml:7: algorithms.epoch.contraction is 1, want a number above 0 and below 1"},
		{"name: vanilla, step: 0.1", "name: repeated-risk, step: 1.5", "x.yaml:7: algorithms.repeated-risk.step is 1.5, want a number above 0, at most 1"},
		{"name: vanilla", "name: derivative-free, delta: 0", "x.yaml:7: algorithms.derivative-free.delta is 0, want a number above 0"},
		{"name: vanilla", "name: derivative-free, delta: 1, carry: 1", "x.yaml:7: algorithms.derivative-free.carry is 1, want true or false"},
		{"iterations: 10", "iterations: 10\nrecord: {every: 0, w1: letters, rollout: -1, gradient: yes}", "x.yaml:2: record.every is 0, want a whole number from 1 to 2147483647\n" +
			"x.yaml:2: record.w1 is \"letters\", want none or items\n" +
			"x.yaml:2: record.rollout is -1, want a whole number from 0 to 1000000\n" +
			"x.yaml:2: record.gradient is \"yes\", want true or false"},
		{"iterations: 10", "iterations: 10\noptimum: {starts: 0, tolerance: 0}", "x.yaml:2: optimum.starts is 0, want a whole number from 1 to 10000\n" +
			"x.yaml:2: optimum.tolerance is 0, want a number above 0"},
		{"iterations: 10", "iterations: 10\nstart: {law: values}", "x.yaml:2: start.values is missing, want a list of numbers"},
	} {
		c.run(t)
	}
}

func TestShapeMistakes(t *testing.T) {
	for _, c := range []mistakeTest{
		{"set: {kind: ball, radius: 1}", "set: {kind: box, lower: 0, upper: [1, 1, 1]}", "x.yaml:5: set.upper has 3 entries, the decision has 2"},
		{"set: {kind: ball, radius: 1}", "set:\n  kind: box\n  lower: [0, 0]\n  upper: [1, -1]", "x.yaml:8: set.upper is -1, less than set.lower, which is 0 in entry 1: the set is empty"},
		{"set: {kind: ball, radius: 1}", "set: {kind: box, lower: .inf, upper: -.inf}", "x.yaml:5: set.lower is .inf, want a number or -.inf\n" +
			"x.yaml:5: set.upper is -.inf, want a number or .inf"},
		{"set: {kind: ball, radius: 1}", "set: {kind: ball, radius: 1, center: [0]}", "x.yaml:5: set.center has 1 entry, the decision has 2"},
		{"set: {kind: ball, radius: 1}", "set: {kind: simplex, sum: -1}", "x.yaml:5: set.sum is -1, want a number ≥ 0"},
		{"set: {kind: ball, radius: 1}", "set: {kind: capped-simplex, sum: 3, upper: 1}", "x.yaml:5: set.sum is 3, but 2 entries up to set.upper add up to at most 2: the set is empty"},
		{"set: {kind: ball, radius: 1}", "set: {kind: capped-simplex, sum: 3, upper: [1, 1.5]}", "x.yaml:5: set.sum is 3, but 2 entries up to set.upper add up to at most 2.5: the set is empty"},
		{"set: {kind: ball, radius: 1}", "set: {kind: capped-simplex, sum: 3, upper: [1, -1]}", "x.yaml:5: set.upper.1 is -1, want a number ≥ 0 or .inf"},
		{"set: {kind: ball, radius: 1}", "set: {kind: half-space, normal: [0, 0], bound: 1}", "x.yaml:5: set.normal has length 0 and points nowhere"},
		{"set: {kind: ball, radius: 1}", "set: {kind: half-space, normal: [1], bound: 1}", "x.yaml:5: set.normal has 1 entry, the decision has 2"},
		{"set: {kind: ball, radius: 1}", "set: {kind: affine, matrix: [[1, 1, 1]], rhs: [1, 2]}", "x.yaml:5: set.matrix.0 has 3 entries, the decision has 2\n" +
			"x.yaml:5: set.rhs has 2 entries, set.matrix has 1 row"},
		{"set: {kind: ball, radius: 1}", "set: {kind: affine, matrix: [[1, 1], [1]], rhs: [1, 2]}", "x.yaml:5: set.matrix.1 has 1 entry, the first row has 2"},
		{"set: {kind: ball, radius: 1}", "set: {kind: product, parts: [{size: 1, kind: whole}, {size: 2, kind: box, lower: [0], upper: 1}]}", "x.yaml:5: set.parts have 3 entries together, the decision has 2\n" +
			"x.yaml:5: set.parts.1.lower has 1 entry, the part has 2"},
		{"set: {kind: ball, radius: 1}", "set: {kind: product, parts: [{kind: whole}]}", "x.yaml:5: set.parts.0.size is missing, want a whole number from 1 to 2147483647"},
		{"set: {kind: ball, radius: 1}", "set: {kind: intersection, of: [{kind: whole}, {kind: box, lower: 1, upper: 0}]}", "x.yaml:5: set.of.1.upper is 0, less than set.of.1.lower, which is 1 in entry 0: the set is empty"},
		{"set: {kind: ball, radius: 1}", "set: {kind: intersection, of: []}", "x.yaml:5: set.of is an empty list, want a list of sets"},
		{"law: sphere", "law: cap, angle: 90, axis: [1, 0, 0]", "x.yaml:2: population.axis has 3 entries, a trait has 2"},
		{"law: sphere", "law: cap, angle: 90, axis: [0, 0]", "x.yaml:2: population.axis has length 0 and points nowhere"},
		{"law: sphere", "law: normal, mean: [1, 2, 3]", "x.yaml:2: population.law is normal, but polarized dynamics want sphere, cap, bimodal, values or file\n" +
			"x.yaml:2: population.mean has 3 entries, a trait has 2"},
		{"law: sphere", "law: values, values: [[1, 0], [0, 1]]", "x.yaml:2: population.values has 2 rows, population.size is 4"},
		{"law: sphere", "law: values, values: [[1, 0], [0, 1], [1, 0], [1, 1]]", "x.yaml:2: population.values.3 has length 1.4142135623730951, polarized dynamics want 1"},
		{"law: sphere", "law: sphere, states: {law: proportions}", "x.yaml:2: population.states.law is proportions, but polarized dynamics want sphere, cap, bimodal, values or file"},
		{"size: 4, dim: 2", "size: 2147483647, dim: 9", "x.yaml:2: population.size is 2147483647, but so many individuals of 9 entries are more than 17179869184 numbers"},
		{"dim: 2, law: sphere", "dim: 1, law: bimodal, angle: 30", "x.yaml:2: population.law is bimodal, which wants at least 2 dimensions"},
		{"size: 4, dim: 2, law: sphere", "size: 1, dim: 2, law: sphere, sampling: without-replacement", "x.yaml:7: algorithms.vanilla.batch is 2, but population.size is 1 and sampling is without-replacement"},
		{"batch: 2", "batch: 2147483647", "x.yaml:7: algorithms.vanilla.batch is 2147483647, but so many sampled individuals of 2 entries are more than 2147483648 numbers"},
		{"iterations: 10", "iterations: 10\nstart: {law: values, values: [1]}", "x.yaml:2: start.values has 1 entry, the decision has 2"},
		{"iterations: 10", "iterations: 10\nstart: {law: proportions}", "x.yaml:2: start.law is proportions, but set.kind is ball, which has no sum; want simplex or capped-simplex"},
		{"iterations: 10", "iterations: 10\nrecord: {w1: items}", "x.yaml:2: record.w1 is items, but only choice dynamics have items; want none"},
		{"iterations: 10", "iterations: 10\nseed: 4294967296\ngenerator: numpy", "x.yaml:2: seed is 4294967296, but generator numpy takes at most 4294967295\n" +
			"x.yaml:4: generator numpy draws a cap of angle 90 without axis in 4 or more dimensions, or proportions of one individual"},
		{"  - {name: vanilla, step: 0.1, batch: 2}", "  - {name: vanilla, step: 0.1}\n  - {name: vanilla, step: 0.2}", "x.yaml:8: algorithms.1.name is vanilla, which another algorithm has"},
	} {
		c.run(t)
	}
	unread := mistakeTest{"dim: 2", "dim: two", "x.yaml:2: population.dim is \"two\", want a whole number from 1 to 2147483647"} // of which no set is told that it has another length
	unread.breaks(t, strings.Replace(small, "kind: ball, radius: 1", "kind: product, parts: [{size: 1, kind: whole}, {size: 1, kind: whole}]", 1))
}

func TestDynamicsMistakes(t *testing.T) {
	const polarized = "kind: polarized, lambda: 0.4, sigma: 0.5"
	for _, c := range []mistakeTest{
		{polarized, "kind: choice, lambda1: 0.6, lambda2: 0.5, epsilon: 1", "x.yaml:2: population.law is sphere, but choice dynamics want proportions, dirichlet, values or file\n" +
			"x.yaml:3: dynamics.lambda1 and dynamics.lambda2 add up to 1.1, want at most 1"},
		{polarized, "kind: choice, lambda1: 1, lambda2: 0, epsilon: -1", "x.yaml:2: population.law is sphere, but choice dynamics want proportions, dirichlet, values or file\n" +
			"x.yaml:3: dynamics.lambda1 is 1, want a number from 0 to below 1\n" +
			"x.yaml:3: dynamics.epsilon is -1, want a number above 0"},
		{polarized, "kind: affine, a: [[1, 2, 3], [4, 5, 6]], b: [[1, 0]], e: [[1], [1]]", "x.yaml:2: population.states is same, but a state has 2 entries and a trait 1; want a law, as in {law: normal, mean: 0, deviation: 0}\n" +
			"x.yaml:3: dynamics.a has 2 rows of 3 entries, want 2 rows of 2 entries\n" +
			"x.yaml:3: dynamics.b has 1 row of 2 entries, want 2 rows of 2 entries\n" +
			"x.yaml:3: dynamics.e has rows of 1 entry, population.dim is 2"},
		{polarized, "kind: affine, a: 0.5, b: [[1]], e: [[1]]", "x.yaml:3: dynamics.a is 0.5, want a list of rows of numbers"},
		{polarized, "kind: affine, a: [[0.5]], b: [[1, 1]], e: [[1, 1]]", "x.yaml:2: population.states is same, but a state has 1 entry and a trait 2; want a law, as in {law: normal, mean: 0, deviation: 0}\n" +
			"x.yaml:4: objective.kind is affinity, which reads 2 entries of the state, but that has 1"},
		{polarized, "kind: friedkin-johnsen, susceptibility: [0.5, 0.6, 0.7], influence: 0.1, weights: [[1, 0]]", "x.yaml:3: dynamics.susceptibility has 3 entries, a state has 2\n" +
			"x.yaml:3: dynamics.weights has 1 row of 2 entries, want 2 rows of 2 entries"},
		{polarized, "kind: friedkin-johnsen, susceptibility: [0.5, 0.6], influence: 0.5, weights: [[1, 0], [0, 1]]", "x.yaml:3: dynamics.susceptibility and dynamics.influence add up to 1.1 in entry 1, want at most 1"},
		{polarized, "kind: friedkin-johnsen, susceptibility: 1.5, influence: 0.5, weights: [[1, .nan], [0, 1]]", "x.yaml:3: dynamics.susceptibility is 1.5, want a number from 0 to 1\n" +
			"x.yaml:3: dynamics.weights.0.1 is .nan, want a number"},
		{polarized, "kind: friedkin-johnsen, susceptibility: 0.5, influence: 0.5, weights: [[1, 0], [0.5, 0.4]]",
			"x.yaml:3: dynamics.weights.1 has sum 0.9 and least entry 0.4, friedkin-johnsen dynamics want proportions"},
		{"kind: affinity", "kind: revenue, entropy: -1, sign: minus", "x.yaml:4: objective.entropy is -1, want a number ≥ 0\n" +
			"x.yaml:4: objective.sign is \"minus\", want printed or diversity"},
		{"kind: affinity", "kind: quadratic, decision: [[1]], cross: [[1, 0], [0, 1], [0, 0]], state: one, linear-decision: [1], linear-state: [1, 2]", "x.yaml:4: objective.decision has 1 row of 1 entry, want 2 rows of 2 entries\n" +
			"x.yaml:4: objective.cross has 3 rows of 2 entries, want 2 rows of 2 entries\n" +
			"x.yaml:4: objective.state is \"one\", want a list of rows, or a number for that multiple of the identity\n" +
			"x.yaml:4: objective.linear-decision has 1 entry, the decision has 2"},
		{"kind: affinity", "kind: logistic, ridge: -1, intercept: maybe", "x.yaml:4: objective.ridge is -1, want a number ≥ 0\n" +
			"x.yaml:4: objective.intercept is \"maybe\", want true or false"},
	} {
		c.run(t)
	}
}

// crowded is a spec for mistakes between sections that small has no room for.
const crowded = `iterations: 10
generator: numpy
population: {size: 1, dim: 4, law: proportions}
dynamics: {kind: choice, lambda1: 0, lambda2: 0, epsilon: 1}
objective: {kind: revenue}
set: {kind: simplex, sum: 1}
algorithms: [{name: composite, step: 1}]
`

func TestMistakesBetweenSections(t *testing.T) {
	for _, c := range []mistakeTest{
		{"law: proportions", "law: values, values: [[0.5, 0.5, 0.5, -0.5]]",
			"x.yaml:3: generator numpy draws a cap of angle 90 without axis in 4 or more dimensions, or proportions of one individual\n" +
				"x.yaml:3: population.values.0 has sum 1 and least entry -0.5, choice dynamics want proportions"},
		{"law: proportions", "law: proportions, states: {law: dirichlet}",
			"x.yaml:3: generator numpy starts everybody at the trait, want population.states same"},
		{"law: proportions", "law: proportions, sampling: without-replacement",
			"x.yaml:3: generator numpy samples with replacement only"},
		{"size: 1", "size: 2",
			"x.yaml:3: generator numpy draws a cap of angle 90 without axis in 4 or more dimensions, or proportions of one individual"},
		{"kind: revenue", "kind: quadratic, decision: [[1]], cross: 1, state: [[1, 2], 3]",
			"x.yaml:5: objective.decision has 1 row of 1 entry, want 4 rows of 4 entries\n" +
				"x.yaml:5: objective.state.1 is 3, want a list of numbers"},
		{"kind: choice, lambda1: 0, lambda2: 0, epsilon: 1", "kind: affine, a: [[0]], b: [[1, 1]], e: [[1, 1, 1, 1]]",
			"x.yaml:3: population.states is same, but a state has 1 entry and a trait 4; want a law, as in {law: normal, mean: 0, deviation: 0}\n" +
				"x.yaml:5: objective.kind is revenue, which reads 2 entries of the state, but that has 1"},
		{"law: proportions", "law: proportions, traits: regenerated",
			"x.yaml:3: generator numpy draws everybody once and in order, want population.traits stored"},
		{"size: 1, dim: 4, law: proportions}", "size: 1, dim: 4, law: proportions, storage: float32}\nrecord: {w1: items}",
			"x.yaml:4: record.w1 is items, which wants population.storage float64"},
		{"size: 1, dim: 4, law: proportions}", "size: 1, dim: 4, law: proportions, storage: float32}\nrecord: {theory: true}",
			"x.yaml:4: record.theory is true, which wants population.storage float64"},
		{"iterations: 10", "iterations: 10\nrecord: {transport: 5}", "x.yaml:2: record.transport is 5, which wants record.theory true"},
	} {
		c.breaks(t, crowded)
	}
}

// A multiple of the identity needs a square to stand in, and the norm of the step before an objective that knows of it.
func TestMistakesOfChoices(t *testing.T) {
	_, err := Parse(kind.Standard(), "x.yaml", []byte(crowded), Assign("generator=kedge"), Assign("objective={kind: quadratic, cross: 1}"),
		Assign("dynamics={kind: affine, a: [[0]], b: [[1, 1]], e: [[1, 1, 1, 1]]}"), Assign("population.states={law: normal}"))
	const square = "objective.cross is 1, a multiple of the identity, but wants 2 rows of 1 entry; list them"
	if err == nil || !strings.Contains(err.Error(), square) {
		t.Errorf("got\n%v\nwant\n%s", err, square)
	}
	_, err = Parse(kind.Standard(), "x.yaml", []byte(small), Assign("objective={kind: revenue}"),
		Assign("algorithms=[{name: composite, step: 1, norm: previous}]"))
	const norm = "algorithms.composite.norm is previous, which wants objective.kind affinity"
	if err == nil || !strings.HasSuffix(err.Error(), norm) {
		t.Errorf("got\n%v\nwant\n%s", err, norm)
	}
}

func TestSyntaxMistakes(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "x.yaml: empty, want a spec"},
		{"# nothing\n", "x.yaml: empty, want a spec"},
		{"--- \n", "x.yaml: empty, want a spec"},
		{"null", "x.yaml: empty, want a spec"},
		{"[1, 2]", "x.yaml:1: the document is a list of 2, want a mapping with keys such as dynamics"},
		{"word", "x.yaml:1: the document is \"word\", want a mapping with keys such as dynamics"},
		{"a: b: c", "x.yaml:1: mapping value is not allowed in this context"},
		{"a: [1, 2", "x.yaml:1: sequence end token ']' not found"},
		{"a: {b: 1", "x.yaml:1: could not find flow mapping end token '}'"},
		{"a: \"b", "x.yaml:1: could not find end character of double-quoted text"},
		{"a: 1\n\tb: 2", "x.yaml:2: found character '\t' that cannot start any token"},
		{"a: 1\n---\nb: 2\n", "x.yaml:2: a second document begins, want one"},
		{"a: [0 <= u[0] <= 7, b]\n", `x.yaml:1: ',' or ']' must be specified; in a list YAML wants quotes around a formula with brackets, as in ["0 <= u[0] <= 7"]`},
		{"a: &x 1\nb: *x\n", "x.yaml:1: anchors, aliases and merge keys are not allowed, write the values out"},
		{"a: 1\nb: *x\n", "x.yaml:2: anchors, aliases and merge keys are not allowed, write the values out; a formula such as \"[1, 2]*p\" stands in quotes"},
		{"<<: {a: 1}\n", "x.yaml:1: anchors, aliases and merge keys are not allowed, write the values out"},
		{"a: !!int 1\n", "x.yaml:1: tags and directives are not allowed"},
		{"%YAML 1.2\n---\na: 1\n", "x.yaml:1: tags and directives are not allowed"},
		{"? a\n: 1\n", "x.yaml:1: keys marked with ? are not allowed"},
		{"a: 1\nb: \xff\n", "x.yaml:2: byte 0xff is not UTF-8"},
		{"a: 1\r\nb: x\x00\r\n", "x.yaml:2: character U+0000 is not allowed"},
		{"a: 1\nb\rc: 1", "x.yaml:2: character U+000D is not allowed"},
		{"a: \u0085\ufeff", "x.yaml:1: character U+0085 is not allowed"},
	} {
		_, err := Parse(kind.Standard(), "x.yaml", []byte(c.src))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q gives\n%v\nwant\n%s", c.src, err, c.want)
		}
	}
}

// Every mistake is a *Mistake that tells its place and key apart.
func TestErrorFields(t *testing.T) {
	_, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(small, "sigma: 0.5", "sigma: -1", 1)))
	var e *form.Mistake
	if !errors.As(err, &e) {
		t.Fatalf("%T holds no *Mistake", err)
	}
	want := form.Mistake{Place: form.Place{File: "x.yaml", Line: 3, Column: 42}, Path: "dynamics.sigma", Msg: "dynamics.sigma is -1, want a number ≥ 0"}
	if *e != want {
		t.Errorf("got %+v, want %+v", *e, want)
	}
}

// Mistakes of all sections come together, in the order of the document.
func TestAllAtOnce(t *testing.T) {
	const src = `iterations: none
population: {size: 4, dim: 3, law: sphere, angle: 90}
dynamics: {kind: polarised}
objective: {kind: affinity, weight: 2}

set:
  kind: box
  lower: [0, 0, 0]
  upper: [1, 1]
algorithms:
  - {name: vanilla, step: 0.1}
  - {name: vanilla}
`
	const want = `x.yaml:1: iterations is "none", want a whole number from 1 to 2147483647
x.yaml:2: unknown key population.angle, sphere has size, dim, law, states, sampling, weights, storage, traits, drift and churn
x.yaml:3: dynamics.kind is "polarised", want polarized, choice, affine or friedkin-johnsen; did you mean polarized?
x.yaml:4: unknown key objective.weight, affinity has kind
x.yaml:12: algorithms.1.step is missing, want a number above 0
x.yaml:12: algorithms.1.name is vanilla, which another algorithm has`
	_, err := Parse(kind.Standard(), "x.yaml", []byte(src))
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	_, err = Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(src, "polarised", "polarized, lambda: 0, sigma: 0", 1)))
	if err == nil || !strings.Contains(err.Error(), "x.yaml:9: set.upper has 2 entries, the decision has 3") {
		t.Errorf("got\n%v", err)
	}
}

// A document full of mistakes is not answered at full length.
func TestManyMistakes(t *testing.T) {
	var src strings.Builder
	src.WriteString(small)
	for i := range 130 {
		fmt.Fprintf(&src, "colour%d: red\n", i)
	}
	_, err := Parse(kind.Standard(), "x.yaml", []byte(src.String()))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 101 || lines[100] != "x.yaml: 30 more mistakes are not shown" {
		t.Errorf("got %d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}
