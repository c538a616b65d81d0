package sensitivity

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
)

// seenRow is a row of regressors with what they are to explain.
type seenRow struct {
	f, y   []float64
	weight float64
}

// rowsOf are the rows that a learner makes of some turns.
func rowsOf(t *testing.T, c Learning, turns ...kedge.Observation) (all []seenRow) {
	t.Helper()
	c.Dims = kedge.Dims{Decision: 1, State: 1, Trait: 1}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	c.fill()
	l := c.layout()
	h := newPast(&l, &c)
	for _, o := range turns {
		h.see(o, len(o.P), func(f, y []float64, weight float64) {
			if len(f) != l.features {
				t.Errorf("a row has %d entries, want %d", len(f), l.features)
			}
			all = append(all, seenRow{slices.Clone(f), slices.Clone(y), weight})
		})
	}
	return all
}

// turn is a sample of people with a state and a trait each, under a decision.
func turnOf(u float64, people ...[2]float64) kedge.Observation {
	o := kedge.Observation{U: []float64{u}}
	for _, p := range people {
		o.P, o.D = append(o.P, p[0]), append(o.D, p[1])
	}
	return o
}

func weighedTurn(o kedge.Observation, w ...float64) kedge.Observation { o.W = w; return o }

// By hand, for decisions 16, 0, 4 or 16, 0, 0, mean states 1, 3, 10 and mean traits 2, 6, 1, of which the third turn makes the first row. Over a long trend the first two turns leave their means behind:
// 8, 2 and 4. Filtered splits 16, 0, 0 by averages that halve, or fall to 1/16, a turn: what is left of the decision is 0, −1, −1/16, of the quick average 0, −7, −63/16, and the slow one is 16, 8, 4.
func TestRowsOfMeans(t *testing.T) {
	plain := []kedge.Observation{turnOf(16, [2]float64{1, 2}), turnOf(0, [2]float64{3, 6}), turnOf(4, [2]float64{10, 1})}
	still := []kedge.Observation{plain[0], plain[1], turnOf(0, [2]float64{10, 1})}
	for _, x := range []struct {
		name  string
		c     Learning
		turns []kedge.Observation
		f     []float64
		y     float64
	}{
		{"naive", Learning{Lag: Naive, Trend: 100}, plain, []float64{-4}, 8},
		{"naive, with traits", Learning{Lag: Naive, Trend: 100, Controls: Traits}, plain, []float64{-4, -3}, 8},
		{"naive, differences", Learning{Lag: Naive, Trend: 1, Controls: Traits}, plain, []float64{4, -5}, 7},
		{"after the state", Learning{Lag: State, Trend: 100}, plain, []float64{-4, 2}, 8},
		{"after the state, with traits", Learning{Lag: State, Trend: 100, Controls: Traits}, plain, []float64{-4, 2, -3, 4}, 8},
		{"filtered", Learning{Lag: Filtered, Trend: 100, Pole: 0.5}, still, []float64{7. / 16, -7. / 16, -8}, 8},
		{"filtered, with traits", Learning{Lag: Filtered, Trend: 100, Pole: 0.5, Controls: Traits}, still, []float64{7. / 16, -7. / 16, -8, -3}, 8},
	} {
		rows := rowsOf(t, x.c, x.turns...)
		if len(rows) != 1 || !slices.Equal(rows[0].f, x.f) || rows[0].y[0] != x.y || rows[0].weight != 1 {
			t.Errorf("%s: %v, want %v and %v", x.name, rows, x.f, x.y)
		}
	}
}

// By hand, for the decision 1 and people of traits 1, 3; then 5, 7; then 9, 11: what their powers are in the sample, less in all who were seen. With weights 1 and 3 in the second turn, beside somebody
// who does not count, those who were seen count as much. A sample of twice as many counts twice.
func TestRowsOfAlignment(t *testing.T) {
	d := func(traits ...float64) (o kedge.Observation) {
		o = turnOf(1)
		for _, x := range traits {
			o.P, o.D = append(o.P, 0), append(o.D, x)
		}
		return o
	}
	c := Learning{Lag: Naive, Trend: 100, Controls: Alignment}
	for _, x := range []struct {
		name   string
		second kedge.Observation
		want   []float64
	}{
		{"alike", d(5, 7), []float64{0, 6, 3, 136. / 3, 549}},
		{"weighed", weighedTurn(d(5, 1000, 7), 1, 0, 3), []float64{0, 5.75, 3, 140. / 3, 579}},
	} {
		rows := rowsOf(t, c, d(1, 3), x.second, d(9, 11), d(9, 11, 9, 11))
		if len(rows) != 2 || rows[0].weight != 1 || rows[1].weight != 2 {
			t.Fatalf("%s: %v", x.name, rows)
		}
		for i, want := range x.want {
			if got := rows[0].f[i]; !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
				t.Errorf("%s: entry %d is %v, want %v", x.name, i, got, want)
			}
		}
	}
}

