package online_test

import (
	"bytes"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// after returns a rule that took some turns.
func after(t testing.TB, rule online.Rule, turns int) *online.Descent {
	t.Helper()
	d := must(rule.From([]float64{0.3, -0.2, 0.1}))
	r, u := stream.New(2, "turns"), make([]float64, 3)
	for k := range turns {
		d.Ask(u)
		if err := d.Tell(observe(r, k, u)); err != nil {
			t.Fatal(err)
		}
	}
	d.Ask(u) // a rule that explores has its direction now
	return d
}

// A rule takes the states of its own kind alone.
func TestForeignStatesAreRefused(t *testing.T) {
	for name, rule := range rules() {
		d := after(t, rule(), 3)
		before := must(d.AppendBinary(nil))
		for other, from := range rules() {
			state := must(after(t, from(), 5).AppendBinary(nil))
			if err := d.UnmarshalBinary(state); (err == nil) != (other == name) {
				t.Errorf("%s restored from %s: %v", name, other, err)
			}
			if err := d.UnmarshalBinary(before); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// counter is an estimator that remembers turns and cannot be saved; as a source of directions it cannot be saved either.
type counter struct{ turns int }

func (*counter) Estimate(g []float64, _ kedge.Observation) error { clear(g); return nil }
func (c *counter) Commit(kedge.Observation)                      { c.turns++ }
func (*counter) Normals(dst []float64)                           { dst[0] = 1 }

func TestPartsThatCannotBeSaved(t *testing.T) {
	for _, g := range []online.Estimator{&counter{}, must(online.NewDerivativeFree(3, 0.1, &counter{}))} {
		d := must(online.Rule{Gradient: g, Step: online.Constant(1), Set: set.Whole{}}.From([]float64{0, 0, 0}))
		if b, err := d.AppendBinary([]byte("x")); err == nil || string(b) != "x" {
			t.Errorf("%T: saved as %q, %v", g, b, err)
		}
		if d.UnmarshalBinary(nil) == nil {
			t.Errorf("%T: restored", g)
		}
	}
}

// Any content under a right checksum: refused without a trace, or taken and written again byte for byte; the rule can go on.
func FuzzUnmarshalDescent(f *testing.F) {
	content := func(state []byte) []byte { return state[1+int(state[0])+8 : len(state)-4] }
	for _, rule := range rules() {
		f.Add(content(must(after(f, rule(), 2).AppendBinary(nil))))
	}
	f.Add(content(must(shortAverage())))
	f.Fuzz(func(t *testing.T, content []byte) {
		for name, rule := range rules() {
			d := after(t, rule(), 0)
			before := must(d.AppendBinary(nil))
			data := wire.Seal("online.Descent/4", content)
			if err := d.UnmarshalBinary(data); err == nil {
				before = data
			}
			if !bytes.Equal(must(d.AppendBinary(nil)), before) {
				t.Errorf("%s: refused content left traces, or accepted content changed", name)
			}
			u := make([]float64, 3)
			d.Ask(u)
			_ = d.Tell(observe(stream.New(1), 0, u))
		}
	})
}

// shortAverage is the state of a rule for three numbers whose average has two.
func shortAverage() ([]byte, error) {
	m := &online.Momentum{Beta: 0.5}
	m.Apply([]float64{1, 2})
	return wire.Append(nil, "online.Descent/4", func(f *wire.Fields) {
		for range 4 { // turns, and whether a decision was missed
			f.Same("turns", 1)
		}
		f.Fixed([]float64{0, 0, 0}, nil, nil, nil)
		f.Same("parts", 1)
		f.Part("transform", m)
	})
}

// alone is the state of one part.
type alone struct{ part any }

func (a alone) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, "alone/1", a.fields) }

func (a alone) UnmarshalBinary(data []byte) error { return wire.Restore(data, "alone/1", a.fields) }

func (a alone) fields(f *wire.Fields) { f.Part("part", a.part) }

// parts are all that remember turns.
func parts() []any {
	dim := kedge.Dims{Decision: 2, State: 2, Trait: 2}
	phi, r := objective.Affinity{}, func() *stream.Stream { return stream.New(1) }
	return []any{
		&online.Momentum{Beta: 0.5},
		&online.Adam{Beta1: 0.5, Beta2: 0.5},
		must(online.NewDerivativeFree(2, 1, r())),
		must(online.NewOnePoint(2, 1, r())),
		must(online.NewTwoPoint(2, 1, r())),
		must(online.NewPerformative(phi, dim, online.Reparametrized, 3, 1, r())),
		must(online.NewPlugIn(phi, dim, online.Location, 3, 1, r(), set.Whole{})),
		must(online.NewRecursive(online.Vanilla{Objective: phi, Dims: dim}, dim, 0.5)),
	}
}

// Any content under a right checksum, for the parts by themselves.
func FuzzUnmarshalParts(f *testing.F) {
	f.Add([]byte{3, 0, 0, 0, 0, 0, 0, 0})
	for _, part := range parts() {
		state := must(alone{part}.AppendBinary(nil))
		f.Add(state[1+int(state[0])+8 : len(state)-4])
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, part := range parts() {
			s := alone{part}
			before, data := must(s.AppendBinary(nil)), wire.Seal("alone/1", content)
			if err := s.UnmarshalBinary(data); err == nil {
				before = data
			}
			if !bytes.Equal(must(s.AppendBinary(nil)), before) {
				t.Errorf("%T: refused content left traces, or accepted content changed", part)
			}
		}
	})
}
