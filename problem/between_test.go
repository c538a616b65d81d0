package problem

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
)

// clash is a spec under changes, each an assignment in a line of its own, and what is said of it: nothing where it is right.
type clash struct{ src, changes, want string }

func (c clash) run(t *testing.T) {
	t.Helper()
	var over []Overlay
	for line := range strings.Lines(c.changes) {
		over = append(over, Assign(strings.TrimSpace(line)).As("set"))
	}
	got := ""
	if _, err := Parse(kind.Standard(), "x.yaml", []byte(c.src), over...); err != nil {
		got = err.Error()
	}
	if got != c.want {
		t.Errorf("%s\ngives\n%s\nwant\n%s", c.changes, got, c.want)
	}
}

const (
	players2  = "players=[{name: a, size: 1, objective: \"u[0]^2\", set: {kind: whole}}, {name: b, size: 1, objective: \"u[1]^2\", set: {kind: whole}}]"
	bounded   = "constraints=[{name: load, kind: expectation, of: {kind: quadratic, state: 1}, bound: 1}]"
	narrowing = "changes=[{from: 3, set: {kind: ball, radius: 0.5}}]"
	alike     = "record.theory is true, but the theory is of individuals who are alike, alone and stay; want no drift, churn, noise, coupling or heterogeneity"
	drawn     = "generator numpy draws what the published runs drew"
)

// grouped is a model in whose formulas people have a group, of which these know nothing but that.
const grouped = `iterations: 10
model:
  decision: q[4]
  state: p[4]
  trait: d[4]
  groups: {a: {share: 0.5}, b: {share: 0.5}}
  next: 0.5*p + 0.25*q + 0.25*d
  minimize: dot(p, q)
population: {size: 6, dim: 4, law: cap, angle: 90}
algorithms: [{name: composite, step: 0.1}]
`

// stirring are changes by which the model has noise, and people are in no groups.
const stirring = "model.groups=null\nmodel.noise={\"w[4]\": \"normal(0, 0.1)\"}\nmodel.next=0.5*p + 0.25*q + 0.25*d + w\n"

func TestTheoryIsOfOneWhoDecidesForPeopleAlike(t *testing.T) {
	const alone = "set: record.theory is true, but the theory is of one decision-maker, one set and no constraints on the population"
	for _, c := range []clash{
		{small, "record.theory=true", ""},
		{small, bounded + "\nrecord.theory=true", alone},
		{small, narrowing + "\nrecord.theory=true", alone},
		{duel, "record.theory=true", alone},
		{small, "record={theory: true, transport: 5}\npopulation.size=5000", ""},
		{small, "record={theory: true, transport: 5}\npopulation.size=5001", "set: record.transport is 5, but population.size is 5001, and the distance of more than 5000 individuals is not worked out; want 0"},
		{small, "record={theory: true}\npopulation.size=5001", ""},
		{small, "record.transport=1", "set: record.transport is 1, which wants record.theory true"},
		{small, "record.theory=true\ndynamics.noise=0.1", "set: " + alike},
		{small, "record.theory=true\ndynamics.noise=[0.1, 0]", "set: " + alike},
		{small, "record.theory=true\ndynamics.coupling=0.1", "set: " + alike},
		{small, "record.theory=true\ndynamics.heterogeneity={lambda: [0.1, 0.2]}", "set: " + alike},
		{small, "record.theory=true\npopulation.drift={rate: 0.1}", "set: " + alike},
		{small, "record.theory=true\npopulation.churn=0.1", "set: " + alike},
		{small, "record.rollout=1\ndynamics.coupling=0.1", "set: record.rollout is 1, but a roll-out moves individuals one by one; want 0 with dynamics.coupling"},
		{small, "record.rollout=1\npopulation.churn=0.1", "set: record.rollout is 1, but a roll-out is of people who stay as they are; want 0"},
		{small, "record.rollout=1", ""},
		{grouped, stirring, ""},
		{grouped, stirring + "record.theory=true", "set: " + alike},
		{grouped, "record.theory=true\n" + stirring, "set: " + alike},
		{grouped, "model.groups=null\nrecord.theory=true", ""},
	} {
		c.run(t)
	}
}

