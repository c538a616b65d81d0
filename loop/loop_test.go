package loop_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/steady"
)

// turnLog keeps the recorded steps.
type turnLog struct {
	k   []int
	row [][]float64
	u   [][]float64
}

// of is what instruments said of the i-th recorded turn, by the names of their columns.
func (l *turnLog) of(i int, by ...kedge.Instrument) map[string]float64 { return named(l.row[i], by...) }

func named(row []float64, by ...kedge.Instrument) map[string]float64 {
	said := map[string]float64{}
	for i, c := range loop.Columns(by) {
		said[c.Name] = row[i]
	}
	return said
}

func (l *turnLog) Record(s *kedge.Step) error {
	l.k = append(l.k, s.K)
	l.row = append(l.row, slices.Clone(s.Row))
	l.u = append(l.u, append([]float64(nil), s.U...))
	return nil
}

func TestRecordsEveryNthTurnAndTheLast(t *testing.T) {
	q := newLQ2(t)
	l, _ := q.loop(t, online.Vanilla{Objective: q.loss, Dims: lq2Dims}, 0.1, 25, 1)
	log := &turnLog{}
	l.Recorder, l.Every = log, 10
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 10, 20, 25}; !slices.Equal(log.k, want) {
		t.Errorf("recorded turns %v, want %v", log.k, want)
	}
	if u := log.u[0]; u[0] != 0.5 || u[1] != 0.5 {
		t.Errorf("turn 0 shows %v, want the start", u)
	}
}

