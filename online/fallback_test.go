package online_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// path tells a rule some samples, with a change before each turn, and returns where it goes.
func path(t *testing.T, g online.Estimator, before func(turn int)) (all []float64) {
	t.Helper()
	c := lq2()
	d := must(online.Rule{Gradient: g, Step: online.Constant(0.05), Set: c.set}.From(c.start))
	u := make([]float64, 2)
	for k := range 12 {
		before(k)
		d.Ask(u)
		if err := d.Tell(seenBy(k, u)); err != nil {
			t.Fatal(err)
		}
		all = append(all, u...)
	}
	return all
}

func never(int) {}

// A Fallback goes the way of the first while that is trusted, of the second while it is not.
func TestFallbackIsEitherOfTheTwo(t *testing.T) {
	c := lq2()
	begin := func() *online.Fallback { return must(online.NewFallback(composite(c), vanilla(c))) }
	if !slices.Equal(path(t, begin(), never), path(t, composite(c), never)) {
		t.Error("trusted, it is not composite")
	}
	f := begin()
	if !slices.Equal(path(t, f, func(int) { f.Distrust(true) }), path(t, vanilla(c), never)) {
		t.Error("distrusted, it is not vanilla")
	}
	if f.Trust() != 0 || !f.Distrusted() {
		t.Errorf("the trust in a model that is not trusted is %v", f.Trust())
	}
	if f.Distrust(false); !math.IsNaN(f.Trust()) {
		t.Errorf("the trust in a model that is given is %v", f.Trust())
	}
	f = begin()
	mixed := path(t, f, func(k int) { f.Distrust(k >= 6) })
	if !slices.Equal(mixed[:12], path(t, composite(c), never)[:12]) || slices.Equal(mixed, path(t, composite(c), never)) {
		t.Error("it does not change over")
	}
}

// Which of the two is at work is saved.
func TestFallbackIsSaved(t *testing.T) {
	start := func() kedge.Algorithm {
		f := must(online.NewFallback(&online.Composite{Objective: lq2().loss, Sensitivity: lq2().answer, Dims: lq2().f.Dims()}, vanilla(lq2())))
		return must(online.Rule{Gradient: f, Step: online.Constant(0.05), Set: set.Ball{Radius: 2}}.From([]float64{0.5, 0.5}))
	}
	conform.Algorithm(t, start, conform.Turns{Decision: 2, Observe: func(_ *stream.Stream, round int, u []float64) kedge.Observation { return seenBy(round, u) }})
	c := lq2()
	one, other := must(online.NewFallback(composite(c), vanilla(c))), must(online.NewFallback(composite(c), vanilla(c)))
	rule := func(f *online.Fallback) *online.Descent {
		return must(online.Rule{Gradient: f, Step: online.Constant(0.05), Set: c.set}.From(c.start))
	}
	one.Distrust(true)
	if err := rule(other).UnmarshalBinary(must(rule(one).AppendBinary(nil))); err != nil {
		t.Fatal(err)
	}
	if !other.Distrusted() {
		t.Error("the switch is lost")
	}
}

// While it is fallen back from, a learner goes on learning, and what fails it fails nothing else.
func TestIdleLearnersLearn(t *testing.T) {
	c := lq2()
	learner := func() *sensitivity.Learned {
		return must(sensitivity.NewLearned(sensitivity.Learning{Dims: c.f.Dims(), Lag: sensitivity.Naive, Every: 1}))
	}
	h, want := learner(), learner()
	f := must(online.NewFallback(online.NewLearning(c.loss, h, c.f.Dims()), vanilla(c)))
	path(t, f, func(int) { f.Distrust(true) })
	path(t, online.NewLearning(c.loss, &misled{Learned: want}, c.f.Dims()), never)
	if !slices.Equal(h.Gain(), want.Gain()) || h.Gain()[0] == 0 {
		t.Errorf("idle, the gain is %v, want %v", h.Gain(), want.Gain())
	}
	broken := must(online.NewFallback(online.NewLearning(c.loss, quitter{c.answer}, c.f.Dims()), vanilla(c)))
	if !slices.Equal(path(t, broken, func(int) { broken.Distrust(true) }), path(t, vanilla(c), never)) {
		t.Error("a learner that fails while it is idle changes the way")
	}
}

// misled is never trusted, so that Vanilla decides.
type misled struct{ *sensitivity.Learned }

func (*misled) Trust() float64 { return 0 }

func TestFallbackRefuses(t *testing.T) {
	c := lq2()
	explorer := must(online.NewOnePoint(2, 0.1, stream.New(1)))
	for i, err := range []error{
		second(online.NewFallback(nil, vanilla(c))), second(online.NewFallback(vanilla(c), nil)), second(online.NewFallback(explorer, vanilla(c))),
		second(online.NewFallback(vanilla(c), online.NewRetrain(c.loss, c.f.Dims(), c.set))),
	} {
		if err == nil {
			t.Errorf("pair %d is accepted", i)
		}
	}
	f := must(online.NewFallback(failing{}, vanilla(c)))
	d := must(online.Rule{Gradient: f, Step: online.Constant(0.05), Set: c.set}.From(c.start))
	if err := d.Tell(seenBy(0, c.start)); !errors.Is(err, errFailing) {
		t.Errorf("an estimator at work that fails gives %v", err)
	}
}

var errFailing = errors.New("failing")

type failing struct{}

func (failing) Estimate([]float64, kedge.Observation) error { return errFailing }

func second[T any](_ T, err error) error { return err }