func TestPublishedRunsHadLess(t *testing.T) {
	const still = "set: " + drawn + ", which had no drift, churn, noise, coupling or heterogeneity"
	const these = "set: " + drawn + ": vanilla, composite and derivative-free, held for one turn"
	for _, c := range []clash{
		{published, "", ""},
		{published, "dynamics.noise=0.1", still},
		{published, "dynamics.coupling=0.1", still},
		{published, "dynamics.heterogeneity={sigma: [0.1, 0.2]}", still},
		{published, "population.drift={walk: 0.1}", still},
		{published, "population.churn=0.1", still},
		{grouped, "", ""},
		{grouped, "generator=numpy", still},
		{grouped, "model.groups=null\ngenerator=numpy", ""},
		{grouped, stirring + "generator=numpy", still},
		{published, "algorithms.vanilla.hold=2", these},
		{published, "algorithms.vanilla.kind=repeated-gradient", these},
		{published, "algorithms.vanilla.step=none", "set: algorithms.vanilla.step is \"none\", want a number above 0"},
		{published, "constraints=[{name: load, kind: expectation, of: {kind: affinity}, bound: 1}]", "set: " + drawn + ", which had no constraints"},
		{published, "population.weights=[1, 2, 3, 4, 5, 6]", "set: population.weights is given, but generator numpy draws what the published runs drew, where all counted alike"},
		{published, "changes=[{from: 3, set: {kind: ball, radius: 0.5}}]\nalgorithms=[{name: vanilla, step: 1}]", "set: changes of the set want no drift, churn, players, constraints or generator numpy"},
		{published, "set={kind: box, lower: 0, upper: 1, integer: true}\nalgorithms=[{name: vanilla, step: 1}]", "set: " + drawn + ", which had no whole numbers"},
		{strings.Replace(duel, "law: normal", "law: proportions", 1), "population.size=1\ngenerator=numpy", "set: " + drawn + ", which had no players"},
		{published, "seed=4294967295", ""},
		{published, "population.dim=3", "set: generator numpy draws a cap of angle 90 without axis in 4 or more dimensions, or proportions of one individual"},
		{published, "population.dim=none", "set: population.dim is \"none\", want a whole number from 1 to 2147483647"},
	} {
		c.run(t)
	}
}

func TestChangesComeOneAfterTheOther(t *testing.T) {
	const wants = "set: changes of the set want no drift, churn, players, constraints or generator numpy"
	two := func(from string) string {
		return "changes=[{from: 3, set: {kind: ball, radius: 0.5}}, {from: " + from + ", set: {kind: ball, radius: 0.25}}]"
	}
	follows := func(name string) string {
		return "set: changes of the set are followed by methods that follow gradients at their own decisions, which " + name + " does not"
	}
	for _, c := range []clash{
		{small, two("4"), ""},
		{small, two("3"), "set: changes.1.from is 3, not after the change before"},
		{small, two("none"), "set: changes.1.from is \"none\", want a whole number from 1 to 2147483647"},
		{small, two("0"), "set: changes.1.from is 0, want a whole number from 1 to 2147483647"},
		{small, "changes=[{from: 3, set: {kind: box, lower: 0, upper: [1, 1, 1]}}]", "set: changes.0.set.upper has 3 entries, the decision has 2"},
		{small, narrowing + "\npopulation.drift={walk: 0.1}", wants},
		{small, narrowing + "\npopulation.churn=0.1", wants},
		{small, narrowing + "\n" + bounded, wants},
		{duel, narrowing, wants},
		{small, narrowing + "\nalgorithms=[{name: two-point, step: 1, delta: 0.1}]", follows("two-point")},
		{small, narrowing + "\nalgorithms=[{name: composite, step: 1, sensitivity: learned, learn: {dither: 0.1}}]", follows("composite")},
		{small, narrowing + "\nalgorithms=[{name: two-point, step: 1}]", "set: algorithms.two-point.delta is missing, want a number above 0"},
	} {
		c.run(t)
	}
}