// Closed form: Φ̃(u) − Φ̃★ = ½(u−u★)ᵀH(u−u★) with H = [101 34; 34 84]/16, and ∇Φ̃ = H(u−u★).
func TestMeterAgreesWithTheClosedForm(t *testing.T) {
	q := newLQ2(t)
	f, err := steady.New(kedge.Model{Settler: q.model, Objective: q.loss, Sensitivity: q.sensitivity(t), Traits: kedge.Block{Data: q.crowd.Traits(), Width: 2}})
	if err != nil {
		t.Fatal(err)
	}
	best := 6057.0 / 7328
	m := loop.Meter{Steady: f, Gradient: true, Optimum: loop.Target{Decision: lq2Optimal, Loss: best}}
	u := []float64{0.5, 0.5}
	measure := func() map[string]float64 {
		row := make([]float64, 8)
		if err := m.Measure(t.Context(), row, &kedge.Turn{U: u}); err != nil {
			t.Fatal(err)
		}
		return named(row, &m)
	}
	got := measure()
	x, y := u[0]-lq2Optimal[0], u[1]-lq2Optimal[1]
	gx, gy := (101*x+34*y)/16, (34*x+84*y)/16
	near(t, "gap", got["gap"], (x*gx+y*gy)/2/best)
	near(t, "gradient", got["gradient"], gx*gx+gy*gy)
	near(t, "distance", got["distance"], math.Hypot(x, y)/rows.Norm(lq2Optimal))
	if !math.IsNaN(got["w1_own"]) || !math.IsNaN(got["gap_rollout"]) {
		t.Errorf("what was not measured is %v and %v, want NaN", got["w1_own"], got["gap_rollout"])
	}
	m.Maximize = true
	if got := measure(); !(got["value"] < 0 && got["gap"] > 0) {
		t.Errorf("as a reward the value is %v and the gap %v; want the sign of the value turned, not of the gap", got["value"], got["gap"])
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-13*math.Abs(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestATurnAllocatesNothing(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	q := newLQ2(t)
	allocations := func(turns int) float64 {
		g := &online.Composite{Objective: q.loss, Sensitivity: q.sensitivity(t), Dims: lq2Dims}
		l, _ := q.loop(t, g, 0.1, turns, 2)
		return testing.AllocsPerRun(5, func() {
			if err := l.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := allocations(10), allocations(1010); long > short {
		t.Errorf("a thousand more turns allocate %v times", long-short)
	}
}

func TestStopsBetweenTurns(t *testing.T) {
	q := newLQ2(t)
	ctx, stop := context.WithCancel(context.Background())
	l, _ := q.loop(t, online.Vanilla{Objective: q.loss, Dims: lq2Dims}, 0.1, 1000, 1)
	turns := 0
	l.After = func(taken int) error {
		if turns++; taken == 8 {
			stop()
		}
		return nil
	}
	if err := l.Run(ctx); !errors.Is(err, context.Canceled) || turns != 8 {
		t.Errorf("stopped after %d turns with %v, want 8 turns and the context's error", turns, err)
	}
}

// failing is an algorithm that cannot take an observation.
type failing struct{ err error }

func (failing) Ask(dst []float64)              { clear(dst) }
func (f failing) Tell(kedge.Observation) error { return f.err }

func TestErrorsNameTheTurn(t *testing.T) {
	q := newLQ2(t)
	want := errors.New("not today")
	l := loop.Loop{Population: q.crowd, Algorithm: failing{want}, Objective: q.loss, Turns: 3, Batch: 4}
	if err := l.Run(context.Background()); !errors.Is(err, want) || err.Error() != "turn 0: tell: not today" {
		t.Errorf("error %v", err)
	}
}

func TestRefusesBadSettings(t *testing.T) {
	q := newLQ2(t)
	for _, l := range []loop.Loop{
		{},
		{Population: q.crowd, Algorithm: failing{}, Objective: q.loss, Turns: 1},
		{Population: q.crowd, Algorithm: failing{}, Objective: q.loss, Turns: -1, Batch: 4},
		{Population: q.crowd, Algorithm: failing{}, Objective: q.loss, Turns: 1, Batch: 4, Hold: -1},
		{Population: q.crowd, Algorithm: failing{}, Objective: q.loss, Turns: 1, Batch: 4, From: 2},
	} {
		if err := l.Run(context.Background()); err == nil {
			t.Errorf("%+v ran", l)
		}
	}
}

// forgetful takes rows and keeps none.
type forgetful struct{}

func (forgetful) Record(*kedge.Step) error { return nil }

// Nor does one that is measured by every instrument and recorded.
func TestAMeasuredTurnAllocatesNothing(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	allocations := func(turns int) float64 {
		q, theory := displaced(t, []float64{1, -2})
		f, err := steady.New(kedge.Model{Settler: q.model, Objective: q.loss, Sensitivity: q.sensitivity(t), Traits: kedge.Block{Data: q.crowd.Traits(), Width: 2}})
		if err != nil {
			t.Fatal(err)
		}
		best := loop.Target{Decision: lq2Optimal, Loss: 6057.0 / 7328}
		meter := &loop.Meter{Steady: f, Gradient: true, Optimum: best}
		for k := range turns + 1 {
			meter.Course = append(meter.Course, loop.Stage{Turn: k, Target: best})
		}
		theory.Transport = 0
		g := &online.Composite{Objective: q.loss, Sensitivity: q.sensitivity(t), Dims: lq2Dims}
		l, _ := q.loop(t, g, 0.1, turns, 1)
		nash := &loop.Nash{Residual: func(u []float64) (float64, error) { return u[0], nil }, Equilibrium: &best}
		l.Instruments = []kedge.Instrument{meter, loop.Trust{}, theory, &loop.Track{Meter: meter}, loop.Constraints{kept{}}, nash, loop.Decisions(loop.DecisionColumns(2, nil)), loop.NewTraits(2, nil)}
		l.Recorder = forgetful{}
		return testing.AllocsPerRun(5, func() {
			if err := l.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := allocations(10), allocations(1010); long > short {
		t.Errorf("a thousand more turns allocate %v times", long-short)
	}
}

// kept is a constraint that every decision keeps.
type kept struct{}

func (kept) Excess([]float64) (float64, error) { return -1, nil }
