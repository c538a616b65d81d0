package lab_test

import (
	"context"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
)

func ran(t *testing.T, name string, assignments ...string) *folder.Result {
	t.Helper()
	file := "../examples/" + name + ".yaml"
	var over []problem.Overlay
	for _, a := range assignments {
		over = append(over, problem.Assign(a))
	}
	r, err := lab.Execute(context.Background(), construct(t, file, example(t, file), over...), lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func section(t *testing.T, r *folder.Result, id string) folder.Section {
	t.Helper()
	for _, s := range r.Sections {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("no section %s", id)
	return folder.Section{}
}

// end is what was measured last in the first trial of a run, by column.
func end(r *folder.Result, run int) map[string]float64 {
	last := map[string]float64{}
	for _, c := range r.Columns() {
		last[c.Name] = r.Runs[run].Trials[0].Last(c.Name)
	}
	return last
}

// With a drift of the mean trait by 0.001 a turn E p₁ ≤ −0.1 moves along; the optimum of the last turn is that of a crowd that stands
// where the drift has led it.
func TestConstraintsAreKeptByPeopleWhoDrift(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: long, and on one goroutine")
	}
	plain := []string{"trials=1", "record.every=100", "population.sampling=without-replacement",
		"constraints.peak.kind=expectation", "constraints.peak.level=null", "constraints.peak.bound=-0.1", "algorithms=[{name: composite, step: 0.1, dual-step: 0.1}]"}
	moved := ran(t, "constraints", append(plain, "iterations=400", "population.drift={rate: [0.001, 0]}")...)
	there := ran(t, "constraints", append(plain, "iterations=1", "population.mean=[1.4, -1]")...)
	last := end(moved, 0)
	if math.Abs(last["excess_1"]) > 0.05 { // a rule lags behind
		t.Errorf("the excess for the people of the last turn is %v", last["excess_1"])
	}
	value, want := last["value"]/(1+last["gap"]), there.Optimum.Value
	if math.Abs(value-want) > 1e-6*want {
		t.Errorf("the optimum of the last turn is %v, that of people who stand there %v", value, want)
	}
	if s := section(t, moved, "constraints"); !strings.Contains(s.Text, "people who are there") {
		t.Errorf("the section says %q", s.Text)
	}
}

// With everybody in the sample the rule ends at the constrained optimum found offline, another method, and at its multiplier.
func TestConstrainedRunEndsAtTheConstrainedOptimum(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: long; others of its kind run")
	}
	r := ran(t, "constraints", "trials=1", "iterations=3000", "record.every=500", "population.sampling=without-replacement",
		"constraints.peak.kind=expectation", "constraints.peak.level=null", "constraints.peak.bound=-0.1",
		"algorithms=[{name: composite, step: 0.1, dual-step: 0.1}, {name: heedless, kind: composite, step: 0.1, heed: false}]")
	last, heedless := end(r, 0), end(r, 1)
	if !(last["distance"] <= 1e-9 && math.Abs(last["excess_1"]) <= 1e-9) {
		t.Errorf("%.1e from the optimum with an excess of %.1e", last["distance"], last["excess_1"])
	}
	if !(heedless["excess_1"] >= 0.3 && math.IsNaN(heedless["multiplier_1"]) && heedless["gap"] < 0) {
		t.Errorf("without constraints: %v", heedless)
	}
	if s := section(t, r, "constraints"); len(s.Rows) != 3 || s.Rows[0][4] != s.Rows[1][4] {
		t.Errorf("%d rows, multipliers %v offline and %v online", len(s.Rows), s.Rows[0], s.Rows[1])
	}
	sameFromDisk(t, r)
}

// What was measured comes back from a folder.
func sameFromDisk(t *testing.T, r *folder.Result) {
	t.Helper()
	dir := t.TempDir()
	seal(t, r, dir)
	back, err := folder.Open(t.Context(), dir, folder.Verified)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Runs {
		want, got := end(r, i), end(back, i)
		equal := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !maps.EqualFunc(want, got, equal) || !slices.Equal(r.Columns(), back.Columns()) {
			t.Errorf("%s: %v came back as %v", r.Runs[i].Name, want, got)
		}
	}
}

func TestConstraintsThatNobodyCanKeepAreNoted(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: long; others of its kind run")
	}
	r := ran(t, "constraints", "trials=1", "iterations=600", "record.every=100", "constraints.peak.bound=-9", "constraints.peak.largest-multiplier=20")
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"a decision that keeps the constraints not found", "primal–dual could not keep the constraint peak"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q:\n%s", want, notes)
		}
	}
	if e := end(r, 0); e["multiplier_1"] != 20 || !rows.Finite(r.Runs[0].Trials[0].Decision) {
		t.Errorf("ends with %+v", e)
	}
}