func TestConstraintsThatClash(t *testing.T) {
	groups := func(cuts, more string) string {
		return "constraints=[{name: fair, kind: worst-group, of: {kind: quadratic, state: 1}, bound: 1, group-by: 1, cuts: [" + cuts + "]}" + more + "]"
	}
	const fifteen = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14"
	const mean = ", {name: load, kind: expectation, of: {kind: quadratic, state: 1}, bound: 1}"
	const tail = "constraints=[{name: load, kind: cvar, level: 0.9, of: {kind: quadratic, state: 1}, bound: 1}]"
	for _, c := range []clash{
		{small, groups(fifteen, mean), ""},
		{small, groups(fifteen+", 15", mean), "set: constraints are 17, groups counted one by one, want at most 16"},
		{small, tail, "set: algorithms.vanilla.batch is 2, but the worst 0.1 of a sample must be somebody; want at least 10"},
		{small, tail + "\nalgorithms.0.batch=10", ""},
		{small, tail + "\nalgorithms.0.batch=9", "set: algorithms.vanilla.batch is 9, but the worst 0.1 of a sample must be somebody; want at least 10"},
		{small, tail + "\nalgorithms.0.heed=false", ""},
		{small, tail + "\nalgorithms.0.batch=none", "set: algorithms.vanilla.batch is \"none\", want a whole number from 1 to 2147483647"},
		{small, strings.Replace(tail, "0.9", "2", 1), "set: constraints.load.level is 2, want a number from 0 to below 1"},
		{small, bounded + "\nalgorithms=[{name: composite, step: 1, norm: previous}]", "set: algorithms.composite.norm is previous, which wants no constraints"},
		{small, bounded + "\nalgorithms=[{name: composite, step: 1, norm: previous, heed: false}]", ""},
		{shopAsModel, "population.drift={walk: 0.1}", "set: constraints are on groups by name, which are those of the people there are at the start; want no drift and no churn"},
		{small, bounded + "\npopulation.drift={walk: 0.1}", ""},
	} {
		c.run(t)
	}
}

func TestPlayersWhoClash(t *testing.T) {
	response := func(play string) string {
		return "set: algorithms.composite.play is " + play + ", which settles the people of a sample, but with dynamics.coupling where they settle depends on everybody; want simultaneous, alternating or planner"
	}
	both := func(key string) string {
		return "set: " + key + " and players are both given; players have objectives and sets of their own, so one must go"
	}
	const model = "iterations: 1\npopulation: {size: 2, dim: 1, law: normal}\nalgorithms: [{name: composite, step: 0.1}]\nmodel: {decision: \"u[2]\", state: p, trait: d, next: \"0.5*p + d + 0*u[0]\"}\n" +
		"players: [{name: a, size: 1, objective: \"u[0]^2\", set: {kind: whole}}, {name: b, size: 1, objective: \"u[1]^2\", set: {kind: whole}}]\n"
	for _, c := range []clash{
		{duel, "dynamics.coupling=0.1", ""},
		{duel, "dynamics.coupling=0.1\nalgorithms.composite.play=best-response", response("best-response")},
		{duel, "dynamics.coupling=0.1\nalgorithms.composite.play=alternating-response", response("alternating-response")},
		{duel, "dynamics.coupling=0.1\nalgorithms.composite.play=alternating", ""},
		{duel, "algorithms.composite.play=best-response", ""},
		{duel, "players.left.size=none", "set: players.left.size is \"none\", want a whole number from 1 to 2147483647"},
		{duel, "players.left.set={kind: finite, points: [[1], [2]]}", "set: players.left.set.kind: the set of a player, whose replies are looked for by small moves, takes no whole numbers and no lists of points"},
		{duel, "population.drift={walk: 0.1}", "set: players and people who change by themselves are both given: the equilibrium that players are measured against would have to be found and verified anew at every turn; want no drift or churn, or one run for each moment"},
		{sharing, "algorithms.composite.play=planner", ""},
		{sharing, "constraints=[{name: capacity, kind: worst-group, of: {kind: quadratic, linear-state: [1]}, bound: 1, group-by: 1, cuts: [0]}]", ""},
		{sharing, "constraints=[{name: capacity, kind: worst, of: {kind: quadratic, linear-state: [1]}, bound: 1}]", "set: constraints.capacity.kind is \"worst\", want expectation, cvar, chance or worst-group"},
		{duel, "players.left.set={kind: box, lower: [0, 0], upper: 1}", "set: players.left.set.lower has 2 entries, the player has 1"},
		{duel, "players.left.name=none.\nplayers.right.name=none.", "set: players.0.name is \"none.\", want a name that begins with a letter and has no dot\nset: players.1.name is \"none.\", want a name that begins with a letter and has no dot"},
		{model, "", ""},
		{model, "model.minimize=p^2", both("model.minimize")},
		{model, "model.maximize=p^2", both("model.maximize")},
		{model, "model.subject to=norm(u) <= 1", both("model.subject to")},
		{model, "players=[{name: alone, size: 2, objective: \"u[0]^2\", set: {kind: whole}}]\nmodel.integer=true", "set: model.integer and players are both given, but best replies are looked for by small moves; one must go"},
		{model, "model.integer=true", "set: model.integer and players are both given, but best replies are looked for by small moves; one must go"},
	} {
		c.run(t)
	}
}

