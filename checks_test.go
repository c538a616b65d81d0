package kedge_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
)

// says compares what an error says, "" for none.
func says(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil && want != "" || err != nil && err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// Errors say which number is wrong, and what it may be.
func TestErrorsSayWhatIsWrong(t *testing.T) {
	says(t, &kedge.DimError{Arg: "x", Got: 2, Want: 3}, "x has 2 entries, want 3")
	says(t, &kedge.NotFiniteError{Arg: "x", Index: 1, Value: math.Inf(-1)}, "x[1] is -Inf, want a finite number")
	says(t, &kedge.RangeError{Arg: "λ", Got: 1.5, Want: "0 ≤ λ ≤ 1"}, "λ is 1.5, want 0 ≤ λ ≤ 1")
	says(t, &kedge.NotConvergedError{What: "it", Residual: 0.5, Tolerance: 1e-9, Steps: 7}, "it not found: residual 0.5 after 7 steps, want 1e-09")
	says(t, &kedge.UnstableError{Rate: 1.25}, "the steady state does not attract: a deviation is multiplied by 1.25 in a step, want less than 1")
	row := &kedge.RowError{Row: 4, Err: kedge.ErrSingular}
	if says(t, row, "individual 4: "+kedge.ErrSingular.Error()); !errors.Is(row, kedge.ErrSingular) {
		t.Error("the error of a row is hidden")
	}
	says(t, kedge.CheckLen("x", []float64{1, 2}, 2), "")
	says(t, kedge.CheckLen("x", []float64{1, 2}, 1), "x has 2 entries, want 1")
	says(t, kedge.CheckRange("n", 3, true, "more"), "")
	says(t, kedge.CheckRange("n", 3, false, "more"), "n is 3, want more")
	says(t, kedge.CheckRange("x", 0.25, false, "more"), "x is 0.25, want more")
	says(t, kedge.CheckVector("x", []float64{1, math.NaN()}, 2), "x[1] is NaN, want a finite number")
	says(t, kedge.CheckVector("x", []float64{1, math.NaN()}, 3), "x has 2 entries, want 3")
	says(t, kedge.CheckVector("x", nil, 0), "")
	for want, list := range map[bool][]error{
		true:  {&kedge.UnstableError{}, &kedge.NotConvergedError{}, row, fmt.Errorf("there: %w", &kedge.UnstableError{}), &kedge.RowError{Err: &kedge.NotConvergedError{}}},
		false: {nil, kedge.ErrInfeasible, &kedge.RangeError{}, &kedge.RowError{Err: kedge.ErrInfeasible}},
	} {
		for _, err := range list {
			if kedge.IsUnsettled(err) != want {
				t.Errorf("%v says that somebody does not settle: %v", err, !want)
			}
		}
	}
}

// The first number that is none is found wherever it stands, among few and among many; the largest numbers are finite.
func TestNumbersThatAreNoneAreFound(t *testing.T) {
	for n := range 40 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.MaxFloat64 * float64(1-i%3)
		}
		says(t, kedge.CheckFinite("x", x), "")
		for i := range x {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				y := slices.Clone(x)
				y[i] = bad
				says(t, kedge.CheckFinite("x", y), fmt.Sprintf("x[%d] is %v, want a finite number", i, bad))
				y[n-1] = math.NaN()
				y[i] = bad
				says(t, kedge.CheckFinite("x", y), fmt.Sprintf("x[%d] is %v, want a finite number", i, bad))
			}
		}
	}
}