// The duopoly: the equilibrium 4/5, the optimum for all 2/3, the stable point 1.
func TestDuopoly(t *testing.T) {
	r := ran(t, "duopoly")
	for i, want := range []float64{1, .8, .8, .8, 2. / 3} {
		if got := r.Runs[i].Trials[0].Decision; rows.Distance(got, []float64{want, want}) > 1e-6 {
			t.Errorf("%s ends at %v, want %v", r.Runs[i].Name, got, want)
		}
	}
	if m := end(r, 1); !(m["nash_residual"] <= 1e-6 && m["nash_distance"] <= 1e-6 && math.Abs(m["gap"]-.04) <= 1e-6) {
		t.Errorf("players end with %v, want a gap of 4 %%", m)
	}
	if e := rows.Distance(r.Stable.Decision, []float64{1, 1}) + rows.Distance(r.Optimum.Decision, []float64{2. / 3, 2. / 3}); e > 1e-8 {
		t.Errorf("stable point %v and optimum %v are %.1e off", r.Stable.Decision, r.Optimum.Decision, e)
	}
	if s := section(t, r, "players"); s.Verdict != "The price of anarchy is 1.042." || len(s.Rows) != 8 {
		t.Errorf("%s with %d rows", s.Verdict, len(s.Rows))
	}
	sameFromDisk(t, r)
}

// Gaps are those to the optimum of the set of their turn.
func TestChangingSets(t *testing.T) {
	r := ran(t, "limits")
	for _, run := range r.Runs {
		trial := run.Trials[0]
		for _, k := range []int{199, 399, 600} {
			if gap, off := trial.Of("gap")[k], trial.Of("tracking")[k]; math.Abs(gap) > 1e-9 || off > 1e-9 {
				t.Errorf("%s, turn %d: gap %.1e, %.1e from the optimum of the turn", run.Name, k, gap, off)
			}
		}
	}
	if fast, slow := end(r, 0)["regret"], end(r, 1)["regret"]; math.IsNaN(fast) || fast == slow {
		t.Errorf("regret %v and %v", fast, slow)
	}
}

// bound is a crowd under constraints of every kind.
var bound = []string{
	"population={size: 40, dim: 2, law: normal}", "iterations=36", "trials=2", "record.every=6", "record.paths=0", "optimum={starts: 1, tolerance: 1e-5}",
	`constraints=[{name: tail, kind: cvar, of: {kind: quadratic, linear-state: [1, 0]}, bound: 0.5, level: 0.8},
{name: share, kind: chance, of: {kind: quadratic, linear-state: [0, 1]}, bound: 0.5, level: 0.9, smoothing: 0.2},
{name: groups, kind: worst-group, of: {kind: quadratic, linear-state: [1, 1]}, bound: 0.2, group-by: 2, cuts: [0]}]`,
	"algorithms=[{name: composite, step: 0.05, batch: 20, rate-limit: 0.05}]",
}

func TestStoppedConstrainedRunsGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: long; others of its kind run")
	}
	p := build(t, "lq2", bound...)
	_, calm := saved(t, "lq2", 2, bound...)
	dir := filepath.Join(t.TempDir(), "out")
	for i, turns := range []int64{1, 25, 50} {
		if said := stopAt(t, p, dir, turns, 1+i%2); said.has("cannot be used") {
			t.Errorf("stop %d: said %q", i, said.lines)
		}
	}
	if said := finish(t, p, dir, 2); !said.has("resumed at") || said.has("cannot be used") {
		t.Errorf("said %q", said.lines)
	}
	if !reflect.DeepEqual(contents(t, dir), contents(t, calm)) {
		t.Error("the folder differs from that of an undisturbed run")
	}
}

