package population_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// refusals are lines of what was asked for and what was said to it.
type refusals []string

func (r *refusals) add(what string, err error) {
	*r = append(*r, fmt.Sprintf("%s: %s", what, oneLine(err)))
}

func (r *refusals) crowds() {
	nan, two := math.NaN(), lag{dims(2)}
	block := func(width int, x ...float64) kedge.Block { return kedge.Block{Data: x, Width: width} }
	for _, c := range []struct {
		name           string
		f              kedge.Dynamics
		states, traits []float64
	}{
		{"nobody", two, nil, nil}, {"nobody at all", two, []float64{}, []float64{}}, {"half a trait", two, nil, []float64{1}},
		{"a state and a half", two, []float64{1, 2, 3}, []float64{1, 2}}, {"one state, two traits", two, []float64{1, 2}, count(4)},
		{"two states, one trait", two, count(4), []float64{1, 2}}, {"no number", two, []float64{1, nan}, []float64{1, 2}},
		{"no state", lag{}, nil, nil}, {"a trait too long", lag{kedge.Dims{State: 1, Trait: 2}}, nil, []float64{1, 2}},
		{"one person", two, nil, []float64{1, 2}}, {"one number", lag{dims(1)}, []float64{4}, []float64{3}},
	} {
		_, err := population.New(c.f, c.states, c.traits, nil)
		r.add("new, "+c.name, err)
	}
	noise, few := stream.New(1, "noise"), block(2, 1, 2)
	for _, c := range []struct {
		name   string
		config population.Config
	}{
		{"no traits", population.Config{Dynamics: two}}, {"narrow traits", population.Config{Dynamics: two, Traits: block(1, 1, 2)}},
		{"noise of three", population.Config{Dynamics: two, Traits: few, Noise: &population.Noise{Deviation: []float64{1, 2, 3}, Stream: noise}}},
		{"noise below nothing", population.Config{Dynamics: two, Traits: few, Noise: &population.Noise{Deviation: []float64{-1}, Stream: noise}}},
		{"noise without a stream", population.Config{Dynamics: two, Traits: few, Noise: &population.Noise{Deviation: []float64{1}}}},
		{"still noise", population.Config{Dynamics: two, Traits: few, Noise: &population.Noise{Stream: noise}}},
		{"stirred without a stream", population.Config{Dynamics: two, Traits: few, Stir: &population.Stir{Draws: []population.Draws{{Number: population.Number{NumberLaw: population.NumberLaws()[0], Of: []float64{0, -1, 2}}}}}}},
		{"not stirred", population.Config{Dynamics: two, Traits: few, Stir: &population.Stir{}}},
		{"restless", population.Config{Dynamics: two, Traits: few, Motion: &population.Motion{Churn: population.Churn{Share: -0.5}}}},
		{"seeing two", population.Config{Dynamics: lag{kedge.Dims{Decision: 2, State: 2, Trait: 2}}, Traits: few, Social: true}},
	} {
		_, err := population.Gather(c.config)
		r.add("gather, "+c.name, err)
	}
}

func (r *refusals) asked(t *testing.T) {
	c := newCrowd(t, 3, 2, nil)
	for _, x := range [][]float64{{}, count(4), count(6), count(8), {0, 0, 0, 0, 0, math.Inf(1)}} {
		r.add(fmt.Sprint("reset to ", x), c.Reset(x))
		r.add(fmt.Sprint("enter ", x), c.Enter(kedge.Block{Data: x, Width: 2}))
	}
	for _, size := range [][2]int{{6, 6}, {5, 6}, {6, 5}, {4, 4}, {8, 8}} {
		n, err := c.Sample(count(size[0]), count(size[1]))
		r.add(fmt.Sprintf("a sample of %v: %d", size, n), err)
	}
	narrow := gather(t, population.Config{Dynamics: lagWithoutTraits{lag{kedge.Dims{Decision: 1, State: 1}}}, States: kedge.Block{Data: count(3), Width: 1}})
	r.add("back to traits that nobody has", narrow.Reset(nil))
	source := stream.New(1)
	weighted, err := population.NewByWeight(source, []float64{1, 2})
	r.add("by weight", err)
	for _, p := range []population.Picker{
		population.WithReplacement{}, &population.WithoutReplacement{}, population.WithReplacement{Source: source}, &population.WithoutReplacement{Source: source},
		population.Everyone{}, weighted, &population.Rotating{Of: &population.WithoutReplacement{Source: source}},
	} {
		for _, size := range [][2]int{{2, 0}, {2, 1}, {2, 2}, {3, 3}, {2, 3}} {
			r.add(fmt.Sprintf("%T %v", p, size), p.Pick(make([]int, size[0]), size[1]))
		}
	}
}