// By hand: weights 1, 0 and 3 have the mean 4/3, and become 3/4, 0 and 9/4.
func TestWeightsAreScaled(t *testing.T) {
	for _, x := range []struct{ w, want []float64 }{
		{nil, nil}, {[]float64{1, 0, 3}, []float64{0.75, 0, 2.25}}, {[]float64{5}, []float64{1}}, {[]float64{math.MaxFloat64, math.MaxFloat64}, []float64{1, 1}}, {[]float64{0, 0, 0, 0x1p-1000}, []float64{0, 0, 0, 4}},
	} {
		got, err := kedge.ScaleWeights(x.w, len(x.w))
		if says(t, err, ""); !slices.Equal(got, x.want) || (got == nil) != (x.want == nil) {
			t.Errorf("%v become %v, want %v", x.w, got, x.want)
		}
	}
	for want, w := range map[string][]float64{
		"weights has 1 entries, want 3":                                  {1},
		"weights[1] is NaN, want a finite number":                        {1, math.NaN(), 2},
		"individual 2: the weight is -1, want at least 0":                {1, 0, -1},
		"the largest weight is 0, want above 0, so that somebody counts": {0, 0, 0},
	} {
		_, err := kedge.ScaleWeights(w, 3)
		says(t, err, want)
	}
	traits := kedge.Block{Data: []float64{1, 2, 3, 4}, Width: 2}
	for _, x := range []struct {
		m    kedge.Model
		want string
	}{
		{kedge.Model{}, ""}, {kedge.Model{Weights: []float64{1}}, "weights are of individuals with traits, and there are none"}, {kedge.Model{Traits: traits, Weights: []float64{0.5, 1.5}}, ""},
		{kedge.Model{Traits: traits, Weights: []float64{1}}, "weights has 1 entries, want 2"}, {kedge.Model{Traits: traits, Weights: []float64{1, 2}}, "the mean of the weights is 1.5, want 1; ScaleWeights brings it there"},
		{kedge.Model{Traits: traits, Weights: []float64{1, 1 + 1.8e-9}}, ""}, {kedge.Model{Traits: traits, Weights: []float64{1, 1 + 0x1p-28}}, fmt.Sprintf("the mean of the weights is %v, want 1; ScaleWeights brings it there", 1+0x1p-29)},
		{kedge.Model{Traits: traits, Weights: []float64{1, 1 - 1.8e-9}}, ""}, {kedge.Model{Traits: traits, Weights: []float64{1, 1 - 0x1p-28}}, fmt.Sprintf("the mean of the weights is %v, want 1; ScaleWeights brings it there", 1-0x1p-29)},
	} {
		says(t, x.m.CheckWeights(), x.want)
	}
	for n, w := range map[float64][]float64{3: nil, 1: {5}, 2: {1, 0, 1}, 16. / 10: {1, 0, 3}} {
		if got := kedge.EffectiveSize(w, 3); got != n {
			t.Errorf("%v are as many as %v, want %v", w, got, n)
		}
	}
}

// loss is p₀u₀ + d₀ of two entries of a state, one of a decision and one of a trait, which has its slopes.
type loss struct{}

func (loss) Eval(gp, gu, p, u, d []float64) float64 {
	if gp != nil {
		gp[0] += u[0]
		gp[1] += 7
	}
	if gu != nil {
		gu[0] += p[0]
	}
	return p[0]*u[0] + 7*p[1] + d[0]
}

// By hand, for people at (1, 2) and (3, 4) with the traits 5 and 6 and the decision 10: they lose 10 + 14 + 5 = 29 and 30 + 28 + 6 = 64.
func TestLossesOfMany(t *testing.T) {
	o := kedge.BatchedObjective(loss{}, kedge.Dims{Decision: 1, State: 2, Trait: 1})
	if kedge.BatchedObjective(o, kedge.Dims{}) != o {
		t.Error("what has a block form gets another")
	}
	p, u, d := []float64{1, 2, 3, 4}, []float64{10}, []float64{5, 6}
	gp, gu := []float64{100, 0, 0, 0}, []float64{1000}
	if got := o.EvalRows(gp, gu, p, u, d); got != 93 || !slices.Equal(gp, []float64{110, 7, 10, 7}) || gu[0] != 1004 {
		t.Errorf("%v, %v, %v", got, gp, gu)
	}
	if got := o.EvalRows(nil, nil, p, u, d); got != 93 {
		t.Errorf("without slopes: %v", got)
	}
	for _, x := range []struct {
		w          []float64
		sum, slope float64
		pull       []float64
	}{{nil, 93, 1004, []float64{10, 7, 10, 7}}, {[]float64{2, 0.5}, 90, 1003.5, []float64{20, 14, 5, 3.5}}, {[]float64{0, 1}, 64, 1003, []float64{0, 0, 10, 7}}} {
		gp, gu := []float64{9, 9, 9, 9}, []float64{1000}
		if got := kedge.EvalWeighted(o, gp, gu, p, u, d, x.w, make([]float64, 3)); got != x.sum || gu[0] != x.slope || !slices.Equal(gp, x.pull) {
			t.Errorf("weights %v: %v, %v, %v, want %v, %v, %v", x.w, got, gu, gp, x.sum, x.slope, x.pull)
		}
		if got := kedge.EvalWeighted(o, nil, nil, p, u, d, x.w, nil); got != x.sum {
			t.Errorf("weights %v, without slopes: %v, want %v", x.w, got, x.sum)
		}
	}
}

// limited is half that settles at the decision up to 5, with a residual of that.
type limited struct{ half }

