package steady_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/steady"
)

// scripted are individuals of a number each who settle, under (u, p̄), where they are told, and walk as they are told.
type scripted struct {
	home  func(u []float64, d float64) float64
	step  func(p float64) float64
	rest  kedge.Residual
	steps *int // counts blocks that walk
}

func (scripted) Dims() kedge.Dims { return kedge.Dims{Decision: 2, State: 1, Trait: 1} }

func (s scripted) Next(dst, p, u, d []float64) { s.NextRows(dst, p, u, d) }

func (s scripted) NextRows(dst, p, _, _ []float64) {
	*s.steps++
	for i, v := range p {
		dst[i] = s.step(v)
	}
}

func (s scripted) Settle(dst, u, d []float64) (kedge.Residual, error) { return s.SettleRows(dst, u, d) }

func (s scripted) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	for i, v := range d {
		dst[i] = s.home(u, v)
	}
	return s.rest, nil
}

// plainLoss is p.
type plainLoss struct{}

func (plainLoss) Eval(gp, _, p, _, _ []float64) float64 {
	if gp != nil {
		gp[0]++
	}
	return p[0]
}

// together are people with the given traits who see their mean.
func together(t *testing.T, s scripted, traits ...float64) *steady.Objective {
	t.Helper()
	f, err := steady.New(kedge.Model{Dynamics: s, Settler: s, Objective: plainLoss{}, Traits: kedge.Block{Data: traits, Width: 1}, Social: true})
	check(t, err)
	return f
}

// Who is at 1 while the mean is up to ½, and at 0 otherwise, has no mean to settle at.
func TestMeansThatDoNotSettleAreTold(t *testing.T) {
	steps := 0
	f := together(t, scripted{home: func(u []float64, _ float64) float64 {
		if u[1] <= 0.5 {
			return 1
		}
		return 0
	}, steps: &steps}, 1, 2)
	_, err := f.Value([]float64{3})
	var not *kedge.NotConvergedError
	if !errors.As(err, &not) || not.What != "the crowd's mean" || not.Tolerance != 1e-13 || !(not.Residual >= 0.5) || not.Steps < 2 || steps != 0 {
		t.Errorf("%#v after %d steps", err, steps)
	}
	if err := f.Mean(make([]float64, 1), []float64{3}); !errors.As(err, &not) {
		t.Errorf("the mean: %v", err)
	}
}

// Where people settle by walking, all walk together, and no more than 500 steps: then the mean is looked for, which is here where people are said to settle.
func TestCrowdsWalkSoFar(t *testing.T) {
	steps := 0
	f := together(t, scripted{home: func(_ []float64, d float64) float64 { return 10 * d }, step: func(p float64) float64 { return -p }, rest: kedge.Residual{Steps: 1}, steps: &steps}, 1, 2, 6)
	mean := make([]float64, 1)
	if err := f.Mean(mean, []float64{3}); err != nil || steps != 500 || mean[0] != 30 {
		t.Errorf("the mean is %v after %d steps (%v), want 30 after 500", mean, steps, err)
	}
}

// A step of up to a part of 10⁻¹³ of where it leads is none, of who is within 1 one of up to 10⁻¹³ itself.
func TestWhoWalksOn(t *testing.T) {
	for _, x := range []struct {
		at, step float64
		rests    bool
	}{{0, 1e-13, true}, {0, 1.5e-13, false}, {0.5, 0.9e-13, true}, {0.5, 1.5e-13, false}, {-1, 1.5e-13, false}, {-8, 7e-13, true}, {8, 7e-13, true}, {8, 9e-13, false}, {-8, 12e-13, false}, {8, -12e-13, false}} {
		steps := 0
		f := together(t, scripted{home: func([]float64, float64) float64 { return x.at }, step: func(p float64) float64 { return p + x.step }, rest: kedge.Residual{Steps: 1}, steps: &steps}, 1)
		if _, err := f.Value([]float64{3}); err != nil || (steps == 1) != x.rests || !x.rests && steps < 100 {
			t.Errorf("who is at %v and moves by %v walks %d steps (%v)", x.at, x.step, steps, err)
		}
	}
}

// What was asked before changes no bit of an answer: another decision's means, answers and residuals are forgotten.
func TestAnswersDoNotDependOnWhatWasAsked(t *testing.T) {
	said := func(f *steady.Objective, u []float64) string {
		g, part, mean, all := make([]float64, len(u)), make([]float64, len(u)), make([]float64, f.Dims().State), make([]float64, 200*f.Dims().State)
		v, err := f.Gradient(g, u)
		w, wrong := f.Partial(part, u)
		check(t, errors.Join(err, wrong, f.Mean(mean, u), f.Settle(all, u)))
		return fmt.Sprint(v, g, w, part, mean, all, f.Residual())
	}
	for _, c := range circles(t) {
		traits, u := c.people(t, 200, 5), c.decision()
		want := said(c.objective(t, traits), u)
		f := c.objective(t, traits)
		for _, k := range []float64{-0.9, 0.4} {
			other := slices.Clone(u)
			for i := range other {
				other[i] *= k
			}
			_ = said(f, other)
			if got := said(f, u); got != want {
				t.Errorf("%s, asked about %v times the decision before: other bits", c.name, k)
			}
		}
	}
}

// By hand: of the gradient (u₀³, 2u₀ + 5u₁) at (1, 7) along (½, 1), with steps of 1, the first entry differs by (27 − 1)/8 over 2, the second by 2·½ + 5.
func TestBendByHand(t *testing.T) {
	v, u := []float64{0.5, 1}, []float64{1, 7}
	err := steady.Bend(func(g, u []float64) (float64, error) {
		g[0], g[1] = u[0]*u[0]*u[0], 2*u[0]+5*u[1]
		return 0, nil
	}, v, u, 1)
	if err != nil || !slices.Equal(v, []float64{26. / 8 / 2, 6}) || !slices.Equal(u, []float64{1, 7}) {
		t.Errorf("%v at %v, %v", v, u, err)
	}
}

