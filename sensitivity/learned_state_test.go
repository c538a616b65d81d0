package sensitivity

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/stream"
)

// learners are of every form, with all that they may remember.
func learners() map[string]Learning {
	return map[string]Learning{
		"panel": {Form: Panel}, "means": {Lag: Filtered, Trend: 20, Controls: Alignment}, "window": {Lag: State, Method: Window, Memory: 12}, "filter": {Lag: Naive, Method: Kalman, Trend: 5},
		"individuals": {Form: Conditional, Lag: Naive, Trend: 10},
	}
}

// taught has seen so many turns of a town, the people of which are known and weighed in some.
func taught(t *testing.T, c Learning, l *Learned, from, to int) *Learned {
	t.Helper()
	if l == nil {
		l = mustLearn(t, c)
	}
	r := stream.New(8, "taught")
	w := newTown(5, r)
	for k := range to {
		w.answer([]float64{r.Normal(), r.Normal()})
		if k < from {
			continue
		}
		o := w.all()
		o.Who = []uint64{1, 2, 3, 4, 5}
		if k%3 == 1 {
			o.W = []float64{1, 2, 1, 3, 1}
		}
		if err := l.Observe(o); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func savedLearner(t *testing.T, l *Learned) []byte {
	t.Helper()
	b, err := wire.Append(nil, "learned/1", l.Describe)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is saved after any turn goes on with the same bits.
func TestLearnersGoOn(t *testing.T) {
	for name, c := range learners() {
		whole := taught(t, c, nil, 0, 40)
		for _, at := range []int{0, 1, 2, 7, 25} {
			back := mustLearn(t, c)
			if err := wire.Restore(savedLearner(t, taught(t, c, nil, 0, at)), "learned/1", back.Describe); err != nil {
				t.Fatal(name, at, err)
			}
			taught(t, c, back, at, 40)
			if !slices.Equal(back.Gain(), whole.Gain()) || back.Trust() != whole.Trust() {
				t.Errorf("%s, saved after %d turns: gain %v, want %v", name, at, back.Gain(), whole.Gain())
			}
		}
		if slices.Max(whole.Gain()) == 0 {
			t.Errorf("%s has learned nothing", name)
		}
	}
}

// What no learner can have saved is refused, and nothing of it is taken.
func TestForgedLearnersAreRefused(t *testing.T) {
	nan := math.NaN()
	for name, x := range map[string]struct {
		of    string
		forge func(l *Learned)
	}{
		"changes of fewer":       {"panel", func(l *Learned) { l.past.step = l.past.step[2:] }},
		"traits of fewer":        {"panel", func(l *Learned) { l.past.d = l.past.d[2:] }},
		"moves of fewer":         {"panel", func(l *Learned) { l.past.moved = l.past.moved[1:] }},
		"names of fewer":         {"panel", func(l *Learned) { l.past.who = l.past.who[1:] }},
		"half a person":          {"panel", func(l *Learned) { l.past.p, l.past.step = l.past.p[1:], l.past.step[1:] }},
		"a state of NaN":         {"panel", func(l *Learned) { l.past.p[0] = nan }},
		"a trust of 2":           {"panel", func(l *Learned) { l.trust = 2 }},
		"a trust below 0":        {"panel", func(l *Learned) { l.trust = -0.1 }},
		"a weight below 0":       {"means", func(l *Learned) { l.fit.weight = -1 }},
		"a mass below 0":         {"individuals", func(l *Learned) { l.past.mass = -1 }},
		"a mass of NaN":          {"individuals", func(l *Learned) { l.past.mass = nan }},
		"a usual size below 0":   {"means", func(l *Learned) { l.past.usual = -1 }},
		"a gain of NaN":          {"means", func(l *Learned) { l.gain[0] = nan }},
		"half a remembered one":  {"means", func(l *Learned) { l.past.crowd = l.past.crowd[1:] }},
		"a weight too few":       {"means", func(l *Learned) { l.past.counts = l.past.counts[1:] }},
		"a remembered weight 0":  {"means", func(l *Learned) { l.past.counts[0] = 0 }},
		"a remembered trait NaN": {"means", func(l *Learned) { l.past.crowd[0] = nan }},
		"too many remembered":    {"means", func(l *Learned) { l.past.crowd, l.past.counts = make([]float64, 2*(crowded+1)), nil }},
	} {
		c := learners()[x.of]
		l, into := taught(t, c, nil, 0, 12), taught(t, c, nil, 0, 5)
		x.forge(l)
		before := savedLearner(t, into)
		if err := wire.Restore(savedLearner(t, l), "learned/1", into.Describe); err == nil {
			t.Errorf("%s: taken", name)
		} else if !slices.Equal(savedLearner(t, into), before) {
			t.Errorf("%s: refused, and something is taken", name)
		}
	}
	full := taught(t, learners()["means"], nil, 0, 3)
	full.past.crowd, full.past.counts = make([]float64, 2*crowded), nil
	if err := wire.Restore(savedLearner(t, full), "learned/1", mustLearn(t, learners()["means"]).Describe); err != nil {
		t.Errorf("as many as may be remembered: %v", err)
	}
}

// Traits that are kept apart come first; a lean state takes as many of them as it had, and none that are not there.
func TestTraitsAreKeptApart(t *testing.T) {
	c := learners()["means"]
	early, late := taught(t, c, nil, 0, 4), taught(t, c, nil, 0, 9)
	lean, err := wire.AppendLean(nil, "learned/1", early.Describe)
	if err != nil {
		t.Fatal(err)
	}
	back := mustLearn(t, c)
	if err := wire.RestoreLean(lean, "learned/1", back.Describe); err == nil {
		t.Error("a lean state without its traits is taken")
	}
	kept, err := late.Kept().AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Kept().UnmarshalBinary(kept[1:]); err == nil {
		t.Error("what is no state is taken")
	}
	if err := back.Kept().UnmarshalBinary(kept); err != nil {
		t.Fatal(err)
	}
	if err := wire.RestoreLean(lean, "learned/1", back.Describe); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(savedLearner(t, back), savedLearner(t, early)) {
		t.Errorf("%d traits are remembered, want %d", back.past.seen(), early.past.seen())
	}
	for name, c := range learners() {
		if apart := mustLearn(t, c).Kept() != nil; apart != (name == "means") {
			t.Errorf("%s keeps something apart: %v", name, apart)
		}
	}
}