func (f limited) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if d[0] > 5 {
		return kedge.Residual{Norm: 99}, kedge.ErrSingular
	}
	copy(dst, u)
	return kedge.Residual{Norm: d[0], Steps: int(10 - d[0])}, nil
}

// started is limited that settles where people are.
type started struct{ kedge.RowSettler }

func (started) SettleFrom(p, _, _ []float64) (kedge.Residual, error) {
	p[0]++
	return kedge.Residual{Norm: 3}, nil
}

// By hand: everybody moves half of the way and settles at the decision, the residual is the worst of all, and an error names the row and leaves those behind it.
func TestPeopleMoveAndSettleOneByOne(t *testing.T) {
	f := limited{half{2}}
	moves, settles := kedge.Batched(f), kedge.BatchedSettler(f)
	if kedge.Batched(moves) != moves || kedge.BatchedSettler(settles) != settles {
		t.Error("what has a block form gets another")
	}
	u, next := []float64{10, 20, 0, 0}, make([]float64, 4)
	if moves.NextRows(next, []float64{0, 2, 4, 6}, u, []float64{1, 2}); !slices.Equal(next, []float64{5, 11, 7, 13}) {
		t.Errorf("moved to %v", next)
	}
	h := make([]float64, 4)
	if r, err := settles.SettleRows(h, u, []float64{4, 1}); err != nil || r != (kedge.Residual{Norm: 4, Steps: 9}) || !slices.Equal(h, []float64{10, 20, 10, 20}) {
		t.Errorf("settled at %v, %+v, %v", h, r, err)
	}
	h = make([]float64, 6)
	r, err := settles.SettleRows(h, u, []float64{2, 6, 3})
	var row *kedge.RowError
	if !errors.As(err, &row) || row.Row != 1 || !errors.Is(err, kedge.ErrSingular) || r != (kedge.Residual{Norm: 2, Steps: 8}) || !slices.Equal(h, []float64{10, 20, 0, 0, 0, 0}) {
		t.Errorf("settled at %v, %+v, %v", h, r, err)
	}
	one := []float64{7, 8}
	if r, err := kedge.SettleRowsFrom(settles, one, u, []float64{1}); err != nil || r.Norm != 1 || one[0] != 10 {
		t.Errorf("who settles anywhere: %v, %+v, %v", one, r, err)
	}
	one[0] = 7
	if r, err := kedge.SettleRowsFrom(started{settles}, one, u, []float64{1}); err != nil || r.Norm != 3 || one[0] != 8 {
		t.Errorf("who settles where he is: %v, %+v, %v", one, r, err)
	}
	a, b := kedge.Residual{Norm: 1, Steps: 9}, kedge.Residual{Norm: 2, Steps: 3}
	if want := (kedge.Residual{Norm: 2, Steps: 9}); a.Worst(b) != want || b.Worst(a) != want {
		t.Errorf("the worst of both is %+v", a.Worst(b))
	}
}

// Rows are parts of a block, with no room behind them, and whole.
func TestRowsOfBlocks(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6}
	if row := kedge.Row(x, 1, 2); !slices.Equal(row, []float64{3, 4}) || cap(row) != 2 {
		t.Errorf("%v with room for %d", row, cap(row))
	}
	for width, want := range map[int]int{1: 6, 2: 3, 3: 2, 6: 1, 0: 0} {
		if got := kedge.Count(x, width); got != want {
			t.Errorf("%d rows of %d, want %d", got, width, want)
		}
	}
	defer func() {
		if said := fmt.Sprint(recover()); said != "kedge: block of 6 entries has a broken row of width 4" {
			t.Error(said)
		}
	}()
	kedge.Count(x, 4)
}

