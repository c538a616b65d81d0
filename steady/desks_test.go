package steady

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
)

// halving is p⁺ = p/2 + u + d/2 of so many entries each, which knows its derivatives and where it settles.
func halving(t *testing.T, people, entries int) kedge.Model {
	t.Helper()
	dim := kedge.Dims{Decision: entries, State: entries, Trait: entries}
	diagonal := func(by float64) []float64 {
		x := make([]float64, entries*entries)
		for i := range entries {
			x[i*entries+i] = by
		}
		return x
	}
	f, err := dynamics.NewAffine(dim, diagonal(0.5), diagonal(1), diagonal(0.5))
	if err != nil {
		t.Fatal(err)
	}
	loss, err := objective.NewQuadratic(dim, diagonal(1), diagonal(-1), diagonal(1), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := sensitivity.NewAffine(dim, diagonal(2))
	if err != nil {
		t.Fatal(err)
	}
	return kedge.Model{Dynamics: f, Settler: f, Objective: loss, Sensitivity: answer, Traits: kedge.Block{Data: make([]float64, entries*people), Width: entries}}
}

// A goroutine is used for every crew.Grain entries of the states, and no more than are offered: everyone has a place of its own.
func TestEveryWorkerHasAPlace(t *testing.T) {
	const wide = 32
	u := make([]float64, wide)
	for people, want := range map[int]int{2*crew.Grain/wide - 1: 1, 3 * crew.Grain / wide: 3} {
		m := halving(t, people, wide)
		s, err := New(m)
		if err != nil {
			t.Fatal(err)
		}
		l, r := &Lag{Model: m, Workers: 4}, &Rollout{Model: m, Steps: 1, Workers: 4}
		s.Workers = 4
		if _, err := s.Value(u); err != nil || len(s.desks) != want {
			t.Errorf("%d people: %d workers settle them, want %d (%v)", people, len(s.desks), want, err)
		}
		if _, err := l.Measure(make([]float64, wide), u, make([]float64, wide*people)); err != nil || len(l.stalls) != want {
			t.Errorf("%d people: %d workers compare them, want %d (%v)", people, len(l.stalls), want, err)
		}
		if _, err := r.Value(u); err != nil || len(r.paths) != want {
			t.Errorf("%d people: %d workers roll them out, want %d (%v)", people, len(r.paths), want, err)
		}
	}
	m := halving(t, 2*crew.Grain/wide, wide)
	c, err := m.Dynamics.(*dynamics.Affine).Coupled(0.25)
	if err != nil {
		t.Fatal(err)
	}
	m.Dynamics, m.Settler, m.Social = c, c, true
	s, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	s.Workers = 4
	if err := s.Mean(make([]float64, wide), u); err != nil || s.social.hands != 2 || len(s.desks) != 2 {
		t.Errorf("%d hands at %d places settle people who see each other, want 2 (%v)", s.social.hands, len(s.desks), err)
	}
}

// moving is an individual of one number that moves as it is told.
type moving struct {
	step func(p float64) float64
	home float64
	runs int
}

func (*moving) Dims() kedge.Dims                  { return kedge.Dims{Decision: 1, State: 1, Trait: 1} }
func (m *moving) Next(dst, p, u, d []float64)     { m.NextRows(dst, p, u, d) }
func (m *moving) NextRows(dst, p, _, _ []float64) { m.runs++; dst[0] = m.step(p[0]) }
func (m *moving) SettleFrom(dst, _, _ []float64) (kedge.Residual, error) {
	dst[0] = m.home
	return kedge.Residual{}, nil
}
func (m *moving) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	return m.SettleFrom(dst, u, d)
}
func (m *moving) Settle(dst, u, d []float64) (kedge.Residual, error) { return m.SettleFrom(dst, u, d) }

// Who walks comes to rest after a step of a part of 10⁻¹² of where it leads, or 10⁻¹² within 1, and elsewhere if that is farther than a part of 10⁻⁶, or 10⁻⁶ within 1, from home. Who goes on for 3,000 steps, or beyond all numbers, comes to rest nowhere.
func TestWhereWalksLead(t *testing.T) {
	once := func(to float64) func(float64) float64 { return func(float64) float64 { return to } }
	by := func(step float64) func(float64) float64 { return func(p float64) float64 { return p + step } }
	for _, x := range []struct {
		name        string
		step        func(p float64) float64
		start, home float64
		want        bool
		runs        int
	}{
		{"there", once(0.5), 0.5, 0.5, false, 1}, {"beside", once(0.5), 0.5, 0.5 + 1e-6/2, false, 1}, {"elsewhere", once(0.5), 0.5, 0.5 + 1.5e-6, true, 1},
		{"just beside", once(0), 0, 1e-6, false, 1}, {"beside, far out", once(8), 8, 8 + 7e-6, false, 1}, {"elsewhere, far out", once(8), 8, 8 + 9e-6, true, 1}, {"after a step", once(4), 1, 1, true, 2},
		{"a step of 10⁻¹²", by(1e-12), 0, 5, true, 1}, {"a longer one", by(1.5e-12), 0, 5, false, longMemory}, {"a longer one, far out", by(7e-12), 8, 5, true, 1}, {"a longer one yet", by(9e-12), 8, 5, false, longMemory},
		{"no number", once(math.NaN()), 0, 5, false, 1}, {"no end", func(p float64) float64 { return 1e200 * (1 + p) }, 0, 5, false, 2},
	} {
		m := &moving{step: x.step}
		if got := leads(m, []float64{x.start}, []float64{x.home}, nil, nil); got != x.want || m.runs != x.runs {
			t.Errorf("%s: leads elsewhere %v in %d steps, want %v in %d", x.name, got, m.runs, x.want, x.runs)
		}
	}
	if longMemory != 3000 {
		t.Errorf("a walk takes up to %d steps", longMemory)
	}
}