// People are judged to the last one, whatever their number: with traits of 1 the loss is that of one of them. A thousand and twenty-four are judged between two looks at the context.
func TestEverybodyIsJudged(t *testing.T) {
	for _, n := range []int{1, 127, 128, 129, 1023, 1024, 1025, 1151, 1152, 1153, 2047, 2048, 2049} {
		m := lean(t, slices.Repeat([]float64{1}, n)...)
		f, err := steady.New(m)
		check(t, err)
		g, all := make([]float64, 1), make([]float64, n)
		v, err := f.Gradient(g, []float64{4}) // who settles at 2·4 + 1 loses ½(4 − 9)², and 2·5 − 5 more for every 1
		check(t, errors.Join(err, f.Settle(all, []float64{4})))
		if !(math.Abs(v-12.5) <= 1e-12) || !(math.Abs(g[0]-5) <= 1e-12) || !(math.Abs(slices.Min(all)-9) <= 1e-12) {
			t.Errorf("%d people: the loss is %v with the slope %v, and one settles at %v", n, v, g, slices.Min(all))
		}
		r := &steady.Rollout{Model: m, Steps: 60}
		if w, err := r.Gradient(g, []float64{4}); err != nil || !(math.Abs(w-12.5) <= 1e-12) || !(math.Abs(g[0]-5) <= 1e-12) {
			t.Errorf("%d people rolled out: %v with the slope %v (%v)", n, w, g, err)
		}
	}
}

// What does not fit is told with its numbers.
func TestWhatDoesNotFitIsCounted(t *testing.T) {
	few, wide := kedge.Block{Data: []float64{1, 2}, Width: 1}, kedge.Block{Data: make([]float64, 6), Width: 2}
	lag := func(spoil func(l *steady.Lag), states int) error {
		l := &steady.Lag{Model: lean(t, 1, 2, 6)}
		spoil(l)
		_, err := l.Measure(make([]float64, 1), []float64{4}, make([]float64, states))
		return err
	}
	for want, ask := range map[string]func(m kedge.Model) error{
		"States, the first states of those with traits, has 2 entries, want 3": func(m kedge.Model) error { m.States = few; _, err := steady.New(m); return err },
		"States, the first states of those with traits, has 6 entries, want 3": func(m kedge.Model) error { m.States = wide; _, err := steady.New(m); return err },
		"states has 2 entries, want 3": func(m kedge.Model) error {
			m.States = few
			_, err := (&steady.Rollout{Model: m, Steps: 1}).Value([]float64{1})
			return err
		},
		"steps is 0, want at least 1":  func(m kedge.Model) error { _, err := (&steady.Rollout{Model: m}).Value([]float64{1}); return err },
		"states has 4 entries, want 3": func(kedge.Model) error { return lag(func(*steady.Lag) {}, 4) },
		"states has 0 entries, want 3": func(kedge.Model) error { return lag(func(*steady.Lag) {}, 0) },
		"P has 3 entries, want 1":      func(kedge.Model) error { return lag(func(l *steady.Lag) { l.Weight = make([]float64, 3) }, 3) },
		"room for states has 2 entries, want 3\nroom for states has 5 entries, want 3": func(kedge.Model) error {
			return lag(func(l *steady.Lag) { l.Answered, l.Settled = make([]float64, 2), make([]float64, 5) }, 3)
		},
		"dst has 4 entries, want 3": func(m kedge.Model) error {
			f, err := steady.New(m)
			check(t, err)
			_, err = f.Settled(make([]float64, 4), []float64{1})
			return err
		},
		"bias has 2 entries, want 1\nu has 2 entries, want 1": func(m kedge.Model) error {
			_, err := (&steady.Lag{Model: m}).Measure(make([]float64, 2), []float64{1, 2}, make([]float64, 3))
			return err
		},
	} {
		if err := ask(lean(t, 1, 2, 6)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, states := range []int{3, 6} {
		if err := lag(func(l *steady.Lag) { l.Weight = []float64{2} }, states); err != nil {
			t.Errorf("%d entries of three states: %v", states, err)
		}
	}
}

// A lag needs every part of a model, and people who count alike and see nobody.
func TestLagsNeedEverything(t *testing.T) {
	for name, spoil := range map[string]func(m *kedge.Model){
		"dynamics": func(m *kedge.Model) { m.Dynamics, m.Settler = nil, nil }, "a settler": func(m *kedge.Model) { m.Dynamics, m.Settler = unsmooth{m.Dynamics}, nil }, "an objective": func(m *kedge.Model) { m.Objective = nil },
		"a sensitivity": func(m *kedge.Model) { m.Sensitivity = nil }, "no others": func(m *kedge.Model) { m.Social = true }, "no weights": func(m *kedge.Model) { m.Weights = []float64{1, 1, 1} },
	} {
		l := &steady.Lag{Model: lean(t, 1, 2, 6)}
		spoil(&l.Model)
		if _, err := l.Measure(make([]float64, 1), []float64{4}, make([]float64, 3)); err == nil || !strings.HasPrefix(err.Error(), "steady: a lag needs") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	l := &steady.Lag{Model: lean(t, 1, 2, 6)}
	l.Traits = kedge.Block{Data: []float64{1, 2, math.NaN()}, Width: 1}
	if _, err := l.Everybody(); err == nil {
		t.Error("a trait of NaN is taken")
	}
}