// Blocks show their rows in place; those of which only beginnings are looked at are copied, unless they have no more.
func TestRowsAreViewed(t *testing.T) {
	b := kedge.Block{Data: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, Width: 3}
	if rows, width := b.Size(); rows != 3 || width != 3 {
		t.Errorf("%d rows of %d", rows, width)
	}
	if v := b.View(nil, 1, 2); !slices.Equal(v, []float64{4, 5, 6}) || cap(v) != 3 || &v[0] != &b.Data[3] {
		t.Errorf("%v with room for %d", v, cap(v))
	}
	for entries, want := range map[int][]float64{1: {4, 7}, 2: {4, 5, 7, 8}, 3: {4, 5, 6, 7, 8, 9}, 5: {4, 5, 6, 7, 8, 9}} {
		l, room := kedge.Leading{Of: b, Entries: entries}, make([]float64, 9)
		if rows, width := l.Size(); rows != 3 || width != min(3, entries) {
			t.Errorf("%d entries: %d rows of %d", entries, rows, width)
		}
		v := l.View(room, 1, 3)
		if inPlace := &v[0] == &b.Data[3]; !slices.Equal(v, want) || inPlace != (entries >= 3) || b.Data[0] != 1 {
			t.Errorf("%d entries: %v, in place %v", entries, v, inPlace)
		}
	}
	if v := (kedge.Leading{Of: elsewhere{5, 4}, Entries: 2}).View(make([]float64, 6), 1, 4); !slices.Equal(v, []float64{10, 11, 20, 21, 30, 31}) {
		t.Errorf("beginnings of rows elsewhere: %v", v)
	}
	for _, x := range []struct {
		n, most int
		want    []int
	}{{4, 2, []int{0, 2}}, {7, 3, []int{0, 2, 4}}, {3, 3, []int{0, 1, 2}}, {0, 5, []int{}}, {10, 1, []int{0}}} {
		if got := kedge.Some(x.n, x.most); !slices.Equal(got, x.want) {
			t.Errorf("%d of %d are %v, want %v", x.most, x.n, got, x.want)
		}
	}
}

// elsewhere are rows that are kept elsewhere than in memory: entry j of row i is 10i + j.
type elsewhere [2]int

func (e elsewhere) Size() (rows, width int) { return e[0], e[1] }

func (e elsewhere) View(room []float64, first, last int) []float64 {
	room = room[:(last-first)*e[1]]
	for k := range room {
		room[k] = float64(10*(first+k/e[1]) + k%e[1])
	}
	return room
}

// What are no rows of a width is told with their numbers.
func TestRowsAreCounted(t *testing.T) {
	for _, x := range []struct {
		r     kedge.Rows
		width int
		want  string
	}{
		{nil, 3, "traits has 0 entries, want 3"}, {nil, 0, "traits has 0 entries, want 1"}, {kedge.Block{Data: []float64{1, 2}, Width: 1}, 1, ""}, {kedge.Block{Data: []float64{1, 2}, Width: 2}, 2, ""}, {kedge.Block{Data: []float64{1, 2}, Width: 2}, 1, "traits has 2 entries, want 1"},
		{kedge.Block{Data: []float64{1, 2, 3}, Width: 2}, 2, "traits has 3 entries, want 2"}, {kedge.Block{Width: 2}, 2, "traits has 0 entries, want 2"}, {kedge.Block{Data: []float64{1}}, 0, "traits has 1 entries, want 1"},
		{kedge.Block{Data: []float64{1, math.Inf(1)}, Width: 2}, 2, "traits[1] is +Inf, want a finite number"}, {elsewhere{4, 2}, 2, ""}, {elsewhere{1, 2}, 2, ""}, {elsewhere{4, 2}, 3, "traits has 8 entries, want 12"}, {elsewhere{0, 2}, 2, "traits has 0 entries, want 2"},
	} {
		says(t, kedge.CheckRows("traits", x.r, x.width), x.want)
	}
	traits, states := kedge.Block{Data: []float64{1}, Width: 1}, elsewhere{1, 1}
	if (kedge.Model{Traits: traits}).FirstStates().(kedge.Block).Data[0] != 1 || (kedge.Model{Traits: traits, States: states}).FirstStates() != kedge.Rows(states) {
		t.Error("people start elsewhere")
	}
}

// What is observed is counted and weighed.
func TestObservationsAreCounted(t *testing.T) {
	dim, ids := kedge.Dims{Decision: 1, State: 2, Trait: 3}, []uint64{5, 6}
	good := kedge.Observation{P: []float64{1, 2, 3, 4}, D: make([]float64, 6)}
	for _, x := range []struct {
		change func(o *kedge.Observation)
		n      int
		want   string
	}{
		{func(*kedge.Observation) {}, 2, ""}, {func(o *kedge.Observation) { o.P = nil }, 0, "observation P has 0 entries, want 2"}, {func(o *kedge.Observation) { o.P = o.P[:3] }, 0, "observation P has 3 entries, want 2"},
		{func(o *kedge.Observation) { o.D = o.D[:1] }, 2, "observation D has 1 entries, want 6"}, {func(o *kedge.Observation) { o.Who = ids }, 2, ""}, {func(o *kedge.Observation) { o.Who = ids[:1] }, 2, "observation Who has 1 entries, want 2"},
		{func(o *kedge.Observation) { o.W = []float64{0, 3} }, 2, ""}, {func(o *kedge.Observation) { o.W = []float64{1} }, 2, "observation W has 1 entries, want 2"}, {func(o *kedge.Observation) { o.W, o.Who = []float64{1, 2}, ids[:1] }, 2, "observation Who has 1 entries, want 2"},
		{func(o *kedge.Observation) { o.W, o.Who = []float64{1, -2}, ids }, 2, "individual 1: the weight is -2, want at least 0"}, {func(o *kedge.Observation) { o.W = []float64{0, 0} }, 2, "the largest weight is 0, want above 0, so that somebody counts"},
		{func(o *kedge.Observation) { o.W = []float64{math.MaxFloat64, math.MaxFloat64} }, 2, "the sum of observation W is +Inf, want a finite number: divide all weights by the largest"}, {func(o *kedge.Observation) { o.W = []float64{math.MaxFloat64, 0} }, 2, ""},
	} {
		o := good
		x.change(&o)
		n, err := o.Sample(dim)
		if says(t, err, x.want); n != x.n {
			t.Errorf("%+v: %d people, want %d", o, n, x.n)
		}
	}
	weighed := kedge.Observation{W: []float64{0.5, 3}}
	if good.Total(2) != 2 || good.Weight(1) != 1 || weighed.Total(2) != 3.5 || weighed.Weight(0) != 0.5 || weighed.Weight(1) != 3 {
		t.Errorf("they weigh %v and %v", good.Total(2), weighed.Total(2))
	}
}