// Where a player's loss has the other's price in it, −u₁p + ½u₁² + ½u₁u₂, those who take demand for given stop at (4/7, 8/7): the
// roots of u₁ + ½u₂ = p, u₂ = p and p = 2 − ½u₁ − ½u₂. A planner's partial gradients vanish elsewhere.
func TestStablePointOfPlayers(t *testing.T) {
	r := ran(t, "duopoly", "players.left.objective.decision=[[1, 0.5], [0.5, 0]]")
	want := []float64{4. / 7, 8. / 7}
	for _, got := range [][]float64{r.Stable.Decision, r.Runs[0].Trials[0].Decision} {
		if e := rows.Distance(got, want); e > 1e-8 {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// Constraints are kept through a sensitivity that is learned, too: no dynamics are known to the rule.
func TestConstraintsThroughALearnedSensitivity(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: long, and on one goroutine")
	}
	r := ran(t, "constraints", "trials=1", "iterations=3000", "record.every=1000", "population.sampling=without-replacement",
		"algorithms=[{name: learned, kind: composite, step: 0.05, dual-step: 0.2, batch: 400, sensitivity: learned, learn: {form: panel, dither: 0.05, half-life: 300}}]")
	last := end(r, 0)
	if !(last["distance"] <= 1e-3 && math.Abs(last["excess_1"]) <= 1e-3 && math.Abs(last["multiplier_1"]-2.63) <= .02) {
		t.Errorf("ends with %v", last)
	}
}

// A loss that falls without end, under a chance constraint, from a start that breaks everything: −u₁ − u₂ where 80 % of p₁ + p₂ are at most 5
// and u₁² − u₂ ≤ 4. People settle at p = (0.2u₁ + d₁, 0.4u₂ + d₂), so 32 of the 40 keep 0.2u₁ + 0.4u₂ ≤ 5 − s with s the 32nd of the sums
// d₁ + d₂. The set is convex and the multipliers at the corner of both are positive, so it is the optimum: u₁ + 2u₂ = K = 5(5 − s) and
// u₁² + u₁/2 = 4 + K/2, hence u₁ = (−½ + √(¼ + 16 + 2K))/2.
func TestConstraintsBoundALossWithoutEndFromAfar(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: long; others of its kind run")
	}
	p := construct(t, "afar", []byte(`iterations: 1
trials: 1
population: {size: 40, dim: 2, law: normal, mean: [1, 2], deviation: [0.5, 0.2]}
dynamics: {kind: affine, a: [[0.5, 0], [0, 0.5]], b: [[0.1, 0], [0, 0.2]], e: [[0.5, 0], [0, 0.5]]}
objective: -u[0] - u[1]
set: {kind: half-space, normal: [1, 0], bound: 100}
start: {law: values, values: [-500, 3000]}
constraints: [{name: a, kind: chance, of: 'p[0] + p[1]', bound: 5, level: 0.8, smoothing: 0.05}, {name: b, kind: expectation, of: 'u[0]^2 - u[1]', bound: 4}]
algorithms: [{name: vanilla, kind: vanilla, step: 0.05, batch: 20}]
`))
	r, err := lab.Execute(context.Background(), p, lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, traits := p.First(p.Some(40))
	var sums []float64
	for i := 0; i < len(traits); i += 2 {
		sums = append(sums, traits[i]+traits[i+1])
	}
	slices.Sort(sums)
	k := 5 * (5 - sums[31])
	first := (-.5 + math.Sqrt(.25+16+2*k)) / 2
	want := []float64{first, (k - first) / 2}
	if got := r.Optimum; rows.Distance(got.Decision, want) > 1e-6 || got.Evidence.Standing != folder.Searched || !got.Evidence.Bounded {
		t.Errorf("%v with %+v, want %v", got.Decision, got.Evidence, want)
	}
}
