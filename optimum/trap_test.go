package optimum

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
)

// trap fails at one call, or from that call on.
type trap struct {
	calls, at int
	stays     bool
}

func (s *trap) fails() bool {
	s.calls++
	return s.calls == s.at || s.stays && s.at > 0 && s.calls > s.at
}

// luring is a function that fails with a value that whoever does not ask for the error would take.
type luring struct {
	Function
	trap *trap
}

const lure = -1e6

func (f luring) Gradient(g, u []float64) (float64, error) {
	if f.trap.fails() {
		clear(g)
		return lure, errNoValue
	}
	return f.Function.Gradient(g, u)
}

// refusing is a set that fails and leaves what it is given as it is.
type refusing struct {
	kedge.Set
	trap *trap
}

func (s refusing) Project(u []float64) error {
	if s.trap.fails() {
		return errNoValue
	}
	return s.Set.Project(u)
}

// everywhere calls ask with traps at the first calls and at some of the others, fewer and fewer, that spring once and for good.
func everywhere(t *testing.T, what string, dense int, ask func(s *trap) error) {
	t.Helper()
	whole := &trap{}
	if err := ask(whole); err != nil || whole.calls == 0 {
		t.Fatalf("%s: %d calls, %v", what, whole.calls, err)
	}
	for at := 1; at <= whole.calls; at += 1 + at/dense {
		for _, stays := range []bool{false, true} {
			if err := ask(&trap{at: at, stays: stays}); err != nil {
				t.Errorf("%s, failing at call %d of %d, for good: %v: %v", what, at, whole.calls, stays, err)
			}
		}
	}
}

// What fails has no value, whatever number comes with the error: an answer has the loss that is there, and keeps what it must, or there is none.
func TestLuresAreNotTaken(t *testing.T) {
	f, start, ctx := bowl{1, 0.25}, [][]float64{{1, 1}}, context.Background()
	for name, s := range map[string]kedge.Set{
		"a box": set.Box{Lower: []float64{-4, -4}, Upper: []float64{4, 4}}, "whole numbers": set.Lattice{Lower: []float64{-2, -2}, Upper: []float64{3, 3}},
		"some whole numbers": set.Lattice{Lower: []float64{1, -2}, Upper: []float64{2, 2}, Whole: []bool{true, false}},
	} {
		ask := func(f, c Function) error {
			p, err := Constrain(ctx, f, []Function{c, atLeast(-9)}, s, start, Effort{Starts: 1})
			if err != nil {
				return nil
			}
			u := p.Decision
			if truth, _ := (bowl{1, 0.25}).Gradient(make([]float64, 2), u); !(math.Abs(p.Loss-truth) <= 1e-9*(1+truth)) || !(u[0] >= 2-1e-6) {
				return fmt.Errorf("the loss at %v is told to be %v, and is %v", u, p.Loss, truth)
			}
			for j, bound := range []float64{2, -9} {
				if !(math.Abs(p.Excess[j]-(bound-u[0])) <= 1e-9) {
					return fmt.Errorf("at %v constraint %d is told to be off by %v", u, j, p.Excess[j])
				}
			}
			return nil
		}
		everywhere(t, "losses over "+name, 4, func(s *trap) error { return ask(luring{f, s}, atLeast(2)) })
		everywhere(t, "constraints over "+name, 4, func(s *trap) error { return ask(f, luring{atLeast(2), s}) })
	}
	whole := set.Lattice{Lower: []float64{-2, -2}, Upper: []float64{3, 3}}
	for name, list := range map[string][]Function{"loss": {flat{loss: lure, err: errNoValue}, atLeast(0)}, "first constraint": {f, flat{loss: lure, err: errNoValue}, atLeast(0)}} {
		if p, err := Constrain(ctx, list[0], list[1:], whole, start, Effort{}); !errors.Is(err, errNoValue) {
			t.Errorf("where the %s has no value: %+v, %v", name, p, err)
		}
	}
}

// guarded looks whether whoever asks for a value asks inside of a ball.
type guarded struct {
	Function
	radius float64
	away   *[]float64
}

func (f guarded) look(u []float64) {
	if !(rows.Norm(u) <= f.radius*(1+1e-9)) {
		*f.away = slices.Clone(u)
	}
}

func (f guarded) Gradient(g, u []float64) (float64, error) {
	f.look(u)
	return f.Function.Gradient(g, u)
}

