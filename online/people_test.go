package online_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// aligned is a rule with a sensitivity that remembers traits.
func aligned() *online.Descent {
	c := lq2()
	h := must(sensitivity.NewLearned(sensitivity.Learning{Dims: c.f.Dims(), Lag: sensitivity.Naive, Controls: sensitivity.Alignment, Every: 2, Least: 1e-9}))
	g := must(online.NewDither(online.NewLearning(c.loss, &sensitivity.Wrong{Of: h}, c.f.Dims()), 2, online.Dithering{Size: 0.5}, c.set, stream.New(2)))
	return must(online.Rule{Gradient: g, Step: online.Constant(0.01), Set: set.Ball{Radius: 3}}.From(c.start))
}

// seenBy is a sample of 40 people, the weighted ones from round 5 on.
func seenBy(round int, u []float64) kedge.Observation {
	r := stream.New(9, "seen", string(rune('a'+round)))
	o := kedge.Observation{Round: round, U: slices.Clone(u), P: make([]float64, 80), D: make([]float64, 80)}
	r.Normals(o.P)
	r.Normals(o.D)
	for i := range 40 {
		rows.AddScaled(kedge.Row(o.P, i, 2), 1, u)
		if round >= 5 {
			o.W = append(o.W, 1+float64(i%3))
		}
	}
	return o
}

func (w *walkThrough) turn(t *testing.T, round int) {
	t.Helper()
	w.rule.Ask(w.u)
	if err := w.rule.Tell(seenBy(round, w.u)); err != nil {
		t.Fatal(err)
	}
}

// walkThrough is a rule on its way.
type walkThrough struct {
	rule *online.Descent
	u    []float64
}

// Traits that are remembered are saved by themselves: with any of them saved at the same turn or later, a lean state goes on with the same bits.
// Without them it is refused, and what AppendBinary saves needs none.
func TestLeanStatesGoOnWithWhatIsKept(t *testing.T) {
	const turns = 9
	whole := walkThrough{aligned(), make([]float64, 2)}
	var lean, kept, full [][]byte
	var want [][]float64
	for k := range turns {
		lean, full = append(lean, must(whole.rule.AppendLean(nil))), append(full, must(whole.rule.AppendBinary(nil)))
		kept = append(kept, must(whole.rule.Kept().AppendBinary(nil)))
		whole.turn(t, k)
		want = append(want, slices.Clone(whole.u))
	}
	if trust := whole.rule.Trust(); !(trust > 0) {
		t.Fatalf("nothing was learned: trust %v", trust)
	}
	if small, large := len(lean[turns-1]), len(kept[turns-1]); small > len(lean[1])+100 || large < 8*40*2*8 {
		t.Errorf("lean states of %d and %d bytes, kept %d", len(lean[1]), small, large)
	}
	for k := range turns {
		for later := k; later < turns; later++ {
			other := walkThrough{aligned(), make([]float64, 2)}
			if err := errors.Join(other.rule.Kept().UnmarshalBinary(kept[later]), other.rule.UnmarshalLean(lean[k])); err != nil {
				t.Fatal(err)
			}
			for round := k; round < turns; round++ {
				if other.turn(t, round); !slices.Equal(other.u, want[round]) {
					t.Fatalf("saved at %d, with what was kept at %d: round %d decides %v, want %v", k, later, round, other.u, want[round])
				}
			}
		}
		alone := aligned()
		before := must(alone.AppendBinary(nil))
		if err := alone.UnmarshalLean(lean[k]); k > 0 && (err == nil || !strings.Contains(err.Error(), "kept apart")) {
			t.Errorf("saved at %d, without what is kept: %v", k, err)
		} else if k > 0 && !slices.Equal(before, must(alone.AppendBinary(nil))) {
			t.Error("a refused state left traces")
		}
		if err := alone.UnmarshalBinary(full[k]); err != nil {
			t.Error(err)
		}
		if err := alone.UnmarshalBinary(lean[k]); err == nil {
			t.Error("a lean state is taken for a whole one")
		}
	}
}

// Rules that remember no traits keep nothing apart.
func TestNothingIsKeptWhereNothingIsRemembered(t *testing.T) {
	c := lq2()
	d := must(online.Rule{Gradient: composite(c), Step: online.Constant(0.1), Set: c.set}.From(c.start))
	if d.Kept() != nil {
		t.Error("a composite rule keeps something")
	}
	lean := must(d.AppendLean(nil))
	if err := must(online.Rule{Gradient: composite(c), Step: online.Constant(0.1), Set: c.set}.From([]float64{9, 9})).UnmarshalLean(lean); err != nil {
		t.Error(err)
	}
}

// quitter is a learner that fails to learn.
type quitter struct{ kedge.Sensitivity }

func (quitter) Observe(kedge.Observation) error { return errors.New("out of order") }
func (quitter) Trust() float64                  { return 1 }
func (quitter) Describe(*wire.Fields)           {}

// A rule whose learner failed says so until it is mended, also after it was saved and restored.
func TestAFailedLearnerIsSaved(t *testing.T) {
	c := lq2()
	begin := func() *online.Descent {
		return must(online.Rule{Gradient: online.NewLearning(c.loss, quitter{c.answer}, c.f.Dims()), Step: online.Constant(0.1), Set: c.set}.From(c.start))
	}
	d, o := begin(), kedge.Observation{U: c.start, P: make([]float64, 8), D: c.traits}
	if err := d.Tell(o); err != nil {
		t.Fatal(err)
	}
	other := begin()
	if err := other.UnmarshalBinary(must(d.AppendBinary(nil))); err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*online.Descent{"the rule": d, "the restored one": other} {
		if err := d.Tell(o); err == nil || !strings.Contains(err.Error(), "out of order") {
			t.Errorf("%s gives %v", name, err)
		}
	}
	if err := other.UnmarshalBinary(must(begin().AppendBinary(nil))); err != nil {
		t.Fatal(err)
	}
	if err := other.Tell(o); err != nil {
		t.Errorf("restored to before the failure, the rule gives %v", err)
	}
}

// Told who people are, recursive momentum takes them in any order, with any traits, and refuses others.
func TestRecursiveKnowsPeople(t *testing.T) {
	c := lq2()
	begin := func() *online.Descent {
		g := must(online.NewRecursive(vanilla(c), c.f.Dims(), 0.3))
		return must(online.Rule{Gradient: g, Step: online.Constant(0.1), Set: c.set}.From(c.start))
	}
	first := kedge.Observation{U: c.start, P: []float64{1, 2, 3, 4, 5, 6, 7, 8}, D: c.traits, Who: []uint64{1, 2, 3, 4}}
	for _, x := range []struct {
		who []uint64
		ok  bool
	}{{[]uint64{3, 4, 5, 6}, true}, {[]uint64{4, 3, 6, 5}, true}, {[]uint64{3, 2, 5, 6}, false}, {nil, false}} {
		d := begin()
		if err := d.Tell(first); err != nil {
			t.Fatal(err)
		}
		next := kedge.Observation{Round: 1, U: c.start, P: first.P, D: filled(8, 9), Who: x.who}
		if err := d.Tell(next); (err == nil) != x.ok {
			t.Errorf("people %v after %v give %v", x.who, first.Who, err)
		}
	}
}
