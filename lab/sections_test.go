package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
)

// exampleOf is an example of the repository with some keys set.
func exampleOf(t *testing.T, name string, sets ...string) *problem.Problem {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "examples", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return built(t, name, text, sets)
}

func sectionOf(t *testing.T, r *folder.Result, id string) folder.Section {
	t.Helper()
	at := slices.IndexFunc(r.Sections, func(s folder.Section) bool { return s.ID == id })
	if at < 0 {
		t.Fatalf("no section %s: %+v", id, r.Sections)
	}
	return r.Sections[at]
}

// isAbout tells whether a number of a table is the one that is wanted, to its four digits.
func isAbout(text string, want float64) bool {
	got, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Abs(got-want) <= 1e-3*max(1e-3, math.Abs(want))
}

// By hand, with Φ₁ = −u₁p + u₁²/2, Φ₂ = −u₂p + u₂² and p = 2 − (u₁ + u₂)/2 ≤ 1: the price 7/4 of the bound leads both to (5/4, 3/4), where they lose −5/4 + 25/32 and −3/4 + 9/16; together they would choose
// (4/3, 2/3) and lose −2/3. At (1/5, 3/2) nobody gains by less than his own gradient, p = 23/20 being above the bound.
func TestSharedConstraintsAreTold(t *testing.T) {
	p := exampleOf(t, "duopoly", "players.right.objective={kind: quadratic, decision: [[0, 0], [0, 2]], cross: [[0], [-1]]}", "iterations=1", "optimum.starts=1",
		"constraints=[{name: capacity, kind: expectation, of: {kind: quadratic, linear-state: [1]}, bound: 1}]", "algorithms=[{name: players, kind: composite, step: 0.05, dual-step: 0.1}]")
	r, err := Execute(t.Context(), p, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(r.Notes, "\n")
	for _, want := range []string{"shared-constraint (generalized) Nash equilibrium, the variational one", "here 1.75", "which the stable point does not heed"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	s := sectionOf(t, r, "players")
	if s.Verdict != "The price of anarchy is 1.016." || len(s.Rows) != 4 || !strings.Contains(s.Text, "The players share constraints") {
		t.Fatalf("%+v", s)
	}
	for i, want := range [][]string{{"shared-constraint Nash equilibrium, variational", "1.25, 0.75"}, {"optimum for all", "1.333, 0.6667"}, {"stable point"}, {"players"}} {
		if !slices.Equal(s.Rows[i][:len(want)], want) {
			t.Errorf("row %d is %q, want %q", i, s.Rows[i], want)
		}
	}
	at := s.Rows[0]
	if !isAbout(at[2], -1.25+25./32) || !isAbout(at[3], -0.75+9./16) || !isAbout(at[4], -21./32) {
		t.Errorf("at the equilibrium they lose %q", at)
	}
	if left, err := strconv.ParseFloat(at[5], 64); err != nil || !(left < 1e-5) {
		t.Errorf("at the equilibrium %s is left", at[5])
	}
	if r.Equilibrium == nil || rows.Distance(r.Equilibrium.Decision, []float64{1.25, 0.75}) > 1e-6 {
		t.Errorf("the equilibrium is %+v", r.Equilibrium)
	}
	// Own gradients at (1/5, 3/2), with dp/du = −1/2 and the price 7/4: −2 + 2·(1/5) + (3/2)/2 − 7/8 and −2 + 3·(3/2) + (1/5)/2 − 7/8, of which one leads to 0.2 + 1.725 and one to 0 (less than which there is not).
	if first := r.Runs[0].Trials[0].Of("nash_residual")[0]; !(math.Abs(first-math.Hypot(1.725, 1.5)) <= 1e-3) {
		t.Errorf("at first %v is left, want %v", first, math.Hypot(1.725, 1.5))
	}
}

// By hand, of the duopoly with the price ½: each loses −½·(3/2) + 1/8. Points that are no Nash equilibria are called local, a point that is not known has no numbers, and without an equilibrium there is no price of anarchy.
func TestOutcomesByHand(t *testing.T) {
	p := exampleOf(t, "duopoly")
	g, err := p.Game()
	if err != nil {
		t.Fatal(err)
	}
	r := &run{problem: p, result: &folder.Result{Runs: []folder.Run{{Name: "none"}, {Name: "last", Trials: []folder.Trial{{Decision: []float64{0, 0}}, {Decision: []float64{0.5, 0.5}}}}}}}
	r.result.Optimum.Decision = []float64{2. / 3, 2. / 3}
	r.game.settled = g
	r.game.equilibria = []optimum.Equilibrium{{Nash: true, Point: optimum.Point{Decision: []float64{0.8, 0.8}}}, {Point: optimum.Point{Decision: []float64{0.5, 0.5}}}}
	s, err := r.outcomes()
	if err != nil || len(s.Rows) != 5 || s.Verdict != "" || strings.Contains(s.Text, "share constraints") {
		t.Fatalf("%+v, %v", s, err)
	}
	for i, want := range []struct {
		name string
		each float64
	}{{"Nash equilibrium", -0.64}, {"local equilibrium", -0.625}, {"optimum for all", -2. / 3}, {"stable point", math.NaN()}, {"last", -0.625}} {
		row := s.Rows[i]
		if row[0] != want.name || math.IsNaN(want.each) != (row[2] == "–") || !math.IsNaN(want.each) && (!isAbout(row[2], want.each) || !isAbout(row[3], want.each) || !isAbout(row[4], 2*want.each)) {
			t.Errorf("row %d is %q, want %+v", i, row, want)
		}
	}
	r.game.nash = &loop.Target{Decision: []float64{0.8, 0.8}, Loss: -1.28}
	r.meter.Optimum.Loss = -4. / 3
	if s, err := r.outcomes(); err != nil || s.Verdict != "The price of anarchy is 1.042." { // (4/3)/1.28
		t.Errorf("%q, %v", s.Verdict, err)
	}
	if s, err := (&run{}).outcomes(); s != nil || err != nil {
		t.Errorf("without players: %+v, %v", s, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := r.findNash(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("after a stop: %v", err)
	}
	if _, err := r.rests(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("rests after a stop: %v", err)
	}
}

// By hand, with G = [5/4 1/2; 1/2 1], the gradient 2u + p + G(u + p) and people at p = Gu + b, where b follows from the optimum: half of the sensitivity errs by ½G(u + p). Beside the optimum by (1, 2) the curvature
// [101 34; 34 84]/16 makes μ = 35.8125/5. At the optimum itself there is no bound.
func TestMisledByHand(t *testing.T) {
	p := of(t, "lq2", "algorithms=[{name: right, kind: composite, step: 0.1}, {name: half, kind: composite, step: 0.1, wrong: {scale: 0.5}}]")
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	g := func(x []float64) []float64 { return []float64{1.25*x[0] + 0.5*x[1], 0.5*x[0] + x[1]} }
	best := []float64{-56. / 229, 99. / 229}
	// (I + G)b = −(2I + 2G + G²)u★, with det(I + G) = 4.25.
	right := []float64{-(6.3125*best[0] + 2.125*best[1]), -(2.125*best[0] + 5.25*best[1])}
	b := []float64{(2*right[0] - 0.5*right[1]) / 4.25, (2.25*right[1] - 0.5*right[0]) / 4.25}
	u := []float64{best[0] + 1, best[1] + 2}
	error2 := g([]float64{u[0] + g(u)[0] + b[0], u[1] + g(u)[1] + b[1]})
	size := rows.Norm(error2) / 2
	r := &run{problem: p, result: &folder.Result{Runs: []folder.Run{{Name: "right", Trials: []folder.Trial{{Decision: u}}}, {Name: "half", Trials: []folder.Trial{{Decision: []float64{u[0] - 1, u[1]}}, {Decision: []float64{u[0] + 1, u[1]}}}}}}}
	r.meter.Steady, r.meter.Optimum.Decision = f, best
	s, err := r.misled()
	if err != nil || len(s.Rows) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	mu := 35.8125 / 5
	if want := []string{"half", "0.5", "0", folder.Brief(math.Sqrt(5)), folder.Brief(size / mu), folder.Brief(size), folder.Brief(mu)}; !slices.Equal(s.Rows[0], want) {
		t.Errorf("%q, want %q", s.Rows[0], want)
	}
	r.result.Runs[1].Trials = []folder.Trial{{Decision: best}}
	if s, err := r.misled(); err != nil || s.Rows[0][4] != folder.Brief(math.Inf(1)) {
		t.Errorf("at the optimum: %+v, %v", s, err)
	}
	r.result.Runs[1].Trials = nil
	if s, err := r.misled(); err != nil || s != nil {
		t.Errorf("without trials: %+v, %v", s, err)
	}
}

// By hand: of three turns with a bias of 1 each below bounds of 2, 4 and 8 the least ratio is 2; a bias of 5 above 4 breaks the claim at its turn.
func TestBrokenClaimsAreTold(t *testing.T) {
	var columns []kedge.Column
	for _, name := range []string{"bias", "bias_by_v", "bias_by_w1", "w1_joint", "v", "v_bound"} {
		columns = append(columns, loop.Describe(name))
	}
	nan := math.NaN()
	of := func(bias ...float64) folder.Run {
		m := folder.NewMeasured(columns, 3)
		for k, v := range bias {
			m.Add(10*k, []float64{v, []float64{2, 4, 8}[k], nan, nan, nan, nan})
		}
		return folder.Run{Name: fmt.Sprint("of ", bias), Trials: []folder.Trial{{Index: 7, Measured: m}}}
	}
	none := yardstick{failure: errors.New("none")}
	for _, x := range []struct {
		runs    []folder.Run
		verdict string
		row     []string
	}{
		{[]folder.Run{of(1, 1, 1), of(2, 1, 1)}, "✓ Every bound held, all 6 times.", []string{"of [1 1 1]", "Lemma 4 by V: ‖e‖ ≤ L_p·V", "3", "2", "4", "0"}},
		{[]folder.Run{of(1, 5, 9), of(1, 1, 1)}, "✗ of [1 5 9]: Lemma 4 by V: ‖e‖ ≤ L_p·V fails at turn 10 of trial 7", []string{"of [1 5 9]", "Lemma 4 by V: ‖e‖ ≤ L_p·V", "3", "0.8", "0.8889", "10"}},
	} {
		r := &run{problem: &problem.Problem{Spec: &problem.Spec{}}, result: &folder.Result{Runs: x.runs}, sticks: []yardstick{none, none}}
		s, err := r.compare()
		if err != nil || s.Verdict != x.verdict || len(s.Rows) != 2 || !slices.Equal(s.Rows[0], x.row) {
			t.Errorf("%+v, %v, want %s and %q", s, err, x.verdict, x.row)
		}
	}
	for name, r := range map[string]*run{"not asked for": {result: &folder.Result{Runs: []folder.Run{of(1)}}}, "without trials": {result: &folder.Result{Runs: []folder.Run{{}}}, sticks: []yardstick{none}}} {
		if s, err := r.compare(); s != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// The point of rest that retraining reaches is the stable point; where it reaches none, none is.
func TestRestsAreDescribed(t *testing.T) {
	p := of(t, "lq2")
	at := func(x float64, reached bool) optimum.Rest {
		return optimum.Rest{Point: optimum.Point{Decision: []float64{x, 0}, Loss: x}, Reached: reached, Attracting: reached, Eigenvalues: [][2]float64{{1, 0}}}
	}
	for _, x := range []struct {
		name   string
		rests  []optimum.Rest
		stable []float64
		note   string
	}{
		{"none", nil, nil, ""}, {"reached", []optimum.Rest{at(3, true)}, []float64{3, 0}, ""}, {"two", []optimum.Rest{at(3, true), at(4, false)}, []float64{3, 0}, "at least 2 points of rest"},
		{"elsewhere", []optimum.Rest{at(4, false)}, nil, "was not seen to come to rest"}, {"two elsewhere", []optimum.Rest{at(4, false), at(5, false)}, nil, "was not seen to come to rest"},
	} {
		r := &run{problem: p, result: &folder.Result{}}
		r.meter.Optimum = loop.Target{Decision: []float64{0, 0}}
		r.describeRests(x.rests)
		said := strings.Join(r.result.Notes, "\n")
		if !slices.Equal(r.result.Stable.Decision, x.stable) || len(r.result.Rests) != len(x.rests) || (x.note == "") != (said == "") || !strings.Contains(said, x.note) || len(r.result.Notes) > 1 {
			t.Errorf("%s: %+v, %q", x.name, r.result.Stable, r.result.Notes)
		}
	}
	r := &run{problem: p, result: &folder.Result{}}
	r.meter.Optimum = loop.Target{Decision: []float64{0, 0}}
	many := at(1, true)
	many.Eigenvalues = nil
	if r.describeRests([]optimum.Rest{many}); r.result.Rests[0].Evidence.Attracting != nil {
		t.Error("of too many entries it is told whether they attract")
	}
}

// By hand: people settle at the mean d − u with d = 2 that grows by 2 a turn, so demand of at most 1 wants u ≥ 1, 3 and 5, which is beyond 4. Judged by people at 3 and 7 it is 5 − u.
func TestConstraintsOfPeopleWhoMove(t *testing.T) {
	p := of(t, "scalar-pricing", capacityOf1, "population.drift={rate: [2]}", "iterations=2", "record.every=1", "optimum.starts=1", "algorithms=[{name: one, kind: composite, step: 0.01, batch: 2, trials: 1}]")
	r, err := Execute(t.Context(), p, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(r.Notes, "\n"); !strings.Contains(said, "At 1 of 3 recorded turns no decision was found that keeps the constraints for the people who are there") || !strings.Contains(said, "The people of this population change by themselves, and the optimum with them") {
		t.Errorf("%s", said)
	}
	if s := sectionOf(t, r, "constraints"); !strings.Contains(s.Text, "Each turn is judged by the people who are there then") {
		t.Errorf("%s", s.Text)
	}
	one := r.Runs[0].Trials[0]
	for k, d := range []float64{2, 4, 6} { // the decision hardly moves from 0.3
		if got := one.Of("excess_1")[k]; !(math.Abs(got-(d-0.3-1)) <= 0.1) {
			t.Errorf("at turn %d the excess is %v, want about %v", k, got, d-1.3)
		}
	}
	other := kedge.Block{Data: []float64{3, 7}, Width: 1}
	for _, x := range []struct {
		p    *problem.Problem
		want float64
	}{{p, 5 - 0.5 - 1}, {of(t, "scalar-pricing", capacityOf1), 2 - 0.5 - 1}} {
		list, _, err := x.p.Constraints()
		if err != nil {
			t.Fatal(err)
		}
		judges, err := (&run{problem: x.p, bounds: bounds{list: list}}).judges(other)
		if err != nil || len(judges) != 1 {
			t.Fatal(judges, err)
		}
		if got, err := judges[0].Excess([]float64{0.5}); err != nil || !(math.Abs(got-x.want) <= 1e-9) {
			t.Errorf("the excess is %v, %v, want %v", got, err, x.want)
		}
	}
}
