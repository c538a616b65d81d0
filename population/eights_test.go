package population_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// inTiles moves people in tiles on every processor, inRows on none.
type (
	inTiles struct{ dynamics.Polarized }
	inRows  struct{ dynamics.Polarized }
)

func (inTiles) Tiles() bool { return true }
func (inRows) Tiles() bool  { return false }

// twoCrowds are the same people twice, in tiles and in rows.
func twoCrowds(t *testing.T, n, m int, states []float64) (tiles, plain *population.Crowd, traits kedge.Block) {
	t.Helper()
	f := dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}
	x, err := population.Draw(population.Cap{Angle: 90}, n, m, stream.New(3))
	if err != nil {
		t.Fatal(err)
	}
	traits = kedge.Block{Data: x, Width: m}
	config := population.Config{Dynamics: inTiles{f}, Traits: traits}
	if states != nil {
		config.States = kedge.Block{Data: states, Width: m}
	}
	config.Pick = population.WithReplacement{Source: stream.New(5)}
	tiles = gather(t, config)
	config.Dynamics, config.Pick = inRows{f}, population.WithReplacement{Source: stream.New(5)}
	return tiles, gather(t, config), traits
}

func modelOf(traits kedge.Block) kedge.Model {
	f := inTiles{dynamics.Polarized{Dim: traits.Width, Lambda: 0.4, Sigma: 0.5}}
	return kedge.Model{Dynamics: f, Settler: f, Objective: objective.Affinity{}, Traits: traits}
}

// decision is the k-th of a series.
func decision(k, m int) []float64 {
	u, s := make([]float64, m), stream.New(uint64(k))
	for i := range u {
		u[i] = s.Normal() / math.Sqrt(float64(m))
	}
	return u
}

func agree(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: entry %d is %x in tiles, %x in rows", what, i, got[i], want[i])
		}
	}
}

// look returns all states without asking for a block.
func look(c *population.Crowd) []float64 {
	n, m := c.Look().Size()
	return c.Look().View(make([]float64, n*m), 0, n)
}

// People in tiles have the bits of those in rows: states, samples, values and what is saved. Some decisions are foreseen and deployed, some foreseen and
// not deployed, some not foreseen.
func TestTilesAreTheCrowd(t *testing.T) {
	for _, n := range []int{1, 7, 8, 64, 65, 130, 259} {
		for _, m := range []int{2, 3, 20} {
			tiles, plain, traits := twoCrowds(t, n, m, nil)
			for k := range 6 {
				u := decision(k, m)
				if k%3 != 2 {
					foresee(t, tiles, traits, u)
				}
				if k == 4 {
					u = decision(77, m)
				}
				if err, want := tiles.Respond(t.Context(), u), plain.Respond(t.Context(), u); err != nil || want != nil {
					t.Fatal(err, want)
				}
				agree(t, "states", look(tiles), look(plain))
				p, d, q, e := make([]float64, 5*m), make([]float64, 5*m), make([]float64, 5*m), make([]float64, 5*m)
				_, _ = tiles.Sample(p, d)
				_, _ = plain.Sample(q, e)
				agree(t, "sample", append(p, d...), append(q, e...))
			}
			if tiles.Foresight(modelOf(traits)).Foresee(decision(1, m)) {
				t.Error("goes on foreseeing after another decision was deployed than foreseen")
			}
			saved(t, tiles, plain)
		}
	}
}

// foresee compares what the crowd says of u with AlignRows, where it can tell: not of people who are the same distance from u and from −u.
func foresee(t *testing.T, c *population.Crowd, traits kedge.Block, u []float64) {
	t.Helper()
	ahead := c.Foresight(modelOf(traits))
	if ahead == nil {
		t.Fatal("the crowd foresees nothing")
	}
	if !ahead.Foresee(u) {
		return // after another decision was deployed than foreseen
	}
	n, _ := traits.Size()
	got, want := make([]float64, n), make([]float64, n)
	for first := 0; first < n; first += 128 {
		if _, ok := ahead.AlignPeople(got[first:min(first+128, n)], first); !ok {
			t.Fatalf("people from %d on are not aligned", first)
		}
	}
	f := dynamics.Polarized{Dim: traits.Width, Lambda: 0.4, Sigma: 0.5}
	if _, err := f.AlignRows(want, u, traits.Data); err != nil {
		t.Fatal(err)
	}
	agree(t, "settled products", got, want)
	for _, some := range []int{min(1, n-1), n - 1} {
		if _, ok := ahead.AlignPeople(got[some:], some); ok && some%64 != 0 {
			t.Errorf("people from the middle of a tile on are aligned, from %d of %d", some, n)
		}
	}
}

// saved compares saved bytes, and lets either crowd go on from the other's.
func saved(t *testing.T, tiles, plain *population.Crowd) {
	t.Helper()
	a, err := tiles.AppendBinary(nil)
	b, err2 := plain.AppendBinary(nil)
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Fatalf("saved bytes differ, or %v, %v", err, err2)
	}
	u := decision(9, tiles.Dims().State)
	before := look(tiles)
	if err := tiles.Respond(context.Background(), u); err != nil {
		t.Fatal(err)
	}
	if err := tiles.UnmarshalBinary(b[:len(b)-9]); err == nil {
		t.Fatal("broken bytes are restored")
	}
	first, nan := make([]byte, 8), make([]byte, 8)
	binary.LittleEndian.PutUint64(first, math.Float64bits(before[0]))
	binary.LittleEndian.PutUint64(nan, math.Float64bits(math.NaN()))
	if bad := bytes.Replace(b, first, nan, 1); bytes.Equal(bad, b) || tiles.UnmarshalBinary(bad) == nil {
		t.Fatal("a saved state that is not a number is restored, or none was found")
	}
	agree(t, "states after a failed restore", look(tiles), after(t, plain, u))
	if err := tiles.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	agree(t, "restored", look(tiles), before)
	if err := tiles.Reset(nil); err != nil {
		t.Fatal(err)
	}
	agree(t, "put back", look(tiles), tiles.Traits())
}