func (r *refusals) motions() {
	s, many := stream.New(1), population.Normal{Mean: make([]float64, 3)}
	for _, c := range []struct {
		name string
		m    population.Motion
	}{
		{"no stream of walks", population.Motion{Drift: population.Drift{Walk: []float64{1}}}},
		{"walks of three", population.Motion{Drift: population.Drift{Walk: []float64{1, 2, 3}}, Walks: s}},
		{"swings of three", population.Motion{Drift: population.Drift{Swing: []float64{1, 2, 3}, Period: 5}}},
		{"an endless period", population.Motion{Drift: population.Drift{Swing: []float64{1}, Period: math.Inf(1)}}},
		{"the longest period", population.Motion{Drift: population.Drift{Swing: []float64{1}, Period: math.MaxFloat64}}},
		{"a period for nothing", population.Motion{Drift: population.Drift{Period: -1}}},
		{"a law of three", population.Motion{Churn: population.Churn{Share: 1, Law: many}, Leavers: s, Arrivals: s}},
		{"states of three", population.Motion{Churn: population.Churn{Share: 1, Law: population.Normal{}, States: many}, Leavers: s, Arrivals: s, States: s}},
		{"no streams of newcomers", population.Motion{Churn: population.Churn{Share: 1, Law: population.Normal{}, States: population.Normal{}}}},
		{"sound states", population.Motion{Churn: population.Churn{Share: 1, Law: population.Normal{}, States: population.Normal{}}, Leavers: s, Arrivals: s, States: s}},
	} {
		_, err := population.NewMoving(c.m, kedge.Block{Data: make([]float64, 4), Width: 2}, 2)
		r.add("moving, "+c.name, err)
	}
	short := population.Motion{Churn: population.Churn{Share: 1, Law: population.Normal{}}, Leavers: s, Arrivals: s}
	for width := 1; width <= 3; width++ {
		_, err := population.NewMoving(short, kedge.Block{Data: make([]float64, 4), Width: 2}, width)
		r.add(fmt.Sprintf("moving, states of %d from traits of 2", width), err)
	}
	_, err := population.NewMoving(population.Motion{}, kedge.Block{Data: []float64{1, math.NaN()}, Width: 1}, 1)
	r.add("moving, no number", err)
}