// A set that fails leaves a decision where it is, and nobody looks there if that is outside of it.
func TestNobodyLooksOutside(t *testing.T) {
	start, ctx := []float64{1, 1}, context.Background()
	dense := map[string]int{"Find": 2, "Rests": 10, "where players begin": 100, "units of shared constraints": 100}
	for name, ask := range map[string]func(f guarded, s kedge.Set) error{
		"Find": func(f guarded, s kedge.Set) error {
			_, err := Find(ctx, f, s, [][]float64{start, {0, 3}}, Effort{Starts: 3})
			return err
		},
		"Rests": func(f guarded, s kedge.Set) error {
			_, err := Rests(ctx, f.Gradient, s, start, Effort{Starts: 4})
			return err
		},
		"where players begin": func(f guarded, s kedge.Set) error {
			h := tugging().table
			h.set = s
			for k := 1; k < 20; k += 2 { // without those that are drawn half way to the middle
				f.look(h.from(start, k))
			}
			return nil
		},
		"units of shared constraints": func(f guarded, s kedge.Set) error {
			f.Function = atLeast(2)
			game := tugging(f)
			game.set = s
			return game.measure(start)
		},
	} {
		everywhere(t, name, dense[name], func(s *trap) error {
			var away []float64
			err := ask(guarded{bowl{1, 0.25}, 6, &away}, refusing{set.Ball{Radius: 6}, s})
			if away != nil {
				return fmt.Errorf("asked at %v", away)
			}
			if s.at > 0 {
				return nil // whatever failed may be told
			}
			return err
		})
	}
}

// Who is asked after the context ended is nobody.
func TestNothingIsAskedAfterTheEnd(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	box, starts := set.Box{Lower: []float64{-4, -4}, Upper: []float64{4, 4}}, [][]float64{{1, 1}, {2, 2}, {3, 3}}
	looks := 0
	f := counted{bowl{1, 0}, &looks}
	for name, ask := range map[string]func() error{
		"Find":      func() error { _, err := Find(ctx, f, box, starts, Effort{}); return err },
		"Minimize":  func() error { _, err := Minimize(ctx, f, box, starts[0], Effort{}); return err },
		"Constrain": func() error { _, err := Constrain(ctx, f, []Function{atLeast(2)}, box, starts, Effort{}); return err },
	} {
		if err := ask(); !errors.Is(err, context.Canceled) || looks > 0 {
			t.Errorf("%s: %d looks, %v", name, looks, err)
		}
	}
}

// endlessGame is a game with nine points of rest and without an equilibrium, as the first player says that he loses 50 wherever he is asked. It ends its context at a reply and counts who asks for losses then.
type endlessGame struct {
	fixed
	replies, at int
	stop        func()
	late        int
}

func (g *endlessGame) Field(f, u []float64) (float64, error) {
	for i, v := range u {
		f[i] = v*v*v - v
	}
	return 0, nil
}

func (g *endlessGame) Losses(dst, u []float64) error {
	if g.at > 0 && g.replies >= g.at {
		g.late++
	}
	return g.fixed.Losses(dst, u)
}

func (g *endlessGame) Reply(j int, u []float64) Function {
	if g.replies++; g.replies == g.at {
		g.stop()
	}
	return g.fixed.Reply(j, u)
}

// A game whose context ends at a reply, be it the last, has no answer, and players are asked for no more losses.
func TestEquilibriaEndAtReplies(t *testing.T) {
	one, both := set.Interval{Lower: -4, Upper: 4}, set.Box{Lower: []float64{-4, -4}, Upper: []float64{4, 4}}
	ask := func(at int) (*endlessGame, error) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		g := &endlessGame{fixed: fixed{tug{a: 0.1, c0: 1, c1: 2}, []float64{50, 0}}, at: at, stop: stop}
		_, err := Equilibria[Function](ctx, g, []kedge.Set{one, one}, both, []float64{0.5, 0.5}, Effort{Starts: 4})
		return g, err
	}
	whole, err := ask(0)
	var not *kedge.NotConvergedError
	if !errors.As(err, &not) {
		t.Fatal(err)
	}
	last := whole.replies
	for _, at := range []int{1, 2, 3, last / 2, last - 2, last - 1, last} {
		if g, err := ask(at); !errors.Is(err, context.Canceled) || g.late > 0 {
			t.Errorf("ended at reply %d of %d: %v, asked for losses %d times", at, last, err, g.late)
		}
	}
}