// An entry has gone that has come to a part of 10⁻⁹ of what it was, and no more; what was nothing has not gone.
func TestWhatHasGone(t *testing.T) {
	for _, x := range []struct {
		first, home float64
		gone        bool
	}{{4, 0, true}, {4, 4e-9, true}, {4, -4e-9, true}, {4, 6e-9, false}, {-4, 4e-9, true}, {-4, 6e-9, false}, {0, 0, false}, {0, 1, false}, {4, math.NaN(), false}} {
		one := kedge.Block{Data: []float64{x.first}, Width: 1}
		f := &moving{home: x.home}
		if got := Vanished(kedge.Model{Dynamics: f, Settler: f, Traits: one, States: one}, []int{0}, [][]float64{{1}}); (len(got) == 1) != x.gone {
			t.Errorf("of %v there is %v left: %v has gone", x.first, x.home, got)
		}
	}
}

// One individual of one number settles from where it begins, alone and as a crowd that sees itself, and where states are kept elsewhere than in memory.
func TestOneSettlesFromItsStart(t *testing.T) {
	for _, rows := range []kedge.Rows{kedge.Block{Data: []float64{-0.5}, Width: 1}, kedge.Leading{Of: kedge.Block{Data: []float64{-0.5, 9}, Width: 2}, Entries: 1}} {
		f := doubling{}
		m := kedge.Model{Dynamics: f, Settler: dynamics.NewWalked(f), Objective: objective.Affinity{State: 1}, States: rows, Traits: kedge.Block{Data: []float64{1}, Width: 1}}
		s, err := New(m)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]float64, 1)
		if err := s.Settle(p, []float64{0}); err != nil || !(math.Abs(p[0]+1) <= 1e-10) {
			t.Errorf("settles at %v, want −1 (%v)", p, err)
		}
		c, err := dynamics.NewCoupled(f, 0.25, dynamics.Flat)
		if err != nil {
			t.Fatal(err)
		}
		m.Dynamics, m.Settler, m.Social = c, dynamics.NewWalked(c), true
		if s, err = New(m); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(p, []float64{0}); err != nil || !(math.Abs(p[0]+1) <= 1e-10) {
			t.Errorf("beside itself it settles at %v, want −1 (%v)", p, err)
		}
	}
}

// doubling has steady states at −1 and 1, to which the sign of the start leads.
type doubling struct{}

func (doubling) Dims() kedge.Dims            { return kedge.Dims{Decision: 1, State: 1, Trait: 1} }
func (doubling) Next(dst, p, _, _ []float64) { dst[0] = p[0] + .3*(p[0]-p[0]*p[0]*p[0]) }
func (f doubling) NextRows(dst, p, u, d []float64) {
	for i := range p {
		f.Next(dst[i:], p[i:], u, d)
	}
}
func (doubling) Pullback(gp, _, p, _, _, v []float64) {
	if gp != nil {
		gp[0] += v[0] * (1.3 - .9*p[0]*p[0])
	}
}

// toldEngine is an engine that counts who asks it, and knows the sum of nobody's loss.
type toldEngine struct{ values, gradients int }

func (e *toldEngine) Sum([]float64) (float64, kedge.Residual, bool) {
	e.values++
	return 0, kedge.Residual{Norm: 9}, false
}

func (e *toldEngine) SumGradients(total, _ []float64, _ bool, _ func([]float64, int) bool) (kedge.Residual, bool) {
	e.gradients++
	return kedge.Residual{Norm: 9}, false
}

// valuesOnly hides that an engine knows gradients.
type valuesOnly struct{ Engine }

// An engine is asked for gradients where they can be had without states, and by the answer of the crowd where its sensitivity knows that: by nobody else, who works them out.
func TestWhoAsksEnginesForGradients(t *testing.T) {
	const m = 3
	people := kedge.Block{Data: []float64{1, 0, 0, 0.6, 0.8, 0}, Width: m}
	f := dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}
	closed := kedge.Model{Dynamics: f, Settler: f, Objective: objective.Affinity{}, Sensitivity: &sensitivity.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}, Traits: people}
	implicit := closed
	implicit.Sensitivity = &sensitivity.Implicit{Dynamics: f}
	for _, x := range []struct {
		name             string
		m                kedge.Model
		hides            bool
		answers, without int
	}{{"planes", closed, false, 1, 1}, {"planes, and an answer by states", implicit, false, 0, 1}, {"states", halving(t, 2, 2), false, 0, 0}, {"an engine of values", closed, true, 0, 0}} {
		s, err := New(x.m)
		if err != nil {
			t.Fatal(err)
		}
		e := &toldEngine{}
		if s.Engine = e; x.hides {
			s.Engine = valuesOnly{e}
		}
		g, u := make([]float64, s.dim.Decision), []float64{0.3, 0.1, -0.2}[:s.dim.Decision]
		if _, err := s.Gradient(g, u); err != nil || e.gradients != x.answers {
			t.Errorf("%s: asked %d times for the gradient (%v)", x.name, e.gradients, err)
		}
		e.gradients = 0
		if _, err := s.Partial(g, u); err != nil || e.gradients != x.without {
			t.Errorf("%s: asked %d times for the gradient without an answer (%v)", x.name, e.gradients, err)
		}
		if _, err := s.Clone().Value(u); err != nil || e.values != 1 || s.Residual().Norm >= 9 {
			t.Errorf("%s: asked %d times for a value by a clone, with the residual %v (%v)", x.name, e.values, s.Residual(), err)
		}
	}
}