// laws are asked for sizes, and for correlations around those that there are.
func (r *refusals) laws() {
	s := stream.New(1)
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, -1}, {1, 1}, {1, 2}, {math.MaxInt / 8, 1}, {math.MaxInt/8 + 1, 1}, {math.MaxInt / 8, 2}, {math.MaxInt / 16, 2}} {
		r.add(fmt.Sprint("sizes ", size), population.Sphere{}.Check(size[0], size[1]))
		r.add(fmt.Sprint("a cap of sizes ", size), population.Cap{Angle: 10}.Check(size[0], size[1]))
	}
	listed := func(n int, first float64) []float64 { return append([]float64{first}, make([]float64, n-1)...) }
	for _, c := range []struct {
		name         string
		c            []float64
		dim, entries int
	}{
		{"one", []float64{1}, 2, 2}, {"minus one", []float64{-1}, 2, 2}, {"above one", []float64{1.0000001}, 2, 2}, {"one for other lengths", []float64{0.5}, 2, 3},
		{"256 entries", listed(256, 0.5), 256, 1}, {"257 entries", listed(257, 0.5), 257, 1}, {"256 of the other", listed(256, 0.5), 1, 256}, {"257 of the other", listed(257, 0.5), 1, 257},
		{"just one", []float64{0.6, 0.8}, 1, 2}, {"a little more", []float64{0.6, 0.8 + 1e-8}, 1, 2}, {"too much", []float64{0.6, 0.8 + 2e-8}, 1, 2},
	} {
		l, err := population.NewCorrelated(population.Normal{Mean: []float64{1, 2}}, c.dim, c.c, c.entries, s)
		if r.add("correlated, "+c.name, err); err == nil {
			r.add("of two for two", l.Check(2, 2))
			r.add("of two for three", l.Check(2, 3))
		}
	}
	_, err := population.NewCorrelated(population.Normal{}, 1, []float64{2}, 1, nil)
	r.add("correlated with nobody", err)
	table := population.Table{Data: []float64{1, 2, 3, math.NaN()}, Width: 2}
	r.add("a table with a hole", table.Check(2, 2))
	r.add("a vector for a matrix", population.Table{Data: count(4)}.Check(2, 2))
	r.add("a table for more", table.Check(3, 2))
	_, err = population.Draw(population.Uniform{Low: []float64{-math.MaxFloat64}, High: []float64{math.MaxFloat64}}, 3, 1, s)
	r.add("too wide", err)
	_, err = population.NewByWeight(nil, []float64{1})
	r.add("weights without a source", err)
	_, err = population.NewByWeight(s, nil)
	r.add("no weights", err)
}

// What crowds, pickers, motions and laws refuse, and in which words, is what it was when it was last looked at.
func TestRefusalsAreAsRecorded(t *testing.T) {
	var r refusals
	r.crowds()
	r.asked(t)
	r.motions()
	r.laws()
	f := gather(t, population.Config{Dynamics: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, Traits: kedge.Block{Data: []float64{1, 0}, Width: 2}, Motion: &population.Motion{Drift: population.Drift{Rate: []float64{math.MaxFloat64}}}})
	for range 3 {
		r.add("traits that leave", f.Respond(t.Context(), []float64{1, 0}))
	}
	evidence.AsRecorded(t, "testdata/refusals.txt", r)
}

// always draws the end of the range that nobody else draws.
type always struct{}

func (always) Float64() float64 { return 1 }

// Newcomers of whom a law makes no number are an error that names their place, numbers that are none are no parameters, and a share of everything is the last person's who weighs.
func TestWhatLawsMakeOfNobody(t *testing.T) {
	wide := population.Uniform{Low: []float64{-math.MaxFloat64}, High: []float64{math.MaxFloat64}}
	m, err := population.NewMoving(population.Motion{Churn: population.Churn{Share: 1, Law: wide}, Leavers: stream.New(1), Arrivals: stream.New(2)}, kedge.Block{Data: []float64{1, 2}, Width: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if arrived, err := m.Advance(); arrived != nil || err == nil || err.Error() != "individual 0: traits[0] is +Inf, want a finite number" {
		t.Errorf("%v arrived, %v", arrived, err)
	}
	for _, l := range population.NumberLaws() {
		of := make([]float64, len(l.Parameters))
		of[0] = math.NaN()
		if err := (population.Number{NumberLaw: l, Of: of}).Check(); err == nil || err.Error() != l.Name+"[0] is NaN, want a finite number" {
			t.Errorf("%s of no number: %v", l.Name, err)
		}
	}
	pick, err := population.NewByWeight(always{}, []float64{1, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	who := []int{0, 0}
	if err := pick.Pick(who, 3); err != nil || who[0] != 1 || who[1] != 1 {
		t.Errorf("picked %v, %v", who, err)
	}
	c := newCrowd(t, 5, 1, nil)
	if c.Employ(7); c.Workers != 7 {
		t.Errorf("%d workers, want 7", c.Workers)
	}
	broken := &population.TableError{Line: 3, What: "read", Err: fmt.Errorf("no disk")}
	if got := broken.Error(); got != "table, line 3: read: no disk" {
		t.Errorf("%q", got)
	}
}