// By hand, as TestRowsOfMeans: the trend of decisions is 8, of states 2. Of people at 10 and 20 with traits 1 and 3 the mean trait is 1, then 2; somebody who does not count makes no row.
func TestRowsOfIndividuals(t *testing.T) {
	last := weighedTurn(turnOf(4, [2]float64{10, 1}, [2]float64{99, 99}, [2]float64{20, 3}), 2, 0, 2)
	rows := rowsOf(t, Learning{Form: Conditional, Lag: Naive, Trend: 100}, turnOf(16, [2]float64{1, 2}), turnOf(0, [2]float64{3, 6}), last)
	want := []seenRow{{[]float64{-4, 0, -4}, []float64{8}, 2}, {[]float64{-4, 1, -4}, []float64{18}, 2}}
	if !slices.EqualFunc(rows, want, func(a, b seenRow) bool {
		return slices.Equal(a.f, b.f) && slices.Equal(a.y, b.y) && a.weight == b.weight
	}) {
		t.Errorf("rows %v, want %v", rows, want)
	}
}

// By hand: who is seen three times in a row makes a row of the change of the decision and of the own last change. Without names it is whoever has the same place and trait in a sample of the same size.
func TestRowsOfPanels(t *testing.T) {
	turns := []kedge.Observation{
		turnOf(1, [2]float64{1, 5}, [2]float64{2, 6}), turnOf(3, [2]float64{4, 5}, [2]float64{7, 6}), turnOf(2, [2]float64{9, 5}, [2]float64{1, 8}), turnOf(2, [2]float64{9, 5}, [2]float64{3, 8}),
		turnOf(2, [2]float64{9, 5}),
	}
	rows := rowsOf(t, Learning{Form: Panel}, turns...)
	want := []seenRow{{[]float64{-1, 3}, []float64{5}, 1}, {[]float64{0, 5}, []float64{0}, 1}}
	same := func(a, b seenRow) bool {
		return slices.Equal(a.f, b.f) && slices.Equal(a.y, b.y) && a.weight == b.weight
	}
	if !slices.EqualFunc(rows, want, same) {
		t.Errorf("rows %v, want %v", rows, want)
	}
	turns[2].W = []float64{0, 1} // the first does not count then
	if rows := rowsOf(t, Learning{Form: Panel}, turns...); !slices.EqualFunc(rows, want[1:], same) {
		t.Errorf("rows %v, want %v", rows, want[1:])
	}
	turns[2].W, turns[1].Who = nil, []uint64{1, 2} // told once, nobody is known by the place around
	if rows := rowsOf(t, Learning{Form: Panel}, turns...); len(rows) != 0 {
		t.Errorf("rows %v of people who are told once", rows)
	}
}

// Whose name is told in the third turn alone is nobody who was seen before, in whatever place.
func TestPanelsThatAreNamedLate(t *testing.T) {
	turns := []kedge.Observation{turnOf(1, [2]float64{1, 5}), turnOf(3, [2]float64{4, 5}), turnOf(2, [2]float64{9, 5}), turnOf(7, [2]float64{8, 5})}
	if rows := rowsOf(t, Learning{Form: Panel}, turns...); len(rows) != 2 {
		t.Errorf("without names: rows %v", rows)
	}
	for named := range turns {
		turns[named].Who = []uint64{1}
		if rows := rowsOf(t, Learning{Form: Panel}, turns...); len(rows) != map[int]int{0: 1, 3: 1}[named] {
			t.Errorf("named in turn %d: rows %v", named, rows)
		}
		turns[named].Who = nil
	}
}