func TestPeopleWhoClash(t *testing.T) {
	const stored = "set: population.drift and population.churn move traits, which want population.traits stored and population.storage float64"
	norm := "algorithms=[{name: composite, step: 1, norm: previous}]"
	const own = "set: algorithms.composite.norm is previous, which wants no heterogeneity, coupling or churn"
	for _, c := range []clash{
		{small, "population.drift={walk: 0.1}\npopulation.storage=float32", stored},
		{small, "population.drift={walk: 0.1}\npopulation.traits=regenerated", stored},
		{small, "population.storage=float32\npopulation.traits=regenerated", ""},
		{small, "population.states={law: values, values: [[1, 0], [0, 1], [1, 0], [0, 1]]}\npopulation.churn=0.1", "set: population.churn is 0.1, but population.states.law is values, from which no newcomers can be drawn"},
		{small, "population={size: 4, dim: 2, law: values, values: [[1, 0], [0, 1], [1, 0], [0, 1]], churn: 0.25}", "set: population.churn is 0.25, but population.law is values, from which no newcomers can be drawn"},
		{small, "population={size: 4, dim: 2, law: values, values: [[1, 0], [0, 1], [1, 0], [0, 1]], drift: {rate: 0.25}}", ""},
		{small, "population.drift={swing: [0.1, 0]}", "set: population.drift.swing wants population.drift.period, the steps of a season"},
		{small, "population.drift={swing: 0.1, period: none}", "set: population.drift.period is \"none\", want a number above 0"},
		{small, "population.drift={swing: 0.1, period: 5}", ""},
		{small, "population.drift={walk: [0.1]}", "set: population.drift.walk has 1 entry, a trait has 2"},
		{small, "population.drift={swing: [0.1], period: 5}", "set: population.drift.swing has 1 entry, a trait has 2"},
		{small, norm, ""},
		{small, norm + "\npopulation.churn=0.1", own},
		{small, norm + "\npopulation.drift={walk: 0.1}", ""},
		{small, norm + "\ndynamics.coupling=0.1", own},
		{small, norm + "\ndynamics.heterogeneity={lambda: [0.1, 0.2]}", own},
		{small, "population.size=1073741824\npopulation.dim=16", ""},
		{small, "population.size=1073741825\npopulation.dim=16", "set: population.size is 1073741825, but so many individuals of 16 entries are more than 17179869184 numbers"},
		{small, "algorithms.0.batch=1073741824", ""},
		{small, "algorithms.0.batch=1073741825", "set: algorithms.vanilla.batch is 1073741825, but so many sampled individuals of 2 entries are more than 2147483648 numbers"},
		{small, "population.sampling=without-replacement\nalgorithms.0.batch=4", ""},
		{small, "population.sampling=without-replacement\nalgorithms.0.batch=5", "set: algorithms.vanilla.batch is 5, but population.size is 4 and sampling is without-replacement"},
		{small, "population.sampling=without-replacement\npopulation.size=none", "set: population.size is \"none\", want a whole number from 1 to 2147483647"},
		{shop, "population.sampling=without-replacement\npopulation.weight=null\nalgorithms.0.batch=50", ""}, // the file tells how many there are
		{strings.Replace(crowded, "generator: numpy\n", "", 1), "record.w1=items", ""},
		{written, "record.w1=items", ""},
		{uneven, "population.states=same", "set: population.states is same, but a state has 2 entries and a trait 1; want a law, as in {law: normal, mean: 0, deviation: 0}"},
		{uneven, "population.states=none", "set: population.states is \"none\", want same or a mapping with a law"},
		{uneven, "population.dim=none", "set: population.dim is \"none\", want a whole number from 1 to 2147483647"},
	} {
		c.run(t)
	}
}