// always is a set that is asked for any turn.
type always struct{ turns *[]int }

func (always) Project(u []float64) error { u[0] = 1; return nil }
func (s always) ProjectAt(u []float64, turn int, _ []float64) error {
	*s.turns = append(*s.turns, turn)
	u[0] = 2
	return nil
}

// Sets that know nothing of turns are the same in all.
func TestSetsOfTurns(t *testing.T) {
	var turns []int
	s, u := always{&turns}, []float64{0}
	if err := kedge.Timed(s).ProjectAt(u, 7, nil); err != nil || u[0] != 2 || !slices.Equal(turns, []int{7}) {
		t.Errorf("%v in turns %v, %v", u, turns, err)
	}
	bare := struct{ kedge.Set }{s}
	if err := kedge.Timed(bare).ProjectAt(u, 8, nil); err != nil || u[0] != 1 || len(turns) != 1 {
		t.Errorf("%v in turns %v, %v", u, turns, err)
	}
}

// planar is able that settles in planes, sloped a loss with slopes.
type (
	planar struct{ able }
	sloped struct{ aligned }
)

func (planar) SettlePlanes(kedge.Planes, []float64, []float64) (kedge.Residual, bool) {
	return kedge.Residual{}, false
}
func (sloped) Slopes(_, _ []float64) {}

// Abilities that go together are found together or not at all, and not for people who see each other.
func TestAbilitiesGoTogether(t *testing.T) {
	for _, x := range []struct {
		name            string
		m               kedge.Model
		aligned, planar bool
	}{
		{"both", kedge.Model{Settler: planar{able{half{1}}}, Objective: sloped{}}, true, true}, {"people who see each other", kedge.Model{Settler: planar{able{half{1}}}, Objective: sloped{}, Social: true}, false, false},
		{"no planes", kedge.Model{Settler: able{half{1}}, Objective: sloped{}}, true, false}, {"no slopes", kedge.Model{Settler: planar{able{half{1}}}, Objective: aligned{}}, true, false},
		{"no products", kedge.Model{Settler: limited{half{1}}, Objective: sloped{}}, false, false}, {"another loss", kedge.Model{Settler: planar{able{half{1}}}, Objective: loss{}}, false, false}, {"none", kedge.Model{}, false, false},
		{"by the dynamics", kedge.Model{Dynamics: planar{able{half{1}}}, Objective: sloped{}}, true, true}, {"by the settler first", kedge.Model{Dynamics: planar{able{half{1}}}, Settler: limited{half{1}}, Objective: sloped{}}, false, false},
	} {
		a, o := x.m.Aligned()
		p, s := x.m.Planar()
		if (a != nil) != x.aligned || (o != nil) != x.aligned || (p != nil) != x.planar || (s != nil) != x.planar {
			t.Errorf("%s: %v, %v, %v, %v", x.name, a, o, p, s)
		}
	}
	m := kedge.Model{Dynamics: half{2}, Settler: able{half{3}}}
	if m.Dims().State != 2 || m.RowDynamics().Dims().State != 2 || m.RowSettler().Dims().State != 3 || m.Smooth() == nil || m.Smooth().Dims().State != 3 {
		t.Error("whose dimensions count")
	}
	m.Objective = loss{}
	if m.RowObjective() == nil {
		t.Error("a loss has no block form")
	}
}
