package problem

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/set"
)

// lossless are objectives that cannot be built.
type lossless struct{ kind.QuadraticObjective }

func (*lossless) Build(kedge.Dims) (kedge.RowObjective, error) {
	return nil, errors.New("no such loss")
}

// broken is what something says of a broken part, and what it should say.
type broken struct {
	is   func() error
	want string
}

func told(t *testing.T, list map[string]broken) {
	t.Helper()
	for name, c := range list {
		if err := c.is(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

// A part that is broken after a problem was built is told by whatever needs it, in the words of the part.
func TestBrokenPartsAreTold(t *testing.T) {
	loose := func() *Problem {
		p := build(t, restricted, Assign("live={trust: {otherwise: vanilla}}"))
		p.constraints[0] = risk.Constraint{Name: "loose"}
		return p
	}
	apart := func(play string) *Problem {
		p := build(t, duel, Assign("algorithms.composite.play="+play))
		p.players[0].Size = 5
		return p
	}
	trial := func(p *Problem) error { _, err := p.Trial(0, 0, math.NaN()); return err }
	told(t, map[string]broken{
		"a constraint, by a rule":   {func() error { return trial(loose()) }, "x.yaml:6: constraints: risk: "},
		"a constraint, when judged": {func() error { _, _, err := loose().Constraints(); return err }, "x.yaml:6: constraints: risk: "},
		"a constraint, by a fallback": {func() error {
			p := loose()
			_, err := p.retreat(&p.Spec.Algorithms[0], p.Model, &online.Rule{})
			return err
		}, "x.yaml:6: constraints: risk: "},
		"a player":                 {func() error { return trial(apart("simultaneous")) }, "the players' parts has 6 entries, want 2"},
		"a player who looks ahead": {func() error { return trial(apart("best-response")) }, "the players' parts has 6 entries, want 2"},
		"traits of a crowd that sees itself": {func() error {
			p := build(t, coupledOne)
			p.Traits = kedge.Block{Data: []float64{1, 2, 3}, Width: 3}
			return p.Settle(make([]float64, 1), []float64{1}, []float64{1})
		}, "traits"},
		"a decision of a crowd that sees itself": {func() error {
			return build(t, coupledOne).Settle(make([]float64, 1), []float64{1, 2}, []float64{1})
		}, "u has 2 entries, want 1"},
		"dynamics of a draw": {func() error {
			p := build(t, weighted)
			p.Spec.Dynamics.Of = &bare{AffineDynamics: *p.Spec.Dynamics.Of.(*kind.AffineDynamics), fails: errors.New("no such people")}
			return p.world(nil).Err
		}, "x.yaml:3: dynamics: no such people"},
		"weights": {func() error {
			p := build(t, small, Assign("population.weights=[1, 2, 3, 4]"))
			p.weights = []float64{1, -2, 3, 4}
			return trial(p)
		}, ": population.weights: individual 1: the weight is -2, want at least 0"},
		"traits of people who are constrained": {func() error {
			_, err := build(t, restricted).ConstraintsOf(kedge.Block{Data: []float64{1, 2, 3}, Width: 3})
			return err
		}, "traits has"},
		"a file of a model whose numbers are drawn": {func() error {
			files := fstest.MapFS{"w.csv": {Data: []byte("1\n2\n")}, "d.csv": {Data: []byte("a\n0.5\n0.4\n")}}
			p, err := buildWith(t, strings.Replace(written, "a: 0.5", "a: 0.5, W: {file: w.csv}", 1)+"draws: d.csv\nuncertain: 2\n", files)
			if err != nil {
				t.Fatal(err)
			}
			delete(files, "w.csv")
			return p.readDraws()
		}, "x.yaml:6: w.csv: "},
	})
}

// A part that cannot be built is told at its key.
func TestPartsThatCannotBeBuilt(t *testing.T) {
	told(t, map[string]broken{
		"a coupling of affine people": {func() error {
			s := mustParse(t, weighted)
			s.Dynamics.Coupling = 1.5
			_, err := Build("x", s, nil)
			return err
		}, "x.yaml:3: dynamics.coupling: weight is 1.5, want 0 ≤ κ < 1"},
		"a coupling of others": {func() error {
			s := mustParse(t, small)
			s.Dynamics.Coupling = 1.5
			_, err := Build("x", s, nil)
			return err
		}, "dynamics.coupling: weight is 1.5, want 0 ≤ κ < 1"},
		"a loss": {func() error {
			s := mustParse(t, weighted)
			s.Objective = &lossless{}
			_, err := Build("x", s, nil)
			return err
		}, "objective: no such loss"},
		"a loss of a player": {func() error {
			s := mustParse(t, duel)
			s.Players[0].Objective = &lossless{}
			_, err := Build("x", s, nil)
			return err
		}, "x.yaml:5: players.left.objective: no such loss"},
		"a file of a formula": {func() error {
			_, err := mustParse(t, unfit).Formula("live.guardrails.a.of", "W[0]*p", fstest.MapFS{})
			return err
		}, "x.yaml:6: w.csv: "},
		"a rule for people elsewhere": {func() error {
			_, err := BuildLive(mustParse(t, small, Assign("algorithms=[{name: two-point, step: 0.1, delta: 7, perturbed: feasible}]")), 0, 0, nil)
			return err
		}, "algorithms.two-point.delta is 7, which leaves no decision"},
	})
}

// What a broken part keeps from being known is not known: how long decisions can be, where no decision is, and bounds on the loss of people who are none.
func TestWhatBrokenPartsLeaveUnknown(t *testing.T) {
	p := build(t, written)
	if far := p.farthest(); far != 1 || p.Landscape() == nil {
		t.Errorf("decisions are as long as %v, bounds are %v", far, p.Landscape())
	}
	p.Set = set.Intersection{Of: []kedge.Set{set.HalfSpace{Normal: []float64{1, 0}, Bound: -1}, set.HalfSpace{Normal: []float64{-1, 0}, Bound: -1}}, MaxSteps: 100}
	if far := p.farthest(); !math.IsInf(far, 1) {
		t.Errorf("of no decisions the longest is of length %v", far)
	}
	p.Traits = kedge.Block{Data: []float64{1, 2, 3}, Width: 3}
	if p.Landscape() != nil {
		t.Error("bounds hold for people of another length")
	}
}

// A spec is read as far as one may be long and a byte more, and a missing file is told.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadFile(filepath.Join(dir, "none.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is read: %v", err)
	}
	for n, want := range map[int]int{0: 0, 100: 100, MaxSize + 9: MaxSize + 1} {
		path := filepath.Join(dir, "x.yaml")
		if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(path); err != nil || len(got) != want {
			t.Errorf("of %d bytes %d are read, %v, want %d", n, len(got), err, want)
		}
	}
}