// First states go with traits only where both vary, and only in entries of which that is said.
func TestCorrelationsThatClash(t *testing.T) {
	const two = "iterations: 10\npopulation: {size: 4, dim: 2, law: normal, states: {law: normal}}\ndynamics: {kind: affine, a: [[0.5, 0], [0, 0.5]], b: [[1, 0], [0, 1]], e: [[1, 0], [0, 1]]}\n" +
		"objective: {kind: quadratic, decision: 1}\nset: {kind: whole}\nalgorithms: [{name: composite, step: 0.1, batch: 2}]\n"
	const fixed = "set: population.states.correlation is given for an entry whose deviation is 0; nothing is correlated with what is the same for everybody"
	with := func(traits, states, correlation string) string {
		return "population.deviation=" + traits + "\npopulation.states={law: normal, deviation: " + states + ", correlation: " + correlation + "}"
	}
	for _, c := range []clash{
		{two, with("1", "1", "0.5"), ""},
		{two, with("0", "1", "0.5"), fixed}, {two, with("1", "0", "0.5"), fixed}, {two, with("[1, 0]", "1", "0.5"), fixed}, {two, with("1", "[1, 0]", "0.5"), fixed}, {two, with("[2, 1]", "[3, 4]", "0.5"), ""},
		{two, with("[0, 1]", "1", "[[0, 0.5], [0, 0]]"), ""}, {two, with("[1, 0]", "1", "[[0, 0.5], [0, 0]]"), fixed},
		{two, with("1", "[1, 0]", "[[0, 0.5], [0, 0]]"), ""}, {two, with("1", "[0, 1]", "[[0, 0.5], [0, 0]]"), fixed},
		{two, with("0", "1", "[[0, 0.5], [0, 0]]"), fixed},
		{two, with("0", "1", "0"), ""},
		{two, with("1", "1", "1.5"), "set: population.states.correlation: correlation is 1.5, want between -1 and 1"},
		{two, with("1", "1", "[[0.5, 0.5]]"), "set: population.states.correlation has 1 row of 2 entries, want 2 rows of 2 entries"},
		{two, "population.law=nobody\n" + with("1", "1", "0.5"), `set: population.law is "nobody", want sphere, cap, bimodal, dirichlet, normal, proportions, values, file or columns`},
		{two, with("[1, 1, 1]", "1", "0.5"), "set: population.deviation has 3 entries, a trait has 2"},
		{two, with("[1]", "1", "[[0, 0.5], [0, 0]]"), "set: population.deviation has 1 entry, a trait has 2"},
		{two, with("1", "[1]", "[[0, 0], [0.5, 0]]"), "set: population.states.deviation has 1 entry, a state has 2"},
	} {
		c.run(t)
	}
}

func TestDoubtsThatClash(t *testing.T) {
	const keys = "iterations: 1\ndynamics: {kind: affine, a: [[0.5]], b: [[0.3, 0]], e: [[0.5]]}\nobjective: {kind: quadratic, decision: 1}\nset: {kind: ball, radius: 1}\npopulation: {size: 4, dim: 1, law: normal}\n" +
		"algorithms: [{name: composite, step: 0.1, batch: 1}]\ndraws: d.csv\nuncertain: 3\n"
	for _, c := range []clash{
		{keys, "", ""},
		{keys, bounded, "set: uncertain is 3, but constraints are given, and what is kept under one draw is not under another; one must go"},
		{keys, narrowing, "set: uncertain is 3, but changes are given, and over draws the set stays; one must go"},
		{keys, "population.churn=0.1", "set: uncertain is 3, but the people change, and over draws they stay; one must go"},
		{keys, "objective=null\nset=null\n" + players2, "set: uncertain is 3, but players are given, and over draws one decides; one must go"},
		{keys, "uncertain=0\npopulation.churn=0.1", ""},
		{strings.Replace(unfitKind, "iterations: 10", "iterations: 10\nuncertain: 5", 1), "", ""}, // a fit is to write them
		{strings.Replace(unfitKind, "iterations: 10", "iterations: 10\nuncertain: 5", 1), "dynamics.lambda=0.3", "x.yaml:2: uncertain is 5, but there is no file of draws; want draws, which kedge fit writes"},
	} {
		c.run(t)
	}
}