// after are the states of a crowd after a step that it does not take.
func after(t *testing.T, c *population.Crowd, u []float64) []float64 {
	t.Helper()
	f := dynamics.Polarized{Dim: len(u), Lambda: 0.4, Sigma: 0.5}
	out := make([]float64, len(c.States()))
	f.NextRows(out, c.States(), u, c.Traits())
	return out
}

// States whose norms over- or underflow are moved as in rows, and one that has no direction is the same error and moves nobody.
func TestTilesMoveHostileStates(t *testing.T) {
	const n, m = 70, 5
	for _, hostile := range []float64{1e200, 1e-200, 5e-324, -1e308, 0} {
		states := make([]float64, n*m)
		for i := range states {
			states[i] = float64(i%7) - 3
		}
		for j := range m {
			states[66*m+j] = hostile
		}
		tiles, plain, traits := twoCrowds(t, n, m, states)
		for k := range 3 {
			u := decision(k, m)
			if hostile == -1e308 {
				u[0] = 1e308
			} else {
				foresee(t, tiles, traits, u)
			}
			err, want := tiles.Respond(t.Context(), u), plain.Respond(t.Context(), u)
			if (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() {
				t.Fatalf("%v: error %v in tiles, %v in rows", hostile, err, want)
			}
			agree(t, "hostile states", look(tiles), look(plain))
		}
	}
	if err := gather(t, population.Config{Dynamics: inTiles{dynamics.Polarized{Dim: 1, Lambda: 1}}, Traits: kedge.Block{Data: []float64{1}, Width: 1}}).Reset([]float64{math.NaN()}); err == nil {
		t.Error("a state that is not a number is taken")
	}
}

// Whoever asks for a block after every step gets it, and the crowd goes on in rows.
func TestTilesGiveWay(t *testing.T) {
	tiles, plain, traits := twoCrowds(t, 20, 4, nil)
	ahead := tiles.Foresight(modelOf(traits))
	for k := range 8 {
		u := decision(k, 4)
		if foreseen := ahead.Foresee(u); foreseen != (k < 3) {
			t.Fatalf("step %d: foresees %v", k, foreseen)
		} else if foreseen {
			foresee(t, tiles, traits, u)
		}
		if err, want := tiles.Respond(t.Context(), u), plain.Respond(t.Context(), u); err != nil || want != nil {
			t.Fatal(err, want)
		}
		agree(t, "states", tiles.States(), plain.States())
		agree(t, "states again", tiles.States(), plain.States())
	}
	if tiles.Foresight(modelOf(traits)) != nil {
		t.Error("a crowd in rows foresees")
	}
	if now, rows := tiles.Bytes(), plain.Bytes(); now > rows+8*80 {
		t.Errorf("%d bytes, %d in rows", now, rows)
	}
}

// A crowd foresees for models of its own people and dynamics alone.
func TestForesightIsOfTheOwnCrowd(t *testing.T) {
	tiles, plain, traits := twoCrowds(t, 20, 4, nil)
	own := modelOf(traits)
	others, strangers, social := own, own, own
	others.Traits = kedge.Block{Data: slices.Clone(traits.Data), Width: 4}
	fewer := own
	fewer.Traits = kedge.Block{Data: traits.Data[:4*19], Width: 4}
	strangers.Settler = inTiles{dynamics.Polarized{Dim: 4, Lambda: 0.3, Sigma: 0.5}}
	social.Social = true
	for name, m := range map[string]kedge.Model{"other people": others, "the first people alone": fewer, "other dynamics": strangers, "people who see the mean": social} {
		if tiles.Foresight(m) != nil {
			t.Errorf("foresees for %s", name)
		}
	}
	if tiles.Foresight(own) == nil || plain.Foresight(own) != nil {
		t.Error("does not foresee for its own, or does in rows")
	}
	if ahead := tiles.Foresight(own); ahead.Foresee(make([]float64, 4)) || ahead.Foresee([]float64{1}) {
		t.Error("foresees a decision without direction, or of another length")
	}
}

// listed is a dynamics whose values cannot be compared.
type listed struct {
	inTiles
	_ []string
}

// One person of one entry is a crowd that foresees. One whose dynamics cannot be told from others is none, and nobody panics.
func TestForesightOfOddCrowds(t *testing.T) {
	one := kedge.Block{Data: []float64{1}, Width: 1}
	f := dynamics.Polarized{Dim: 1, Lambda: 0.4, Sigma: 0.5}
	model := modelOf(one)
	ahead := gather(t, population.Config{Dynamics: inTiles{f}, Traits: one}).Foresight(model)
	if ahead == nil {
		t.Fatal("one person foresees nothing")
	}
	pu := []float64{0}
	if foreseen := ahead.Foresee([]float64{-0.5}); !foreseen {
		t.Error("one person does not foresee")
	} else if _, ok := ahead.AlignPeople(pu, 0); !ok || pu[0] != -0.5 {
		t.Errorf("one person is at 1 under −½: %v, %v", pu, ok) // on a sphere of two points nobody leaves his own
	}
	odd := listed{inTiles: inTiles{f}}
	model.Dynamics, model.Settler = odd, odd
	if gather(t, population.Config{Dynamics: odd, Traits: one}).Foresight(model) != nil {
		t.Error("foresees for a dynamics that cannot be told from others")
	}
}
