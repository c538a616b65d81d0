package loop_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/steady"
)

var errUnsettled = fmt.Errorf("nobody rests: %w", &kedge.UnstableError{Rate: 2})

// alike compares numbers, of which NaN is one.
func alike(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// measured is what one instrument says of a turn, after a row that is full of something else.
func measured(t *testing.T, one kedge.Instrument, turn kedge.Turn) ([]float64, error) {
	t.Helper()
	row := make([]float64, len(one.Columns()))
	for i := range row {
		row[i] = 99
	}
	err := one.Measure(t.Context(), row, &turn)
	return row, err
}

// By hand: up to 1,999 turns, or up to a million people who settle, all are measured; beyond that at least 500 are, and one in 30 steps of the population at least.
func TestHowManyTurnsAreMeasured(t *testing.T) {
	for _, x := range []struct{ turns, people, hold, want int }{
		{1999, 1_000_000_000, 0, 1}, {2000, 500, 0, 1}, {2000, 501, 0, 4}, {2000, 501, 1, 4}, {2000, 501, 10, 3}, {2000, 501, 40, 1}, {2499, 501, 1, 4}, {2500, 501, 1, 5},
		{100_000, 1000, 0, 30}, {100_000, 1000, 1, 30}, {100_000, 1000, 2, 15}, {100_000, 10, 1, 1}, {100_001, 10, 1, 30},
	} {
		if got := loop.Every(x.turns, x.people, x.hold); got != x.want {
			t.Errorf("%d turns of %d people, held for %d: one in %d, want %d", x.turns, x.people, x.hold, got, x.want)
		}
	}
	if note := loop.EveryNote(4, 2000, 12_501); !strings.Contains(note, "One turn in 4 is measured") || !strings.Contains(note, "501 people") || !strings.Contains(note, "2000 turns") {
		t.Errorf("the note says %q", note)
	}
}

// By hand: relative to what is not 0, whatever its sign, and absolute elsewhere.
func TestTargets(t *testing.T) {
	for _, x := range []struct{ best, loss, want float64 }{{2, 3, 0.5}, {-2, -1, 0.5}, {0, 3, 3}, {4, 3, -0.25}} {
		if got := (&loop.Target{Loss: x.best}).Gap(x.loss); got != x.want {
			t.Errorf("the gap of %v to %v is %v, want %v", x.loss, x.best, got, x.want)
		}
	}
	for _, x := range []struct {
		at   []float64
		want float64
	}{{[]float64{0, 0}, 5}, {[]float64{6, 8}, 0.5}, {[]float64{3, 4}, 0}} {
		best := loop.Target{Decision: x.at}
		for range 2 {
			if got := best.Distance([]float64{3, 4}); !(math.Abs(got-x.want) <= 1e-15) {
				t.Errorf("(3, 4) is %v from %v, want %v", got, x.at, x.want)
			}
		}
	}
}

// The columns of files are known by their names, numbered ones by any number that is not negative, and nothing else is.
func TestColumnsAreKnownByTheirNames(t *testing.T) {
	for name, label := range map[string]string{
		"value": "value of the settled population", "gap_rollout": "relative gap to the roll-out's optimum", "trust": "trust in the learned sensitivity", "v": "mean distance from the settled state",
		"regret": "dynamic regret", "nash_distance": "relative distance to equilibrium", "excess_3": "excess over bound 3", "multiplier_1": "multiplier 1", "u_0": "entry 0 of the decision",
		"u_12": "entry 12 of the decision", "trait_2": "mean of trait 2 in the sample",
	} {
		if c := loop.Describe(name); !loop.Knows(name) || c.Name != name || c.Label != label {
			t.Errorf("%q is known as %q, %q", name, c.Name, c.Label)
		}
	}
	for name, relative := range map[string]bool{"value": false, "gap": true, "distance": true, "w1_own": false, "gradient": false, "gap_rollout": true, "distance_rollout": true, "nash_residual": false, "nash_distance": true, "regret": false} {
		if c := loop.Describe(name); c.Relative != relative {
			t.Errorf("%s is relative: %v", name, c.Relative)
		}
	}
	for _, name := range []string{"", "u", "u_", "u_-1", "u_x", "excess", "other_3", "3"} {
		if c := loop.Describe(name); loop.Knows(name) || c != (kedge.Column{Name: name, Label: name, Chart: name, Title: name, Symbols: name}) {
			t.Errorf("%q is known as %+v", name, c)
		}
	}
	if n := len(loop.Standard()); n != 9 {
		t.Errorf("a series has %d columns, want those of a meter and of trust", n)
	}
	if c := loop.DecisionColumn(1, []kedge.Called{{Name: "price"}, {Name: "rent", Unit: "EUR"}}); c.Name != "rent" || c.Label != "rent" || c.Unit != "EUR" {
		t.Errorf("a named entry is %+v", c)
	}
	for maximize, want := range map[bool]kedge.Direction{true: kedge.Larger, false: kedge.Smaller} {
		if c := (&loop.Meter{Maximize: maximize}).Columns()[0]; c.Better != want {
			t.Errorf("the better value is %v where values are maximized: %v", c.Better, maximize)
		}
	}
}

// By hand: of people at (1, 10) and (4, 40) with the weights 2 and 1 the mean traits are 2 and 20, without weights 5/2 and 25; before anybody was seen there are none.
func TestTraitsOfASample(t *testing.T) {
	traits := loop.NewTraits(2, nil)
	say := func(want ...float64) {
		t.Helper()
		if got, err := measured(t, traits, kedge.Turn{}); err != nil || !slices.EqualFunc(got, want, alike) {
			t.Errorf("mean traits %v (%v), want %v", got, err, want)
		}
	}
	say(math.NaN(), math.NaN())
	o := kedge.Observation{D: []float64{1, 10, 4, 40}}
	if err := traits.Look(o); err != nil {
		t.Fatal(err)
	}
	say(2.5, 25)
	saved, err := traits.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	o.W = []float64{2, 1}
	if err := traits.Look(o); err != nil {
		t.Fatal(err)
	}
	say(2, 20)
	if err := traits.UnmarshalBinary(saved[:len(saved)-1]); err == nil {
		t.Error("a torn state is taken")
	}
	say(2, 20)
	if err := traits.UnmarshalBinary(saved); err != nil {
		t.Error(err)
	}
	say(2.5, 25)
}

// judged is a constraint that says what it is told to.
type judged struct {
	excess float64
	err    error
}

func (j judged) Excess([]float64) (float64, error) { return j.excess, j.err }

// paying is an algorithm with multipliers that trusts.
type paying struct{ failing }

func (paying) Multipliers() []float64 { return []float64{5, 7} }

func (paying) Trust() float64 { return 0.25 }

func TestConstraintsAreJudged(t *testing.T) {
	nan := math.NaN()
	for _, x := range []struct {
		of   loop.Constraints
		by   kedge.Algorithm
		want []float64
		err  error
	}{
		{loop.Constraints{judged{excess: 1}, judged{excess: -2}}, failing{}, []float64{1, nan, -2, nan}, nil},
		{loop.Constraints{judged{excess: 1}, judged{excess: -2}}, paying{}, []float64{1, 5, -2, 7}, nil},
		{loop.Constraints{judged{3, errUnsettled}, judged{excess: -2}}, paying{}, []float64{nan, 5, -2, 7}, nil},
		{loop.Constraints{judged{excess: 1}, judged{3, errBroken}}, paying{}, nil, errBroken},
	} {
		got, err := measured(t, x.of, kedge.Turn{Algorithm: x.by})
		if !errors.Is(err, x.err) || x.err == nil && (err != nil || !slices.EqualFunc(got, x.want, alike)) {
			t.Errorf("%v of %T is judged %v (%v), want %v (%v)", x.of, x.by, got, err, x.want, x.err)
		}
	}
	for by, want := range map[kedge.Algorithm]float64{failing{}: nan, paying{}: 0.25} {
		if got, err := measured(t, loop.Trust{}, kedge.Turn{Algorithm: by}); err != nil || !alike(got[0], want) {
			t.Errorf("%T trusts %v (%v), want %v", by, got, err, want)
		}
	}
}

func TestEquilibriaAreCompared(t *testing.T) {
	at, u := &loop.Target{Decision: []float64{6, 8}}, []float64{3, 4}
	for _, x := range []struct {
		err  error
		at   *loop.Target
		want []float64
	}{{nil, at, []float64{7, 0.5}}, {nil, nil, []float64{7, math.NaN()}}, {errUnsettled, at, []float64{math.NaN(), 0.5}}, {errBroken, at, nil}} {
		got, err := measured(t, &loop.Nash{Residual: func([]float64) (float64, error) { return 7, x.err }, Equilibrium: x.at}, kedge.Turn{U: u})
		if (x.err == errBroken) != errors.Is(err, errBroken) || x.want != nil && (err != nil || !slices.EqualFunc(got, x.want, alike)) {
			t.Errorf("the residual ends with %v and is noted as %v (%v), want %v", x.err, got, err, x.want)
		}
	}
}

// settledLQ2 judges LQ2; at the optimum people lose 6057/7328, at (0.5, 0.5) what TestMeterAgreesWithTheClosedForm has.
func settledLQ2(t *testing.T, q lq2, settler kedge.Settler) *steady.Objective {
	t.Helper()
	f, err := steady.New(kedge.Model{Settler: settler, Objective: q.loss, Sensitivity: q.sensitivity(t), Traits: kedge.Block{Data: q.crowd.Traits(), Width: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// By hand: what is lost at the optimum of LQ2 against targets of less, counted once at turn 0 and then once for every turn since the one before: 1·(ℓ−0) + 4·(ℓ−1) + 6·(ℓ−2). A track
// that is saved and restored goes on, and a turn without a target is an error.
func TestRegretIsCounted(t *testing.T) {
	q := newLQ2(t)
	stage := func(k int, loss float64) loop.Stage {
		return loop.Stage{Turn: k, Target: loop.Target{Decision: []float64{lq2Optimal[0] + 3, lq2Optimal[1] + 4}, Loss: loss}}
	}
	meter := &loop.Meter{Steady: settledLQ2(t, q, q.model), Course: loop.Course{stage(0, 0), stage(4, 1), stage(10, 2)}}
	track, loss := &loop.Track{Meter: meter}, 6057.0/7328
	regret := loss
	for _, x := range []struct{ k, more, best float64 }{{0, 0, 0}, {4, 4, 1}, {10, 6, 2}} {
		turn := kedge.Turn{K: int(x.k), U: lq2Optimal}
		if _, err := measured(t, meter, turn); err != nil {
			t.Fatal(err)
		}
		got, err := measured(t, track, turn)
		if err != nil {
			t.Fatal(err)
		}
		regret += x.more * (loss - x.best)
		if !(math.Abs(got[0]-5) <= 1e-14) || !(math.Abs(got[1]-regret) <= 1e-14) {
			t.Errorf("turn %v: %v from the optimum with the regret %v, want 5 and %v", x.k, got[0], got[1], regret)
		}
		saved, err := track.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if track = (&loop.Track{Meter: meter}); track.UnmarshalBinary(saved[1:]) == nil || track.UnmarshalBinary(saved) != nil {
			t.Error("a track is not restored, or from what is none")
		}
	}
	if _, err := measured(t, meter, kedge.Turn{K: 5, U: lq2Optimal}); err == nil || !strings.Contains(err.Error(), "turn 5") {
		t.Errorf("a turn without a target: %v", err)
	}
}

// loose is a population that does not settle under one decision, as halting, but says so.
type loose struct{ halting }

func (h loose) SettleRows(dst, u, d []float64) (r kedge.Residual, err error) {
	if r, err = h.halting.SettleRows(dst, u, d); err != nil {
		err = errUnsettled
	}
	return r, err
}

// Where nobody settles there is no value, but there is a distance; what a roll-out says is compared with its own optimum, and its errors are told.
func TestMetersWithoutAValue(t *testing.T) {
	q := newLQ2(t)
	u := []float64{lq2Optimal[0] + 3, lq2Optimal[1] + 4}
	m := &loop.Meter{Steady: settledLQ2(t, q, loose{halting{q.model, u}}), Optimum: loop.Target{Decision: []float64{0, 0}, Loss: 1}}
	got, err := measured(t, m, kedge.Turn{U: u})
	if err != nil || !math.IsNaN(got[0]) || !math.IsNaN(got[1]) || !(math.Abs(got[2]-math.Hypot(u[0], u[1])) <= 1e-14) {
		t.Errorf("where nobody settles: %v, %v", got, err)
	}
	short := &steady.Rollout{Model: kedge.Model{Dynamics: q.model, Objective: q.loss, Traits: kedge.Block{Data: q.crowd.Traits(), Width: 2}}, Steps: 3}
	want, err := short.Value(lq2Optimal)
	if err != nil {
		t.Fatal(err)
	}
	m = &loop.Meter{Steady: settledLQ2(t, q, q.model), Optimum: loop.Target{Decision: lq2Optimal, Loss: 6057.0 / 7328}, Reference: &loop.Reference{Rollout: short, Optimum: loop.Target{Decision: u, Loss: -2}}}
	m.Employ(3)
	for name, m := range map[string]*loop.Meter{"the meter": m, "its clone": m.Clone()} {
		got, err := measured(t, m, kedge.Turn{U: lq2Optimal})
		if err != nil || !(math.Abs(got[0]-6057.0/7328) <= 1e-14) || !(math.Abs(got[6]-(want+2)/2) <= 1e-14) || !(math.Abs(got[7]-5/math.Hypot(u[0], u[1])) <= 1e-14) {
			t.Errorf("%s says %v (%v)", name, got, err)
		}
		if m.Steady.Workers != 3 || m.Reference.Rollout.Workers != 3 {
			t.Errorf("%s has %d and %d workers, want 3", name, m.Steady.Workers, m.Reference.Rollout.Workers)
		}
	}
	if other := m.Clone(); other.Reference == m.Reference || other.Reference.Rollout == short || other.Steady == m.Steady {
		t.Error("a clone has the workspace of another")
	}
	if other := (&loop.Meter{Steady: m.Steady}).Clone(); other.Reference != nil {
		t.Errorf("a clone has the reference %+v", other.Reference)
	}
	m.Reference.Rollout = &steady.Rollout{Model: short.Model}
	if _, err := measured(t, m, kedge.Turn{U: lq2Optimal}); err == nil {
		t.Error("a roll-out of no steps has a value")
	}
}

// A theory needs something to measure with, and a saved one its decision; what fails while it measures is told.
func TestTheoriesTellErrors(t *testing.T) {
	_, theory := displaced(t, []float64{1, 0})
	for name, make := range map[string]func() (*loop.Theory, error){
		"no lag":         func() (*loop.Theory, error) { return loop.NewTheory(nil, loop.Unbounded(), 1) },
		"negative turns": func() (*loop.Theory, error) { return loop.NewTheory(theory.Lag, loop.Unbounded(), -1) },
	} {
		if _, err := make(); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for _, x := range []struct {
		turns, n int
		ok       bool
	}{{4, 0, false}, {4, 1, false}, {4, 2, true}, {1, 3, false}, {0, 0, true}} { // before the first turn there is no decision
		saved, err := wire.Append(nil, "loop.Theory/1", func(f *wire.Fields) {
			turns, v, u := x.turns, 1.5, make([]float64, x.n)
			f.Int(&turns, math.MaxInt)
			f.Float(&v)
			f.Floats(&u)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := theory.UnmarshalBinary(saved); (err == nil) != x.ok {
			t.Errorf("saved after %d turns with a decision of %d: %v", x.turns, x.n, err)
		}
	}
	bad := kedge.Turn{K: 1, Algorithm: failing{}, States: make([]float64, 3)}
	if _, err := measured(t, theory, bad); err == nil || !strings.Contains(err.Error(), "compare with the theory") {
		t.Errorf("states of one and a half people are measured: %v", err)
	}
	if err := theory.Forerun(t.Context(), &bad); err == nil || !strings.Contains(err.Error(), "compare with the theory") {
		t.Errorf("states of one and a half people are seen: %v", err)
	}
	if theory.Employ(5); theory.Lag.Workers != 5 {
		t.Errorf("%d workers, want 5", theory.Lag.Workers)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	good := kedge.Turn{K: 5, Algorithm: failing{}, States: make([]float64, 8)}
	if err := theory.Measure(stopped, make([]float64, 6), &good); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped comparison of populations ends with %v", err)
	}
}

// watcher sees everything and fails where it is told to.
type watcher struct {
	fails string
	seen  []string
}

func (w *watcher) tell(what string) error {
	w.seen = append(w.seen, what)
	if what == w.fails {
		return errBroken
	}
	return nil
}

func (w *watcher) Columns() []kedge.Column { return []kedge.Column{{Name: "watched"}} }

func (w *watcher) Measure(_ context.Context, _ []float64, t *kedge.Turn) error {
	return w.tell(fmt.Sprintf("measure %d %v", t.K, t.Last))
}

func (w *watcher) Forerun(_ context.Context, t *kedge.Turn) error {
	return w.tell(fmt.Sprintf("forerun %d", t.K))
}

func (w *watcher) Look(o kedge.Observation) error {
	return w.tell(fmt.Sprintf("look %d of %d", o.Round, len(o.P)/2))
}

func (w *watcher) Record(s *kedge.Step) error { return w.tell(fmt.Sprintf("record %d", s.K)) }

// restless is a crowd that is watched and fails where it is told to.
type restless struct {
	kedge.Population
	w *watcher
}

func (r restless) Prepare() error { return r.w.tell("prepare") }

func (r restless) Respond(ctx context.Context, u []float64) error {
	return errors.Join(r.w.tell("respond"), r.Population.Respond(ctx, u))
}

func (r restless) Sample(p, d []float64) (int, error) {
	if err := r.w.tell("sample"); err != nil {
		return 0, err
	}
	n, err := r.Population.Sample(p, d)
	return n - 1, err // fewer than there is room for
}

// A run of three turns, of which every second is recorded and the last: what happens, in order, and what is told where each of it fails.
func TestWhatATurnConsistsOf(t *testing.T) {
	run := func(fails string) (*watcher, error) {
		q, w := newLQ2(t), &watcher{fails: fails}
		l, _ := q.loop(t, online.Vanilla{Objective: q.loss, Dims: lq2Dims}, 0.1, 3, 2)
		l.Population, l.Instruments, l.Recorder, l.Every = restless{q.crowd, w}, []kedge.Instrument{w}, w, 2
		l.After = func(turns int) error { return w.tell(fmt.Sprintf("after %d", turns)) }
		return w, l.Run(t.Context())
	}
	want := []string{
		"prepare", "measure 0 false", "record 0", "respond", "respond", "sample", "look 0 of 3", "after 1",
		"forerun 1", "respond", "respond", "sample", "look 1 of 3", "after 2",
		"prepare", "measure 2 false", "record 2", "respond", "respond", "sample", "look 2 of 3", "after 3",
		"prepare", "measure 3 true", "record 3",
	}
	w, err := run("")
	if err != nil || !slices.Equal(w.seen, want) {
		t.Errorf("%v:\n%q, want\n%q", err, w.seen, want)
	}
	for fails, says := range map[string]string{
		"prepare": "prepare turn 0: ", "measure 2 false": "measure before turn 2: ", "record 2": "record turn 2: ", "respond": "turn 0: respond: ", "sample": "turn 0: sample: ",
		"look 1 of 3": "look at turn 1: ", "forerun 1": "measure before turn 1: ", "after 2": "",
	} {
		w, err := run(fails)
		if !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), says+"broken") || w.seen[len(w.seen)-1] != fails {
			t.Errorf("%s fails: %v, after %q", fails, err, w.seen)
		}
	}
}

func TestLoopsAreChecked(t *testing.T) {
	q := newLQ2(t)
	good := loop.Loop{Population: q.crowd, Algorithm: failing{}, Objective: q.loss, Batch: 4}
	for name, x := range map[string]struct {
		spoil func(*loop.Loop)
		ok    bool
	}{
		"good":          {func(*loop.Loop) {}, true},
		"one each":      {func(l *loop.Loop) { l.Batch = 1 }, true},
		"at its end":    {func(l *loop.Loop) { l.Turns, l.From = 3, 3 }, true},
		"no population": {func(l *loop.Loop) { l.Population = nil }, false},
		"no algorithm":  {func(l *loop.Loop) { l.Algorithm = nil }, false},
		"no objective":  {func(l *loop.Loop) { l.Objective = nil }, false},
		"turns":         {func(l *loop.Loop) { l.Turns, l.From = -1, -1 }, false},
		"batch":         {func(l *loop.Loop) { l.Batch = 0 }, false},
		"hold":          {func(l *loop.Loop) { l.Hold = -1 }, false},
		"every":         {func(l *loop.Loop) { l.Every = -1 }, false},
		"before":        {func(l *loop.Loop) { l.From = -1 }, false},
		"beyond":        {func(l *loop.Loop) { l.From = 1 }, false},
	} {
		l := good
		x.spoil(&l)
		if err := l.Run(t.Context()); (err == nil) != x.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