// speechless is a tug in which no reply has a value.
type speechless struct{ tug }

func (speechless) Reply(int, []float64) Function { return flat{err: errNoValue} }

// Where nobody can answer nothing is an equilibrium, though the players' gradients rest there.
func TestEquilibriaWithoutReplies(t *testing.T) {
	one, both := set.Interval{Lower: -10, Upper: 10}, set.Box{Lower: []float64{-10, -10}, Upper: []float64{10, 10}}
	var not *kedge.NotConvergedError
	if list, err := Equilibria[Function](context.Background(), speechless{tug{a: 0.5, c0: 1, c1: 2}}, []kedge.Set{one, one}, both, []float64{1, 1}, Effort{}); !errors.As(err, &not) {
		t.Errorf("%+v, %v", list, err)
	}
}

// taught is a tug that knows whether its field was asked last.
type taught struct {
	tug
	last *bool
}

func (g taught) Field(f, u []float64) (float64, error) {
	*g.last = true
	return g.tug.Field(f, u)
}

// A constraint that has no value where the players come to rest is told.
func TestBalancesTellErrors(t *testing.T) {
	last := false
	s := tugging(plainly(func(g, u []float64) (float64, error) {
		asked := last
		if last = false; !asked {
			return lure, errNoValue
		}
		return atLeast(-50).Gradient(g, u)
	}))
	s.game = taught{tug{a: 0.5, c0: 1, c1: 2}, &last}
	s.units, s.prices, s.penalties, s.multipliers, s.g = []float64{1}, []float64{1}, []float64{10}, []float64{0}, make([]float64, 2)
	if e, err := s.balance([]float64{0, 0}); !errors.Is(err, errNoValue) {
		t.Errorf("%+v, %v", e, err)
	}
}

// dimmed is evened without a value as it is stated.
type dimmed struct{ evened }

func (dimmed) Gradient(_, _ []float64) (float64, error) { return lure, errNoValue }

// By how much a constraint is off that has no value as it is stated is not told.
func TestExcessWithoutAValue(t *testing.T) {
	a := newAugmented(overSet(bowl{1, 0}, set.Whole{}, 1), []Function{dimmed{}})
	excess, _ := a.told(0, &settled{place: place{u: []float64{2}}, multipliers: []float64{3}, over: []float64{0}})
	if !math.IsNaN(excess) {
		t.Errorf("off by %v", excess)
	}
}

// A start that has no point near it is told, of sets with gaps too.
func TestStartsThatAreNoNumbers(t *testing.T) {
	whole := set.Lattice{Lower: []float64{-3, -3}, Upper: []float64{3, 3}}
	if p, err := Find(context.Background(), bowl{1, 0}, whole, [][]float64{{math.NaN(), 1}}, Effort{}); err == nil || !strings.HasPrefix(err.Error(), "project the start: ") {
		t.Errorf("%+v, %v", p, err)
	}
}

// How much an optimum owes to a sample is not told once the context ended, nor of a crowd that is too large to be asked and of whom those have no weight who are.
func TestSamplingIsToldWholeOrNot(t *testing.T) {
	dim := kedge.Dims{Decision: 1, State: 1, Trait: 1}
	f, err := dynamics.NewAffine(dim, []float64{0.5}, []float64{0.5}, []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	phi, err := objective.NewQuadratic(dim, []float64{2}, []float64{1}, []float64{1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := kedge.Model{Dynamics: f, Settler: f, Objective: phi, Traits: kedge.Block{Data: []float64{2, -0.5, 1}, Width: 1}, Sensitivity: &sensitivity.Implicit{Dynamics: f}}
	evidence.Stops(t, "sampling errors", 30, func(ctx context.Context) error {
		_, err := SamplingOf(ctx, m, set.Interval{Lower: -9, Upper: 9}, []float64{1})
		return err
	})
	const n = 2 * mostSampled
	m.Traits, m.Weights = kedge.Block{Data: even(n, 1), Width: 1}, make([]float64, n)
	for i := 1; i < n; i += 2 { // every second of these is asked, the first among them
		m.Weights[i] = 2
	}
	var weight *kedge.RangeError
	if s, err := SamplingOf(context.Background(), m, set.Whole{}, []float64{1}); !errors.As(err, &weight) || weight.Arg != "the largest weight" {
		t.Errorf("%+v, %v", s, err)
	}
}
